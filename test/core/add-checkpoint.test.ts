import fc from "fast-check"
import { expect, test } from "vitest"
import {
  formatAddCheckpoint,
  MAX_ADD_CHECKPOINT_BYTES,
  MAX_ADD_CHECKPOINT_HASHES,
  parseAddCheckpoint,
} from "../../src/core/add-checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseNote } from "../../src/core/note.js"
import { describeShared, readShared } from "../shared.js"
import { arbDecimal, arbHash, base64, bytesOf, head, ORIGIN, signer } from "./log-fixtures.js"

const NOTE = head(ORIGIN, 5, [signer(ORIGIN)])
const HASH = `${Buffer.alloc(32, 7).toString("base64")}\n`
const GOOD = `old 3\n${HASH}${HASH}\n${NOTE}`
const malformed = expect.objectContaining({ kind: "malformed" })

test("size, hashes and note, verbatim", () => {
  const { old, proof, note } = parseAddCheckpoint(bytesOf(GOOD))
  expect(old).toBe(3n)
  expect(proof).toEqual([new Uint8Array(32).fill(7), new Uint8Array(32).fill(7)])
  expect(note).toEqual(parseNote(NOTE))
  expect(parseAddCheckpoint(bytesOf(`old 0\n\n${NOTE}`))).toEqual({ old: 0n, proof: [], note: parseNote(NOTE) })
})

test.each([
  { name: "nothing", body: "" },
  { name: "no old line", body: `\n${NOTE}` },
  { name: "a note alone", body: NOTE },
  { name: "an empty line first", body: `\n${GOOD}` },
  { name: "a size with a leading zero", body: GOOD.replace("old 3", "old 03") },
  { name: "a negative size", body: GOOD.replace("old 3", "old -3") },
  { name: "a word for a size", body: GOOD.replace("old 3", "old three") },
  { name: "no size", body: GOOD.replace("old 3", "old ") },
  { name: "a size of 2^63", body: GOOD.replace("old 3", "old 9223372036854775808") },
  { name: "two blanks", body: GOOD.replace("old 3", "old  3") },
  { name: "a blank after the size", body: GOOD.replace("old 3", "old 3 ") },
  { name: "another word", body: GOOD.replace("old 3", "Old 3") },
  { name: "CR LF", body: GOOD.replaceAll("\n", "\r\n") },
  { name: "a hash that is no base64", body: GOOD.replace(HASH, "not base64\n") },
  { name: "a hash of 31 bytes", body: GOOD.replace(HASH, `${Buffer.alloc(31).toString("base64")}\n`) },
  { name: "a hash in another spelling", body: GOOD.replace(HASH, HASH.replace("c=", "d=")) },
  { name: "64 hashes", body: `old 3\n${HASH.repeat(MAX_ADD_CHECKPOINT_HASHES + 1)}\n${NOTE}` },
  { name: "no empty line", body: `old 3\n${NOTE.split("\n\n")[0]}\n` },
  { name: "text after the note", body: `${GOOD}\nmore\n` },
  { name: "no final newline", body: GOOD.slice(0, -1) },
  { name: "a byte order mark", body: `\ufeff${GOOD}` },
])("parseAddCheckpoint refuses $name", ({ body }) => {
  expect(() => parseAddCheckpoint(bytesOf(body))).toThrow(malformed)
})

test("bytes that are no UTF-8 and bodies that are too long are refused", () => {
  expect(() => parseAddCheckpoint(new Uint8Array([...bytesOf(GOOD), 0xff]))).toThrow(malformed)
  expect(() => parseAddCheckpoint(new Uint8Array(MAX_ADD_CHECKPOINT_BYTES + 1))).toThrow(malformed)
})

test("the most hashes that a proof can have fit", () => {
  const body = bytesOf(`old 9223372036854775807\n${HASH.repeat(MAX_ADD_CHECKPOINT_HASHES)}\n${NOTE}`)
  expect(parseAddCheckpoint(body).proof).toHaveLength(MAX_ADD_CHECKPOINT_HASHES)
})

test("format and parse are inverses", () =>
  fc.assert(
    fc.property(arbDecimal, fc.array(arbHash, { maxLength: MAX_ADD_CHECKPOINT_HASHES }), (old, proof) => {
      const request = { old, proof, note: parseNote(NOTE) }
      expect(parseAddCheckpoint(formatAddCheckpoint(request))).toEqual(request)
    }),
    { numRuns: 50 },
  ))

test("whatever is read is written back as it came, and everything else is a ToolsumError", () => {
  const arb = fc.tuple(fc.nat(GOOD.length), fc.nat(4), fc.string({ maxLength: 3 })).map(([at, cut, with_]) => {
    const text = `${GOOD.slice(0, at)}${with_}${GOOD.slice(at + cut)}`
    return bytesOf(text)
  })
  fc.assert(
    fc.property(arb, (body) => {
      try {
        expect(formatAddCheckpoint(parseAddCheckpoint(body))).toEqual(body)
      } catch (error) {
        if (!(error instanceof ToolsumError)) throw error
        expect(error.kind).toBe("malformed")
      }
    }),
    { numRuns: 300 },
  )
})

describeShared("the bodies of a recorded session", () => {
  const { exchanges }: { exchanges: { name: string; body_b64: string; want: number[] }[] } = JSON.parse(
    readShared("interop/vectors/witness/session.json"),
  )
  test.each(exchanges)("$name", ({ body_b64, want }) => {
    const body = base64(body_b64)
    // What must be refused for its form and nothing else; `rollback` is well formed.
    const read = () => formatAddCheckpoint(parseAddCheckpoint(body))
    try {
      expect(read()).toEqual(body)
    } catch (error) {
      if (!(error instanceof ToolsumError)) throw error
      expect(want).toContain(400)
    }
  })
})
