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
  // Not strict is how the MCP TypeScript SDK sets Ajv up: with class 7 in 1.x, 2020 in 2.x.
  const options = strict
    ? { strict: true, logger: false }
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
