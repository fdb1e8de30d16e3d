import fc from "fast-check"
import { expect, test } from "vitest"
import { formatCosignature, verifyCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import { openNote, parseNote } from "../../src/core/note.js"
import { parseSignatureLine } from "../../src/core/signature-line.js"
import { parseSigningKey, parseVkey } from "../../src/core/vkey.js"
import { describeShared, readShared } from "../shared.js"
import { bytesOf, flip, signer, verifier, witness } from "./log-fixtures.js"

const W = signer("witness.example")
const TEXT = "log.example/a\n5\nSKSXZNq4eCmJGTiCDrV0htPCky/g7CDUWmf85BilBjE=\nextension\n"
const line = formatCosignature({ text: TEXT, key: W, timestamp: 1796083200n })
const bad = (why: string) => new ToolsumError("NOTE_MALFORMED", why)
const signature = parseSignatureLine(line, bad)
const malformed = expect.objectContaining({ code: "COSIGNATURE_MALFORMED" })
const invalid = expect.objectContaining({ code: "SIGNATURE_INVALID" })

test("a cosignature verifies and gives its time", () => {
  expect(verifyCosignature({ text: TEXT, signature, key: witness(W) })).toEqual({
    key: witness(W),
    timestamp: 1796083200n,
  })
  expect(signature.blob).toHaveLength(72)
})

test("the whole text is signed, extension lines included", () => {
  for (const text of [TEXT.replace("extension\n", ""), TEXT.replace("extension", "extensioN"), `${TEXT}x\n`]) {
    expect(() => verifyCosignature({ text, signature, key: witness(W) })).toThrow(invalid)
  }
})

test.each([
  { name: "71 bytes", blob: signature.blob.slice(0, 71) },
  { name: "73 bytes", blob: new Uint8Array([...signature.blob, 0]) },
  { name: "a time above 2^63-1", blob: flip(signature.blob, 0, 7) },
])("verifyCosignature refuses $name", ({ blob }) => {
  expect(() => verifyCosignature({ text: TEXT, signature: { ...signature, blob }, key: witness(W) })).toThrow(malformed)
})

test("only the key of type 0x04, by name and ID", () => {
  const other = signer("witness.example", "other seed")
  for (const key of [verifier(W), witness(other), witness(signer("w.example", "witness.example"))]) {
    expect(() => verifyCosignature({ text: TEXT, signature, key })).toThrow(malformed)
  }
})

test("one flipped bit of time or signature is refused", () => {
  for (let i = 0; i < signature.blob.length * 8; i++) {
    const blob = flip(signature.blob, i >> 3, i & 7)
    expect(
      () => verifyCosignature({ text: TEXT, signature: { ...signature, blob }, key: witness(W) }),
      `bit ${i}`,
    ).toThrow(ToolsumError)
  }
})

test("issuing: any time from 1 to 2^63-1, in the line and under the signature", () =>
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), fc.string(), (timestamp, text) => {
      const issued = parseSignatureLine(formatCosignature({ text, key: W, timestamp }), bad)
      expect(verifyCosignature({ text, signature: issued, key: witness(W) }).timestamp).toBe(timestamp)
    }),
    { numRuns: 50 },
  ))

test.each([0n, -1n, 2n ** 63n])("issuing refuses the time %s", (timestamp) => {
  expect(() => formatCosignature({ text: TEXT, key: W, timestamp })).toThrow(malformed)
})

describeShared("interop vectors", () => {
  test("our cosignature of a kept checkpoint is the one that Go made", () => {
    const { witnesses } = JSON.parse(readShared("interop/vectors/keys.json"))
    const note = parseNote(readShared("interop/vectors/logs/5/checkpoint"))
    const keys = witnesses.map(({ vkey }: { vkey: string }) => parseVkey(vkey))
    const { cosignatures } = openNote(note, keys)
    expect(cosignatures.length).toBeGreaterThan(0)
    for (const { key, timestamp } of cosignatures) {
      const { skey } = witnesses.find(({ vkey }: { vkey: string }) => vkey === key.vkey)
      const issued = formatCosignature({ text: note.text, key: parseSigningKey(skey), timestamp })
      expect(note.signatures.map((own) => own.line)).toContain(issued)
      expect(bytesOf(issued).length).toBeGreaterThan(100)
    }
  })
})
