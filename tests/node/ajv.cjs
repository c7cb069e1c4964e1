// Ajv for tests/ajv.py: one request a line on standard input, one answer a line.
// A request {engine, strict, schemas, documents} makes one Ajv instance, adds all
// the schemas to it and answers, for each, with the verdicts on its documents or
// with why it was refused. Nothing can be fetched: sockets are out of order.
"use strict";

const net = require("node:net");
const readline = require("node:readline");

const addFormats = require("ajv-formats").default;
const engines = {
  2020: require("ajv/dist/2020").default,
  7: require("ajv").default,
};

net.Socket.prototype.connect = () => {
  throw new Error("the network is not for tests");
};

function answer({ engine, strict, schemas, documents }) {
  // Strict is Ajv's own default. Not strict is how the MCP TypeScript SDK sets it up,
  // with engine 7 in its major 1 and 2020 in its major 2.
  const options = strict
    ? { logger: false }
    : { strict: false, validateFormats: true, validateSchema: false, allErrors: true };
  const ajv = new engines[engine](options);
  addFormats(ajv);
  return schemas.map((schema, index) => {
    try {
      const validate = ajv.compile(schema);
      return documents[index].map((document) => validate(document));
    } catch (error) {
      return error.message;
    }
  });
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
});
