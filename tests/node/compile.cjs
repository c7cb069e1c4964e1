// Compile a schema with Ajv into a module of its own, so that each start of validate.cjs is quick.
// Usage: SCHEMA MODULE.
"use strict";

const { readFileSync, writeFileSync } = require("node:fs");
const Ajv2020 = require("ajv/dist/2020");
const standaloneCode = require("ajv/dist/standalone").default;

const [schema, module_] = process.argv.slice(2);
const ajv = new Ajv2020({ strict: false, code: { source: true } });
writeFileSync(module_, standaloneCode(ajv, ajv.compile(JSON.parse(readFileSync(schema, "utf8")))));
