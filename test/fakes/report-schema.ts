// The schema of --json documents, twice: as it ships, and closed, so that a member which the schema does not describe fails a test.
import { readFileSync } from "node:fs"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { expect } from "vitest"

type Schema = Readonly<Record<string, unknown>>

const schema: Schema = JSON.parse(readFileSync(new URL("../../schemas/report.schema.json", import.meta.url), "utf8"))

const compile = (value: Schema): ValidateFunction =>
  new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true }).compile(value)

const open = compile(schema)
const closed = compile({ ...closeAll(schema), unevaluatedProperties: false })

/** The same schema in which no definition allows members that it does not name. Documents of commands are closed at the top. */
function closeAll(value: Schema): Schema {
  const definitions = Object.entries(value.$defs as Schema).map(([name, definition]) => [
    name,
    name.endsWith("Document") ? definition : close(definition as Schema),
  ])
  return { ...value, $id: "urn:toolsum:report:closed", $defs: Object.fromEntries(definitions) }
}

function close(definition: Schema): Schema {
  return definition.properties === undefined ? definition : { ...definition, additionalProperties: false }
}

/** Check a document against both. */
export function validateReport(document: unknown): void {
  for (const validate of [open, closed]) {
    const valid = validate(document)
    expect(valid, `${JSON.stringify(validate.errors, null, 1)}\n${JSON.stringify(document, null, 1)}`).toBe(true)
  }
}
