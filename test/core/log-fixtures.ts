// Keys, small trees and keyrings for the tests of notes, keyrings and heads. Keys are derived from public labels: test keys only.
import fc from "fast-check"
import { formatCheckpoint } from "../../src/core/checkpoint.js"
import { EMPTY_ROOT, type Hash, hashLeaf, hashNode, sha256 } from "../../src/core/hash.js"
import { formatKeyringText, type Keyring, type LogKey } from "../../src/core/keyring-text.js"
import { signNote } from "../../src/core/note.js"
import {
  computeSigningKey,
  computeVerifierKey,
  ED25519_COSIGNATURE,
  ED25519_NOTE,
  isKeyName,
  type SigningKey,
  type VerifierKey,
} from "../../src/core/vkey.js"

const utf8 = new TextEncoder()

const signers = new Map<string, SigningKey>()

/** A signing key whose seed is the hash of its name, or of `label`. */
export function signer(name: string, label = name): SigningKey {
  const known = signers.get(`${name}\n${label}`)
  if (known) return known
  const key = computeSigningKey({ name, seed: sha256(utf8.encode(label)) })
  signers.set(`${name}\n${label}`, key)
  return key
}

/** The verifier key of a signing key, for notes or for cosignatures. */
export const verifier = (key: SigningKey, type = ED25519_NOTE): VerifierKey =>
  computeVerifierKey({ name: key.name, type, publicKey: key.publicKey })

/** The cosigner key of a signing key. */
export const witness = (key: SigningKey): VerifierKey => verifier(key, ED25519_COSIGNATURE)

/** Any legal key name. */
export const arbKeyName = fc
  .oneof(fc.string({ minLength: 1, maxLength: 30 }), fc.string({ unit: "binary", minLength: 1, maxLength: 30 }))
  .filter(isKeyName)
/** Any 32 bytes. */
export const arbHash = fc.uint8Array({ minLength: 32, maxLength: 32 })
/** Any number that our formats can write. */
export const arbDecimal = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })

const leaf = (i: number): Hash => hashLeaf(utf8.encode(`leaf ${i}`))

/** Root of the leaves from `start` to `end` by the plain definition (RFC 6962 §2.1). */
export function rootOf(end: number, start = 0): Hash {
  const size = end - start
  if (size === 0) return EMPTY_ROOT
  if (size === 1) return leaf(start)
  const middle = start + splitOf(size)
  return hashNode(rootOf(middle, start), rootOf(end, middle))
}

/** Consistency proof of `m` in `n` leaves by the plain definition (RFC 6962 §2.1.2), hashes joined. */
export const consistency = (m: number, n: number): Uint8Array => join(subproof(m, n, 0, true))

/** Inclusion proof of leaf `i` of `n` by the plain definition (RFC 6962 §2.1.1). */
export function inclusion(i: number, n: number, start = 0): Hash[] {
  if (n === 1) return []
  const k = splitOf(n)
  return i < k
    ? [...inclusion(i, k, start), rootOf(start + n, start + k)]
    : [...inclusion(i - k, n - k, start + k), rootOf(start + k, start)]
}

/** The entry that is leaf `i` of the trees above. */
export const entry = (i: number): Uint8Array => utf8.encode(`leaf ${i}`)

function subproof(m: number, n: number, start: number, whole: boolean): Hash[] {
  if (m === n) return whole ? [] : [rootOf(start + n, start)]
  const k = splitOf(n)
  return m <= k
    ? [...subproof(m, k, start, whole), rootOf(start + n, start + k)]
    : [...subproof(m - k, n - k, start + k, false), rootOf(start + k, start)]
}

function splitOf(n: number): number {
  let k = 1
  while (2 * k < n) k *= 2
  return k
}

function join(hashes: readonly Hash[]): Uint8Array {
  const bytes = new Uint8Array(32 * hashes.length)
  for (const [i, hash] of hashes.entries()) bytes.set(hash, 32 * i)
  return bytes
}

/** A signed checkpoint of the tree of `size` leaves, or of a made-up root. */
export function head(origin: string, size: number, keys: readonly SigningKey[], rootHash: Hash = rootOf(size)): string {
  return signNote(formatCheckpoint({ origin, size: BigInt(size), rootHash, extensions: [] }), keys)
}

export const ORIGIN = "log.example/a"

/** A log key line of a keyring. */
export const logKey = (key: SigningKey, rest: Partial<LogKey> = {}): LogKey => ({
  key: verifier(key),
  from: 0n,
  closing: null,
  revoked: false,
  ...rest,
})

/** What keyring 1 of a log with one root key and one log key says. */
export const keyring = (rest: Partial<Keyring> = {}): Keyring => ({
  origin: ORIGIN,
  version: 1n,
  prev: null,
  issued: 1796000000n,
  expires: null,
  rootThreshold: 1,
  roots: [verifier(signer("root-a"))],
  logs: [logKey(signer(ORIGIN))],
  policy: null,
  ...rest,
})

/** A signed keyring. */
export const keyringNote = (text: Keyring, keys: readonly SigningKey[] = [signer("root-a")]): string =>
  signNote(formatKeyringText(text), keys)

/** The keyring that follows the note `before`: version and prev filled in. */
export function nextKeyring(before: { version: bigint; text: string }, rest: Partial<Keyring>): Keyring {
  return keyring({ version: before.version + 1n, prev: sha256(utf8.encode(before.text)), ...rest })
}

/** `bytes` with bit `bit` of byte `at` flipped. */
export function flip(bytes: Uint8Array, at: number, bit: number): Uint8Array {
  const copy = bytes.slice()
  copy[at] = (copy[at] ?? 0) ^ (1 << bit)
  return copy
}

/** UTF-8 bytes. */
export const bytesOf = (text: string): Uint8Array => utf8.encode(text)

/** The bytes of padded base64 in test data. */
export const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"))
