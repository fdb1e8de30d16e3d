import fc from "fast-check"
import { expect, test, vi } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { isArray, isObject, type JsonValue, MAX_JSON_BYTES, MAX_JSON_DEPTH, parseJson } from "../../src/core/json.js"
import { describeShared } from "../shared.js"
import { arbPlainJson, arbSpelling } from "./arbitrary-json.js"
import { vectorCases } from "./vector-cases.js"

const malformed = expect.objectContaining({ code: "JSON_MALFORMED" })

function messageOf(input: string): string {
  try {
    parseJson(input)
  } catch (error) {
    if (error instanceof ToolsumError) return error.message
    throw error
  }
  return "accepted"
}

describeShared("canonical vectors", () => {
  const cases = vectorCases<{ desc: string; input: string; canonical?: string; reject?: string }>("canonical")

  test("all are there", () => {
    expect(cases.length).toBeGreaterThanOrEqual(138)
  })

  test.each(cases)("$desc", ({ input, canonical }) => {
    const bytes = Uint8Array.from(atob(input), (unit) => unit.charCodeAt(0))
    if (canonical === undefined) expect(() => parseJson(bytes)).toThrow(malformed)
    else expect(canonicalize(parseJson(bytes))).toBe(canonical)
  })
})

test.each<{ text: string; value: JsonValue }>([
  { text: "null", value: null },
  { text: " true\r\n", value: true },
  { text: "\tfalse", value: false },
  { text: "0", value: 0 },
  { text: "-0", value: 0 },
  { text: "-0.0", value: 0 },
  { text: "-0e5", value: 0 },
  { text: "-1e-400", value: 0 },
  { text: "-12", value: -12 },
  { text: "9007199254740991", value: 9007199254740991 },
  { text: "9007199254740992", value: 9007199254740992n },
  { text: "-9007199254740991", value: -9007199254740991 },
  { text: "-9007199254740992", value: -9007199254740992n },
  { text: "9007199254740993.0", value: 9007199254740992 },
  { text: "1E+2", value: 100 },
  { text: "0.5e-1", value: 0.05 },
  { text: '""', value: "" },
  { text: '"\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t\\ud83d\\ude00"', value: '\u0000"\\/\b\f\n\r\t\u{1f600}' },
  { text: '"\u007f\u2028\u{1f600}"', value: "\u007f\u2028\u{1f600}" },
  { text: "[]", value: [] },
  { text: "[ ]", value: [] },
  { text: "[1,[2,{}]]", value: [1, [2, {}]] },
  { text: '{"b":1,"a":{"":[]}}', value: { b: 1, a: { "": [] } } },
])("parseJson reads $text", ({ text, value }) => {
  expect(parseJson(text)).toEqual(value)
  expect(parseJson(encodeUtf8(text))).toEqual(value)
})

test("zero is never negative", () => {
  for (const text of ["-0", "-0.0", "-1e-400"]) expect(Object.is(parseJson(text), 0)).toBe(true)
})

test("members inherit nothing and keep the order of the text", () => {
  const value = parseJson('{"b":1,"__proto__":{"x":1},"constructor":2,"a":3}')
  expect(isObject(value) && Object.keys(value)).toEqual(["b", "__proto__", "constructor", "a"])
  for (const name of ["toString", "hasOwnProperty", "valueOf", "toJSON"]) expect(name in Object(value)).toBe(false)
  expect("constructor" in Object(parseJson("{}"))).toBe(false)
  expect("__proto__" in Object(parseJson("{}"))).toBe(false)
  expect(JSON.stringify(value)).toBe('{"b":1,"__proto__":{"x":1},"constructor":2,"a":3}')
})

test.each([
  { name: "duplicate name", text: '{"a":1,"a":2}' },
  { name: "duplicate name by escape", text: '{"a":1,"\\u0061":2}' },
  { name: "duplicate of a null member", text: '{"a":null,"a":1}' },
  { name: "duplicate __proto__", text: '{"__proto__":1,"__proto__":2}' },
  { name: "duplicate integer-like name", text: '{"1":1,"1":2}' },
  { name: "raw lone surrogate", text: '"\ud800"' },
  { name: "raw lone surrogate outside strings", text: "\udc00" },
  { name: "lone surrogate escape", text: '"\\udead"' },
  { name: "surrogates half raw, half escaped", text: '"\ud83d\\ude00"' },
  { name: "BOM", text: "\ufeff1" },
  { name: "escape cut by the end", text: '"\\' },
  { name: "escaped closing quote", text: '"a\\"' },
  { name: "control character after a backslash", text: '"\\\n"' },
  { name: "control character after an escape", text: '"\\n\n"' },
  { name: "upper-case U", text: '"\\U0041"' },
  { name: "word cut short", text: "tru" },
  { name: "word run on", text: "nulll" },
  { name: "leading zero", text: "01" },
  { name: "plus sign", text: "+1" },
  { name: "fraction without digits", text: "1.e1" },
  { name: "exponent without digits", text: "1e+" },
  { name: "overflow", text: "1e309" },
  { name: "comma at the end", text: "[1,]" },
  { name: "comma at the start", text: "[,1]" },
  { name: "no comma", text: '{"a":1 "b":2}' },
  { name: "name without quotes", text: "{a:1}" },
  { name: "wrong bracket", text: '{"a":1]' },
  { name: "nothing", text: "" },
  { name: "two values", text: "1 2" },
  { name: "comment", text: "/**/1" },
  { name: "no-break space", text: "\u00a01" },
])("parseJson refuses $name", ({ text }) => {
  expect(() => parseJson(text)).toThrow(malformed)
})

test.each([
  { name: "invalid UTF-8", bytes: [0x22, 0xff, 0x22] },
  { name: "overlong encoding", bytes: [0x22, 0xc0, 0xaf, 0x22] },
  { name: "encoded surrogate", bytes: [0x22, 0xed, 0xa0, 0x80, 0x22] },
  { name: "BOM", bytes: [0xef, 0xbb, 0xbf, 0x31] },
])("parseJson refuses bytes with $name", ({ bytes }) => {
  expect(() => parseJson(Uint8Array.from(bytes))).toThrow(malformed)
})

test("depth counts open arrays and objects", () => {
  const nest = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
  expect(isArray(parseJson(nest(MAX_JSON_DEPTH)))).toBe(true)
  expect(isArray(parseJson(`[${nest(127)},${nest(127)}]`))).toBe(true)
  expect(() => parseJson(nest(MAX_JSON_DEPTH + 1))).toThrow(malformed)
  expect(() => parseJson('{"a":'.repeat(MAX_JSON_DEPTH + 1))).toThrow(malformed)
  expect(() => parseJson("[".repeat(100_000))).toThrow(malformed)
})

test("size counts bytes of UTF-8", () => {
  expect(parseJson('"é"', { maxBytes: 4 })).toBe("é")
  expect(() => parseJson('"é"', { maxBytes: 3 })).toThrow(malformed)
  expect(() => parseJson(encodeUtf8('"é"'), { maxBytes: 3 })).toThrow(malformed)
  expect(() => parseJson("1234", { maxBytes: 3 })).toThrow(malformed)
  const largest = `"${"a".repeat(MAX_JSON_BYTES - 2)}"`
  expect(parseJson(largest)).toHaveLength(MAX_JSON_BYTES - 2)
  expect(() => parseJson(` ${largest}`)).toThrow(malformed)
})

test.each([
  {
    text: '{"a":1,\n "a":2}',
    message: 'expected unique member names, got "a" again at line 2, column 2, which is "/a"',
  },
  { text: "[1,\r\n\t2 3]", message: 'expected "," or "]", got "3" at line 2, column 4' },
  { text: '["\u202e\n"]', message: 'expected a closing quote or a printable character, got "\\n" at line 1, column 4' },
  { text: "[\u202e]", message: 'expected a value, got "\\u202e" at line 1, column 2' },
  { text: "[1", message: 'expected "," or "]", got the end at line 1, column 3' },
])("the message for $text", ({ text, message }) => {
  expect(messageOf(text)).toBe(message)
})

test("parseJson agrees with JSON.parse on any spelling", () => {
  fc.assert(
    fc.property(arbSpelling, ({ value, text }) => {
      if (/[\ud800-\udfff]/u.test(text)) {
        expect(() => parseJson(text)).toThrow(malformed)
        return
      }
      const read = parseJson(text)
      expect(read).toEqual(JSON.parse(text))
      expect(canonicalize(read)).toBe(canonicalize(value))
      expect(parseJson(encodeUtf8(text))).toEqual(read)
    }),
  )
})

test("parseJson accepts an edited text only where JSON.parse does", () => {
  const edit = fc.tuple(arbPlainJson, fc.nat(), fc.nat(2), fc.constantFrom(...'"\\{}[]:,0-.eE1tfn u\n\u0000'))
  fc.assert(
    fc.property(edit, ([value, place, remove, insert]) => {
      const text = canonicalize(value)
      const at = place % (text.length + 1)
      const edited = text.slice(0, at) + insert + text.slice(at + remove)
      if (messageOf(edited) === "accepted") expect(() => JSON.parse(edited)).not.toThrow()
    }),
    { numRuns: 500 },
  )
})

test("what is nested costs what it takes to read it: no text is read or written whole besides", () => {
  const pretty = (depth: number) => JSON.stringify(JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`), null, 2)
  const parse = vi.spyOn(JSON, "parse")
  const stringify = vi.spyOn(JSON, "stringify")
  const texts = [`[\n${"[".repeat(100_000)}`, `[\n  ${"1,".repeat(10_000)}1\n]\n`, '{\n  "a": "\\u0041"\n}\n']
  for (const text of [...texts, pretty(MAX_JSON_DEPTH), pretty(MAX_JSON_DEPTH + 1)]) {
    stringify.mockClear() // of `pretty`
    parse.mockClear()
    messageOf(text)
    expect(parse.mock.calls.every(([token]) => token.startsWith('"'))).toBe(true)
    expect(stringify.mock.calls.every(([value]) => typeof value === "string" && value.length <= 80)).toBe(true)
  }
  vi.restoreAllMocks()
})
