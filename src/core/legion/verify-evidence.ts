// Proves a LEGION evidence file and makes its verdict again: what the server said, by the word of whoever saved it, beside the record that the
// log signed. FORMAT.md, "LEGION dialect".
import { canonicalize } from "../canonical.js"
import { attempt, ToolsumError } from "../errors.js"
import { isObject, type JsonObject } from "../json.js"
import type { PinnedRoot } from "../root.js"
import { type ProvenDefinitions, verifyArchive } from "./archive.js"
import { compareLists, type ListComparison, type ProvenRecord, provenRecord } from "./check.js"
import type { LegionEvidence } from "./evidence.js"
import { computeFingerprint, coverTools } from "./fingerprint.js"
import { type LegionKeyring, verifyLegionKeyring } from "./keyring.js"
import type { LegionCorrection, LegionRecord } from "./record.js"
import { verifyBundle, verifySignedEntry } from "./verify-bundle.js"

/** What an evidence file proves. */
export interface VerifiedLegionEvidence extends ProvenRecord {
  readonly rootPin: string
  /** The pinned root of its log; null where none is pinned: then nothing of it is proven. */
  readonly root: PinnedRoot | null
  /** What the file says by itself; without a root it is UNKNOWN(root_not_pinned) all the same. */
  readonly verdict: "UNCHANGED" | "CHANGED" | "AUTH" | "UNKNOWN"
  /** How the live list differs from the signed one; null where no live list was read. */
  readonly lists: ListComparison | null
  /** What the archive has of the signed list; null without it. */
  readonly definitions: ProvenDefinitions | null
  /** Earlier entries of this server, by leaf index. Each is signed; that none is left out, nothing shows. */
  readonly history: readonly (LegionRecord | LegionCorrection)[]
}

const contradicts = (why: string, cause?: unknown) => new ToolsumError("EVIDENCE_INVALID", why, { cause })

/** Prove an evidence file. Throws as `verifyLegionKeyring` and `verifyBundle`, and EVIDENCE_INVALID where its parts do not fit together: a
 *  live list that cannot be one, or beside `auth_required`; history that is not signed or of another server; HASH_MISMATCH for archived
 *  definitions that are not the signed ones. */
export function verifyLegionEvidence(p: {
  evidence: LegionEvidence
  roots: readonly PinnedRoot[]
}): VerifiedLegionEvidence {
  const { evidence, roots } = p
  const { serverId, bundle } = evidence
  const keyring = verifyLegionKeyring({ text: evidence.keyring })
  const proven = provenRecord(verifyBundle({ bundle, keyring, serverId }))
  const history = verifyHistory(evidence, keyring, proven.record)
  const definitions = evidence.signedTools && verifySignedTools(evidence.signedTools, proven.record)
  if (evidence.authRequired && evidence.liveTools !== null)
    throw contradicts("the server wanted credentials, and yet there is a list of its tools")
  const lists = evidence.liveTools && compareLive(evidence.liveTools, proven.record, definitions)
  const live = lists === null ? "UNKNOWN" : lists.status === "match" ? "UNCHANGED" : "CHANGED"
  return {
    ...proven,
    rootPin: keyring.rootPin,
    // The file does not say of which log it is: a root of any name may be its.
    root: roots.find(({ fingerprint }) => fingerprint === keyring.rootPin) ?? null,
    verdict: evidence.authRequired ? "AUTH" : live,
    lists,
    definitions,
    history,
  }
}

function compareLive(
  tools: NonNullable<LegionEvidence["liveTools"]>,
  { fingerprint }: LegionRecord,
  definitions: ProvenDefinitions | null,
): ListComparison {
  const live = attempt(() => computeFingerprint({ tools, version: fingerprint.version, rule: "observe" }))
  if (live instanceof ToolsumError) throw contradicts(`the live list is none: ${live.message}`, live)
  const both = definitions && { pinned: definitions, served: coverTools(tools, "observe") }
  const lists = compareLists({ pinned: fingerprint, served: live, definitions: both })
  // By the log's own rule it is the hash that counts.
  return lists.note === "respelled" ? { ...lists, status: "drift" } : lists
}

function verifySignedTools(signedTools: JsonObject, { fingerprint }: LegionRecord): ProvenDefinitions {
  const misfiled = Object.entries(signedTools).some(([name, tool]) => !isObject(tool) || tool.name !== name)
  if (misfiled) throw contradicts("archived definitions are filed under other names than their own")
  return verifyArchive({ tools: Object.values(signedTools), signed: fingerprint })
}

/** Each record of the history is signed, of this server, and the only one at its leaf. */
function verifyHistory(
  { history, serverId }: LegionEvidence,
  keyring: LegionKeyring,
  newest: LegionRecord,
): VerifiedLegionEvidence["history"] {
  const byLeaf = new Map<bigint, LegionRecord | LegionCorrection>([[newest.leafIndex, newest]])
  const entries = (history ?? []).map((record) => {
    const entry = attempt(() => verifySignedEntry({ record, keyring, serverId }))
    if (entry instanceof ToolsumError)
      throw entry.kind === "rejected" ? contradicts(`history: ${entry.message}`, entry) : entry
    const other = byLeaf.get(entry.leafIndex)
    if (other && canonicalize(other.document) !== canonicalize(entry.document))
      throw contradicts(`history: two signed records at leaf ${entry.leafIndex}`)
    byLeaf.set(entry.leafIndex, entry)
    return entry
  })
  return entries.sort((a, b) => (a.leafIndex < b.leafIndex ? -1 : 1))
}
