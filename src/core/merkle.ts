// Verification of inclusion and consistency proofs (RFC 9162 §2.1.3.2, §2.1.4.2). The number of hashes follows from the
// sizes alone and is checked before anything is hashed. Exact up to sizes of 2^64-1. Building proofs: merkle-tree.ts.
import { sha256Into } from "#crypto"
import { concatBytes, equalBytes, formatHex } from "./bytes.js"
import { type Bad, ToolsumError } from "./errors.js"
import { HASH_BYTES, type Hash, writeHash } from "./hash.js"

/** Size and root hash of a tree: what a checkpoint signs. */
export interface TreeHead {
  readonly size: bigint
  readonly rootHash: Hash
}

const inclusionInvalid: Bad = (why) => new ToolsumError("INCLUSION_INVALID", why)
const consistencyInvalid: Bad = (why) => new ToolsumError("CONSISTENCY_INVALID", why)

/**
 * Check that `leafHash` is entry `index` of the tree `head`. Pure. RFC 9162 §2.1.3.2.
 * `proof`: sibling hashes, leaf side first, 32 bytes each. `head` must come from a verified checkpoint: a proof does not
 * bind the size. Throws INCLUSION_INVALID.
 */
export function verifyInclusion(p: { leafHash: Hash; index: bigint; proof: readonly Hash[]; head: TreeHead }): void {
  const { leafHash, index, proof, head } = p
  if (index < 0n || index >= head.size || head.size > MAX_SIZE) {
    throw inclusionInvalid(`expected an index below the tree size ${head.size}, got ${index}`)
  }
  const path = computePath(index, head.size - 1n)
  requireCount(proof, path.inner + path.border, inclusionInvalid)
  requireHash(leafHash, inclusionInvalid)
  requireHash(head.rootHash, inclusionInvalid)
  requireHashes(proof, inclusionInvalid)
  climb(leafHash, proof, 0, path)
  requireResult(head.rootHash, inclusionInvalid)
}

/**
 * Check that the tree `newer` begins with the tree `older`. Pure. RFC 9162 §2.1.4.2.
 * `proof`: hashes in the order of RFC 6962 §2.1.2; these and both roots 32 bytes each. Equal sizes: an empty proof, equal roots.
 * Size 0 is refused: every tree extends the empty one, which proves nothing. Throws CONSISTENCY_INVALID.
 */
export function verifyConsistency(p: { older: TreeHead; newer: TreeHead; proof: readonly Hash[] }): void {
  const { older, newer, proof } = p
  if (older.size <= 0n || older.size > newer.size || newer.size > MAX_SIZE) {
    throw consistencyInvalid(`expected sizes 0 < older <= newer, got ${older.size} and ${newer.size}`)
  }
  if (older.size === newer.size) verifySameHead(p)
  else verifyExtension(older, newer, proof)
}

function verifySameHead(p: { older: TreeHead; newer: TreeHead; proof: readonly Hash[] }): void {
  requireCount(p.proof, 0, consistencyInvalid)
  if (!equalBytes(p.older.rootHash, p.newer.rootHash)) {
    throw consistencyInvalid(`expected one root hash for the tree size ${p.newer.size}, got two`)
  }
}

// The proof is the path from the last complete subtree of the older tree to the newer root. That subtree's hash is the
// proof's first element, or the older root itself where the older tree is nothing else (its size is a power of two).
function verifyExtension(older: TreeHead, newer: TreeHead, proof: readonly Hash[]): void {
  const path = computePath(older.size - 1n, newer.size - 1n)
  const level = countTrailingOnes(path)
  const complete = countOnes(path.low) + countOnes(path.high) === level
  requireCount(proof, path.inner - level + path.border + (complete ? 0 : 1), consistencyInvalid)
  requireHash(older.rootHash, consistencyInvalid)
  requireHash(newer.rootHash, consistencyInvalid)
  requireHashes(proof, consistencyInvalid)
  const start = complete ? older.rootHash : (proof[0] ?? older.rootHash)
  const siblings = complete ? proof : proof.slice(1)
  // The older root is made of what lies to the left of the path.
  const left = siblings.filter((_, i) => isLeft(path, level + i))
  climb(start, left, 0, ALL_LEFT)
  requireResult(older.rootHash, consistencyInvalid)
  climb(start, siblings, level, path)
  requireResult(newer.rootHash, consistencyInvalid)
}

/** The 32-byte hashes that lie one after another in `bytes`, copied. */
export function splitHashes(bytes: Uint8Array, bad: Bad): Hash[] {
  if (bytes.length % HASH_BYTES !== 0) throw bad(`expected hashes of 32 bytes each, got ${bytes.length} bytes`)
  const { buffer } = new Uint8Array(bytes) // one copy, shared by the views below; `slice` of a Node Buffer would not copy
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => new Uint8Array(buffer, i * HASH_BYTES, HASH_BYTES))
}

/** All hashes one after another: inverse of `splitHashes`. */
export const joinHashes = (hashes: readonly Hash[]): Uint8Array => concatBytes(...hashes)

// Sizes of Go's uint64, which the public test vectors use. Parsers stop at 2^63-1.
const MAX_SIZE = 18446744073709551615n

/**
 * Shape of the path from a leaf to the root. The lowest `inner` levels lie below the point where the way to this leaf and
 * the way to the last leaf part: there the bit of the index says on which side the sibling is. Above it the leaf is on
 * the right edge: `border` siblings, all on the left. The index is kept as two 32-bit halves, since operators on numbers
 * stop at 32 bits and a step on bigint costs as much as its hash.
 */
interface Path {
  readonly low: number
  readonly high: number
  readonly inner: number
  readonly border: number
}

const ALL_LEFT: Path = { low: 0, high: 0, inner: 0, border: 0 }

function computePath(index: bigint, last: bigint): Path {
  const low = lowHalf(index)
  const high = highHalf(index)
  const inner = bitLength(low ^ lowHalf(last), high ^ highHalf(last))
  const border =
    inner < 32 ? countOnes(low >>> inner) + countOnes(high) : inner < 64 ? countOnes(high >>> (inner - 32)) : 0
  return { low, high, inner, border }
}

function lowHalf(value: bigint): number {
  const near = Number(value)
  return near <= Number.MAX_SAFE_INTEGER ? near >>> 0 : Number(value & 0xffffffffn)
}

function highHalf(value: bigint): number {
  const near = Number(value)
  return near <= Number.MAX_SAFE_INTEGER ? Math.floor(near / 2 ** 32) : Number(value >> 32n)
}

const bitLength = (low: number, high: number): number => (high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high))

function countOnes(half: number): number {
  let count = 0
  for (let rest = half; rest !== 0; rest &= rest - 1) count++
  return count
}

// Ones at the low end of the index: zeros at the low end of index + 1.
function countTrailingOnes({ low, high }: Path): number {
  const zeros = low === 0xffffffff ? ~high : ~low
  return (low === 0xffffffff ? 32 : 0) + 31 - Math.clz32(zeros & -zeros)
}

function isLeft(path: Path, level: number): boolean {
  if (level >= path.inner) return true
  return ((level < 32 ? path.low >>> level : path.high >>> (level - 32)) & 1) === 1
}

// One buffer for all node hashes: 0x01, left, right. Each result is written to the side on which the next step needs it.
const LEFT = 1
const RIGHT = 33
const pair = new Uint8Array(65)
pair[0] = 1
const view = new DataView(pair.buffer)

// Hashes from `start`, a node at `level`, up through `siblings`. The result is left in `pair` at LEFT.
function climb(start: Hash, siblings: readonly Hash[], level: number, path: Path): void {
  let left = siblings.length > 0 && isLeft(path, level)
  writeHash(start, view, left ? RIGHT : LEFT)
  for (let i = 0; i < siblings.length; i++) {
    writeHash(siblings[i] ?? start, view, left ? LEFT : RIGHT)
    left = i + 1 < siblings.length && isLeft(path, level + i + 1)
    sha256Into(pair, pair, left ? RIGHT : LEFT)
  }
}

function requireResult(root: Hash, bad: Bad): void {
  for (let i = 0; i < HASH_BYTES; i++) {
    if (root[i] !== pair[LEFT + i]) {
      throw bad(
        `the proof leads to another root: expected ${formatHex(root)}, got ${formatHex(pair.subarray(LEFT, RIGHT))}`,
      )
    }
  }
}

function requireCount(proof: readonly Hash[], count: number, bad: Bad): void {
  if (proof.length !== count) throw bad(`expected ${count} hashes in the proof, got ${proof.length}`)
}

function requireHashes(proof: readonly Hash[], bad: Bad): void {
  for (let i = 0; i < proof.length; i++) requireHash(proof[i] as Hash, bad) // i is below length
}

function requireHash(hash: Hash, bad: Bad): void {
  if (hash.length !== HASH_BYTES) throw bad(`expected a hash of 32 bytes, got ${hash.length}`)
}
