// Bulk hashes against the plain definition: every width of a tile, entries of every length around the borders of SHA-256's blocks.
import { describe, expect, test } from "vitest"
import { computeTileRoot, computeTileRoots, hashEntries } from "../../src/core/bulk-hash.js"
import { concatBytes, formatHex } from "../../src/core/bytes.js"
import { type Hash, hashLeaf } from "../../src/core/hash.js"
import { joinHashes } from "../../src/core/merkle.js"
import { computeTreeHash } from "../../src/core/merkle-tree.js"

const usage = expect.objectContaining({ code: "USAGE" })

/** Bytes that differ from place to place, the same each time. */
const fill = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => Math.imul(seed * 977 + i + 1, 2654435761) >>> 24)

const leaves: readonly Hash[] = Array.from({ length: 1024 }, (_, i) => fill(32, i))

describe("computeTileRoot", () => {
  test("is the recursive definition for every width", () => {
    for (let width = 1; width <= 256; width++) {
      const hashes = leaves.slice(width, 2 * width)
      expect(formatHex(computeTileRoot(joinHashes(hashes)))).toBe(formatHex(computeTreeHash(hashes)))
    }
  })

  test("leaves its input as it was and gives bytes of its own", () => {
    const hashes = joinHashes(leaves.slice(0, 3))
    const before = formatHex(hashes)
    computeTileRoot(hashes).fill(0)
    expect(formatHex(hashes)).toBe(before)
    const one = leaves[0] ?? new Uint8Array(0)
    computeTileRoot(one).fill(0)
    expect(one).toEqual(fill(32, 0))
  })

  test("refuses what is no tile", () => {
    for (const length of [0, 31, 33, 257 * 32]) expect(() => computeTileRoot(new Uint8Array(length))).toThrow(usage)
  })
})

describe("computeTileRoots", () => {
  test("joins the roots of full tiles, whatever their number", () => {
    for (let tiles = 0; tiles <= 4; tiles++) {
      const all = joinHashes(leaves.slice(0, tiles * 256))
      const roots = Array.from({ length: tiles }, (_, i) => computeTreeHash(leaves.slice(i * 256, (i + 1) * 256)))
      expect(formatHex(computeTileRoots(all))).toBe(formatHex(joinHashes(roots)))
      expect(formatHex(all)).toBe(formatHex(joinHashes(leaves.slice(0, tiles * 256))))
    }
  })

  test("takes a view into a larger buffer, a Node Buffer too", () => {
    const padded = Buffer.concat([Buffer.alloc(5), joinHashes(leaves.slice(0, 256)), Buffer.alloc(7)])
    const root = formatHex(computeTreeHash(leaves.slice(0, 256)))
    expect(formatHex(computeTileRoots(padded.subarray(5, -7)))).toBe(root)
    expect(formatHex(computeTileRoot(padded.subarray(5, -7)))).toBe(root)
  })

  test("refuses a partial tile", () => {
    for (const length of [32, 8160, 8193]) expect(() => computeTileRoots(new Uint8Array(length))).toThrow(usage)
  })
})

describe("hashEntries", () => {
  test("writes the leaf hash of each entry, of any length", () => {
    const lengths = [...Array.from({ length: 260 }, (_, i) => i), 4095, 4096, 4097, 65535]
    const entries = lengths.map(fill)
    const out = new Uint8Array(entries.length * 32)
    hashEntries(entries, out)
    expect(formatHex(out)).toBe(formatHex(joinHashes(entries.map(hashLeaf))))
  })

  test("leaves what lies behind the last hash alone", () => {
    const out = new Uint8Array(80).fill(7)
    hashEntries([fill(10, 1), fill(11, 2)], out)
    expect(out).toEqual(concatBytes(hashLeaf(fill(10, 1)), hashLeaf(fill(11, 2)), new Uint8Array(16).fill(7)))
    hashEntries([], new Uint8Array(0))
  })

  test("refuses too little room", () => {
    expect(() => hashEntries([fill(1, 1), fill(1, 2)], new Uint8Array(63))).toThrow(usage)
  })
})
