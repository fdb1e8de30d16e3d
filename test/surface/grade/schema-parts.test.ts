// The same restriction goes, however it was spelled: where it held only beside another property, under a condition, behind a reference.
import { describe, expect, test } from "vitest"
import { parseJson } from "../../../src/core/json.js"
import { isAtLeast, type Severity, worstSeverity } from "../../../src/core/severity.js"
import { gradeSchemaChanges } from "../../../src/surface/grade/schema-changes.js"
import { diffValues } from "../../../src/surface/values.js"

/** The gravest meaning of a difference between two schemas. */
function gravest(earlier: unknown, later: unknown): Severity | null {
  const [before, after] = [earlier, later].map((value) => parseJson(JSON.stringify(value)))
  if (before === undefined || after === undefined) throw new Error("expected two schemas")
  const place = { section: "tools", item: "t", kind: "changed", from: null } as const
  const changes = diffValues(before, after).map((change) => ({ ...place, ...change }))
  const found = gradeSchemaChanges({ before, after, direction: "input", changes, pointer: "", item: "t" })
  return worstSeverity(found.map(({ severity }) => severity))
}

const text = { type: "string" }
const closed = { type: "string", enum: ["a", "b"] }
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })
/** With a part that holds where the condition does. */
const when = (condition: unknown, part: unknown) => {
  const name = "then" // a literal member of that name would make the object look like a promise
  return { if: condition, [name]: part }
}
const path = (schema: unknown, more: object = {}) => object({ path: schema }, more)

describe("a closed choice that goes is high", () => {
  const part = { properties: { path: { enum: ["a"] } } }
  const held = (condition: unknown) => path(text, when(condition, part))
  const mode = (value: string) => ({ properties: { mode: { const: value } } })

  test.each([
    ["beside another property", path(text, { dependentSchemas: { mode: part } }), path(text)],
    ["as draft-07 said that", path(text, { dependencies: { mode: part } }), path(text, { dependencies: {} })],
    ["under a condition that never holds", held(true), held(false)],
    ["under another condition", held(mode("x")), held(mode("never"))],
    ["under a condition that is gone", held(true), path(text, { ...when(true, part), if: undefined })],
    ["for a reference that leads nowhere", path(closed), path({ $ref: "#/$defs/none" })],
    [
      "for a reference that leads in a circle",
      path(closed),
      { ...path({ $ref: "#/$defs/a" }), $defs: { a: { $ref: "#/$defs/a" } } },
    ],
    ["of a guard, for a flag", object({ confirm: { const: true } }), object({ confirm: { type: "boolean" } })],
    ["of a guard, listed", object({ confirm: { enum: [true] } }), object({ confirm: { type: "boolean" } })],
    ["of a guard, by one more", object({ confirm: { enum: [true] } }), object({ confirm: { enum: [true, false] } })],
    ["of a guard, for its opposite", object({ confirm: { const: true } }), object({ confirm: { const: false } })],
  ])("%s", (_, before, after) => {
    expect(gravest(before, after)).toBe("high")
  })

  test.each([
    ["names that no longer come together", path(text, { dependentRequired: { a: ["b"] } }), path(text)],
    ["a condition for what is free anyway", path(text, when(true, {})), path(text, when(false, {}))],
    ["a reference to free text that leads nowhere", path(text), path({ $ref: "#/$defs/none" })],
    ["a flag", object({ dim: { const: true } }), object({ dim: { type: "boolean" } })],
    ["a number", object({ size: { const: 1 } }), object({ size: { const: 2 } })],
  ])("but not %s", (_, before, after) => {
    const severity = gravest(before, after)
    expect(severity !== null && !isAtLeast(severity, "high")).toBe(true)
  })
})

describe("what comes is weighed wherever it comes", () => {
  test.each([
    ["dependentSchemas", { dependentSchemas: { path: object({ command: text }) } }],
    ["dependencies", { dependencies: { path: object({ webhook_url: text }) } }],
    ["then", when(true, object({ command: text }))],
    ["allOf", { allOf: [object({ command: text })] }],
    ["patternProperties", { patternProperties: { "^command$": text } }],
  ])("by %s", (_, more) => {
    expect(gravest(path(text), path(text, more))).toBe("high")
  })

  test.each(["additionalProperties", "unevaluatedProperties"])(
    "a pattern opens an object that %s closed",
    (keyword) => {
      const before = path(text, { [keyword]: false })
      expect(gravest(before, { ...before, patternProperties: { ".*": {} } })).toBe("medium")
      expect(gravest(path(text), path(text, { patternProperties: { "^x-": {} } }))).toBe("low")
    },
  )
})
