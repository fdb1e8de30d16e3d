import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import {
  addSignatures,
  formatNote,
  MAX_NOTE_BYTES,
  MAX_NOTE_SIGNATURES,
  openNote,
  parseNote,
  signNote,
  uniteNotes,
} from "../../src/core/note.js"
import { formatSignatureLine, parseSignatureLine } from "../../src/core/signature-line.js"
import { computeVerifierKey, ML_DSA_COSIGNATURE, parseVkey } from "../../src/core/vkey.js"
import { describeShared, readShared } from "../shared.js"
import { arbKeyName, base64, bytesOf, flip, signer, verifier, witness } from "./log-fixtures.js"
import { isWanted } from "./open-choices.js"

const malformed = expect.objectContaining({ code: "NOTE_MALFORMED" })
const invalid = expect.objectContaining({ code: "SIGNATURE_INVALID" })

const FOO = parseVkey("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
const EXAMPLE =
  "This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"

const [A, B, C] = [signer("a.example"), signer("b.example"), signer("c.example")] as const
const TEXT = "first\n\nthird \u00e9\n"
const GOOD = signNote(TEXT, [A, B])
const LINE = (n: number) => GOOD.split("\n").at(4 + n) ?? ""

test("the example of the specification opens", () => {
  expect(openNote(EXAMPLE, [FOO])).toMatchObject({ text: "This is an example message.\n", verified: [FOO] })
  expect(openNote(bytesOf(EXAMPLE), [FOO]).verified).toEqual([FOO])
})

test("the text ends before the last empty line", () => {
  expect(parseNote(GOOD)).toMatchObject({ text: TEXT, signatures: [{ name: A.name, id: A.id }, { name: B.name }] })
  expect(parseNote(`\n\n${LINE(1)}\n`).text).toBe("\n")
})

test.each([
  { name: "nothing", note: "" },
  { name: "newlines only", note: "\n\n\n" },
  { name: "no empty line", note: GOOD.replace("\n\n\u2014", "\n\u2014") },
  { name: "no signature line", note: `${TEXT}\n` },
  { name: "no final newline", note: GOOD.slice(0, -1) },
  { name: "a newline too many", note: `${GOOD}\n` },
  { name: "CR LF", note: GOOD.replaceAll("\n", "\r\n") },
  { name: "a tab", note: GOOD.replace("first", "fir\tst") },
  { name: "a NUL", note: GOOD.replace("first", "fir\0st") },
  { name: "a lone surrogate", note: GOOD.replace("first", "fir\ud800st") },
  { name: "a hyphen", note: GOOD.replaceAll("\u2014", "-") },
  { name: "an en dash", note: GOOD.replaceAll("\u2014", "\u2013") },
  { name: "two spaces", note: GOOD.replaceAll("\u2014 ", "\u2014  ") },
  { name: "a no-break space", note: GOOD.replaceAll("\u2014 ", "\u2014\u00a0") },
  { name: "text among the signatures", note: `${GOOD}x\n` },
  { name: "a line of four bytes", note: `${GOOD}\u2014 x AAAAAA==\n` },
  { name: "a line without name", note: `${GOOD}\u2014  AAAAAAA=\n` },
  { name: "a plus in a name", note: `${GOOD}\u2014 x+y AAAAAAA=\n` },
  { name: "U+0085 in a name", note: `${GOOD}\u2014 x\u0085y AAAAAAA=\n` },
  { name: "base64 that is not canonical", note: `${GOOD}\u2014 x AAAAAAB=\n` },
  { name: "base64 without padding", note: `${GOOD}\u2014 x AAAAAAA\n` },
  { name: "a space after the base64", note: `${GOOD}\u2014 x AAAAAAA= \n` },
  { name: "101 lines", note: GOOD + "\u2014 x AAAAAAA=\n".repeat(MAX_NOTE_SIGNATURES - 1) },
  { name: "256 KiB and a byte", note: "x".repeat(MAX_NOTE_BYTES + 1 - GOOD.length - 4) + GOOD },
])("parseNote refuses $name", ({ note }) => {
  expect(() => parseNote(note)).toThrow(malformed)
  if (!note.includes("\ud800")) expect(() => parseNote(bytesOf(note))).toThrow(malformed)
})

test("limits are reached, not passed", () => {
  const full = GOOD + "\u2014 x AAAAAAA=\n".repeat(MAX_NOTE_SIGNATURES - 2)
  expect(openNote(full, [verifier(A)]).signatures).toHaveLength(MAX_NOTE_SIGNATURES)
  const long = signNote(`${"x".repeat(MAX_NOTE_BYTES - 200)}\n`, [A])
  const filled = "x".repeat(MAX_NOTE_BYTES - bytesOf(long).length) + long
  expect(bytesOf(parseNote(filled).text).length).toBeGreaterThan(MAX_NOTE_BYTES - 200)
  expect(() => parseNote(bytesOf(`x${filled}`))).toThrow(malformed)
})

test("invalid UTF-8 is refused, a BOM is text", () => {
  expect(() => parseNote(flip(bytesOf(GOOD), TEXT.length - 1, 6))).toThrow(malformed)
  expect(parseNote(bytesOf(signNote("\ufeffx\n", [A]))).text).toBe("\ufeffx\n")
})

describe("openNote", () => {
  test("knows keys by name and ID together", () => {
    expect(openNote(GOOD, [verifier(B), verifier(A), verifier(C)]).verified).toEqual([verifier(A), verifier(B)])
    expect(() => openNote(GOOD, [verifier(C)])).toThrow(invalid)
    expect(() => openNote(GOOD, [])).toThrow(invalid)
    expect(() => openNote(GOOD, [verifier(signer("a.example", "other seed"))])).toThrow(invalid)
    expect(() => openNote(GOOD, [verifier(signer("d.example", "a.example"))])).toThrow(invalid)
  })

  test("a bad line of a known key refuses the note, of an unknown one does not", () => {
    const bad = GOOD.replace(LINE(1), LINE(1).replace(/.{6}$/, "AAAA=="))
    const wrong = `${TEXT}\n${LINE(0)}\n${signNote("other\n", [B]).split("\n")[2]}\n`
    for (const note of [bad, wrong]) {
      expect(() => openNote(note, [verifier(A), verifier(B)])).toThrow(invalid)
      expect(openNote(note, [verifier(A)]).verified).toEqual([verifier(A)])
    }
  })

  test("each key counts once, and every one of its lines must hold", () => {
    const twice = `${TEXT}\n${LINE(0)}\n${LINE(0)}\n`
    expect(openNote(twice, [verifier(A)]).verified).toHaveLength(1)
    const second = `${TEXT}\n${LINE(0)}\n${signNote("other\n", [A]).split("\n")[2]}\n`
    expect(() => openNote(second, [verifier(A)])).toThrow(invalid)
  })

  test("two keys of one name and ID are a configuration error", () => {
    expect(() => openNote(GOOD, [verifier(A), verifier(A)])).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    )
  })

  test("cosignatures are verified with their times; an ill-formed one of a known key is a bad line", () => {
    const lines = [5n, 9n].map((timestamp) => formatCosignature({ text: TEXT, key: C, timestamp }))
    const note = addSignatures(parseNote(GOOD), lines)
    const opened = openNote(note, [verifier(A), witness(C)])
    expect(opened.verified).toEqual([verifier(A), witness(C)])
    expect(opened.cosignatures).toEqual([5n, 9n].map((timestamp) => ({ key: witness(C), timestamp })))
    const short = formatSignatureLine({ name: C.name, id: witness(C).id, blob: new Uint8Array(71) })
    expect(() => openNote(addSignatures(note, [short]), [verifier(A), witness(C)])).toThrow(invalid)
  })

  test("a key of type 0x06 counts as unknown", () => {
    const key = computeVerifierKey({ name: "pq", type: ML_DSA_COSIGNATURE, publicKey: new Uint8Array(1312) })
    const line = formatSignatureLine({ name: "pq", id: key.id, blob: new Uint8Array(2428) })
    const note = addSignatures(parseNote(GOOD), [line])
    expect(openNote(note, [verifier(A), key]).verified).toEqual([verifier(A)])
    expect(() => openNote(note, [key])).toThrow(invalid)
  })
})

test.each([
  { name: "without final newline", text: "x" },
  { name: "empty", text: "" },
  { name: "with a control character", text: "x\t\n" },
])("signNote refuses a text $name", ({ text }) => {
  expect(() => signNote(text, [A])).toThrow(malformed)
})

test("signNote refuses no keys; addSignatures refuses what is no line", () => {
  expect(() => signNote("x\n", [])).toThrow(malformed)
  expect(() => addSignatures(parseNote(GOOD), ["x"])).toThrow(malformed)
})

const arbText = fc
  .string({ unit: "binary", maxLength: 80 })
  .map((text) => `${text.replace(/[\0-\x09\x0b-\x1f]/g, "")}\n`)
const arbLine = fc
  .record({ name: arbKeyName, id: fc.nat(2 ** 32 - 1), blob: fc.uint8Array({ minLength: 1, maxLength: 100 }) })
  .map(formatSignatureLine)

test("notes: parse and format are inverses", () =>
  fc.assert(
    fc.property(arbText, fc.array(arbLine, { minLength: 1, maxLength: 5 }), (text, lines) => {
      const note = `${text}\n${lines.map((line) => `${line}\n`).join("")}`
      expect(parseNote(note).text).toBe(text)
      expect(formatNote(parseNote(note))).toBe(note)
      expect(parseNote(bytesOf(note))).toEqual(parseNote(note))
    }),
  ))

test("signature lines: parse and format are inverses", () =>
  fc.assert(
    fc.property(arbLine, (line) => {
      const bad = (why: string) => new ToolsumError("NOTE_MALFORMED", why)
      expect(formatSignatureLine(parseSignatureLine(line, bad))).toBe(line)
    }),
  ))

test("any bytes are a note or a ToolsumError", () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (tail) => {
      try {
        parseNote(new Uint8Array([...bytesOf("x\n\n\u2014 a "), ...tail]))
      } catch (error) {
        expect(error).toEqual(malformed)
      }
    }),
  ))

test("one flipped bit of a note is refused, or lies in a line that no known key stands behind", () => {
  const note = signNote("text\n", [A, B])
  const bytes = bytesOf(note)
  const lineOfA = bytesOf(note.slice(0, note.indexOf(`\u2014 ${B.name}`))).length
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      // With one known key everything up to the end of its line counts; what the other line says may change while well formed.
      try {
        const opened = openNote(flip(bytes, at, bit), [verifier(A)])
        expect(at, `bit ${bit}`).toBeGreaterThanOrEqual(lineOfA)
        expect(opened.text).toBe("text\n")
      } catch (error) {
        expect(error).toBeInstanceOf(ToolsumError)
      }
      // With both known, a change may only take a line away (another name or ID), never make one count.
      try {
        expect(openNote(flip(bytes, at, bit), [verifier(A), verifier(B)]).verified).toHaveLength(1)
      } catch (error) {
        expect(error).toBeInstanceOf(ToolsumError)
      }
    }
  }
})

describeShared("interop vectors", () => {
  const { vkey, cases }: { vkey: string; cases: { name: string; note_b64: string; want: string }[] } = JSON.parse(
    readShared("interop/vectors/notes/cases.json"),
  )
  test.each(cases)("$name: $want", ({ note_b64, ...c }) => {
    const open = () => openNote(base64(note_b64), [parseVkey(vkey)])
    if (isWanted(c)) expect(open().verified).toHaveLength(1)
    else expect(open).toThrow(ToolsumError)
  })
})

describe("two notes of one text", () => {
  const own = signer("first")
  const text = "first\nsecond\n"
  const sign = (...lines: string[]) => formatNote(addSignatures(parseNote(signNote(text, [own])), lines))
  const by = (key: typeof A, timestamp: bigint) => formatCosignature({ text, key, timestamp })
  const namesIn = (note: string) => parseNote(note).signatures.map(({ name }) => name)

  test("are one with the lines of both, the log's own first", () => {
    const united = uniteNotes(sign(by(B, 5n)), sign(by(C, 6n), by(A, 7n)))
    expect(namesIn(united)).toEqual(["first", "a.example", "b.example", "c.example"])
    expect(openNote(united, [verifier(own), ...[A, B, C].map(witness)]).cosignatures).toHaveLength(3)
  })

  test("keep the later of two cosignatures by one witness", () => {
    const united = uniteNotes(sign(by(A, 256n)), sign(by(A, 255n)))
    expect(openNote(united, [verifier(own), witness(A)]).cosignatures).toMatchObject([{ timestamp: 256n }])
  })

  test("one that has all lines stays as it is, in its own order", () => {
    const whole = sign(by(B, 5n), by(A, 5n))
    expect(uniteNotes(whole, sign(by(A, 5n)))).toBe(whole)
    expect(uniteNotes(sign(), whole)).toBe(whole)
    expect(uniteNotes(whole, whole)).toBe(whole)
  })

  test("are the same united whichever way round, and united again", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(A, B, C), fc.bigInt({ min: 1n, max: 3n })), { maxLength: 4 }),
        fc.array(fc.tuple(fc.constantFrom(A, B, C), fc.bigInt({ min: 1n, max: 3n })), { maxLength: 4 }),
        (one, other) => {
          const [a, b] = [one, other].map((all) => sign(...all.map(([key, time]) => by(key, time)))) as [string, string] // two of them
          const united = uniteNotes(a, b)
          expect(uniteNotes(b, a)).toBe(united)
          expect(uniteNotes(united, a)).toBe(united)
          expect(new Set(namesIn(united))).toEqual(new Set([...namesIn(a), ...namesIn(b)]))
        },
      ),
      { numRuns: 50 },
    ))

  test("of different texts, or with too many lines, are refused", () => {
    expect(() => uniteNotes(GOOD, sign())).toThrow(malformed)
    const many = (from: number) => sign(...Array.from({ length: 60 }, (_, i) => by(signer(`w${from + i}.example`), 1n)))
    expect(() => uniteNotes(many(0), many(60))).toThrow(malformed)
  })
})
