// What both clients of the TypeScript SDK share: the job, and the document they give.
// tests/mcp_clients/python_sdk.py says what these hold.
import { text } from "node:stream/consumers";

export const job = JSON.parse(await text(process.stdin));
const options = { timeout: 30_000 };

export async function talk(client, callTool, revision) {
  const { tools } = await client.listTools(undefined, options);
  const calls = [];
  for (const call of job.calls) {
    try {
      calls.push({ result: await callTool(call, options) });
    } catch (error) {
      const { name, code = null, message } = error;
      calls.push({ raised: { class: error.constructor?.name ?? name, code, message } });
    }
  }
  const seen = { revision: revision(), tools, calls };
  await client.close();
  process.stdout.write(JSON.stringify(seen) + "\n");
}
