import fc from "fast-check"
import { expect, test } from "vitest"
import { formatStaging, parseStaging, stagingDigest, stagingKey, stagingSeq } from "../../src/writer/staging.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (b: Uint8Array) => new TextDecoder("latin1").decode(b)

const staging = {
  oldSize: 3n,
  newSize: 5n,
  files: [
    { key: "public/tile/0/000.p/5", bytes: bytes("\n\nhashes") },
    { key: "public/tile/entries/x001/067", bytes: new Uint8Array(0) },
    { key: "private/log", bytes: bytes("settings") },
  ],
}
const GOOD = text(formatStaging(staging))

test("a staging file reads and writes, and its name holds step and digest", () => {
  expect(parseStaging(formatStaging(staging))).toEqual(staging)
  const digest = stagingDigest(formatStaging(staging))
  const key = stagingKey(12n, digest)
  expect(key).toBe(`private/staging/00000000000000000012-${digest.slice(7)}`)
  expect(stagingSeq(key.slice("private/staging/".length))).toBe(12n)
  expect(stagingSeq("notes.txt")).toBeNull()
})

test.each([
  { name: "nothing", text: "" },
  { name: "another type", text: GOOD.replace("v1", "v2") },
  { name: "a tree that does not grow", text: GOOD.replace("size 3 5", "size 5 5") },
  { name: "a third size", text: GOOD.replace("size 3 5", "size 3 5 6") },
  { name: "a file too long", text: GOOD.replace("000.p/5 8", "000.p/5 99") },
  { name: "a byte too many", text: `${GOOD}x` },
  { name: "a byte too few", text: GOOD.slice(0, -1) },
  { name: "a key twice", text: GOOD.replace("entries/x001/067", "0/000.p/5") },
  { name: "a key outside", text: GOOD.replace("public/tile/entries", "private/commits") },
  { name: "a key with dots", text: GOOD.replace("entries/x001", "entries/../x001") },
  { name: "the checkpoint", text: GOOD.replace("public/tile/entries/x001/067", "public/checkpoint") },
  { name: "no empty line", text: GOOD.slice(0, GOOD.indexOf("\n\n") + 1) },
])("parseStaging refuses $name", ({ text }) => {
  const latin1 = Uint8Array.from(text, (c) => c.charCodeAt(0))
  expect(() => parseStaging(latin1)).toThrow(expect.objectContaining({ code: "COMMIT_MALFORMED" }))
})

test("format and parse are inverses", () => {
  const files = fc.uniqueArray(
    fc.record({ key: fc.stringMatching(/^public\/objects\/[0-9a-f]{2}\/[0-9a-f]{8}$/), bytes: fc.uint8Array() }),
    { selector: ({ key }) => key, minLength: 1 },
  )
  fc.assert(
    fc.property(files, fc.bigInt(0n, 1n << 40n), (list, oldSize) => {
      const value = { oldSize, newSize: oldSize + 1n, files: list }
      expect(parseStaging(formatStaging(value))).toEqual(value)
    }),
  )
})
