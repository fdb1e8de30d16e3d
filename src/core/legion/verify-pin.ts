// Proves one pin of a LEGION lockfile: its evidence, and that what was approved is what the evidence shows. FORMAT.md, "LEGION dialect".
import { ToolsumError } from "../errors.js"
import { isObject, type JsonObject, type JsonValue } from "../json.js"
import { readBundle } from "./bundle.js"
import { type ProvenRecord, provenRecord } from "./check.js"
import { readCount } from "./json.js"
import type { LegionKeyring } from "./keyring.js"
import type { LegionPin, LegionPinnedFrom } from "./lockfile.js"
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

/** Members that are not known here say nothing of the list. */
function requireApproved(approved: JsonObject, { leafIndex, fingerprint }: LegionRecord): void {
  const { version, sha256, tools } = fingerprint
  const same =
    approved.algo === FINGERPRINT_ALGORITHMS[version] &&
    approved.tools_sha256 === sha256 &&
    readCount(approved.tool_count) === BigInt(tools.size) &&
    hasTools(approved.tools, tools)
  if (!same) throw contradicts(`what is approved is not what leaf ${leafIndex} shows`)
}

function hasTools(approved: JsonValue | undefined, tools: ReadonlyMap<string, string>): boolean {
  if (!isObject(approved) || Object.keys(approved).length !== tools.size) return false
  for (const [name, hash] of tools) if (approved[name] !== hash) return false
  return true
}

function requirePinnedFrom(from: LegionPinnedFrom, { record, head }: ProvenRecord): void {
  const same =
    from.leafIndex === record.leafIndex && from.observedAt === record.observedAt && from.treeSize === head.size
  if (!same) throw contradicts(`pinned_from says leaf ${from.leafIndex} of ${from.treeSize}, the evidence is another`)
}
