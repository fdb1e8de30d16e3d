// The strict Ed25519 rule, set here once for every signature in this package (brief A.2): signature of 64 bytes, S < L,
// canonical R, and neither the public key nor R one of the 14 encodings of a low-order point. Held by CCTV and Wycheproof vectors.
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from "#crypto"
import { formatHex } from "./bytes.js"
import { ToolsumError } from "./errors.js"

/** Length of a public key and of a seed. */
export const ED25519_KEY_BYTES = 32
/** Length of a signature. */
export const ED25519_SIGNATURE_BYTES = 64

// Every encoding of a point of order 1, 2, 4 or 8, canonical or not (C2SP CCTV, ed25519). Such a key signs any message.
const LOW_ORDER = new Set(
  [
    ["0000000000000000000000000000000000000000000000000000000000000000", "80"],
    ["0100000000000000000000000000000000000000000000000000000000000000", "80"],
    ["26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "85"],
    ["c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "fa"],
    ["ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "ff"],
    ["edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "ff"],
    ["eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "ff"],
  ].flatMap(([point = "", signed = ""]) => [point, point.slice(0, 62) + signed]),
)

// Their last bytes, sign bit aside: most points are told apart by theirs, without being written in hex.
const LOW_ORDER_ENDS = new Set([0x00, 0x05, 0x7a, 0x7f])

/** True for the 14 encodings of low-order points, which no key and no R may be. */
export const isLowOrderPoint = (point: Uint8Array): boolean =>
  LOW_ORDER_ENDS.has((point[31] ?? 0) & 0x7f) && LOW_ORDER.has(formatHex(point))

/** False for an encoding whose y coordinate is not reduced modulo p = 2^255-19: a second spelling of a point, of which some
 *  implementations make a key and others do not. RFC 8032 §5.1.3. */
export const isReducedPoint = (point: Uint8Array): boolean =>
  ((point[31] ?? 0) & 0x7f) !== 0x7f || (point[0] ?? 0) < 0xed || point.subarray(1, 31).some((byte) => byte !== 0xff)

/** An Ed25519 check without the rule: canonical S and R, low-order points let through. Lengths are the caller's duty. */
export type Ed25519Primitive = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean

interface Signed {
  readonly publicKey: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

/** The strict rule over any primitive, so that two implementations can be held against each other. Wrong lengths are false. Pure. */
export function verifyEd25519With(verify: Ed25519Primitive, { publicKey, message, signature }: Signed): boolean {
  if (publicKey.length !== ED25519_KEY_BYTES || signature.length !== ED25519_SIGNATURE_BYTES) return false
  if (isLowOrderPoint(publicKey) || isLowOrderPoint(signature.subarray(0, 32))) return false
  return verify(signature, message, publicKey)
}

/** Check an Ed25519 signature (64 bytes) by `publicKey` (32 bytes) under the strict rule; wrong lengths are false. Pure. */
export const verifyEd25519 = (signed: Signed): boolean => verifyEd25519With(ed25519Verify, signed)

/** Sign with a 32-byte seed; 64 bytes, deterministic (RFC 8032). Throws KEY_MALFORMED for another length. */
export function signEd25519(p: { seed: Uint8Array; message: Uint8Array }): Uint8Array {
  if (p.seed.length !== ED25519_KEY_BYTES) throw new ToolsumError("KEY_MALFORMED", "expected a seed of 32 bytes")
  return ed25519Sign(p.message, p.seed)
}

/** The 32-byte public key of a 32-byte seed. Throws KEY_MALFORMED for another length. */
export function computePublicKey(seed: Uint8Array): Uint8Array {
  if (seed.length !== ED25519_KEY_BYTES) throw new ToolsumError("KEY_MALFORMED", "expected a seed of 32 bytes")
  return ed25519PublicKey(seed)
}
