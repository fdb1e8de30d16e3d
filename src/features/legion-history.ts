// `history` of one server in a LEGION log: its signed entries, each with its signature checked and, as far as the log gives proofs, its place in
// the tree. History is served without proof that it is whole: what it lacks is named, what nobody signed counts for nothing.
import type { LegionClient, ServedBundle } from "../client/legion-log.js"
import { canonicalize } from "../core/canonical.js"
import { attempt, ToolsumError } from "../core/errors.js"
import type { JsonObject } from "../core/json.js"
import { readCount } from "../core/legion/json.js"
import type { LegionCorrection, LegionRecord } from "../core/legion/record.js"
import { verifySignedEntry } from "../core/legion/verify-bundle.js"

/** One signed entry. `isProven`: the log showed that it is under the head of the newest record. */
export interface LegionHistoryEntry {
  readonly entry: LegionRecord | LegionCorrection
  readonly isProven: boolean
}

/** What a log has of a server, as far as it shows it. */
export interface LegionHistory {
  readonly serverId: string
  /** The newest record, proven. */
  readonly newest: ServedBundle
  /** Signed entries by leaf, the newest record among them. */
  readonly entries: readonly LegionHistoryEntry[]
  /** What came and counts for nothing: not signed, of another server, of an unknown kind. `leaf`: as it says; null where it does not. */
  readonly ignored: readonly { readonly leaf: bigint | null; readonly why: string }[]
  /** Leaves that a record names as the one before it and that did not come. */
  readonly missing: readonly bigint[]
}

/** Proofs that are asked for unless a caller has another bound: the log limits questions to about one a second. */
export const MAX_HISTORY_PROOFS = 40

/** Read the history of the server whose newest record is `newest`. `proofs`: how many entries, the newest first, are proven to be in the
 *  tree; a record that is newer than `newest` always is. Throws LOG_INCONSISTENT for two signed entries at one leaf, LOG_ROLLBACK for a newest
 *  record that is not, INCLUSION_INVALID for a signed entry that is not in the tree, and what asking throws. */
export async function readLegionHistory(
  log: LegionClient,
  { serverId, newest, proofs = MAX_HISTORY_PROOFS }: { serverId: string; newest: ServedBundle; proofs?: number },
): Promise<LegionHistory> {
  const served = await log.history(serverId)
  const { byLeaf, ignored } = sortOut(served, { log, serverId, newest })
  const leaves = [...byLeaf.keys()].sort((a, b) => (a < b ? -1 : 1))
  const entries: LegionHistoryEntry[] = []
  for (const [i, leaf] of leaves.entries()) {
    const entry = byLeaf.get(leaf)
    if (!entry) continue
    const isNewer = entry.kind === "record" && leaf > newest.record.leafIndex
    const isAsked = isNewer || leaves.length - i <= proofs
    entries.push({ entry, isProven: await isInTree(entry, { log, newest, isAsked }) })
    if (isNewer && entries.at(-1)?.isProven) throw omitted(newest.record, entry)
  }
  return { serverId, newest, entries, ignored, missing: findMissing(byLeaf) }
}

type Entry = LegionRecord | LegionCorrection

/** Signed entries by leaf, and the rest. */
function sortOut(
  served: readonly JsonObject[],
  { log, serverId, newest }: { log: LegionClient; serverId: string; newest: ServedBundle },
): { byLeaf: ReadonlyMap<bigint, Entry>; ignored: LegionHistory["ignored"] } {
  const byLeaf = new Map<bigint, Entry>([[newest.record.leafIndex, newest.record]])
  const ignored: { leaf: bigint | null; why: string }[] = []
  for (const record of served) {
    const entry = attempt(() => verifySignedEntry({ record, keyring: log.keyring, serverId }))
    if (entry instanceof ToolsumError) {
      ignored.push({ leaf: readCount(record.leaf_index), why: entry.message })
      continue
    }
    const other = byLeaf.get(entry.leafIndex)
    if (other && canonicalize(other.document) !== canonicalize(entry.document))
      throw new ToolsumError("LOG_INCONSISTENT", `fork: the log signed two entries for leaf ${entry.leafIndex}`, {
        evidence: { entry: canonicalize(other.document), other: canonicalize(entry.document) },
      })
    byLeaf.set(entry.leafIndex, entry)
  }
  return { byLeaf, ignored }
}

/** True for an entry that the log proves to be under the head of the newest record; false where it was not asked, or gives no proof. */
async function isInTree(
  { document, leafIndex, serverId }: Entry,
  { log, newest, isAsked }: { log: LegionClient; newest: ServedBundle; isAsked: boolean },
): Promise<boolean> {
  if (leafIndex === newest.record.leafIndex) return true
  return isAsked && (await log.proveEntry({ record: document, serverId, head: newest.head })) !== null
}

const omitted = (newest: LegionRecord, entry: Entry) =>
  new ToolsumError(
    "LOG_ROLLBACK",
    `the log serves leaf ${newest.leafIndex} as the newest record, and leaf ${entry.leafIndex} of the same server is in its tree`,
    { evidence: { newest: canonicalize(newest.document), newer: canonicalize(entry.document) } },
  )

/** Each record names the one before it, so that a gap in the middle shows. */
function findMissing(byLeaf: ReadonlyMap<bigint, Entry>): readonly bigint[] {
  const named = [...byLeaf.values()].flatMap(({ document }) => readCount(document.prev_leaf_index) ?? [])
  return [...new Set(named)].filter((leaf) => !byLeaf.has(leaf)).sort((a, b) => (a < b ? -1 : 1))
}
