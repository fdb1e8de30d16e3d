import fc from "fast-check"
import { expect, test } from "vitest"
import { expandTemplate, listTemplateNames, parseTemplate } from "../../src/core/template.js"

test.each([
  ["", []],
  ["a b", [{ text: "a b" }]],
  ["Bearer ${TOKEN}", [{ text: "Bearer " }, { name: "TOKEN" }]],
  ["${A}${B_1}c", [{ name: "A" }, { name: "B_1" }, { text: "c" }]],
  ["a$$b", [{ text: "a$b" }]],
  ["$${A}", [{ text: "${A}" }]],
  ["$$${A}", [{ text: "$" }, { name: "A" }]],
  ["{A} }", [{ text: "{A} }" }]],
])("parseTemplate(%j)", (template, parts) => expect(parseTemplate(template)).toEqual(parts))

test.each(["$", "a$", "$A", "$ {A}", "${}", "${A", "${1A}", "${A-B}", "${A:-b}", "${env:A}", "${ A }", "$$$", "^a$b"])(
  "parseTemplate refuses %j",
  (template) => {
    const malformed = expect.objectContaining({ code: "TARGET_MALFORMED" })
    expect(() => parseTemplate(template)).toThrow(malformed)
    expect(() => listTemplateNames(template)).toThrow(malformed)
    expect(() => expandTemplate(template, { A: "1" })).toThrow(malformed)
  },
)

test("names in order, each once", () => {
  expect(listTemplateNames("${B} ${A}$$${B} $${C}")).toEqual(["B", "A"])
})

test("expandTemplate puts values in as they are", () => {
  expect(expandTemplate("a${A}${B}$$", { A: "${B}", B: "" })).toBe("a${B}$")
})

test.each([{}, { A: undefined }, Object.create({ A: "inherited" }) as Record<string, string>])(
  "a variable that is not set is an error: %j",
  (values) => {
    const run = () => expandTemplate("x${A}", values)
    expect(run).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
    expect(run).toThrow("variable A")
  },
)

test("toString is no variable", () => {
  expect(() => expandTemplate("${toString}", {})).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
})

test("an escaped text has no variables and expands to itself", () =>
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."$${}Aa \n") }), (text) => {
      const escaped = text.replaceAll("$", "$$$$")
      expect(listTemplateNames(escaped)).toEqual([])
      expect(expandTemplate(escaped, {})).toBe(text)
    }),
  ))
