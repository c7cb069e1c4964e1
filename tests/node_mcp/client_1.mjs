// The client of the TypeScript SDK, major 1.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { job, talk } from "./job.mjs";

const [command, ...args] = job.command ?? [];
const transport =
  job.transport === "stdio"
    ? new StdioClientTransport({ command, args })
    : new StreamableHTTPClientTransport(new URL(job.url));

// It has no option for the revision and always offers the newest it knows, so the offer is
// changed on its way out. What it goes by is what the server answers to that.
const send = transport.send.bind(transport);
transport.send = (message, ...rest) => {
  if (message.method === "initialize") message.params.protocolVersion = job.revision;
  return send(message, ...rest);
};
let negotiated;
const told = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (revision) => {
  negotiated = revision;
  told?.(revision);
};

const client = new Client({ name: "matrix", version: "1" });
await client.connect(transport);
const call = (words, options) => client.callTool(words, undefined, options);
await talk(client, call, () => negotiated);
