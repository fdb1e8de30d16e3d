import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { diffWords, type Piece } from "../../src/surface/words.js"

const LONE_SURROGATE = /[\ud800-\udfff]/u

const show = (pieces: readonly Piece[]): string =>
  pieces.map(({ kind, text }) => (kind === "same" ? text : kind === "removed" ? `[-${text}-]` : `{+${text}+}`)).join("")

describe("diffWords", () => {
  test.each([
    { before: "", after: "", shown: "" },
    { before: "same", after: "same", shown: "same" },
    { before: "", after: "new", shown: "{+new+}" },
    { before: "read one file", after: "read a file", shown: "read [-one-]{+a+} file" },
    { before: "read one file", after: "read one file now", shown: "read one file{+ now+}" },
    { before: "ends", after: "ends ", shown: "ends{+ +}" },
    { before: "a  b", after: "a b", shown: "a[-  -]{+ +}b" },
    {
      before: "it is the old way to do it",
      after: "it is a new way to do it",
      shown: "it is [-the old-]{+a new+} way to do it",
    },
    { before: "foobar baz qux", after: "foobaz baz qux", shown: "[-foobar-]{+foobaz+} baz qux" },
    {
      before: "nothing in common here",
      after: "quite another text",
      shown: "[-nothing in common here-]{+quite another text+}",
    },
  ])("$before to $after", ({ before, after, shown }) => {
    expect(show(diffWords(before, after))).toBe(shown)
  })

  const arbText = fc
    .array(fc.constantFrom("a", "b", "the", "word", " ", "  ", "\n", "\t", ".", "é", "👍", "\u{1f3ff}", "日本", "-"), {
      maxLength: 30,
    })
    .map((parts) => parts.join(""))

  test("the pieces make both texts, are not empty and alternate", () => {
    fc.assert(
      fc.property(arbText, arbText, (before, after) => {
        const pieces = diffWords(before, after)
        const join = (kind: string) =>
          pieces
            .filter((p) => p.kind === "same" || p.kind === kind)
            .map((p) => p.text)
            .join("")
        expect([join("removed"), join("added")]).toEqual([before, after])
        expect(
          pieces.every((p, i) => p.text !== "" && !LONE_SURROGATE.test(p.text) && p.kind !== pieces[i - 1]?.kind),
        ).toBe(true)
        expect(pieces.some((p, i) => p.kind === "removed" && pieces[i - 1]?.kind === "added")).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test("texts far apart are bounded in time", () => {
    const words = (seed: number) => Array.from({ length: 50_000 }, (_, i) => `w${(i * seed) % 997}`).join(" ")
    const start = performance.now()
    const pieces = diffWords(words(7), words(11))
    expect(performance.now() - start).toBeLessThan(1500)
    expect(pieces.map((p) => p.kind)).toContain("removed")
  })
})
