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

/** Leaf hash: SHA-256(0x00, entry). RFC 6962 §2.1. */
export function hashLeaf(entry: Uint8Array): Hash {
  const data = new Uint8Array(1 + entry.length)
  data.set(entry, 1)
  return sha256(data)
}

const pair = new Uint8Array(65)
pair[0] = 1

/** Node hash: SHA-256(0x01, left, right), both 32 bytes. RFC 6962 §2.1. */
export function hashNode(left: Hash, right: Hash): Hash {
  const out = new Uint8Array(HASH_BYTES)
  pair.set(left, 1)
  pair.set(right, 33)
  sha256Into(pair, out, 0)
  return out
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
