// SHA-256 and Ed25519 in plain JavaScript, for places without node:crypto and as a second opinion in tests.
// Same exports as crypto-native.ts; noble's own verify is cofactored, so the cofactorless equation is computed here (brief A.2).
import { getPublicKey, hash, hashes, Point, sign } from "@noble/ed25519"
import { sha256 as nobleSha256, sha512 } from "@noble/hashes/sha2.js"

hashes.sha512 = sha512

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/** SHA-256, 32 bytes. */
export const sha256 = (data: Uint8Array): Uint8Array => nobleSha256(data)

/** SHA-256 of `data` written into `out` at `offset`. */
export const sha256Into = (data: Uint8Array, out: Uint8Array, offset: number): void =>
  out.set(nobleSha256(data), offset)

/** SHA-256 of the UTF-8 bytes of `text`, lower-case hex. */
export const sha256HexOfText = (text: string): string =>
  Array.from(nobleSha256(new TextEncoder().encode(text)), (b) => b.toString(16).padStart(2, "0")).join("")

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0)
  return value
}

/** Ed25519 verification with canonical S, cofactorless: encode(S*B - k*A) must be the bytes of R. */
export function ed25519Verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const s = littleEndian(signature.subarray(32))
    if (s >= ORDER) return false
    const a = Point.fromBytes(publicKey, true)
    const preimage = new Uint8Array(64 + message.length)
    preimage.set(signature.subarray(0, 32))
    preimage.set(publicKey, 32)
    preimage.set(message, 64)
    const k = littleEndian(hash(preimage)) % ORDER
    const sb = s === 0n ? Point.ZERO : Point.BASE.multiply(s, false)
    const ka = k === 0n ? Point.ZERO : a.multiply(k, false)
    const r = sb.add(ka.negate()).toBytes()
    return r.every((byte, i) => byte === signature[i])
  } catch {
    return false // a key that is no point verifies nothing
  }
}

/** Ed25519 signature (64 bytes) under a 32-byte seed. */
export const ed25519Sign = (message: Uint8Array, seed: Uint8Array): Uint8Array => sign(message, seed)

/** Public key (32 bytes) of a 32-byte seed. */
export const ed25519PublicKey = (seed: Uint8Array): Uint8Array => getPublicKey(seed)
