// Texts in the layout of JSON.stringify with two spaces are read by another way than the rest (json.ts, readWritten): both must give the
// same value, and refuse the same. A space before the text leads to the general way.
import fc from "fast-check"
import { expect, test } from "vitest"
import { type JsonValue, MAX_JSON_DEPTH, parseJson } from "../../src/core/json.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"
import { arbJson } from "./arbitrary-json.js"

const outcome = (text: string): { value: JsonValue } | { code: unknown } => {
  try {
    return { value: parseJson(text) }
  } catch (error) {
    return { code: (error as { code: unknown }).code }
  }
}

/** Every object of a value with its prototype. */
function prototypesIn(value: JsonValue): unknown[] {
  if (typeof value !== "object" || value === null) return []
  const inner = Object.values(value).flatMap((member: JsonValue) => prototypesIn(member))
  return Array.isArray(value) ? inner : [Object.getPrototypeOf(value), ...inner]
}

const expectSame = (text: string) => {
  const written = outcome(text)
  const general = outcome(` ${text}`)
  expect(written).toEqual(general)
  if ("value" in written && "value" in general) {
    expect(prototypesIn(written.value)).toEqual(prototypesIn(general.value))
  }
}

const nested = (depth: number): string =>
  depth === 0 ? "1" : JSON.stringify(JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`), null, 2)

test.each([
  { name: "an object", text: '{\n  "a": 1\n}' },
  { name: "an object and a line feed", text: '{\n  "a": 1\n}\n' },
  { name: "two line feeds", text: '{\n  "a": 1\n}\n\n' },
  { name: "a name twice", text: '{\n  "a": 1,\n  "a": 1\n}\n' },
  { name: "a name twice, further in", text: '{\n  "b": {\n    "a": 1,\n    "a": 2\n  }\n}\n' },
  { name: "__proto__ as a name", text: '{\n  "__proto__": {\n    "a": 1\n  }\n}\n' },
  { name: "names that any object inherits", text: '{\n  "constructor": 1,\n  "toString": {}\n}\n' },
  { name: "integer-like names out of order", text: '{\n  "b": 1,\n  "10": 2,\n  "2": 3\n}\n' },
  { name: "integer-like names in order", text: '{\n  "2": 3,\n  "10": 2,\n  "b": 1\n}\n' },
  { name: "2^53-1", text: "[\n  9007199254740991\n]\n" },
  { name: "2^53", text: "[\n  9007199254740992\n]\n" },
  { name: "2^53+1", text: "[\n  9007199254740993\n]\n" },
  { name: "a large double with an exponent", text: "[\n  1e+21\n]\n" },
  { name: "minus zero", text: "[\n  -0\n]\n" },
  { name: "a fraction", text: "[\n  0.1,\n  1.0\n]\n" },
  { name: "more than a double", text: "[\n  1e400\n]\n" },
  { name: "a lone surrogate", text: '[\n  "\\ud800"\n]\n' },
  { name: "a lone surrogate in a name", text: '{\n  "\\udc00": 1\n}\n' },
  { name: "a surrogate escape in capitals", text: '[\n  "\\uD83D\\uDE00"\n]\n' },
  { name: "a pair as itself", text: '[\n  "\u{1f600}"\n]\n' },
  { name: "an escaped backslash before ud", text: '[\n  "\\\\ud800"\n]\n' },
  { name: "empty ones", text: '[\n  {},\n  [],\n  ""\n]\n' },
  { name: "the deepest", text: nested(MAX_JSON_DEPTH) },
  { name: "one deeper", text: nested(MAX_JSON_DEPTH + 1) },
  { name: "no JSON at all", text: '{\n  "a": \n}\n' },
  { name: "something after the end", text: "{\n}\n}" },
])("$name", ({ text }) => expectSame(text))

test("any value as this package writes it", () =>
  fc.assert(fc.property(arbJson, (value) => expectSame(`${formatPrettyJson(value)}\n`))))

test("any value as JSON.stringify writes it, with one character changed", () =>
  fc.assert(
    fc.property(
      fc.json({ depthSize: "medium" }),
      fc.nat(),
      fc.constantFrom(...'0123456789ae"\\{}[],: \n-.'),
      (json, at, unit) => {
        const text = JSON.stringify(JSON.parse(json), null, 2)
        const cut = at % text.length
        expectSame(text)
        expectSame(text.slice(0, cut) + unit + text.slice(cut + 1))
      },
    ),
  ))
