import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ERROR_KINDS, type ErrorCode, escapeInvisible, quote, ToolsumError } from "../../src/core/errors.js"

describe("ToolsumError", () => {
  test.each(Object.entries(ERROR_KINDS))("%s is %s", (code, kind) => {
    const error = new ToolsumError(code as ErrorCode, "expected this, got that")
    expect([error.code, error.kind, error.name, error.message]).toEqual([
      code,
      kind,
      "ToolsumError",
      "expected this, got that",
    ])
    expect(code).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/)
    expect(["unavailable", "malformed", "rejected", "usage", "refused"]).toContain(kind)
  })

  test("carries its cause and evidence, and neither when there is none", () => {
    const cause = new Error("why")
    const error = new ToolsumError("LOG_INCONSISTENT", "two trees", { cause, evidence: { checkpoint: "text" } })
    expect(error).toBeInstanceOf(Error)
    expect(error.cause).toBe(cause)
    expect(error.evidence).toEqual({ checkpoint: "text" })
    const plain = new ToolsumError("USAGE", "expected a file")
    expect(Object.hasOwn(plain, "cause")).toBe(false)
    expect(plain.evidence).toBeUndefined()
  })
})

describe("escapeInvisible", () => {
  test.each([
    ["a newline", "\n", "\\u000a"],
    ["a tab", "\t", "\\u0009"],
    ["an escape sequence", "\u001b[31m", "\\u001b[31m"],
    ["delete", "\u007f", "\\u007f"],
    ["a C1 control", "\u009b", "\\u009b"],
    ["a no-break space", "\u00a0", "\\u00a0"],
    ["a soft hyphen", "\u00ad", "\\u00ad"],
    ["a zero width space", "\u200b", "\\u200b"],
    ["a right-to-left override", "\u202e", "\\u202e"],
    ["a bidi isolate", "\u2066", "\\u2066"],
    ["a line separator", "\u2028", "\\u2028"],
    ["an ideographic space", "\u3000", "\\u3000"],
    ["a BOM", "\ufeff", "\\ufeff"],
    ["a Hangul filler", "\u3164", "\\u3164"],
    ["a variation selector", "\ufe0f", "\\ufe0f"],
    ["a supplementary variation selector", "\u{e0100}", "\\udb40\\udd00"],
    ["a tag character", "\u{e0041}", "\\udb40\\udc41"],
    ["a private use character", "\ue000", "\\ue000"],
    ["an unassigned code point", "\u0378", "\\u0378"],
    ["blank Braille", "\u2800", "\\u2800"],
    ["a lone surrogate", "\ud800", "\\ud800"],
  ])("escapes %s", (_, text, escaped) => {
    expect(escapeInvisible(`a${text}b`)).toBe(`a${escaped}b`)
  })

  test.each(["plain text", "é ü ß", "日本語", "😀", "שלום", "a-b_c\"d'e\\f", ""])("leaves %j as it is", (text) => {
    expect(escapeInvisible(text)).toBe(text)
  })

  test("what comes out has nothing left to escape, and no control or format character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const escaped = escapeInvisible(text)
        expect(escapeInvisible(escaped)).toBe(escaped)
        expect(escaped).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
      }),
      { numRuns: 1000 },
    )
  })
})

describe("quote", () => {
  test.each([
    ["plain", '"plain"'],
    ['with "quotes" and \\', '"with \\"quotes\\" and \\\\"'],
    ["line\nbreak", '"line\\nbreak"'],
    ["\u001b[2J", '"\\u001b[2J"'],
    ["\u202etxt", '"\\u202etxt"'],
    ["", '""'],
  ])("%j", (text, quoted) => {
    expect(quote(text)).toBe(quoted)
  })

  test("clips to a number of code points and says so", () => {
    expect(quote("abcdef", 6)).toBe('"abcdef"')
    expect(quote("abcdefg", 6)).toBe('"abcdef"…')
    expect(quote("😀😀😀", 2)).toBe('"😀😀"…')
    expect(quote("😀😀", 2)).toBe('"😀😀"')
    expect(quote("x".repeat(1_000_000))).toBe(`"${"x".repeat(80)}"…`)
  })

  test("is always one printable line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 1, max: 100 }), (text, max) => {
        const quoted = quote(text, max)
        expect(quoted).toMatch(/^"[^\n]*"…?$/)
        expect(escapeInvisible(quoted)).toBe(quoted)
      }),
    )
  })
})
