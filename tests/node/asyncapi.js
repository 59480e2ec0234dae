"use strict";
// Validates an AsyncAPI 3.0 document against AsyncAPI's own schema (draft-07): a document in, a list of faults out.

const fs = require("node:fs");
const Ajv = require("ajv");
const definition = require("@asyncapi/specs/schemas/3.0.0-without-$id.json");

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
const validate = ajv.compile(definition);
const faults = validate(JSON.parse(fs.readFileSync(0, "utf8"))) ? [] : validate.errors;
process.stdout.write(JSON.stringify(faults.map((fault) => `${fault.instancePath} ${fault.message}`)));
