// Proves one record of a LEGION log: the one place where signature, head and inclusion come together, for lockfiles, evidence and answers of
// the log alike. FORMAT.md, "LEGION dialect".
import { quote, ToolsumError } from "../errors.js"
import { type Hash, hashLeaf } from "../hash.js"
import type { JsonObject } from "../json.js"
import { verifyInclusion } from "../merkle.js"
import type { LegionBundle } from "./bundle.js"
import { encodeEntry, readCount } from "./json.js"
import { type LegionKeyring, requireLogSignature } from "./keyring.js"
import { type LegionCorrection, type LegionRecord, parseLegionEntry } from "./record.js"
import { type VerifiedTreeHead, verifyTreeHead } from "./tree-head.js"

/** An entry that is in a log, under a head that the log signed. */
export interface ProvenEntry {
  readonly entry: LegionRecord | LegionCorrection
  readonly head: VerifiedTreeHead
  readonly leafHash: Hash
}

/** Prove a bundle and that it is about `serverId`. Signatures and inclusion come before the record is read, so that an edited one is refused
 *  as that. Throws SIGNATURE_INVALID, KEY_NOT_VALID_AT_SIZE, INCLUSION_INVALID, RECORD_INVALID (it breaks its own rules, or is about another
 *  server), RECORD_MALFORMED (proven, but of a schema or fingerprint that this version does not know), JSON_MALFORMED, PROOF_MALFORMED. */
export function verifyBundle(p: {
  bundle: Pick<LegionBundle, "record" | "inclusion" | "head">
  keyring: LegionKeyring
  serverId: string
}): ProvenEntry {
  const { bundle, keyring, serverId } = p
  const { inclusion } = bundle
  const { leafIndex, leaf } = requireRecordSignature(keyring, bundle.record)
  const head = verifyTreeHead(keyring, bundle.head)
  if (inclusion.treeSize !== head.size)
    throw new ToolsumError(
      "INCLUSION_INVALID",
      `the proof is for size ${inclusion.treeSize}, the head has ${head.size}`,
    )
  if (inclusion.leafIndex !== leafIndex)
    throw new ToolsumError(
      "INCLUSION_INVALID",
      `the proof is for leaf ${inclusion.leafIndex}, the record is ${leafIndex}`,
    )
  const leafHash = hashLeaf(leaf)
  verifyInclusion({ leafHash, index: leafIndex, proof: inclusion.path, head })
  const entry = parseLegionEntry(bundle.record)
  requireServer(entry, serverId)
  return { entry, head, leafHash }
}

/** Check the signature of an entry that comes without inclusion proof, such as history, and read it. Throws as `verifyBundle`. */
export function verifySignedEntry(p: {
  record: JsonObject
  keyring: LegionKeyring
  serverId: string
}): LegionRecord | LegionCorrection {
  requireRecordSignature(p.keyring, p.record)
  const entry = parseLegionEntry(p.record)
  requireServer(entry, p.serverId)
  return entry
}

function requireServer({ serverId }: LegionRecord | LegionCorrection, asked: string): void {
  if (serverId !== asked)
    throw new ToolsumError("RECORD_INVALID", `the record is about ${quote(serverId)}, not about ${quote(asked)}`)
}

/** Index and bytes of a record whose key may sign there. */
function requireRecordSignature(keyring: LegionKeyring, record: JsonObject): { leafIndex: bigint; leaf: Uint8Array } {
  const { leaf_index, key_id: keyPin, signature_ed25519: signature } = record
  const leafIndex = readCount(leaf_index)
  if (leafIndex === null) throw new ToolsumError("PROOF_MALFORMED", "expected a record with a leaf index")
  if (typeof keyPin !== "string" || typeof signature !== "string")
    throw new ToolsumError("SIGNATURE_INVALID", `record ${leafIndex} has no signature`)
  const { leaf, signed } = encodeEntry(record)
  requireLogSignature(keyring, { keyPin, message: signed, signature, place: { kind: "record", at: leafIndex } })
  return { leafIndex, leaf }
}
