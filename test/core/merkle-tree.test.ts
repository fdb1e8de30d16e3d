// Roots and proofs built over a node reader: published constants, all sizes up to 64 against the plain definition, and a sparse
// tree of up to 2^40 leaves, where what is built must verify.
import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatHex } from "../../src/core/bytes.js"
import { EMPTY_ROOT, type Hash, hashLeaf, hashNode } from "../../src/core/hash.js"
import { verifyConsistency, verifyInclusion } from "../../src/core/merkle.js"
import {
  buildConsistencyProof,
  buildInclusionProof,
  computeRoot,
  computeTreeHash,
  type NodeReader,
  type NodeRef,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
} from "../../src/core/merkle-tree.js"
import { leafOf, pathOf, proofOf, rootOf } from "./reference-tree.js"

const usage = expect.objectContaining({ code: "USAGE" })

/** Reads complete subtrees of a list of leaf hashes, and nothing else. */
const readerOf =
  (leafHashes: readonly Hash[]): NodeReader =>
  (level, index) => {
    const [start, end] = [Number(index) * 2 ** level, (Number(index) + 1) * 2 ** level]
    if (start < 0 || end > leafHashes.length) throw new Error(`no complete subtree ${level}/${index}`)
    return computeTreeHash(leafHashes.slice(start, end))
  }

const leaves = Array.from({ length: 130 }, (_, i) => leafOf(Uint8Array.of(i)))
const read = readerOf(leaves)

/** SHA-256 over lines. */
function roll(lines: Iterable<string>): string {
  const hash = createHash("sha256")
  for (const line of lines) hash.update(`${line}\n`)
  return hash.digest("hex")
}
const line = (head: string, hashes: readonly Hash[]): string => [head, ...hashes.map(formatHex)].join(" ")

describe("whole trees of up to 130 leaves, leaf i the byte i", () => {
  test("roots", () => {
    const expected = "9c67f07f906103b6bf201842a50ff0b8c91fca9b3e211334a6b7aa3133165dec"
    const sizes = Array.from({ length: 131 }, (_, n) => n)
    expect(roll(sizes.map((n) => line(`${n}`, [computeTreeHash(leaves.slice(0, n))])))).toBe(expected)
    expect(roll(sizes.map((n) => line(`${n}`, [computeRoot(BigInt(n), readerOf(leaves.slice(0, n)))])))).toBe(expected)
    expect(formatHex(computeRoot(130n, read))).toBe("f05d2f5ef24c72dd70b0a8f28e576b3acaf944c00e014524c47aa42325d7d1c3")
  })

  test("inclusion proofs", () => {
    function* lines(): Generator<string> {
      for (let n = 0n; n <= 130n; n++) {
        for (let i = 0n; i < n; i++) yield line(`${i} ${n}`, buildInclusionProof(i, n, read))
      }
    }
    expect(roll(lines())).toBe("893ce6eea61adc33c22c0e3a952498b76dfa3c282e78ac659f6fcc0ea44f9983")
  })

  test("consistency proofs", () => {
    function* lines(): Generator<string> {
      for (let n = 1n; n <= 130n; n++) {
        for (let m = 1n; m <= n; m++) yield line(`${m} ${n}`, buildConsistencyProof(m, n, read))
      }
    }
    expect(roll(lines())).toBe("2498232e1aebe8d1aa8d339d897fc471f4495fe0b8a55ac08f7dae3d88bc4c2a")
  })

  // From transparency-dev/merkle, which quotes the IETF draft on Merkle tree certificates.
  test("valid subtrees, their hashes and inclusion proofs", () => {
    function* subtrees(): Generator<[number, number]> {
      for (let end = 0; end <= 130; end++) {
        for (let start = 0; start <= end; start++) {
          const width = 2 ** Math.ceil(Math.log2(Math.max(1, end - start)))
          if (start === end || start % width === 0) yield [start, end]
        }
      }
    }
    function* hashes(): Generator<string> {
      for (const [start, end] of subtrees()) {
        yield line(`[${start}, ${end})`, [computeTreeHash(leaves.slice(start, end))])
      }
    }
    function* paths(): Generator<string> {
      for (const [start, end] of subtrees()) {
        const part = readerOf(leaves.slice(start, end))
        for (let i = start; i < end; i++) {
          yield line(`${i} [${start}, ${end})`, buildInclusionProof(BigInt(i - start), BigInt(end - start), part))
        }
      }
    }
    expect(roll(hashes())).toBe("b82806ad4265bb151c1119c0f4db437bb4d1a1f887b3a7fba1cd4ebf552e3e81")
    expect(roll(paths())).toBe("ac2a8f989e44d99e399db448050ff5f19757df53cfb716aa81015d3955d8163f")
  })
})

describe("sizes 0 to 64 against the plain definition", () => {
  test("roots and inclusion proofs", () => {
    for (let n = 0; n <= 64; n++) {
      const all = leaves.slice(0, n)
      const size = BigInt(n)
      expect(computeTreeHash(all)).toEqual(rootOf(all))
      expect(computeRoot(size, readerOf(all))).toEqual(rootOf(all))
      for (let i = 0; i < n; i++) expect(buildInclusionProof(BigInt(i), size, readerOf(all))).toEqual(pathOf(i, all))
    }
  })

  test("consistency proofs", () => {
    for (let n = 1; n <= 64; n++) {
      const all = leaves.slice(0, n)
      for (let m = 1; m <= n; m++) {
        expect(buildConsistencyProof(BigInt(m), BigInt(n), readerOf(all))).toEqual(proofOf(m, all))
      }
    }
  })
})

/** What `work` reads. */
function readBy(work: (read: NodeReader) => unknown): readonly NodeRef[] {
  const nodes: NodeRef[] = []
  work((level, index) => {
    nodes.push({ level, index })
    return EMPTY_ROOT
  })
  return nodes
}

test("the lists of nodes are what is read", () => {
  for (let n = 1n; n <= 40n; n++) {
    expect(readBy((read) => computeRoot(n, read))).toEqual(nodesForRoot(n))
    for (let i = 0n; i < n; i++) {
      expect(readBy((read) => buildInclusionProof(i, n, read))).toEqual(nodesForInclusion(i, n))
      expect(readBy((read) => buildConsistencyProof(i + 1n, n, read))).toEqual(nodesForConsistency(i + 1n, n))
    }
  }
})

test.each([
  { name: "an index at the size", work: () => buildInclusionProof(5n, 5n, read) },
  { name: "an index in the empty tree", work: () => nodesForInclusion(0n, 0n) },
  { name: "a negative index", work: () => buildInclusionProof(-1n, 5n, read) },
  { name: "an older size of 0", work: () => buildConsistencyProof(0n, 5n, read) },
  { name: "an older size above the newer", work: () => nodesForConsistency(6n, 5n) },
])("building refuses $name", ({ work }) => {
  expect(work).toThrow(usage)
})

/** A tree whose leaves are all empty but a few: complete subtrees of empty leaves are known per level. */
function sparseReader(entries: ReadonlyMap<bigint, Uint8Array>): NodeReader {
  const blank = [hashLeaf(new Uint8Array(0))]
  for (let level = 0; level < 64; level++) blank.push(hashNode(blank[level] ?? EMPTY_ROOT, blank[level] ?? EMPTY_ROOT))
  const read: NodeReader = (level, index) => {
    const inside = [...entries.keys()].some((i) => i >> BigInt(level) === index)
    if (!inside) return blank[level] ?? EMPTY_ROOT
    if (level === 0) return hashLeaf(entries.get(index) ?? new Uint8Array(0))
    return hashNode(read(level - 1, index * 2n), read(level - 1, index * 2n + 1n))
  }
  return read
}

describe("a sparse tree of random size", () => {
  const arbSize = (max: bigint) => fc.oneof(fc.bigInt({ min: 2n, max }), fc.bigInt({ min: 2n, max: 600n }))
  const arbTree = fc.oneof(arbSize(2n ** 40n), arbSize(2n ** 63n - 1n)).chain((size) => {
    const below = fc.bigInt({ min: 0n, max: size - 1n })
    const near = fc.bigInt({ min: 1n, max: size < 300n ? size : 300n }).map((gap) => size - gap)
    return fc.record({
      size: fc.constant(size),
      marked: fc.array(fc.oneof(below, near), { minLength: 1, maxLength: 4 }),
      other: below,
      older: fc.oneof(below, near).map((m) => (m === 0n ? 1n : m)),
    })
  })
  const setUp = ({ size, marked }: { size: bigint; marked: readonly bigint[] }) => {
    const entries = new Map(marked.map((index, i) => [index, Uint8Array.of(1, i)]))
    const read = sparseReader(entries)
    return { entries, read, head: { size, rootHash: computeRoot(size, read) } }
  }

  test("every inclusion proof that is built verifies, for its leaf only", () => {
    fc.assert(
      fc.property(arbTree, (tree) => {
        const { entries, read, head } = setUp(tree)
        for (const index of [...entries.keys(), tree.other]) {
          const leafHash = hashLeaf(entries.get(index) ?? new Uint8Array(0))
          const proof = buildInclusionProof(index, head.size, read)
          verifyInclusion({ leafHash, index, proof, head })
          const wrong = hashLeaf(Uint8Array.of(9))
          expect(() => verifyInclusion({ leafHash: wrong, index, proof, head })).toThrow()
        }
      }),
    )
  })

  test("every consistency proof that is built verifies, for its root only", () => {
    fc.assert(
      fc.property(arbTree, (tree) => {
        const { read, head } = setUp(tree)
        const older = { size: tree.older, rootHash: computeRoot(tree.older, read) }
        const proof = buildConsistencyProof(tree.older, head.size, read)
        verifyConsistency({ older, newer: head, proof })
        const forked = { ...older, rootHash: hashLeaf(Uint8Array.of(9)) }
        expect(() => verifyConsistency({ older: forked, newer: head, proof })).toThrow()
      }),
    )
  })
})
