// Timestamped Ed25519 cosignatures, type 0x04 (C2SP tlog-cosignature, brief 1.4): at that time this was the largest consistent
// tree the witness had seen for the origin. The whole note text is signed, extension lines included, but not the witness's name.
import { concatBytes, encodeUtf8, MAX_DECIMAL } from "./bytes.js"
import { ED25519_SIGNATURE_BYTES, signEd25519, verifyEd25519 } from "./ed25519.js"
import { quote, ToolsumError } from "./errors.js"
import { formatSignatureLine, type NoteSignature } from "./signature-line.js"
import { computeKeyId, ED25519_COSIGNATURE, type SigningKey, type VerifierKey } from "./vkey.js"

const TIMESTAMP_BYTES = 8

/** A verified cosignature. */
export interface Cosignature {
  readonly key: VerifierKey
  /** POSIX seconds, the witness's claim, at most 2^63-1. It may lie in the future: see `evaluatePolicy`. */
  readonly timestamp: bigint
}

/** Check that `signature` is a good cosignature of the note text `text` by `key`, a key of type 0x04.
 *  Throws COSIGNATURE_MALFORMED (another key, length, or a time above 2^63-1) and SIGNATURE_INVALID. */
export function verifyCosignature(p: {
  text: string
  signature: Pick<NoteSignature, "name" | "id" | "blob">
  key: VerifierKey
}): Cosignature {
  const { text, signature, key } = p
  if (key.type !== ED25519_COSIGNATURE || signature.name !== key.name || signature.id !== key.id) {
    throw malformed(`signature line is not a cosignature by ${quote(key.vkey)}`)
  }
  const { blob } = signature
  if (blob.length !== TIMESTAMP_BYTES + ED25519_SIGNATURE_BYTES) {
    throw malformed(`expected a cosignature of 72 bytes, got ${blob.length}`)
  }
  const timestamp = new DataView(blob.buffer, blob.byteOffset).getBigUint64(0)
  if (timestamp > MAX_DECIMAL) throw malformed("cosignature time above 2^63-1")
  const message = cosignedMessage(text, timestamp)
  if (!verifyEd25519({ publicKey: key.publicKey, message, signature: blob.subarray(TIMESTAMP_BYTES) })) {
    throw new ToolsumError("SIGNATURE_INVALID", `bad cosignature by ${quote(key.name)}`)
  }
  return { key, timestamp }
}

/** Cosign the note text `text` at `timestamp` (POSIX seconds, 1 to 2^63-1): a signature line without its newline, under the
 *  key's ID of type 0x04. Throws COSIGNATURE_MALFORMED for a time out of range. What is signed is the caller's duty. */
export function formatCosignature(p: { text: string; key: SigningKey; timestamp: bigint }): string {
  const { text, key, timestamp } = p
  if (timestamp < 1n || timestamp > MAX_DECIMAL) throw malformed("cosignature time out of range")
  const time = new Uint8Array(TIMESTAMP_BYTES)
  new DataView(time.buffer).setBigUint64(0, timestamp)
  const signature = signEd25519({ seed: key.seed, message: cosignedMessage(text, timestamp) })
  const id = computeKeyId({ name: key.name, type: ED25519_COSIGNATURE, publicKey: key.publicKey })
  return formatSignatureLine({ name: key.name, id, blob: concatBytes(time, signature) })
}

const cosignedMessage = (text: string, timestamp: bigint): Uint8Array =>
  encodeUtf8(`cosignature/v1\ntime ${timestamp}\n${text}`)

const malformed = (why: string) => new ToolsumError("COSIGNATURE_MALFORMED", why)
