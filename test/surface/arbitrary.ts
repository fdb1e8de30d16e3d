// Surfaces for properties: few names and small values, so that two of them collide, nest, repeat and nearly agree.
import fc from "fast-check"
import type { JsonValue } from "../../src/core/json.js"
import type { Surface } from "../../src/core/section.js"

const NAMES = ["name", "a", "b", "", "__proto__", "x/y", "m~n", "0"]

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    true,
    false,
    0,
    1,
    2.5,
    9007199254740992,
    9007199254740992n,
    2n ** 70n,
    "",
    "a",
    "b",
  ),
  fc.string({ maxLength: 3, unit: "grapheme" }),
)

/** A copy that inherits nothing. */
export const bare = (object: Readonly<Record<string, JsonValue>>): JsonValue =>
  Object.setPrototypeOf(Object.fromEntries(Object.entries(object)), null) as JsonValue // only members of JSON type

/** Any JSON value as the reader makes it: objects without a prototype. */
export const arbValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 4, noNullPrototype: false }).map(bare),
})).value

const arbItem: fc.Arbitrary<JsonValue> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom("a", "b", "c", "d_e", "d-e"),
        fc.dictionary(fc.constantFrom("description", "inputSchema", "title", "__proto__"), arbValue),
      )
      .map(([name, rest]) => bare({ ...rest, name, uri: name, uriTemplate: name })),
  },
  { weight: 1, arbitrary: arbValue },
)

const arbList = fc.option(fc.array(arbItem, { maxLength: 5 }), { nil: null, freq: 4 })

export const arbSurface: fc.Arbitrary<Surface> = fc.record({
  instructions: fc.oneof(fc.constantFrom("", "a b", "a c", null), arbValue),
  tools: arbList,
  prompts: arbList,
  resourceTemplates: arbList,
  resources: arbList,
  serverInfo: arbValue,
})
