import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatHex } from "../../src/core/bytes.js"
import * as native from "../../src/core/crypto-native.js"
import * as noble from "../../src/core/crypto-noble.js"
import { ToolsumError } from "../../src/core/errors.js"
import {
  computeTextDigest,
  EMPTY_ROOT,
  hashLeaf,
  hashNode,
  isDigest,
  parseDigest,
  sha256,
  writeHash,
} from "../../src/core/hash.js"

const reference = (...parts: readonly Uint8Array[]): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}
const arbHash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const arbData = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.uint8Array({ minLength: 4090, maxLength: 4110, size: "max" }),
)

test("known values", () => {
  expect(formatHex(EMPTY_ROOT)).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  expect(formatHex(sha256(new TextEncoder().encode("abc")))).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  )
  expect(computeTextDigest("")).toBe("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  // The leaf hash of the empty entry, as in the tests of RFC 6962 implementations.
  expect(formatHex(hashLeaf(new Uint8Array(0)))).toBe(
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  )
})

describe("agrees with node:crypto", () => {
  test("plain, on both implementations", () => {
    fc.assert(
      fc.property(arbData, (data) => {
        expect(formatHex(native.sha256(data))).toBe(reference(data))
        expect(formatHex(noble.sha256(data))).toBe(reference(data))
      }),
    )
  })

  test("into a place, which may be in the data itself", () => {
    fc.assert(
      fc.property(arbData, fc.nat(40), (data, offset) => {
        for (const { sha256Into } of [native, noble]) {
          const out = new Uint8Array(offset + 33).fill(0xa5)
          sha256Into(data, out, offset)
          expect(formatHex(out.subarray(offset, offset + 32))).toBe(reference(data))
          expect(out.subarray(0, offset).every((byte) => byte === 0xa5) && out[offset + 32] === 0xa5).toBe(true)
          const own = new Uint8Array(offset + 32 + data.length)
          own.set(data)
          const before = reference(own)
          sha256Into(own, own, offset)
          expect(formatHex(own.subarray(offset, offset + 32))).toBe(before)
        }
      }),
    )
  })

  test("text as UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const expected = reference(new TextEncoder().encode(text))
        expect(native.sha256HexOfText(text)).toBe(expected)
        expect(noble.sha256HexOfText(text)).toBe(expected)
        expect(computeTextDigest(text)).toBe(`sha256:${expected}`)
      }),
    )
  })

  test("leaves and nodes, one after another", () => {
    fc.assert(
      fc.property(fc.array(arbData, { minLength: 1, maxLength: 4 }), arbHash, arbHash, (entries, left, right) => {
        const hashes = entries.map(hashLeaf)
        expect(hashes.map(formatHex)).toEqual(entries.map((entry) => reference(Uint8Array.of(0), entry)))
        expect(formatHex(hashNode(left, right))).toBe(reference(Uint8Array.of(1), left, right))
      }),
    )
  })
})

test("writeHash writes 32 bytes and no others", () => {
  fc.assert(
    fc.property(arbHash, fc.nat(20), (hash, offset) => {
      const bytes = new Uint8Array(offset + 40).fill(0x5a)
      writeHash(hash, new DataView(bytes.buffer), offset)
      expect(bytes.subarray(offset, offset + 32)).toEqual(hash)
      expect(bytes.filter((byte, i) => (i < offset || i >= offset + 32) && byte !== 0x5a)).toHaveLength(0)
    }),
  )
})

describe("digests", () => {
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`
  const bad = (why: string) => new ToolsumError("RECORD_MALFORMED", why)

  test("one spelling is read", () => {
    expect(isDigest(digest)).toBe(true)
    expect(parseDigest(digest, bad)).toBe(digest)
  })

  test.each([
    "",
    "sha256:",
    digest.toUpperCase(),
    digest.slice(0, -1),
    `${digest}0`,
    `${digest}\n`,
    ` ${digest}`,
    digest.replace("sha256:", ""),
    digest.replace("sha256:", "sha512:"),
    digest.replace("f", "F"),
    digest.replace("f", "g"),
  ])("another is refused: %j", (text) => {
    expect(isDigest(text)).toBe(false)
    expect(() => parseDigest(text, bad)).toThrow(expect.objectContaining({ code: "RECORD_MALFORMED" }))
  })
})
