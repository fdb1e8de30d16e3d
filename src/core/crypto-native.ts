// SHA-256 and Ed25519 on Node's own crypto: chosen by `#crypto` in package.json `imports`. Same exports as crypto-noble.ts.
// Raw primitives: the strict Ed25519 rule (low-order keys and R) lives in ed25519.ts, once for both.
import type { KeyObject } from "node:crypto"

const crypto = globalThis.process.getBuiltinModule("node:crypto")
const { hash } = crypto

/** SHA-256, 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  const out = new Uint8Array(32)
  sha256Into(data, out, 0)
  return out
}

/**
 * SHA-256 of `data` written into `out` at `offset`; `out` may be `data`. A text result avoids a Buffer per hash, 4x faster than
 * `digest()`; of the encodings this one has the fewest characters to read: 16 units of two bytes, the low byte first.
 */
export function sha256Into(data: Uint8Array, out: Uint8Array, offset: number): void {
  const text = hash("sha256", data, UCS2)
  for (let i = 0; i < 16; i++) {
    const unit = text.charCodeAt(i)
    out[offset + 2 * i] = unit
    out[offset + 2 * i + 1] = unit >> 8
  }
}

// The types name only the text encodings of `digest()`; Node takes every Buffer encoding here.
const UCS2 = "ucs2" as "binary"

/** SHA-256 of the UTF-8 bytes of `text`, lower-case hex. */
export const sha256HexOfText = (text: string): string => hash("sha256", text, "hex")

const MAX_KEYS = 256
const keys = new Map<string, KeyObject>()

// Importing through JWK costs 5 us, through an SPKI DER prefix 82 us.
function importKey(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString("base64url")
  const known = keys.get(x)
  if (known) return known
  const key = crypto.createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  if (keys.size >= MAX_KEYS) keys.clear()
  keys.set(x, key)
  return key
}

/** Ed25519 verification with canonical S, cofactorless; low-order points are not refused here. Sizes 32 and 64 are the caller's duty. */
export function ed25519Verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return crypto.verify(null, message, importKey(publicKey), signature)
  } catch {
    return false // a key that is no point verifies nothing
  }
}

// Of a private JWK only `d` is used; `x` must have the right length. Importing PKCS8 DER costs 1 ms, this a twentieth.
const ANY_X = "A".repeat(43)

function importSeed(seed: Uint8Array): KeyObject {
  const d = Buffer.from(seed).toString("base64url")
  return crypto.createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", d, x: ANY_X }, format: "jwk" })
}

/** Ed25519 signature (64 bytes) under a 32-byte seed. */
export const ed25519Sign = (message: Uint8Array, seed: Uint8Array): Uint8Array =>
  new Uint8Array(crypto.sign(null, message, importSeed(seed)))

/** Public key (32 bytes) of a 32-byte seed. */
export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  const jwk = crypto.createPublicKey(importSeed(seed)).export({ format: "jwk" })
  return new Uint8Array(Buffer.from(String(jwk.x), "base64url"))
}
