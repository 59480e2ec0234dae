"use strict";
// Validates with ajv (draft 2020-12): {"schemas": {name: schema}, "checks": [[name, value]]} in, [true | false] out.

const fs = require("node:fs");
const Ajv = require("ajv/dist/2020");

const { schemas, checks } = JSON.parse(fs.readFileSync(0, "utf8"));
const ajv = new Ajv({ strictSchema: true, allowUnionTypes: true, validateFormats: false });
const validators = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));
process.stdout.write(JSON.stringify(checks.map(([name, value]) => validators[name](value))));
