import fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalize } from "../../src/core/canonical.js"
import { escapeInvisible } from "../../src/core/errors.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { parseJson } from "../../src/core/json.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"

test.each([
  ["{}", "{}"],
  ["[]", "[]"],
  ['{"b":1,"a":[]}', '{\n  "a": [],\n  "b": 1\n}'],
  ['[[1],{"a":{}}]', '[\n  [\n    1\n  ],\n  {\n    "a": {}\n  }\n]'],
  ["18446744073709551615", "18446744073709551615"],
  ["1e21", "1e+21"],
  ['"\\u202e\\u200b\\u2028 \u2014 é"', '"\\u202e\\u200b\\u2028 \u2014 é"'],
  ['{"\u{e0041}\\\\\u202e":"\\u007f"}', '{\n  "\\udb40\\udc41\\\\\\u202e": "\\u007f"\n}'],
])("formatPrettyJson of %s", (text, pretty) => expect(formatPrettyJson(parseJson(text))).toBe(pretty))

test("members go in canonical order, at any depth", () => {
  const text = '{"\u{1f600}":0,"\ufb33":0,"10":0,"9":0,"a":{"b":0,"a":0}}'
  expect(formatPrettyJson(parseJson(text)).replace(/\s/g, "")).toBe(
    '{"10":0,"9":0,"a":{"a":0,"b":0},"\u{1f600}":0,"\ufb33":0}',
  )
})

test("reading it back gives the same value", () =>
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const read = parseJson(canonicalize(parseJson(JSON.stringify(value))))
      expect(parseJson(formatPrettyJson(read))).toEqual(read)
    }),
  ))

const everyCharacter = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))

test("the bytes of every character are the same under every version of Unicode", () => {
  expect(computeTextDigest(formatPrettyJson(everyCharacter))).toBe(
    "sha256:fe650ffacfae304ed6f4c86320cca5619e9b44602c9b2757cb7293db7c4855fa",
  )
})

test("what is escaped in files is escaped in messages; what is not assigned yet is not escaped in files", () => {
  const escaped = everyCharacter.filter((character) => formatPrettyJson(character).startsWith('"\\u'))
  expect(escaped.filter((character) => escapeInvisible(character) === character)).toEqual([])
  for (const character of ["\u0378", "\u{50000}", "\u{e1000}"])
    expect(formatPrettyJson(character)).toBe(`"${character}"`)
})
