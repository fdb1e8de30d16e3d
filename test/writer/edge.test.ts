import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { equalBytes } from "../../src/core/bytes.js"
import { EMPTY_ROOT, hashLeaf } from "../../src/core/hash.js"
import { verifyInclusion } from "../../src/core/merkle.js"
import { computeTreeHash } from "../../src/core/merkle-tree.js"
import { type Edge, EMPTY_EDGE, extendEdge, loadEdge, type ReadFile } from "../../src/writer/edge.js"
import { recomputeHead } from "../../src/writer/second-root.js"
import type { Staging } from "../../src/writer/staging.js"
import { beginsWith, createStoredTree } from "../../src/writer/stored-tree.js"

const code = (expected: string) => expect.objectContaining({ code: expected })
const entryOf = (i: number) => new TextEncoder().encode(`entry ${i}`)

/** A tree that grows in memory. */
function createGrowing() {
  const files = new Map<string, Uint8Array>()
  const read: ReadFile = async (key) => files.get(key) ?? null
  let edge: Edge = EMPTY_EDGE
  const grow = (count: number): Staging => {
    const oldSize = edge.head.size
    const from = Number(oldSize)
    const next = extendEdge(
      edge,
      Array.from({ length: count }, (_, i) => entryOf(from + i)),
    )
    edge = next.edge
    return { oldSize, newSize: edge.head.size, files: next.files }
  }
  const publish = (staging: Staging) => {
    for (const { key, bytes } of staging.files) {
      expect(files.has(key), key).toBe(false)
      files.set(key, bytes)
    }
  }
  return { files, read, grow, publish, edge: () => edge }
}

const leavesOf = (size: number) => Array.from({ length: size }, (_, i) => hashLeaf(entryOf(i)))

async function checkGrowth(counts: readonly number[]) {
  const tree = createGrowing()
  for (const count of counts) {
    const staging = tree.grow(count)
    const { head } = tree.edge()
    expect(equalBytes(head.rootHash, computeTreeHash(leavesOf(Number(head.size))))).toBe(true)
    expect(await recomputeHead(tree.read, staging)).toEqual(head)
    tree.publish(staging)
    expect(await loadEdge(tree.read, head)).toEqual(tree.edge())
  }
}

test("the empty tree", async () => {
  expect(EMPTY_EDGE.head).toEqual({ size: 0n, rootHash: EMPTY_ROOT })
  expect(await loadEdge(async () => null, EMPTY_EDGE.head)).toEqual(EMPTY_EDGE)
})

test("every size to 64 in single steps, and every first step to 64", async () => {
  await checkGrowth(Array.from({ length: 64 }, () => 1))
  for (let count = 1; count <= 64; count++) await checkGrowth([count, 1])
})

test("any steps give the root of the plain definition, both ways, and can be loaded again", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 200, max: 600 })), {
        minLength: 1,
        maxLength: 8,
      }),
      checkGrowth,
    ),
    { numRuns: 30 },
  ))

test("over the end of the first tile of the second level", async () => {
  const tree = createGrowing()
  tree.publish(tree.grow(65_400))
  for (const count of [100, 36, 1, 255, 256, 300]) {
    const staging = tree.grow(count)
    expect(await recomputeHead(tree.read, staging)).toEqual(tree.edge().head)
    tree.publish(staging)
    expect(await loadEdge(tree.read, tree.edge().head)).toEqual(tree.edge())
  }
  expect(tree.files.has("public/tile/1/000")).toBe(true)
  expect(tree.files.has("public/tile/2/000.p/1")).toBe(true)
  const leaves = leavesOf(Number(tree.edge().head.size))
  expect(computeTreeHash(leaves)).toEqual(tree.edge().head.rootHash)
  const stored = createStoredTree(tree.read, tree.edge().head)
  for (const index of [0n, 65_535n, 65_536n, tree.edge().head.size - 1n]) {
    verifyInclusion({ ...(await stored.prove(index)), head: tree.edge().head })
  }
  for (const size of [1, 255, 256, 65_535, 65_536, 65_537, 66_000]) {
    expect(equalBytes(await stored.rootAt(BigInt(size)), computeTreeHash(leaves.slice(0, size))), `${size}`).toBe(true)
  }
})

describe("the second way refuses", () => {
  const staged = () => {
    const tree = createGrowing()
    tree.publish(tree.grow(250 + 256 * 3))
    return { tree, staging: tree.grow(270) }
  }
  const editFile = (staging: Staging, at: number, edit: (bytes: Uint8Array) => Uint8Array): Staging => ({
    ...staging,
    files: staging.files.map((file, i) => (i === at ? { ...file, bytes: edit(file.bytes) } : file)),
  })

  test("a flipped bit in any staged file, or leads to another root", async () => {
    const { tree, staging } = staged()
    const { head } = tree.edge()
    for (const [i, { bytes, key }] of staging.files.entries()) {
      for (const at of [2, bytes.length >> 1, bytes.length - 1]) {
        const flipped = editFile(staging, i, (good) => good.with(at, (good[at] ?? 0) ^ 4))
        const result = await recomputeHead(tree.read, flipped).catch((error: unknown) => error)
        if (result instanceof Error) expect(result).toHaveProperty("kind", "malformed")
        else expect(result, key).not.toEqual(head)
      }
    }
  })

  test("a missing file, a file too many, and a damaged or missing tile of the right edge", async () => {
    const { tree, staging } = staged()
    for (const [i] of staging.files.entries()) {
      const fewer = { ...staging, files: staging.files.toSpliced(i, 1) }
      await expect(recomputeHead(tree.read, fewer)).rejects.toEqual(code("STATE_CORRUPT"))
    }
    const more = { ...staging, files: [...staging.files, { key: "public/tile/0/000", bytes: new Uint8Array(8192) }] }
    await expect(recomputeHead(tree.read, more)).rejects.toEqual(code("STATE_CORRUPT"))
    const key = "public/tile/1/000.p/3"
    const good = tree.files.get(key) ?? new Uint8Array()
    tree.files.set(key, good.with(0, (good[0] ?? 0) ^ 1))
    await expect(recomputeHead(tree.read, staging)).rejects.toEqual(code("STATE_CORRUPT"))
    tree.files.delete(key)
    await expect(recomputeHead(tree.read, staging)).rejects.toEqual(code("STATE_CORRUPT"))
  })

  test("objects and keyrings are not its business", async () => {
    const { tree, staging } = staged()
    const more = { ...staging, files: [...staging.files, { key: "public/keyring/2", bytes: new Uint8Array(1) }] }
    expect(await recomputeHead(tree.read, more)).toEqual(tree.edge().head)
  })
})

describe("reading back", () => {
  test("every index of every size to 64, and of 600 in steps", async () => {
    const tree = createGrowing()
    for (let size = 1n; size <= 64n; size++) {
      tree.publish(tree.grow(1))
      const { head } = tree.edge()
      const stored = createStoredTree(tree.read, head)
      for (let index = 0n; index < size; index++) {
        const proven = await stored.prove(index)
        expect(proven.entry).toEqual(entryOf(Number(index)))
        verifyInclusion({ ...proven, head })
        expect(await beginsWith(stored, { size: index, rootHash: computeTreeHash(leavesOf(Number(index))) })).toBe(true)
        expect(await beginsWith(stored, { size: index, rootHash: new Uint8Array(32) })).toBe(false)
      }
      expect(await beginsWith(stored, { ...head, size: size + 1n })).toBe(false)
    }
    tree.publish(tree.grow(536))
    const stored = createStoredTree(tree.read, tree.edge().head)
    for (let index = 0n; index < 600n; index += 7n) verifyInclusion({ ...(await stored.prove(index)), ...stored })
    await expect(stored.prove(600n)).rejects.toEqual(code("USAGE"))
    await expect(stored.prove(-1n)).rejects.toEqual(code("USAGE"))
  })

  test("of a smaller tree still works when its partial tiles have been collected", async () => {
    const tree = createGrowing()
    tree.publish(tree.grow(100))
    const { head } = tree.edge()
    tree.publish(tree.grow(500))
    for (const key of tree.files.keys()) if (key.includes("000.p/100")) tree.files.delete(key)
    const stored = createStoredTree(tree.read, head)
    for (let index = 0n; index < 100n; index++) await stored.prove(index)
    const seen: bigint[] = []
    for await (const { index } of stored.entries(90n, 100n)) seen.push(index)
    expect(seen).toHaveLength(10)
  })

  test("stored bytes that do not fit are corruption", async () => {
    const tree = createGrowing()
    tree.publish(tree.grow(300))
    const { head } = tree.edge()
    for (const key of ["public/tile/0/000", "public/tile/entries/000", "public/tile/1/000.p/1"]) {
      const good = tree.files.get(key) ?? new Uint8Array()
      tree.files.set(key, good.with(3, (good[3] ?? 0) ^ 1))
      const failures: unknown[] = []
      const stored = createStoredTree(tree.read, head)
      for (let index = 0n; index < 300n; index++) await stored.prove(index).catch((error) => failures.push(error))
      expect(failures.length, key).toBeGreaterThan(0)
      for (const failure of failures) expect(failure).toEqual(code("STATE_CORRUPT"))
      tree.files.delete(key)
      await expect(
        createStoredTree(tree.read, head)
          .prove(299n)
          .then(() => createStoredTree(tree.read, head).prove(0n)),
      ).rejects.toEqual(code("STATE_CORRUPT"))
      tree.files.set(key, good)
    }
  })
})
