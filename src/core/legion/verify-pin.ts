// Proves one pin of a LEGION lockfile: its evidence, and that what was approved is what the evidence shows. FORMAT.md, "LEGION dialect".
import { ToolsumError } from "../errors.js"
import { readBundle } from "./bundle.js"
import { type ProvenRecord, provenRecord } from "./check.js"
import type { LegionKeyring } from "./keyring.js"
import type { LegionApproval, LegionPin, LegionPinnedFrom } from "./lockfile.js"
import { FINGERPRINT_ALGORITHMS, type LegionRecord } from "./record.js"
import { verifyBundle } from "./verify-bundle.js"

/** Prove a pin and give its record. Throws as `readBundle` and `verifyBundle`; RECORD_INVALID where `approved` or `pinned_from` say another
 *  thing than the record; RESOURCE_MISSING for a pin without evidence. */
export function verifyLegionPin(p: { serverId: string; pin: LegionPin; keyring: LegionKeyring }): ProvenRecord {
  const { serverId, pin, keyring } = p
  if (pin.evidence === null) throw noEvidence()
  const proven = provenRecord(verifyBundle({ bundle: readBundle(pin.evidence), keyring, serverId }))
  requireApproved(pin.approved, proven.record)
  if (pin.pinnedFrom) requirePinnedFrom(pin.pinnedFrom, proven)
  return proven
}

/** What stands in the way of a pin that legion-guard wrote. */
export const noEvidence = (): ToolsumError =>
  new ToolsumError("RESOURCE_MISSING", "it was approved from what legion-guard saw, and no log has signed it")

const contradicts = (why: string) => new ToolsumError("RECORD_INVALID", why)

function requireApproved(approved: LegionApproval, { fingerprint }: LegionRecord): void {
  const { version, sha256, tools } = fingerprint
  if (approved.algo !== FINGERPRINT_ALGORITHMS[version])
    throw contradicts("another fingerprint algorithm is approved than signed")
  if (approved.sha256 !== sha256)
    throw contradicts(`the list ${approved.sha256} is approved, the record is of ${sha256}`)
  const same =
    approved.tools.size === tools.size && [...tools].every(([name, hash]) => approved.tools.get(name) === hash)
  if (!same || approved.toolCount !== BigInt(tools.size))
    throw contradicts("other tools are approved than the record has")
}

function requirePinnedFrom(from: LegionPinnedFrom, { record, head }: ProvenRecord): void {
  const same =
    from.leafIndex === record.leafIndex && from.observedAt === record.observedAt && from.treeSize === head.size
  if (!same) throw contradicts(`pinned_from says leaf ${from.leafIndex} of ${from.treeSize}, the evidence is another`)
}
