// What anchors of LEGION heads need and core has not: ECDSA on P-256 for Rekor, and the older hash functions of OpenTimestamps. By Node.
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"
import { ToolsumError } from "../core/errors.js"
import type { OtherDigest } from "../core/legion/anchor-ots.js"
import type { VerifyP256 } from "../core/legion/anchor-rekor.js"

/** False also for a key of another kind, and for one that is no point of the curve. */
export const verifyP256: VerifyP256 = ({ publicKeyDer, message, signature }) => {
  const key = importKey(publicKeyDer)
  return key?.asymmetricKeyDetails?.namedCurve === "prime256v1" && verify("sha256", message, key, signature)
}

function importKey(der: Uint8Array): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" })
  } catch {
    return null
  }
}

/** Throws PROOF_MALFORMED where this Node was built without the function. */
export const otherDigest: OtherDigest = (name, data) => {
  try {
    return createHash(name).update(data).digest()
  } catch (cause) {
    throw new ToolsumError("PROOF_MALFORMED", `this Node cannot compute ${name}`, { cause })
  }
}
