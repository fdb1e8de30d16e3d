import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { type Hash, hashLeaf } from "../../src/core/hash.js"
import { computeRoot, computeTreeHash, nodesForRoot } from "../../src/core/merkle-tree.js"
import {
  formatBundle,
  formatBundlePath,
  formatTilePath,
  MAX_BUNDLE_BYTES,
  MAX_TILE_BYTES,
  nodeFromTile,
  parseBundle,
  parseBundlePath,
  parseTile,
  parseTilePath,
  TILE_WIDTH,
  type TileRef,
  tileForNode,
} from "../../src/core/tile.js"
import { entriesOf, flipBit, isWhole, tileLog, tileReader } from "./tiled-log.js"
import { tilesForSize } from "./tiles-for-size.js"

const malformed = expect.objectContaining({ code: "TILE_MALFORMED" })

const arbWidth = fc.oneof(fc.constant(256), fc.integer({ min: 1, max: 255 }))
const arbIndex = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.bigInt({ min: 0n, max: 2_000_000n }))
const arbTileRef = fc.record({ level: fc.integer({ min: 0, max: 63 }), index: arbIndex, width: arbWidth })

describe("paths", () => {
  test.each<[TileRef, string]>([
    [{ level: 0, index: 0n, width: 256 }, "tile/0/000"],
    [{ level: 0, index: 1234067n, width: 256 }, "tile/0/x001/x234/067"],
    [{ level: 1, index: 0n, width: 17 }, "tile/1/000.p/17"],
    [{ level: 63, index: 999n, width: 1 }, "tile/63/999.p/1"],
    [{ level: 2, index: 1000n, width: 255 }, "tile/2/x001/000.p/255"],
    [{ level: 0, index: 2n ** 63n - 1n, width: 256 }, "tile/0/x009/x223/x372/x036/x854/x775/807"],
  ])("%o is %s", (ref, path) => {
    expect(formatTilePath(ref)).toBe(path)
    expect(parseTilePath(path)).toEqual(ref)
    const bundle = path.replace(/^tile\/[0-9]+/, "tile/entries")
    expect(formatBundlePath(ref)).toBe(bundle)
    expect(parseBundlePath(bundle)).toEqual({ index: ref.index, width: ref.width })
  })

  test("format and parse are inverses", () => {
    fc.assert(
      fc.property(arbTileRef, (ref) => {
        expect(parseTilePath(formatTilePath(ref))).toEqual(ref)
        const { index, width } = ref
        expect(parseBundlePath(formatBundlePath(ref))).toEqual({ index, width })
      }),
    )
  })

  test("what parses is the only spelling", () => {
    const arbPath = fc
      .array(
        fc.constantFrom("tile/", "0", "1", "63", "/", "x", "000", "001", ".p/", "256", "7", "entries", " ", "\n"),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(fc.oneof(arbPath, fc.string()), (path) => {
        for (const [parse, format] of [
          [parseTilePath, formatTilePath],
          [parseBundlePath, formatBundlePath],
        ] as const) {
          try {
            expect(format(parse(path) as TileRef)).toBe(path)
          } catch (error) {
            expect(error).toBeInstanceOf(ToolsumError)
            expect(error).toEqual(malformed)
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    "",
    "tile/0",
    "tile/0/",
    "tile/0/0",
    "tile/0/00",
    "tile/0/0000",
    "tile/0/x000/001",
    "tile/0/001/002",
    "tile/0/x001/x002",
    "tile/0/X001/002",
    "tile/00/000",
    "tile/01/000",
    "tile/64/000",
    "tile/100/000",
    "tile/-1/000",
    "tile/0/000.p/0",
    "tile/0/000.p/00",
    "tile/0/000.p/01",
    "tile/0/000.p/256",
    "tile/0/000.p/300",
    "tile/0/000.p/999",
    "tile/0/000.p/1000",
    "tile/0/000.p/",
    "tile/0/000.p",
    "tile/0/000/p/1",
    "tile/0/000/",
    "tile/0/../000",
    "tile/0/000\n",
    " tile/0/000",
    "/tile/0/000",
    "tile//000",
    "tile/0/٠٠٠",
    "tile/0/x009/x223/x372/x036/x854/x775/808",
    "tile/0/x001/x000/x000/x000/x000/x000/x000/000",
    "tile/entries/000",
    "tile/data/000",
    "checkpoint",
  ])("parseTilePath refuses %j", (path) => {
    expect(() => parseTilePath(path)).toThrow(malformed)
  })

  test.each([
    "tile/0/000",
    "tile/entries/0",
    "tile/entries/x000/000",
    "tile/entries/000.p/256",
    "tile/entries/000.p/0",
  ])("parseBundlePath refuses %j", (path) => {
    expect(() => parseBundlePath(path)).toThrow(malformed)
  })

  test.each([
    { level: -1, index: 0n, width: 256 },
    { level: 64, index: 0n, width: 256 },
    { level: 0.5, index: 0n, width: 256 },
    { level: 0, index: -1n, width: 256 },
    { level: 0, index: 2n ** 63n, width: 256 },
    { level: 0, index: 0n, width: 0 },
    { level: 0, index: 0n, width: 257 },
    { level: 0, index: 0n, width: 1.5 },
    { level: 0, index: 0n, width: Number.NaN },
  ])("formatTilePath refuses %o", (ref) => {
    expect(() => formatTilePath(ref)).toThrow(malformed)
  })
})

describe("layout", () => {
  const layoutOf = (size: bigint): string[] => [...tilesForSize(size)].map(formatTilePath)

  test("the tiles of some sizes", () => {
    expect(layoutOf(0n)).toEqual([])
    expect(layoutOf(1n)).toEqual(["tile/0/000.p/1"])
    expect(layoutOf(255n)).toEqual(["tile/0/000.p/255"])
    expect(layoutOf(256n)).toEqual(["tile/0/000", "tile/1/000.p/1"])
    expect(layoutOf(257n)).toEqual(["tile/0/000", "tile/0/001.p/1", "tile/1/000.p/1"])
    const big = layoutOf(70_000n)
    expect(big.filter((path) => /^tile\/0\/[x0-9/]+$/.test(path))).toHaveLength(273)
    expect(big.slice(273)).toEqual(["tile/0/273.p/112", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1"])
  })

  test("the width at each level is what the specification says, and full tiles are all there", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 200_000n }), (size) => {
        const refs = [...tilesForSize(size)]
        for (let level = 0n; level < 8n; level++) {
          const here = refs.filter((ref) => ref.level === Number(level))
          expect(BigInt(here.filter(({ width }) => width === 256).length)).toBe(size / 256n ** (level + 1n))
          const partial = here.filter(({ width }) => width < 256).map(({ width }) => BigInt(width))
          const width = (size / 256n ** level) % 256n
          expect(partial).toEqual(width === 0n ? [] : [width])
        }
      }),
      { numRuns: 30 },
    )
  })

  test.each([
    { node: { level: 0, index: 0n }, size: 1n, path: "tile/0/000.p/1", from: 0, count: 1 },
    { node: { level: 0, index: 299n }, size: 300n, path: "tile/0/001.p/44", from: 43, count: 1 },
    { node: { level: 7, index: 1n }, size: 300n, path: "tile/0/000", from: 128, count: 128 },
    { node: { level: 8, index: 0n }, size: 300n, path: "tile/1/000.p/1", from: 0, count: 1 },
    { node: { level: 5, index: 8n }, size: 300n, path: "tile/0/001.p/44", from: 0, count: 32 },
    { node: { level: 16, index: 0n }, size: 70_000n, path: "tile/2/000.p/1", from: 0, count: 1 },
    { node: { level: 62, index: 0n }, size: 2n ** 62n, path: "tile/7/000.p/64", from: 0, count: 64 },
  ])("node $node.level/$node.index of $size is in $path", ({ node, size, path, from, count }) => {
    const place = tileForNode(node, size)
    expect([formatTilePath(place.ref), place.from, place.count]).toEqual([path, from, count])
  })

  test.each([
    { node: { level: 0, index: 5n }, size: 5n },
    { node: { level: 2, index: 1n }, size: 7n },
    { node: { level: 0, index: -1n }, size: 7n },
    { node: { level: 0, index: 0n }, size: 0n },
  ])("a tree of $size has no complete subtree $node.level/$node.index", ({ node, size }) => {
    expect(() => tileForNode(node, size)).toThrow(expect.objectContaining({ code: "USAGE" }))
  })

  test("every node that a root needs is in a tile of its size", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 100_000n }), (size) => {
        const paths = new Set(layoutOf(size))
        for (const node of nodesForRoot(size)) {
          const { ref, from, count } = tileForNode(node, size)
          expect(paths.has(formatTilePath(ref))).toBe(true)
          expect(from + count).toBeLessThanOrEqual(ref.width)
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe("bytes of a tile", () => {
  const hashes = Array.from({ length: 8 }, (_, i) => hashLeaf(Uint8Array.of(i)))
  const bytes = Uint8Array.from(hashes.flatMap((hash) => [...hash]))
  const ref = { level: 0, index: 0n, width: 8 }

  test("are the hashes, copied", () => {
    const source = Buffer.from(bytes)
    const parsed = parseTile(source, ref)
    source.fill(0)
    expect(parsed).toEqual(hashes)
    expect(MAX_TILE_BYTES).toBe(8192)
  })

  test.each([0, 32, 255, 257, 288])("of another length are refused: %i", (length) => {
    expect(() => parseTile(new Uint8Array(length), ref)).toThrow(malformed)
  })

  test("a node inside is the tree hash of its part, in a wider tile too", () => {
    const place = { from: 4, count: 2 }
    const expected: Hash = computeTreeHash(hashes.slice(4, 6))
    expect(nodeFromTile(hashes.slice(0, 6), place)).toEqual(expected)
    expect(nodeFromTile(hashes, place)).toEqual(expected)
    expect(() => nodeFromTile(hashes.slice(0, 5), place)).toThrow(malformed)
  })
})

describe("bundles", () => {
  const arbEntries = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: TILE_WIDTH })

  test("format and parse are inverses; entries are copies", () => {
    fc.assert(
      fc.property(arbEntries, (entries) => {
        const source = Buffer.from(formatBundle(entries))
        const parsed = parseBundle(source, entries.length)
        const again = Buffer.from(formatBundle(parsed))
        expect(again).toEqual(source)
        source.fill(0)
        expect(parsed).toEqual(entries)
      }),
    )
  })

  test("the longest entry fits, one byte more does not", () => {
    const longest = new Uint8Array(65535).fill(7)
    expect(parseBundle(formatBundle([longest]), 1)).toEqual([longest])
    expect(() => formatBundle([new Uint8Array(65536)])).toThrow(malformed)
    expect(MAX_BUNDLE_BYTES).toBe(formatBundle(Array.from({ length: 256 }, () => longest)).length)
  })

  const good = formatBundle([Uint8Array.of(1, 2, 3), new Uint8Array(0), Uint8Array.of(4)])
  test.each([
    { name: "a byte less", bytes: good.subarray(0, -1), width: 3 },
    { name: "a byte more", bytes: Uint8Array.of(...good, 0), width: 3 },
    { name: "another entry", bytes: Uint8Array.of(...good, 0, 0), width: 3 },
    { name: "fewer entries than the width", bytes: good, width: 4 },
    { name: "more entries than the width", bytes: good, width: 2 },
    { name: "half a length", bytes: Uint8Array.of(0), width: 1 },
    { name: "nothing", bytes: new Uint8Array(0), width: 1 },
  ])("parseBundle refuses $name", ({ bytes, width }) => {
    expect(parseBundle(good, 3)).toHaveLength(3)
    expect(() => parseBundle(bytes, width)).toThrow(malformed)
  })

  test.each([0, 257])("formatBundle refuses %i entries", (count) => {
    expect(() => formatBundle(Array.from({ length: count }, () => new Uint8Array(1)))).toThrow(malformed)
  })
})

describe("a log in tiles", () => {
  const entries = Array.from({ length: 600 }, (_, i) => new TextEncoder().encode(`entry ${i} `.repeat(1 + (i % 5))))
  const sizes = Array.from({ length: 601 }, (_, n) => n)
  const { files, roots } = tileLog(entries, sizes)

  test("root of the plain definition, of the right edge and of the tiles agree at every size", () => {
    const leaves = entries.map(hashLeaf)
    for (const n of sizes) {
      const root = computeTreeHash(leaves.slice(0, n))
      expect(roots.get(n)).toEqual(root)
      expect(computeRoot(BigInt(n), tileReader(files, BigInt(n)))).toEqual(root)
    }
  })

  test.each([1, 255, 256, 257, 600])("the log of size %i is whole", (n) => {
    const head = { size: BigInt(n), rootHash: roots.get(n) ?? new Uint8Array(0) }
    expect(isWhole(files, head)).toBe(true)
    expect(entriesOf(files, head.size)).toEqual(entries.slice(0, n))
  })

  test("one flipped bit in a tile or bundle shows when the root is recomputed", () => {
    const head = { size: 600n, rootHash: roots.get(600) ?? new Uint8Array(0) }
    const paths = [...tilesForSize(600n)].flatMap((ref) =>
      ref.level === 0 ? [formatTilePath(ref), formatBundlePath(ref)] : [formatTilePath(ref)],
    )
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.nat(), (path, n) => {
        const changed = flipBit(files, path, n % (8 * (files.get(path)?.length ?? 1)))
        let whole: boolean
        try {
          whole = isWhole(changed, head)
        } catch (error) {
          expect(error).toEqual(malformed) // a length in a bundle no longer fits
          return
        }
        expect(whole).toBe(false)
      }),
    )
  })
})
