import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { widthOf, wrapRuns } from "../../src/surface/shown-lines.js"
import { showAscii, showItem, showName, showSpaces, showText } from "../../src/surface/shown-text.js"
import { expectWork } from "../work.js"

/** Anything that could move a cursor, hide or reorder text. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u200b\u{e0041}]/u

describe("showText", () => {
  test.each([
    { text: "plain text, 日本 é 👍", shown: "plain text, 日本 é 👍" },
    { text: "two\nlines", shown: "two\nlines" },
    { text: "\t\r", shown: "\\t\\r" },
    { text: "\x1b[31mred\x1b]0;title\x07", shown: "\\u001b[31mred\\u001b]0;title\\u0007" },
    { text: "a\u00a0b\u202f\u3000", shown: "a\\u00a0b\\u202f\\u3000" },
    { text: "a\u200bb\u202e\ufeff\u2028", shown: "a\\u200bb\\u202e\\ufeff\\u2028" },
    { text: "\u{e0041}", shown: "\\udb40\\udc41" },
    { text: "é\u0301\u0301\u0301\u0301\u0301", shown: "é\\u0301\\u0301\\u0301\\u0301\\u0301" },
  ])("$shown", ({ text, shown }) => {
    expect(showText(text)).toBe(shown)
  })

  test("nothing hidden is left, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const show of [showText, showSpaces, showAscii])
          expect(HIDDEN.test(show(text).replaceAll("\n", ""))).toBe(false)
        expect(showName(text).includes("\n")).toBe(false)
      }),
    )
  })
})

test.each([
  { text: "read_file", shown: "read_file" },
  { text: "file:///{+path}", shown: "file:///{+path}" },
  { text: "", shown: '""' },
  { text: "a b", shown: '"a b"' },
  { text: 'say "x"', shown: '"say \\"x\\""' },
  { text: "x\n  tools: unchanged", shown: '"x\\n  tools: unchanged"' },
  { text: "a".repeat(101), shown: `"${"a".repeat(100)}"…` },
  { text: "👍".repeat(300), shown: `"${"👍".repeat(100)}"…` },
])("showName gives $shown", ({ text, shown }) => {
  expect(showName(text)).toBe(shown)
})

test.each([
  { name: null, shown: "(no name)" },
  { name: "send_mail", shown: "send_mail" },
  { name: "send_m\u0430il", shown: "send_m\u0430il (send_m\\u0430il)" },
  { name: "a\u200bb", shown: '"a\\u200bb"' },
])("showItem gives $shown", ({ name, shown }) => {
  expect(showItem(name)).toBe(shown)
})

describe("wrapRuns", () => {
  const lines = (text: string, width: number, max?: number) => {
    const { lines, cut } = wrapRuns([{ text, look: "plain" }], width, max)
    return [...lines.map((line) => line.map((run) => run.text).join("")), ...(cut ? ["CUT"] : [])]
  }

  test.each([
    { text: "one two three", width: 7, wrapped: ["one two", "three"] },
    { text: "one  two", width: 4, wrapped: ["one", "  ", "two"] },
    { text: "one\n\ntwo", width: 10, wrapped: ["one", "", "two"] },
    { text: "abcdefgh ij", width: 3, wrapped: ["abc", "def", "gh", "ij"] },
    { text: "日本語です", width: 5, wrapped: ["日本", "語で", "す"] },
    { text: "", width: 5, wrapped: [""] },
  ])("$text at $width", ({ text, width, wrapped }) => {
    expect(lines(text, width)).toEqual(wrapped)
  })

  test("stops after the lines it may take", () => {
    expect(lines("a b c d", 1, 2)).toEqual(["a", "b", "CUT"])
    expect(lines("a b", 1, 2)).toEqual(["a", "b"])
    const long = "é".repeat(4_000_000)
    expect(lines(long, 80, 3)).toHaveLength(4)
    expectWork(() => lines(long, 80, 3), { megabytes: 40 })
  })

  test("no line is too wide and no word is lost", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 2, max: 20 }), (raw, width) => {
        const text = showText(raw)
        const wrapped = lines(text, width)
        for (const line of wrapped) expect(widthOf(line)).toBeLessThanOrEqual(width)
        expect(wrapped.join("").replaceAll(" ", "")).toBe(text.replace(/[ \n]/g, ""))
      }),
    )
  })
})
