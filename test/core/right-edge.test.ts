import fc from "fast-check"
import { expect, test } from "vitest"
import { EMPTY_ROOT, type Hash } from "../../src/core/hash.js"
import { computeTreeHash, nodesForRoot } from "../../src/core/merkle-tree.js"
import { leafOf, rootOf } from "./reference-tree.js"
import { createRightEdge } from "./right-edge.js"

const leaves = Array.from({ length: 600 }, (_, i) => leafOf(Uint8Array.of(i & 255, i >> 8)))

/** Grown leaf by leaf: the edge, and every complete subtree by level and index. */
function grow(count: number): { edge: ReturnType<typeof createRightEdge>; nodes: Hash[][] } {
  const edge = createRightEdge()
  const nodes: Hash[][] = []
  for (const leaf of leaves.slice(0, count)) {
    for (const [level, hash] of edge.append(leaf).entries()) {
      nodes[level] ??= []
      const row = nodes[level]
      expect(BigInt(row.length)).toBe((edge.size >> BigInt(level)) - 1n)
      row.push(hash)
    }
  }
  return { edge, nodes }
}

test("the root is that of the plain definition, leaf by leaf", () => {
  const edge = createRightEdge()
  expect(edge.root()).toEqual(EMPTY_ROOT)
  for (let n = 1; n <= 130; n++) {
    edge.append(leaves[n - 1] ?? EMPTY_ROOT)
    expect(edge.size).toBe(BigInt(n))
    expect(edge.root()).toEqual(rootOf(leaves.slice(0, n)))
  }
})

test("appending gives every complete subtree once, in order", () => {
  const { nodes } = grow(600)
  expect(nodes.map((row) => row.length)).toEqual([600, 300, 150, 75, 37, 18, 9, 4, 2, 1])
  for (const [level, row] of nodes.entries()) {
    for (const [i, hash] of row.entries()) {
      expect(hash).toEqual(computeTreeHash(leaves.slice(i * 2 ** level, (i + 1) * 2 ** level)))
    }
  }
})

test("an edge restored at any size goes on as the one that grew", () => {
  fc.assert(
    fc.property(fc.nat(500), fc.nat(100), (size, more) => {
      const { nodes } = grow(size)
      const stored = nodesForRoot(BigInt(size)).map(({ level, index }) => nodes[level]?.[Number(index)] ?? EMPTY_ROOT)
      const edge = createRightEdge(BigInt(size), stored)
      expect(edge.root()).toEqual(computeTreeHash(leaves.slice(0, size)))
      for (const leaf of leaves.slice(size, size + more)) edge.append(leaf)
      expect(edge.size).toBe(BigInt(size + more))
      expect(edge.root()).toEqual(computeTreeHash(leaves.slice(0, size + more)))
    }),
    { numRuns: 30 },
  )
})

test.each([
  { name: "too few nodes", size: 3n, nodes: leaves.slice(0, 1) },
  { name: "too many nodes", size: 4n, nodes: leaves.slice(0, 2) },
  { name: "a node that is no hash", size: 1n, nodes: [new Uint8Array(31)] },
])("createRightEdge refuses $name", ({ size, nodes }) => {
  expect(() => createRightEdge(size, nodes)).toThrow(expect.objectContaining({ code: "USAGE" }))
})
