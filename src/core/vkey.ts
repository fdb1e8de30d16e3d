// Verifier keys `name+8hex+base64(type, key)` and signing keys `PRIVATE+KEY+name+8hex+base64(0x01, seed)` (C2SP signed-note,
// brief 1.2). A key is known by its name and ID together. Low-order keys, which sign any message, are refused at every import.
import { concatBytes, encodeUtf8, equalBytes, formatBase64, formatHex, parseBase64 } from "./bytes.js"
import { computePublicKey, ED25519_KEY_BYTES, isLowOrderPoint } from "./ed25519.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { sha256 } from "./hash.js"

/** Type byte of an Ed25519 key that signs note texts. */
export const ED25519_NOTE = 0x01
/** Type byte of an Ed25519 key that makes timestamped cosignatures. */
export const ED25519_COSIGNATURE = 0x04
/** Type byte of an ML-DSA-44 cosigner. Read, so that policies may name one, but never verified and never counted. */
export const ML_DSA_COSIGNATURE = 0x06

/** Longest vkey that is read; one of ML-DSA-44 has about 1,800 characters. */
export const MAX_VKEY_CHARS = 4096

const KEY_BYTES: ReadonlyMap<number, number> = new Map([
  [ED25519_NOTE, ED25519_KEY_BYTES],
  [ED25519_COSIGNATURE, ED25519_KEY_BYTES],
  [ML_DSA_COSIGNATURE, 1312],
])

/** A public key that may verify signature lines. */
export interface VerifierKey {
  readonly name: string
  /** First 4 bytes of SHA-256(name, 0x0A, type, key), big endian: a hint that goes with the name, not a commitment. */
  readonly id: number
  /** 0x01, 0x04 or 0x06. */
  readonly type: number
  readonly publicKey: Uint8Array
  /** The one spelling of this key. */
  readonly vkey: string
}

/** A private Ed25519 key for note texts. `seed` (32 bytes) is not enumerable, so that it stays out of JSON and printed objects. */
export interface SigningKey {
  readonly name: string
  /** ID of the public key under type 0x01. */
  readonly id: number
  readonly publicKey: Uint8Array
  readonly seed: Uint8Array
}

const malformed: Bad = (why) => new ToolsumError("KEY_MALFORMED", why)

// Unicode White_Space as listed in brief 1.2 (`\s` is another set), plus, C0 controls (illegal in a note), lone surrogates.
const NOT_IN_NAME = /[\0-\x20+\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]/u

/** True for a name that a key may have: not empty, no white space, no `+`, no control character. */
export const isKeyName = (name: string): boolean => name !== "" && !NOT_IN_NAME.test(name)

/** Key ID: the first 4 bytes of SHA-256(name, 0x0A, type byte, public key) as an unsigned number. */
export function computeKeyId(p: { name: string; type: number; publicKey: Uint8Array }): number {
  const hash = sha256(concatBytes(encodeUtf8(`${p.name}\n`), Uint8Array.of(p.type), p.publicKey))
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0)
}

/** A key ID as 8 lower-case hex digits. */
export const formatKeyId = (id: number): string => id.toString(16).padStart(8, "0")

/** The verifier key of its parts. Throws KEY_MALFORMED (name, type or length) and KEY_LOW_ORDER. */
export function computeVerifierKey(p: { name: string; type: number; publicKey: Uint8Array }): VerifierKey {
  return checkedKey(p, malformed)
}

/** The vkey text of a public key. Throws as `computeVerifierKey`. */
export const formatVkey = (p: { name: string; type: number; publicKey: Uint8Array }): string =>
  computeVerifierKey(p).vkey

/** Read a vkey of type 0x01, 0x04 or 0x06. Throws `bad` (KEY_MALFORMED when not given) and KEY_LOW_ORDER. */
export function parseVkey(text: string, bad: Bad = malformed): VerifierKey {
  if (text.length > MAX_VKEY_CHARS) throw bad("vkey too long")
  const { name, id, blob } = splitKey(text, bad)
  const key = checkedKey({ name, type: blob[0] ?? 0, publicKey: blob.slice(1) }, bad)
  if (formatKeyId(key.id) !== id) throw bad(`key ID of vkey ${quote(text)} is not that of its name and key`)
  return key
}

/** Read a signing key as Go and Tessera write it; its ID is that of the public key. Throws KEY_MALFORMED, never with the key in it. */
export function parseSigningKey(text: string): SigningKey {
  if (text.length > MAX_VKEY_CHARS || !text.startsWith("PRIVATE+KEY+")) throw malformed("expected PRIVATE+KEY+…")
  const { name, id, blob } = splitKey(text.slice(12), malformed)
  if (!isKeyName(name)) throw malformed("signing key with an ill-formed name")
  if (blob[0] !== ED25519_NOTE || blob.length !== 1 + ED25519_KEY_BYTES) throw malformed("expected an Ed25519 seed")
  const key = computeSigningKey({ name, seed: blob.slice(1) })
  if (formatKeyId(key.id) !== id) throw malformed("key ID of a signing key is not that of its name and public key")
  return key
}

/** Exact inverse of `parseSigningKey`. */
export const formatSigningKey = (key: SigningKey): string =>
  `PRIVATE+KEY+${key.name}+${formatKeyId(key.id)}+${formatBase64(concatBytes(Uint8Array.of(ED25519_NOTE), key.seed))}`

/** The signing key of a name and a 32-byte seed. Throws KEY_MALFORMED. */
export function computeSigningKey({ name, seed }: { name: string; seed: Uint8Array }): SigningKey {
  if (!isKeyName(name)) throw malformed(`key name ${quote(name)} is empty or has a space, plus or control character`)
  const publicKey = computePublicKey(seed)
  const id = computeKeyId({ name, type: ED25519_NOTE, publicKey })
  return Object.defineProperty({ name, id, publicKey, seed }, "seed", { enumerable: false })
}

/** How many different public keys there are, whatever their names, IDs and types: what a threshold counts. */
export const countPublicKeys = (keys: readonly VerifierKey[]): number =>
  new Set(keys.map(({ publicKey }) => formatHex(publicKey))).size

/** True when both wrap the same public key. */
export const samePublicKey = (a: VerifierKey, b: VerifierKey): boolean => equalBytes(a.publicKey, b.publicKey)

// The first two `+` separate; those after them belong to the base64.
function splitKey(text: string, bad: Bad): { name: string; id: string; blob: Uint8Array } {
  const first = text.indexOf("+")
  const second = text.indexOf("+", first + 1)
  if (first < 0 || second !== first + 9) throw bad("expected a key of the form name+8 hex digits+base64")
  return {
    name: text.slice(0, first),
    id: text.slice(first + 1, second),
    blob: parseBase64(text.slice(second + 1), bad),
  }
}

function checkedKey(p: { name: string; type: number; publicKey: Uint8Array }, bad: Bad): VerifierKey {
  const { name, type, publicKey } = p
  if (!isKeyName(name)) throw bad(`key name ${quote(name)} is empty or has a space, plus or control character`)
  const bytes = KEY_BYTES.get(type)
  if (bytes === undefined) throw bad(`unknown key type ${type}`)
  if (publicKey.length !== bytes) throw bad(`expected a public key of ${bytes} bytes, got ${publicKey.length}`)
  if (type !== ML_DSA_COSIGNATURE && isLowOrderPoint(publicKey)) {
    throw new ToolsumError("KEY_LOW_ORDER", `public key of ${quote(name)} is a low-order point: it signs any message`)
  }
  const id = computeKeyId(p)
  const vkey = `${name}+${formatKeyId(id)}+${formatBase64(concatBytes(Uint8Array.of(type), publicKey))}`
  return { name, id, type, publicKey, vkey }
}
