import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { proveConsistency, proveInclusion } from "../../src/client/prove.js"
import { createVerifiedTree } from "../../src/client/tiles.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { hashLeaf } from "../../src/core/hash.js"
import { verifyConsistency, verifyInclusion } from "../../src/core/merkle.js"
import { flipBit, HostileLog, type Tamper, withhold } from "../fakes/hostile-log.js"

const entry = (i: number) => `entry ${i}`
const logOf = (size: number, from = 0) =>
  new HostileLog().append(...Array.from({ length: size }, (_, i) => entry(from + i)))
const treeOf = (log: HostileLog, size = log.size) => createVerifiedTree(log, { size, rootHash: log.rootAt(size) })

const SIZES = [1, 2, 3, 255, 256, 257, 300, 511, 512, 513, 700]

describe("proofs", () => {
  test.each(SIZES)("of every kind of entry in a tree of size %i verify", async (size) => {
    const log = logOf(size)
    const tree = treeOf(log)
    for (const index of new Set([0, 1, 254, 255, 256, size - 2, size - 1].filter((i) => i >= 0 && i < size))) {
      const proven = await proveInclusion(tree, BigInt(index))
      expect(proven.entry).toEqual(encodeUtf8(entry(index)))
      verifyInclusion({
        ...proven,
        leafHash: hashLeaf(proven.entry),
        head: { size: log.size, rootHash: log.rootAt(log.size) },
      })
    }
  })

  test.each(SIZES)("from every kind of size to size %i verify and give the older root", async (size) => {
    const log = logOf(size)
    const tree = treeOf(log)
    for (const older of new Set([1, 2, 3, 128, 255, 256, 257, 512, size - 1, size].filter((n) => n > 0 && n <= size))) {
      const prefix = await proveConsistency(tree, BigInt(older))
      expect(prefix.older).toEqual({ size: BigInt(older), rootHash: log.rootAt(BigInt(older)) })
      verifyConsistency(prefix)
    }
    expect(await proveConsistency(tree, 0n)).toMatchObject({ older: { size: 0n }, proof: [] })
  })

  test("of a deep tree verify, through three levels of tiles", async () => {
    const log = logOf(65_536 + 300)
    const tree = treeOf(log)
    for (const index of [0n, 300n, 65_535n, 65_536n, 65_835n]) await proveInclusion(tree, index)
    for (const older of [1n, 257n, 65_535n, 65_536n, 65_537n]) await proveConsistency(tree, older)
    expect(log.reads).toContain("tile/2/000.p/1")
  })

  test("outside the tree are refused", async () => {
    const tree = treeOf(logOf(5))
    for (const index of [-1n, 5n]) {
      await expect(proveInclusion(tree, index)).rejects.toMatchObject({ code: "INCLUSION_INVALID" })
    }
    for (const size of [-1n, 6n]) {
      await expect(proveConsistency(tree, size)).rejects.toMatchObject({ code: "CONSISTENCY_INVALID" })
    }
  })
})

describe("reading", () => {
  test("asks for nothing that the head does not imply, and for nothing twice", async () => {
    const log = logOf(700)
    const tree = treeOf(log)
    await Promise.all([proveInclusion(tree, 3n), proveInclusion(tree, 4n), proveConsistency(tree, 300n)])
    await proveInclusion(tree, 699n)
    expect(log.reads.filter((path) => path.includes(".p/"))).toEqual(
      expect.arrayContaining(["tile/0/002.p/188", "tile/1/000.p/2", "tile/entries/002.p/188"]),
    )
    expect(log.reads.filter((path) => /\.p\/(?!188$|2$)/.test(path))).toEqual([])
    expect(new Set(log.reads).size).toBe(log.reads.length)
  })

  test("a bundle stands in for the level-0 tile", async () => {
    const log = logOf(700)
    await proveInclusion(treeOf(log), 3n)
    expect(log.reads).not.toContain("tile/0/000")
    const small = logOf(100)
    await proveInclusion(treeOf(small), 3n)
    expect(small.reads).toEqual(["tile/entries/000.p/100"])
  })

  test("partial tiles that are gone are cut from the full ones", async () => {
    const log = logOf(300)
    const head = { size: log.size, rootHash: log.rootAt(log.size) }
    log.append(...Array.from({ length: 70_000 }, (_, i) => entry(300 + i)))
    log.collectPartials()
    const tree = createVerifiedTree(log, head)
    const proven = await proveInclusion(tree, 299n)
    expect(proven.head).toEqual(head)
    expect(log.reads).toEqual(expect.arrayContaining(["tile/entries/001.p/44", "tile/entries/001", "tile/1/000"]))
  })

  test("an old head of a log that has grown is proven with its partial tiles", async () => {
    const log = logOf(300)
    const head = { size: log.size, rootHash: log.rootAt(log.size) }
    log.append("more")
    await proveInclusion(createVerifiedTree(log, head), 299n)
  })
})

describe("hostile bytes:", () => {
  test.each<{ name: string; tamper: Tamper; code: string }>([
    { name: "wrong bytes in a full tile", tamper: flipBit(/^tile\/0\/000$/, 31), code: "HASH_MISMATCH" },
    { name: "wrong bytes in a partial tile", tamper: flipBit(/^tile\/0\/002\.p/), code: "HASH_MISMATCH" },
    { name: "wrong bytes in an upper tile", tamper: flipBit(/^tile\/1\//, 40), code: "HASH_MISMATCH" },
    { name: "wrong bytes in a full bundle", tamper: flipBit(/^tile\/entries\/000$/, 5), code: "HASH_MISMATCH" },
    { name: "wrong bytes in a partial bundle", tamper: flipBit(/^tile\/entries\/002/, 5), code: "HASH_MISMATCH" },
    { name: "a missing tile", tamper: withhold(/^tile\/1\//), code: "RESOURCE_MISSING" },
    { name: "a missing bundle", tamper: withhold(/^tile\/entries\//), code: "RESOURCE_MISSING" },
    { name: "a cut tile", tamper: cut(/^tile\/1\//, -1), code: "TILE_MALFORMED" },
    { name: "a tile cut to whole hashes", tamper: cut(/^tile\/0\/002/, -32), code: "TILE_MALFORMED" },
    { name: "a cut bundle", tamper: cut(/^tile\/entries\//, -1), code: "TILE_MALFORMED" },
    { name: "an empty file", tamper: cut(/^tile\//, 0), code: "TILE_MALFORMED" },
    { name: "a bundle with something after it", tamper: padded(/^tile\/entries\/002/), code: "TILE_MALFORMED" },
  ])("$name is $code", async ({ tamper, code }) => {
    const log = logOf(700)
    log.tamper = tamper
    const attempt = async () => {
      const tree = treeOf(log)
      await proveConsistency(tree, 3n)
      for (const index of [0n, 699n]) await proveInclusion(tree, index)
    }
    await expect(attempt()).rejects.toMatchObject({ code })
    log.tamper = (_, bytes) => bytes
    await attempt()
  })

  test("what failed is read again, and nothing of it was kept", async () => {
    const log = logOf(700)
    const tree = treeOf(log)
    log.tamper = flipBit(/^tile\//)
    await expect(proveInclusion(tree, 3n)).rejects.toThrow(ToolsumError)
    await expect(proveConsistency(tree, 3n)).rejects.toThrow(ToolsumError)
    log.tamper = (_, bytes) => bytes
    expect((await proveInclusion(tree, 3n)).entry).toEqual(encodeUtf8(entry(3)))
    await proveConsistency(tree, 3n)
  })

  test("the tiles of another log prove nothing", async () => {
    const log = logOf(700)
    const tree = createVerifiedTree(logOf(700, 1), { size: log.size, rootHash: log.rootAt(log.size) })
    await expect(proveInclusion(tree, 3n)).rejects.toMatchObject({ code: "HASH_MISMATCH" })
  })

  test("any flipped bit in any file that is read is refused", async () => {
    const log = logOf(300)
    await fc.assert(
      fc.asyncProperty(fc.nat(299), fc.nat(), fc.nat(7), fc.nat(), async (index, which, bit, at) => {
        log.tamper = (_, bytes) => bytes
        log.reads.length = 0
        await proveInclusion(treeOf(log), BigInt(index))
        const path = log.reads[which % log.reads.length]
        log.tamper = (asked, bytes) => {
          if (asked !== path || bytes === null) return bytes
          const flipped = bytes.slice()
          flipped[at % flipped.length] = (flipped[at % flipped.length] ?? 0) ^ (1 << bit)
          return flipped
        }
        await expect(proveInclusion(treeOf(log), BigInt(index))).rejects.toThrow(ToolsumError)
      }),
      { numRuns: 60 },
    )
  })
})

function cut(pattern: RegExp, end: number): Tamper {
  return (path, bytes) => (bytes !== null && pattern.test(path) ? bytes.slice(0, end) : bytes)
}

function padded(pattern: RegExp): Tamper {
  return (path, bytes) => (bytes !== null && pattern.test(path) ? new Uint8Array([...bytes, 0]) : bytes)
}
