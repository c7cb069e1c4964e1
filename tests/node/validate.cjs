// A validator as most are written: JSON.parse, then Ajv. Usage: MODULE DOCUMENT, where MODULE is
// what compile.cjs wrote. Exit status 0 if the document is valid.
"use strict";

const { readFileSync } = require("node:fs");

const [module_, document] = process.argv.slice(2);
const validate = require(module_);
let value;
try {
  value = JSON.parse(readFileSync(document, "utf8"));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
if (!validate(value)) {
  console.error(JSON.stringify(validate.errors[0]));
  process.exit(1);
}
