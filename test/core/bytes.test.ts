import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  compareBytes,
  compareUtf8,
  concatBytes,
  decodeUtf8,
  encodeUtf8,
  equalBytes,
  formatBase64,
  formatHex,
  MAX_DECIMAL,
  parseBase64,
  parseDecimal,
  parseHex,
} from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"

const bad = (why: string) => new ToolsumError("NOTE_MALFORMED", why)
const malformed = expect.objectContaining({ code: "NOTE_MALFORMED" })
const arbBytes = fc.uint8Array({ maxLength: 100 })

/** What a decoder makes of text that it may refuse, but only with the caller's error. */
function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    expect(error).toEqual(malformed)
    return null
  }
}

describe("base64", () => {
  test("format and parse are inverses, and agree with Node", () => {
    fc.assert(
      fc.property(fc.oneof(arbBytes, fc.uint8Array({ minLength: 8000, maxLength: 20_000, size: "max" })), (bytes) => {
        const text = formatBase64(bytes)
        expect(text).toBe(Buffer.from(bytes).toString("base64"))
        expect(parseBase64(text, bad)).toEqual(bytes)
      }),
    )
  })

  test("what parses is the only spelling", () => {
    const arbText = fc.string({ unit: fc.constantFrom(..."AQgwBCZz09+/=-_ \n"), maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(arbText, fc.base64String(), fc.string()), (text) => {
        const bytes = attempt(() => parseBase64(text, bad))
        if (bytes) expect(formatBase64(bytes)).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    "A",
    "AA",
    "AAA",
    "AA=",
    "A===",
    "====",
    "=",
    "==",
    "AA==AA==",
    "AB==",
    "AAB=",
    "AA==!",
    "AA==\n",
    " AA==",
    "A A=",
    "AA--",
    "__AA",
    "AAAA=",
    "AAAAA===",
    "ÀAAA",
    "AAA\u0100",
    "=AAA",
    "A=AA",
    "AA=A",
  ])("refuses %j", (text) => {
    expect(() => parseBase64(text, bad)).toThrow(malformed)
  })

  test("nothing is the empty text", () => {
    expect(parseBase64("", bad)).toEqual(new Uint8Array(0))
    expect(formatBase64(new Uint8Array(0))).toBe("")
  })
})

describe("hex", () => {
  test("format and parse are inverses, and agree with Node", () => {
    fc.assert(
      fc.property(arbBytes, (bytes) => {
        const text = formatHex(bytes)
        expect(text).toBe(Buffer.from(bytes).toString("hex"))
        expect(parseHex(text, bad)).toEqual(bytes)
      }),
    )
  })

  test.each(["0", "000", "AA", "aA", "0x00", "zz", " 00", "00 ", "00\n", "٠٠", "-1", "+1"])("refuses %j", (text) => {
    expect(() => parseHex(text, bad)).toThrow(malformed)
  })
})

describe("decimal", () => {
  test("reads what bigint writes, from 0 to 2^63-1", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_DECIMAL }), (value) => {
        expect(parseDecimal(value.toString(), bad)).toBe(value)
      }),
    )
    for (const value of [0n, 1n, 9n, 10n, 2n ** 53n + 1n, MAX_DECIMAL]) {
      expect(parseDecimal(`${value}`, bad)).toBe(value)
    }
  })

  test("what parses is the only spelling", () => {
    const arbText = fc.string({ unit: fc.constantFrom(..."0123456789+-.exn_ \n"), maxLength: 22 })
    fc.assert(
      fc.property(arbText, (text) => {
        const value = attempt(() => parseDecimal(text, bad))
        if (value !== null) expect(value.toString()).toBe(text)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    "",
    " ",
    "00",
    "01",
    "+1",
    "-1",
    "-0",
    "1 ",
    " 1",
    "1\n",
    "0x10",
    "1e3",
    "1.0",
    "1n",
    "1_000",
    "٣",
    "１",
    "9223372036854775808",
    "18446744073709551615",
    "10000000000000000000",
    "1".repeat(100_000),
  ])("refuses %j", (text) => {
    expect(() => parseDecimal(text, bad)).toThrow(malformed)
  })
})

describe("UTF-8", () => {
  test("decode and encode are inverses", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(decodeUtf8(encodeUtf8(text), bad)).toBe(text)
      }),
    )
  })

  test("bytes that decode are those that encode", () => {
    fc.assert(
      fc.property(arbBytes, (bytes) => {
        const text = attempt(() => decodeUtf8(bytes, bad))
        if (text !== null) expect(encodeUtf8(text)).toEqual(bytes)
      }),
      { numRuns: 1000 },
    )
  })

  test("a BOM stays in the text", () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)
    expect(decodeUtf8(bytes, bad)).toBe("\ufeffa")
    expect(encodeUtf8("\ufeffa")).toEqual(bytes)
  })

  test.each([
    { name: "a lone continuation byte", bytes: [0x80] },
    { name: "a cut sequence", bytes: [0xe2, 0x80] },
    { name: "an overlong slash", bytes: [0xc0, 0xaf] },
    { name: "a surrogate", bytes: [0xed, 0xa0, 0x80] },
    { name: "a code point above U+10FFFF", bytes: [0xf4, 0x90, 0x80, 0x80] },
    { name: "latin1", bytes: [0x61, 0xe9] },
    { name: "UTF-16", bytes: [0xff, 0xfe, 0x61, 0x00] },
  ])("refuses $name", ({ bytes }) => {
    expect(() => decodeUtf8(Uint8Array.from(bytes), bad)).toThrow(malformed)
  })
})

describe("order and joining", () => {
  test("compareBytes and equalBytes agree with Node", () => {
    const few = fc.uint8Array({ maxLength: 4, max: 2 })
    fc.assert(
      fc.property(fc.oneof(few, arbBytes), fc.oneof(few, arbBytes), (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(a, b))
        expect(equalBytes(a, b)).toBe(Buffer.from(a).equals(b))
        expect(equalBytes(a, Uint8Array.from(a))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test("compareUtf8 is the order of the UTF-8 bytes, which UTF-16 order is not", () => {
    const units = fc.constantFrom("a", "é", "\uffff", "\ue000", "\u{10000}", "\u{1f600}", "\u{10ffff}", "\ud7ff")
    const arbText = fc.oneof(fc.string({ unit: units, maxLength: 4 }), fc.string({ unit: "binary", maxLength: 6 }))
    fc.assert(
      fc.property(arbText, arbText, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: 1000 },
    )
    expect("\uffff" < "\u{10000}").toBe(false)
    expect(compareUtf8("\uffff", "\u{10000}")).toBeLessThan(0)
  })

  test("concatBytes joins in order into a new array", () => {
    fc.assert(
      fc.property(fc.array(arbBytes, { maxLength: 5 }), (parts) => {
        expect(concatBytes(...parts)).toEqual(new Uint8Array(Buffer.concat(parts)))
      }),
    )
    const one = Uint8Array.of(1)
    expect(concatBytes(one)).not.toBe(one)
  })
})
