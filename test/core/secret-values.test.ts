import { expect, test } from "vitest"
import { findSpelling, listSpellings, redactSpellings } from "../../src/core/secret-values.js"

const ENVIRONMENT = { KEY: 'a"b c', LONG: "first line\nsecond line", LONE: "lone-\ud800-half", SHORT: "ab" }
const spellings = (...names: readonly string[]) => listSpellings(names, ENVIRONMENT, 4)

test("a value as it is, as JSON and as a URL has it, and its lines", () => {
  expect(
    spellings("KEY")
      .map(({ text }) => text)
      .sort(),
  ).toEqual(['a"b c', "a%22b%20c", 'a\\"b c'].sort())
  expect(findSpelling("… second line …", spellings("LONG"))).toBe("LONG")
  expect(findSpelling("second", spellings("LONG"))).toBeNull()
  expect(spellings("LONE").map(({ text }) => text)).toContain("lone-%EF%BF%BD-half")
})

test("short values, unset variables and what every object has are none", () => {
  expect(spellings("SHORT", "UNSET", "constructor", "__proto__")).toEqual([])
})

test("the longest goes first, and the name in its place is text", () => {
  const environment = { A: "secret", B: "secret-and-more", C: "$&$&" }
  const all = listSpellings(["A", "B", "C"], environment, 4)
  expect(redactSpellings("x secret-and-more secret $&$& y", all)).toBe("x ${B} ${A} ${C} y")
})
