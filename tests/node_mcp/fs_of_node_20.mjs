// The conformance suite imports globSync from fs, which Node 20 does not have, for a command
// that tests do not use. `node --import` of this file gives it one that is undefined.
import { register } from "node:module";

const url = (text) => "data:text/javascript," + encodeURIComponent(text);
const fs = url('import fs from "node:fs"; export * from "node:fs"; export default fs; ' +
  "export const globSync = undefined;");
register(url(`
  export const resolve = (name, context, next) =>
    name === "fs" && context.parentURL?.endsWith("/conformance/dist/index.js")
      ? { url: ${JSON.stringify(fs)}, shortCircuit: true }
      : next(name, context);
`));
