import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type JsonValue, parseJson } from "../../../src/core/json.js"
import { MAX_DEPTH, MAX_PLACES, MAX_REF_HOPS, resolveRef, walkSchema } from "../../../src/surface/schema/walk.js"

const parse = (value: unknown): JsonValue => parseJson(JSON.stringify(value))
const pointersOf = (value: unknown) => walkSchema(parse(value), "/s").places.map(({ pointer }) => pointer)
const leaf = { type: "string" }

describe("walkSchema", () => {
  test.each([
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "additionalItems",
    "contains",
    "unevaluatedItems",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
  ])("goes into the schema of %s", (keyword) => {
    expect(pointersOf({ [keyword]: { properties: { a: leaf } } })).toEqual([
      "/s",
      `/s/${keyword}`,
      `/s/${keyword}/properties/a`,
    ])
  })

  test.each(["allOf", "anyOf", "oneOf", "prefixItems", "items"])("goes into the list of %s", (keyword) => {
    expect(pointersOf({ [keyword]: [true, leaf] })).toEqual(["/s", `/s/${keyword}/0`, `/s/${keyword}/1`])
  })

  test.each(["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"])(
    "goes into the members of %s",
    (keyword) => {
      expect(pointersOf({ [keyword]: { "a/b": leaf, c: false } })).toEqual([
        "/s",
        `/s/${keyword}/a~1b`,
        `/s/${keyword}/c`,
      ])
    },
  )

  test("leaves values alone that are no schemas", () => {
    const schema = {
      enum: [{ properties: { a: {} } }],
      const: { items: {} },
      default: { not: {} },
      examples: [{ not: {} }],
    }
    expect(pointersOf({ ...schema, dependencies: { a: ["b"] }, allOf: {}, properties: [], "x-items": {} })).toEqual([
      "/s",
    ])
  })

  test("takes keywords for what they are where properties have their names", () => {
    expect(pointersOf({ properties: { properties: { type: "object" }, items: leaf } })).toEqual([
      "/s",
      "/s/properties/properties",
      "/s/properties/items",
    ])
  })

  test.each([
    { where: { properties: { a: leaf } }, at: "/properties/a", property: "a" },
    { where: { properties: { a: { anyOf: [leaf] } } }, at: "/properties/a/anyOf/0", property: "a" },
    { where: { properties: { a: { items: { oneOf: [leaf] } } } }, at: "/properties/a/items/oneOf/0", property: "a" },
    { where: { patternProperties: { "^a": leaf } }, at: "/patternProperties/^a", property: "^a" },
    {
      where: { properties: { a: { additionalProperties: leaf } } },
      at: "/properties/a/additionalProperties",
      property: null,
    },
    { where: { $defs: { a: leaf } }, at: "/$defs/a", property: null },
    { where: { else: { properties: { a: leaf } } }, at: "/else/properties/a", property: "a" },
  ])("says which property $at describes", ({ where, at, property }) => {
    const found = walkSchema(parse(where), "").places.find(({ pointer }) => pointer === at)
    expect(found?.property).toBe(property)
  })

  test("tells the parent and the keyword", () => {
    const places = walkSchema(parse({ properties: { a: { not: leaf } } }), "/s").places
    expect(places.map(({ parent, keyword }) => [parent, keyword])).toEqual([
      [null, ""],
      ["/s", "properties"],
      ["/s/properties/a", "not"],
    ])
  })

  test("tells that it was cut by depth", () => {
    const nested = (depth: number): JsonValue => (depth === 0 ? true : { not: nested(depth - 1) })
    expect(walkSchema(nested(MAX_DEPTH), "").isCut).toBe(false)
    expect(walkSchema(nested(MAX_DEPTH + 1), "").isCut).toBe(true)
    expect(walkSchema(nested(MAX_DEPTH + 1), "").places).toHaveLength(MAX_DEPTH + 1)
  })

  test("tells that it was cut by number", () => {
    const wide = (count: number): JsonValue => ({ allOf: Array.from({ length: count }, () => true) })
    expect(walkSchema(wide(MAX_PLACES - 1), "")).toMatchObject({ isCut: false, places: { length: MAX_PLACES } })
    expect(walkSchema(wide(MAX_PLACES), "")).toMatchObject({ isCut: true, places: { length: MAX_PLACES } })
  })
})

describe("resolveRef", () => {
  const root = parse({
    $id: "https://example.com/root.json",
    properties: { "a/b%": leaf, c: { $ref: "#/properties/a~1b%25" } },
    $defs: {
      Named: { $anchor: "named", type: "integer" },
      Old: { $id: "#old", type: "boolean" },
      Other: { $id: "other.json", properties: { x: leaf } },
      Loop: { $ref: "#/$defs/Loop2" },
      Loop2: { $ref: "#/$defs/Loop" },
      Away: { $ref: "https://example.org/away.json" },
    },
    enum: ["no schema"],
  })

  test.each([
    ["#", ""],
    ["", ""],
    ["#/properties/a~1b%25", "/properties/a~1b%"],
    ["#/properties/c", "/properties/a~1b%"],
    ["#named", "/$defs/Named"],
    ["#old", "/$defs/Old"],
    ["other.json", "/$defs/Other"],
    ["https://example.com/other.json#/properties/x", "/$defs/Other/properties/x"],
    ["https://example.com/root.json#/$defs/Named", "/$defs/Named"],
  ])("finds %s", (ref, pointer) => {
    expect(resolveRef(root, ref, "/s")).toMatchObject({ found: true, pointer: `/s${pointer}` })
  })

  test.each([
    ["https://example.org/x.json", "remote"],
    ["file:///etc/x.json", "remote"],
    ["elsewhere.json#/a", "remote"],
    ["#/$defs/Away", "remote"],
    ["#/$defs/None", "dangling"],
    ["#none", "dangling"],
    ["#/enum/0", "dangling"],
    ["#/%zz", "dangling"],
    ["#/a~2", "dangling"],
    ["#/properties/toString", "dangling"],
    ["#/$defs/Loop", "cyclic"],
  ])("tells why %s is not found", (ref, why) => {
    expect(resolveRef(root, ref, "/s")).toEqual({ found: false, why })
  })

  test("gives up on a chain that is too long", () => {
    const chain = (length: number) =>
      parse({
        $defs: {
          ...Object.fromEntries(Array.from({ length }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }])),
          [`d${length}`]: true,
        },
      })
    expect(resolveRef(chain(MAX_REF_HOPS - 1), "#/$defs/d0", "").found).toBe(true)
    expect(resolveRef(chain(MAX_REF_HOPS), "#/$defs/d0", "")).toEqual({ found: false, why: "cyclic" })
  })

  test("never throws", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((text) => `#/${text}`),
        ),
        (value, ref) => {
          const json = parse(value)
          walkSchema(json, "")
          resolveRef(json, ref, "")
        },
      ),
    )
  })
})
