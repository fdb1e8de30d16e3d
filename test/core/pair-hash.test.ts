// Node hashes in bulk, one at a time and four at a time, against node:crypto: every number of pairs around the steps of four, every last
// byte (of which the module keeps the schedules), random rows up to the full one; and that the module is the one its script writes.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatModule } from "../../scripts/sha256-wasm.mjs"
import { createPlainPairHasher, createWasmPairHasher, type PairHasher, ROW_HASHES } from "../../src/core/pair-hash.js"

const MODULE = new URL("../../src/core/sha256-wasm.ts", import.meta.url)

const node = (pair: Uint8Array): Buffer => createHash("sha256").update(Buffer.of(1)).update(pair).digest()

/** Node hashes of joined pairs. */
const expected = (pairs: Uint8Array): string =>
  Buffer.concat(
    Array.from({ length: pairs.length / 64 }, (_, i) => node(pairs.subarray(64 * i, 64 * (i + 1)))),
  ).toString("hex")

function hash({ row, hashPairs }: PairHasher, pairs: Uint8Array): string {
  row.set(pairs)
  hashPairs(pairs.length / 64)
  return Buffer.from(row.subarray(0, pairs.length / 2)).toString("hex")
}

/** Bytes that differ from place to place, the same each time. */
const fill = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => Math.imul(seed * 977 + i + 1, 2654435761) >>> 24)

function requireWasm(): PairHasher {
  const hasher = createWasmPairHasher()
  if (hasher === null) throw new Error("expected WebAssembly with SIMD in every Node that is supported")
  return hasher
}

describe.each([
  { name: "one at a time", hasher: createPlainPairHasher() },
  { name: "four at a time", hasher: requireWasm() },
])("$name", ({ hasher }) => {
  test("every number of pairs up to 20, and none", () => {
    for (let pairs = 0; pairs <= 20; pairs++) {
      const row = fill(64 * pairs, pairs)
      expect(hash(hasher, row)).toBe(expected(row))
    }
  })

  test("every last byte in every place of four", () => {
    for (let shift = 0; shift < 4; shift++) {
      const row = fill(64 * 256, shift)
      for (let i = 0; i < 256; i++) row[64 * i + 63] = i + shift
      expect(hash(hasher, row)).toBe(expected(row))
    }
  })

  test("all bits clear, all bits set, and one bit set anywhere", () => {
    const bits = new Uint8Array(64 * 512)
    for (let i = 0; i < 512; i++) bits[64 * i + (i >> 3)] = 1 << (i & 7)
    for (const row of [new Uint8Array(256), new Uint8Array(256).fill(255), bits]) {
      expect(hash(hasher, row)).toBe(expected(row))
    }
  })

  test("random rows", () => {
    const row = fc.integer({ min: 1, max: 40 }).chain((n) => fc.uint8Array({ minLength: 64 * n, maxLength: 64 * n }))
    fc.assert(
      fc.property(row, (pairs) => {
        expect(hash(hasher, pairs)).toBe(expected(pairs))
      }),
    )
  })

  test("a full row", () => {
    const row = fill(32 * ROW_HASHES, 5)
    expect(hash(hasher, row)).toBe(expected(row))
  })
})

test("the module is what its script writes", () => {
  expect(formatModule()).toBe(readFileSync(MODULE, "utf8"))
})

describe("the module is left alone", () => {
  const Instance = Object
  const Module = class {
    constructor() {
      throw new EvalError("forbidden")
    }
  }

  test("without WebAssembly", () => {
    expect(createWasmPairHasher(null)).toBeNull()
  })

  test.each([
    { name: "without SIMD", valid: false },
    { name: "where compiling is forbidden", valid: true },
  ])("$name", ({ valid }) => {
    expect(createWasmPairHasher({ validate: () => valid, Module, Instance: Instance as never })).toBeNull()
  })
})
