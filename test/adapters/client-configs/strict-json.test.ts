import fc from "fast-check"
import { expect, test } from "vitest"
import { toStrictJson } from "../../../src/adapters/client-configs/strict-json.js"
import { ToolsumError } from "../../../src/core/errors.js"

const bad = (why: string) => new ToolsumError("CONFIG_INVALID", why)

test("what was strict stays what it was", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(toStrictJson(text, bad))).toEqual(JSON.parse(text))
    }),
  )
})

test("comments and trailing commas change neither the value nor the place of anything", () => {
  const trivia = fc.constantFrom("", " ", "\n", '// "a": [,]\n', '/* { " */', "/**/")
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(trivia, { minLength: 1 }), fc.boolean(), (values, blanks, trailing) => {
      const blank = (i: number) => blanks[i % blanks.length] ?? ""
      const items = values.map((value, i) => `${blank(i)}${JSON.stringify(value)}${blank(i + 1)}`).join(",")
      const text = `[${items}${trailing && values.length > 0 ? "," : ""}${blank(2)}]${blank(3)}`
      const strict = toStrictJson(text, bad)
      expect(JSON.parse(strict)).toEqual(values)
      expect(strict).toHaveLength(text.length)
      expect(strict.split("\n")).toHaveLength(text.split("\n").length)
    }),
  )
})

test.each([
  ["[1,]", "[1 ]"],
  ["[1, /* x */ ]", "[1          ]"],
  ["[,]", "[,]"],
  ["[1,,]", "[1, ]"],
  ['{"a": 1, // x\n}', '{"a": 1      \n}'],
  [
    '"\\ud83d\\ude00 \\ud83d \\ude00 \\\\ud83d \\ud83d\\ud83d\\ude00"',
    '"\\ud83d\\ude00 \\ufffd \\ufffd \\\\ud83d \\ufffd\\ud83d\\ude00"',
  ],
])("%s is %s", (text, strict) => {
  expect(toStrictJson(text, bad)).toBe(strict)
})
