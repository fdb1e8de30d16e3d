// SHA-256 as this package uses it: plain, of leaves and nodes (RFC 6962 §2.1), and written as `sha256:<hex>`.
import { sha256, sha256HexOfText, sha256Into } from "#crypto"
import { type Bad, quote } from "./errors.js"

/** 32 bytes of SHA-256. */
export type Hash = Uint8Array
/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`

/** Length of a hash. */
export const HASH_BYTES = 32

export { sha256 }

/** Root hash of the empty tree: SHA-256 of nothing. */
export const EMPTY_ROOT: Hash = sha256(new Uint8Array(0))

// Entries up to this length are hashed from one buffer: a new array costs more than the hash. Records have at most 4096 bytes. So does
// a new view of it: the entries of a log tend to have the length of the one before.
const SCRATCH_BYTES = 4096
const scratch = new Uint8Array(1 + SCRATCH_BYTES)
let leaf = scratch.subarray(0, 1)

/** Leaf hash: SHA-256(0x00, entry). RFC 6962 §2.1. */
export const hashLeaf = (entry: Uint8Array): Hash => sha256(prefixLeaf(entry))

/** Writes the leaf hash of `entry` into `out` at `offset`. */
export const writeLeafHash = (entry: Uint8Array, out: Uint8Array, offset: number): void =>
  sha256Into(prefixLeaf(entry), out, offset)

function prefixLeaf(entry: Uint8Array): Uint8Array {
  const length = 1 + entry.length
  if (leaf.length !== length) leaf = length <= scratch.length ? scratch.subarray(0, length) : new Uint8Array(length)
  leaf.set(entry, 1)
  return leaf
}

const pair = new Uint8Array(1 + 2 * HASH_BYTES)
pair[0] = 1
const pairView = new DataView(pair.buffer)

/** Node hash: SHA-256(0x01, left, right), both 32 bytes. RFC 6962 §2.1. */
export function hashNode(left: Hash, right: Hash): Hash {
  writeHash(left, pairView, 1)
  writeHash(right, pairView, 1 + HASH_BYTES)
  return sha256(pair)
}

/** Writes the 32 bytes of `hash` into `view` at `offset`, four at a time: `set` costs twice as much for so few. */
export function writeHash(hash: Hash, view: DataView, offset: number): void {
  for (let i = 0; i < HASH_BYTES; i += 4) {
    const word = (hash[i] ?? 0) | ((hash[i + 1] ?? 0) << 8) | ((hash[i + 2] ?? 0) << 16) | ((hash[i + 3] ?? 0) << 24)
    view.setInt32(offset + i, word, true)
  }
}

/** Digest of the UTF-8 bytes of well-formed text. */
export const computeTextDigest = (text: string): Digest => `sha256:${sha256HexOfText(text)}`

const DIGEST = /^sha256:[0-9a-f]{64}$/

/** True for `sha256:` and 64 lower-case hex digits. */
export const isDigest = (text: string): text is Digest => DIGEST.test(text)

/** A digest in its one spelling. */
export function parseDigest(text: string, bad: Bad): Digest {
  if (!isDigest(text)) throw bad(`expected sha256: and 64 lower-case hex digits, got ${quote(text)}`)
  return text
}
