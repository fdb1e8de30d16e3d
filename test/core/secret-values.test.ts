import { expect, test } from "vitest"
import { quote } from "../../src/core/errors.js"
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

test("the beginning of a value that a message has clipped is replaced, wherever it is clipped", () => {
  const environment = { A: "secret-and-more", B: 'a"quoted"value' }
  const all = listSpellings(["A", "B"], environment, 4)
  const told = (text: string, max: number) => redactSpellings(`got ${quote(text, max)} and ${quote(text, max)}.`, all)
  expect(told("x secret-and-more", 12)).toBe('got "x ${A}"… and "x ${A}"….')
  expect(told("x secret-and-more", 6)).toBe('got "x ${A}"… and "x ${A}"….')
  expect(told("x secret-and-more", 5)).toBe('got "x sec"… and "x sec"….')
  expect(told('x a"quoted"value', 12)).toBe('got "x ${B}"… and "x ${B}"….')
  expect(redactSpellings("secret-and…", all)).toBe("secret-and…")
})
