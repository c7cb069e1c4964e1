// The client of the TypeScript SDK, major 2.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { job, talk } from "./job.mjs";

const [command, ...args] = job.command ?? [];
const transport =
  job.transport === "stdio"
    ? new StdioClientTransport({ command, args })
    : new StreamableHTTPClientTransport(new URL(job.url));

// It offers the first revision of this list in a handshake. One without a handshake has to
// be pinned: the server's answer to server/discover must have it.
const handshake = job.revision < "2026";
const client = new Client(
  { name: "matrix", version: "1" },
  {
    supportedProtocolVersions: [job.revision],
    versionNegotiation: { mode: handshake ? "legacy" : { pin: job.revision } },
  },
);
await client.connect(transport);
const call = (words, options) => client.callTool(words, options);
await talk(client, call, () => client.getNegotiatedProtocolVersion());
