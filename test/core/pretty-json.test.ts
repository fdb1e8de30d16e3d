import fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalize } from "../../src/core/canonical.js"
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
