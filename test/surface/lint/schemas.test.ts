// Schemas as documents: readable, complete, and what they make a client send.
import { describe, expect, test } from "vitest"
import { MAX_FINDINGS_PER_ITEM } from "../../../src/surface/lint/limits.js"
import { input, lines, lint, lintTools, tool, toolSurface } from "./support.js"

const withSchema = (inputSchema: unknown, rest: Readonly<Record<string, unknown>> = {}) =>
  lintTools({ name: "a", description: "Echo.", inputSchema, ...rest })

describe("the root", () => {
  test.each([
    ["an array", [], "/inputSchema"],
    ["a boolean", true, "/inputSchema"],
    ["null", null, "/inputSchema"],
    ["an empty object", {}, "/inputSchema"],
    ["of another type", { type: "string" }, "/inputSchema"],
    ["of several types", { type: ["object", "null"] }, "/inputSchema"],
    ["missing", undefined, ""],
  ])("%s is no input schema", (_, schema, pointer) => {
    expect(withSchema(schema)).toEqual([`schema-not-an-object medium a ${pointer}`.trim()])
  })

  test("an output schema may be absent, but is an object", () => {
    expect(withSchema({ type: "object" }, { outputSchema: { type: "array" } })).toEqual([])
    expect(withSchema({ type: "object" }, { outputSchema: "text" })).toEqual([
      "schema-not-an-object medium a /outputSchema",
    ])
  })
})

describe("references", () => {
  const at = (path: unknown, rest: Readonly<Record<string, unknown>> = {}) =>
    withSchema({ type: "object", properties: { path }, ...rest })

  test.each([
    ["#/$defs/Missing", "dangling-ref medium"],
    ["#nowhere", "dangling-ref medium"],
    ["#/properties/path", "dangling-ref medium"], // itself
    ["https://schemas.example.com/path.json", "remote-ref high"],
    ["other.json#/$defs/Path", "remote-ref high"],
  ])("%s is told as %s", ($ref, told) => {
    expect(at({ $ref })).toEqual([`${told} a /inputSchema/properties/path/$ref`])
  })

  test("what is there is no finding, and neither is a schema that holds itself", () => {
    expect(at({ $ref: "#/$defs/Path" }, { $defs: { Path: { type: "string" } } })).toEqual([])
    expect(at({ type: "object", properties: { next: { $ref: "#" } } })).toEqual([])
  })

  test("wherever a keyword puts them, in the output schema too", () => {
    const $ref = "#/$defs/Missing"
    expect(at({ anyOf: [{ type: "null" }, { items: { $ref } }] })).toEqual([
      "dangling-ref medium a /inputSchema/properties/path/anyOf/1/items/$ref",
    ])
    expect(
      withSchema({ type: "object" }, { outputSchema: { type: "object", patternProperties: { x: { $ref } } } }),
    ).toEqual(["dangling-ref medium a /outputSchema/patternProperties/x/$ref"])
  })

  test("a property that is called $ref is none", () => {
    expect(withSchema({ type: "object", properties: { $ref: { type: "string" } } })).toEqual([])
  })
})

describe("x-mcp-header", () => {
  const mirrored = (name: string, schema: Readonly<Record<string, unknown>>) =>
    lintTools(tool("a", "Echo.", input({ [name]: { ...schema, "x-mcp-header": "X" } })))

  test.each([
    ["query", { type: "string" }],
    ["query", {}],
    ["query", { type: ["string", "null"] }],
    ["access_token", { type: "string", enum: ["a", "b"] }],
    ["apiKey", { type: "integer" }],
  ])("%s %j may hold a secret", (name, schema) => {
    expect(mirrored(name, schema)).toEqual([`header-mirror high a /inputSchema/properties/${name}/x-mcp-header`])
  })

  test.each([
    ["region", { type: "string", enum: ["eu", "us"] }],
    ["page", { type: "integer" }],
    ["author", { enum: ["a", "b"] }],
    ["sortKey", { enum: ["a", "b"] }],
    ["dry", { type: "boolean" }],
    ["zone", { const: "eu" }],
  ])("%s %j holds none, and is told", (name, schema) => {
    expect(mirrored(name, schema)).toEqual([`header-mirror medium a /inputSchema/properties/${name}/x-mcp-header`])
  })
})

describe("keywords of another shape", () => {
  test.each([
    ["type", "text"],
    ["type", []],
    ["properties", ["a"]],
    ["required", "id"],
    ["required", [1]],
    ["enum", { a: 1 }],
    ["anyOf", {}],
    ["pattern", 5],
    ["$defs", []],
    ["$ref", 1],
  ])("%s: %j", (keyword, value) => {
    const found = withSchema({ type: "object", properties: { x: { [keyword]: value } } })
    expect(found).toContain(`bad-schema medium a /inputSchema/properties/x/${keyword}`)
  })

  test("what stands in a schema's place, but booleans", () => {
    expect(withSchema({ type: "object", properties: { x: "string", y: true, z: 1 } })).toEqual([
      "bad-schema medium a /inputSchema/properties/x",
      "bad-schema medium a /inputSchema/properties/z",
    ])
  })
})

test("what a limit cuts is told: subschemas, depth, findings", () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: "string" }]))
  expect(withSchema({ type: "object", properties: many })).toEqual(["schema-cut medium a /inputSchema"])
  const broken = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`p${i}`, 1]))
  const found = lint(toolSurface(tool("a", "Echo.", input(broken, []))))
  expect(found).toHaveLength(MAX_FINDINGS_PER_ITEM + 1)
  expect(lines(found).at(-1)).toBe("lint.cut medium a")
  expect(found.at(-1)?.message).toContain(String(100 - MAX_FINDINGS_PER_ITEM))
})
