// The JSON Schema of each protocol revision, as one JSON document: {"2025-06-18": {...}, ...}.
//
// No SDK ships these files. The official conformance suite does, inside its one bundled
// module, which runs a command line when it is imported; so they are cut out of its text.
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

const bundle = new URL(
  "node_modules/@modelcontextprotocol/conformance/dist/index.js",
  import.meta.url,
);
const text = readFileSync(bundle, "utf8");
// `Pe={$schema:...},Fe={...},...;const Re={"2025-03-26":Pe,...,[A]:Le};`, A a constant before it.
const found = text.match(
  /[\w$]+=\{\$schema:`http:\/\/json-schema\.org[^]*?;const [\w$]+=\{("2025-03-26":[^}]*)\};/,
);
if (!found) throw new Error("the suite's bundle does not hold the schemas in the way it did");
const [whole, versions] = found;
const literals = whole.slice(0, whole.lastIndexOf(";const "));
const table = versions.replace(/\[[\w$]+\]/, '"2026-07-28"');
const schemas = runInNewContext(`const ${literals}; ({${table}})`);
process.stdout.write(JSON.stringify(schemas) + "\n");
