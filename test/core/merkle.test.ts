// Verification of Merkle proofs: public vectors, all sizes up to 64, every small change of a valid proof, sizes up to 2^64-1.
import { readdirSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseBase64 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { joinHashes, splitHashes, type TreeHead, verifyConsistency, verifyInclusion } from "../../src/core/merkle.js"
import { describeShared, hasShared, readShared, sharedPath } from "../shared.js"
import { leafOf, nodeOf, pathOf, proofOf, rootFromInclusion, rootOf, rootsFromConsistency } from "./reference-tree.js"

type Inclusion = Parameters<typeof verifyInclusion>[0]
type Consistency = Parameters<typeof verifyConsistency>[0]

const inclusionInvalid = expect.objectContaining({ code: "INCLUSION_INVALID", kind: "rejected" })
const consistencyInvalid = expect.objectContaining({ code: "CONSISTENCY_INVALID", kind: "rejected" })

const codeOf = (work: () => void): string => {
  try {
    work()
    return "valid"
  } catch (error) {
    if (error instanceof ToolsumError) return error.code
    throw error
  }
}
const inclusion = (p: Inclusion): string => codeOf(() => verifyInclusion(p))
const consistency = (p: Consistency): string => codeOf(() => verifyConsistency(p))

const leaves = Array.from({ length: 64 }, (_, i) => leafOf(Uint8Array.of(i)))
const roots = Array.from({ length: 65 }, (_, n) => rootOf(leaves.slice(0, n)))
const headOf = (n: number): TreeHead => ({ size: BigInt(n), rootHash: roots[n] ?? new Uint8Array(0) })
const leafAt = (i: number): Uint8Array => leaves[i] ?? new Uint8Array(0)
const goodInclusion = (i: number, n: number): Inclusion => ({
  leafHash: leafAt(i),
  index: BigInt(i),
  proof: pathOf(i, leaves.slice(0, n)),
  head: headOf(n),
})
const goodConsistency = (m: number, n: number): Consistency => ({
  older: headOf(m),
  newer: headOf(n),
  proof: proofOf(m, leaves.slice(0, n)),
})

describeShared("public vectors", () => {
  const vectors = (kind: string): Record<string, unknown>[] =>
    hasShared
      ? readdirSync(sharedPath(`vectors/merkle/${kind}`), { recursive: true })
          .map(String)
          .filter((name) => name.endsWith(".json"))
          .map((name) => ({ name, ...parseVector(readShared(`vectors/merkle/${kind}/${name}`)) }))
      : []
  // Sizes exceed 2^53: they are quoted before JSON.parse can round them.
  const parseVector = (text: string): object =>
    JSON.parse(text.replace(/("(?:leafIdx|treeSize|size1|size2)": *)([0-9]+)/g, '$1"$2"'))
  const bytes = (base64: unknown): Uint8Array =>
    parseBase64(String(base64), (why) => new ToolsumError("PROOF_MALFORMED", why))
  const hashes = (list: unknown): Uint8Array[] => (Array.isArray(list) ? list.map(bytes) : [])

  const inclusions = vectors("inclusion")
  const consistencies = vectors("consistency")

  test.each(inclusions)("inclusion $name", (v) => {
    const p = {
      leafHash: bytes(v.leafHash),
      index: BigInt(String(v.leafIdx)),
      proof: hashes(v.proof),
      head: { size: BigInt(String(v.treeSize)), rootHash: bytes(v.root) },
    }
    expect(inclusion(p)).toBe(v.wantErr ? "INCLUSION_INVALID" : "valid")
  })

  test.each(consistencies)("consistency $name", (v) => {
    const p = {
      older: { size: BigInt(String(v.size1)), rootHash: bytes(v.root1) },
      newer: { size: BigInt(String(v.size2)), rootHash: bytes(v.root2) },
      proof: hashes(v.proof),
    }
    expect(consistency(p)).toBe(v.wantErr ? "CONSISTENCY_INVALID" : "valid")
  })

  test("all are there", () => {
    expect([inclusions.length, inclusions.filter(({ wantErr }) => wantErr === false).length]).toEqual([66, 4])
    expect([consistencies.length, consistencies.filter(({ wantErr }) => wantErr === false).length]).toEqual([65, 5])
    expect(inclusions.some(({ leafIdx }) => leafIdx === "18446744073709551615")).toBe(true)
  })
})

describe("sizes 0 to 64", () => {
  test("every leaf of every size is included, and at no other index", () => {
    for (let n = 1; n <= 64; n++) {
      for (let i = 0; i < n; i++) {
        const good = goodInclusion(i, n)
        expect(inclusion(good)).toBe("valid")
        expect(inclusion({ ...good, index: BigInt((i + 1) % n) })).toBe(n === 1 ? "valid" : "INCLUSION_INVALID")
        expect(inclusion({ ...good, index: BigInt(n) })).toBe("INCLUSION_INVALID")
      }
    }
  })

  test("every size extends every smaller one but the empty tree", () => {
    for (let n = 0; n <= 64; n++) {
      for (let m = 1; m <= n; m++) expect(consistency(goodConsistency(m, n))).toBe("valid")
      expect(consistency({ older: headOf(0), newer: headOf(n), proof: [] })).toBe("CONSISTENCY_INVALID")
    }
  })

  test("no proof serves another pair of sizes, where another size is another shape", () => {
    for (let n = 2; n <= 16; n++) {
      for (let m = 1; m < n; m++) {
        const good = goodConsistency(m, n)
        expect(consistency({ ...good, older: headOf(m - 1) })).toBe("CONSISTENCY_INVALID")
        expect(consistency({ ...good, newer: headOf(n - 1) })).toBe("CONSISTENCY_INVALID")
        expect(consistency({ ...good, older: good.newer, newer: good.older })).toBe("CONSISTENCY_INVALID")
      }
    }
  })
})

test("a path does not bind the size: leaf 5 of 8 proves itself in a tree of 7 with the same root", () => {
  const good = goodInclusion(5, 8)
  expect(inclusion({ ...good, head: { ...good.head, size: 7n } })).toBe("valid")
})

/** The bytes with one bit flipped. */
const flip = (bytes: Uint8Array, bit: number): Uint8Array =>
  bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))

/** Every list that differs in one hash: one bit flipped, dropped, doubled, swapped with its neighbour, cut by a byte or grown by one. */
function* mutations(proof: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  for (const [at, hash] of proof.entries()) {
    for (let bit = 0; bit < 256; bit++) yield proof.with(at, flip(hash, bit))
    yield proof.toSpliced(at, 1)
    yield proof.toSpliced(at, 0, hash)
    yield proof.with(at, hash.subarray(1))
    yield proof.with(at, hash.subarray(0, 31))
    yield proof.with(at, Uint8Array.of(...hash, 0))
    const next = proof[at + 1]
    if (next) yield proof.with(at, next).with(at + 1, hash)
  }
  yield [...proof, new Uint8Array(32)]
  yield [new Uint8Array(32), ...proof]
}

describe("every small change of a valid proof is refused", () => {
  test("inclusion, sizes to 11", () => {
    for (let n = 1; n <= 11; n++) {
      for (let i = 0; i < n; i++) {
        const good = goodInclusion(i, n)
        for (const proof of mutations(good.proof)) expect(inclusion({ ...good, proof })).toBe("INCLUSION_INVALID")
        for (let bit = 0; bit < 256; bit++) {
          const head = { ...good.head, rootHash: flip(good.head.rootHash, bit) }
          expect(inclusion({ ...good, head })).toBe("INCLUSION_INVALID")
          expect(inclusion({ ...good, leafHash: flip(good.leafHash, bit) })).toBe("INCLUSION_INVALID")
        }
      }
    }
  })

  test("consistency, sizes to 9", () => {
    for (let n = 1; n <= 9; n++) {
      for (let m = 1; m <= n; m++) {
        const good = goodConsistency(m, n)
        for (const proof of mutations(good.proof)) expect(consistency({ ...good, proof })).toBe("CONSISTENCY_INVALID")
        for (let bit = 0; bit < 256; bit++) {
          const older = { ...good.older, rootHash: flip(good.older.rootHash, bit) }
          const newer = { ...good.newer, rootHash: flip(good.newer.rootHash, bit) }
          expect(consistency({ ...good, older })).toBe("CONSISTENCY_INVALID")
          expect(consistency({ ...good, newer })).toBe("CONSISTENCY_INVALID")
        }
      }
    }
  })
})

const SHORT = new Uint8Array(31)
const LONG = new Uint8Array(33)
const TOO_BIG = 2n ** 64n

test.each([
  { name: "an empty tree", edit: { index: 0n, head: headOf(0) } },
  { name: "a negative index", edit: { index: -1n } },
  { name: "the size as index", edit: { index: 11n } },
  { name: "a size of 2^64", edit: { head: { ...headOf(11), size: TOO_BIG } } },
  { name: "a short leaf hash", edit: { leafHash: SHORT } },
  { name: "a long leaf hash", edit: { leafHash: LONG } },
  { name: "a short root", edit: { head: { size: 11n, rootHash: SHORT } } },
  { name: "an empty root", edit: { head: { size: 11n, rootHash: new Uint8Array(0) } } },
  { name: "no proof", edit: { proof: [] } },
  { name: "a node passed off as a leaf", edit: { leafHash: nodeOf(leafAt(4), leafAt(5)), index: 2n } },
])("verifyInclusion refuses $name", ({ edit }) => {
  expect(() => verifyInclusion({ ...goodInclusion(5, 11), ...edit })).toThrow(inclusionInvalid)
})

test.each([
  { name: "an older size of 0", edit: { older: headOf(0) } },
  { name: "a negative size", edit: { older: { ...headOf(5), size: -1n } } },
  { name: "a smaller newer size", edit: { newer: headOf(4) } },
  { name: "a size of 2^64", edit: { newer: { ...headOf(11), size: TOO_BIG } } },
  { name: "a short older root", edit: { older: { size: 5n, rootHash: SHORT } } },
  { name: "a long newer root", edit: { newer: { size: 11n, rootHash: LONG } } },
  { name: "no proof", edit: { proof: [] } },
  { name: "equal sizes with a proof", edit: { newer: headOf(5) } },
  { name: "equal sizes with two roots", edit: { newer: { ...headOf(5), rootHash: leafAt(0) }, proof: [] } },
])("verifyConsistency refuses $name", ({ edit }) => {
  expect(() => verifyConsistency({ ...goodConsistency(5, 11), ...edit })).toThrow(consistencyInvalid)
})

const MAX = 2n ** 64n - 1n
const edges = [8n, 31n, 32n, 33n, 52n, 53n, 54n, 63n].flatMap((bits) =>
  [-2n, -1n, 0n, 1n, 2n].map((d) => 2n ** bits + d),
)
/** Sizes up to 2^64-1, the places where numbers of 32, 53 and 64 bits end among them. */
const arbSize = fc.oneof(
  fc.constantFrom(...edges, MAX - 1n, MAX),
  fc.bigInt({ min: 1n, max: MAX }),
  fc.bigInt({ min: 1n, max: 1000n }),
)
/** Two numbers up to 2^64-1, the smaller first; half of the pairs close together. */
const arbPair = fc.tuple(arbSize, arbSize, fc.bigInt({ min: 0n, max: 300n })).map(([a, b, gap]): [bigint, bigint] => {
  const [smaller, larger] = a < b ? [a, b] : [b, a]
  return gap % 2n === 0n && gap < larger ? [larger - gap, larger] : [smaller, larger]
})
const arbHash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const arbProof = fc.array(arbHash, { minLength: 140, maxLength: 140, size: "max" })

describe("agrees with the steps of RFC 9162 on bigint, sizes to 2^64-1", () => {
  test("inclusion", () => {
    fc.assert(
      fc.property(arbPair, arbHash, arbProof, ([rest, size], leafHash, hashes) => {
        const index = rest === size ? size - 1n : rest
        const lengths = hashes.map((_, count) => count)
        const length = lengths.find((n) =>
          rootFromInclusion({ leaf: leafHash, index, size, proof: hashes.slice(0, n) }),
        )
        if (length === undefined) throw new Error("no proof is that long")
        const proof = hashes.slice(0, length)
        const rootHash = rootFromInclusion({ leaf: leafHash, index, size, proof }) ?? new Uint8Array(0)
        const good = { leafHash, index, proof, head: { size, rootHash } }
        expect(inclusion(good)).toBe("valid")
        expect(inclusion({ ...good, proof: hashes.slice(0, length + 1) })).toBe("INCLUSION_INVALID")
        if (length > 0) expect(inclusion({ ...good, proof: proof.slice(1) })).toBe("INCLUSION_INVALID")
        if (length > 0) expect(inclusion({ ...good, proof: proof.slice(0, -1) })).toBe("INCLUSION_INVALID")
      }),
    )
  })

  test("consistency", () => {
    fc.assert(
      fc.property(arbPair, arbHash, arbProof, ([rest, n], start, hashes) => {
        const m = rest === 0n ? 1n : rest
        fc.pre(m < n)
        const run = (count: number) => rootsFromConsistency({ m, n, older: start, proof: hashes.slice(0, count) })
        const length = hashes.findIndex((_, count) => run(count) !== null)
        const [older, newer] = run(length) ?? []
        if (older === undefined || newer === undefined) throw new Error("no proof is that long")
        const good = {
          older: { size: m, rootHash: older },
          newer: { size: n, rootHash: newer },
          proof: hashes.slice(0, length),
        }
        expect(consistency(good)).toBe("valid")
        expect(consistency({ ...good, proof: hashes.slice(0, length + 1) })).toBe("CONSISTENCY_INVALID")
        expect(consistency({ ...good, proof: good.proof.slice(1) })).toBe("CONSISTENCY_INVALID")
        expect(consistency({ ...good, proof: good.proof.slice(0, -1) })).toBe("CONSISTENCY_INVALID")
      }),
    )
  })
})

test("split and join are inverses; the parts are copies", () => {
  const bad = (why: string) => new ToolsumError("PROOF_MALFORMED", why)
  fc.assert(
    fc.property(fc.array(arbHash, { maxLength: 70 }), (hashes) => {
      const bytes = joinHashes(hashes)
      const split = splitHashes(Buffer.from(bytes), bad)
      expect(split).toEqual(hashes)
      expect(joinHashes(split)).toEqual(bytes)
    }),
  )
  const source = Buffer.alloc(64, 1) // `slice` of a Buffer would share its memory
  const [first] = splitHashes(source, bad)
  source.fill(2)
  expect(first).toEqual(new Uint8Array(32).fill(1))
  expect(() => splitHashes(new Uint8Array(33), bad)).toThrow(expect.objectContaining({ code: "PROOF_MALFORMED" }))
})
