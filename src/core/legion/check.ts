// The three comparisons of a pinned LEGION record with what its log serves now, on answers that were fetched already: history rewritten,
// fork, rollback; then the lists. Pure; what to ask for is `listNeeds`. FORMAT.md, "LEGION dialect".
import { canonicalize } from "../canonical.js"
import { ToolsumError } from "../errors.js"
import type { Hash } from "../hash.js"
import { isObject, type JsonObject } from "../json.js"
import type { ProvenDefinitions } from "./archive.js"
import type { LegionBundle } from "./bundle.js"
import { COVERED_MEMBERS, equalTables } from "./fingerprint.js"
import type { LegionKeyring } from "./keyring.js"
import { isHex64, type LegionFingerprint, type LegionRecord, requireRecord } from "./record.js"
import { type VerifiedTreeHead, verifyAppendOnly } from "./tree-head.js"
import { type ProvenEntry, verifyBundle } from "./verify-bundle.js"

/** A record that is in the log, and the head that shows it. */
export interface ProvenRecord {
  readonly record: LegionRecord
  readonly head: VerifiedTreeHead
}

/** The record of a proven entry. Throws PROOF_MALFORMED for a correction. */
export const provenRecord = ({ entry, head }: ProvenEntry): ProvenRecord => ({ record: requireRecord(entry), head })

/** How two signed lists differ. `fields` of a modified tool: those that differ, or null where only their hashes are known. */
export interface ListComparison {
  readonly status: "match" | "drift"
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly modified: readonly { readonly name: string; readonly fields: readonly string[] | null }[]
  /** `respelled`: other hashes of the same definitions; `unexplained`: another list by its hash, although no tool by its own differs. */
  readonly note: "respelled" | "unexplained" | null
}

/** The newest record of a server as the log serves it, and whose log only grew since the pin. */
export interface ServedRecord extends ProvenRecord {
  /** The log's unsigned word on newer observations without a head; null where it says nothing. */
  readonly newerUncovered: bigint | null
}

/** What else has to be fetched before `latest`, which is not proven yet, can be compared with a pin. `consistency`: sizes of a proof;
 *  `archives`: fingerprints whose definitions tell what changed. */
export function listNeeds(
  pinned: ProvenRecord,
  latest: LegionBundle,
): {
  readonly consistency: { readonly from: bigint; readonly to: bigint } | null
  readonly archives: readonly string[]
} {
  const from = pinned.head.size
  const to = latest.head.size
  const served = latest.record.tools_fingerprint
  const sha256 = isObject(served) ? served.sha256 : null
  const own = pinned.record.fingerprint.sha256
  return {
    consistency: from < to ? { from, to } : null,
    archives: isHex64(sha256) && sha256 !== own ? [own, sha256] : [],
  }
}

/** Prove the bundle that the log serves as the newest of a pinned server, and that the log only grew since. `proof`: the consistency proof
 *  between the two heads, empty where they have one size. Heads of several servers in one run are the caller's to compare, with
 *  `requireOneRootPerSize`. Throws as `verifyBundle` and `verifyAppendOnly`; LOG_ROLLBACK for a record older than the pinned one. */
export function checkLatest(p: {
  pinned: ProvenRecord
  latest: LegionBundle
  keyring: LegionKeyring
  proof: readonly Hash[]
}): ServedRecord {
  const { pinned, latest, keyring, proof } = p
  const { serverId, leafIndex } = pinned.record
  const served = provenRecord(verifyBundle({ bundle: latest, keyring, serverId }))
  verifyAppendOnly({ older: pinned.head, newer: served.head, proof })
  if (served.record.leafIndex < leafIndex) {
    const why = `the log serves leaf ${served.record.leafIndex} as the newest record, leaf ${leafIndex} is pinned`
    throw new ToolsumError("LOG_ROLLBACK", why)
  }
  return { ...served, newerUncovered: latest.newerUncovered }
}

/** Compare two signed lists. With the definitions of both sides it is their texts that count, else their hashes. Throws RECORD_INVALID where
 *  one fingerprint has two tables of tools. */
export function compareLists(p: {
  pinned: LegionFingerprint
  served: LegionFingerprint
  definitions: { readonly pinned: ProvenDefinitions; readonly served: ProvenDefinitions } | null
}): ListComparison {
  const { pinned, served, definitions } = p
  if (pinned.sha256 === served.sha256) {
    if (equalTables(pinned, served)) return { ...NO_DIFFERENCE, status: "match", note: null }
    throw new ToolsumError("RECORD_INVALID", `the log signed two tables of tools for the list ${pinned.sha256}`)
  }
  const found = definitions ? compareDefinitions(definitions) : compareTables(pinned, served)
  const { added, removed, modified } = found
  if (added.length + removed.length + modified.length > 0) return { ...found, status: "drift", note: null }
  return definitions
    ? { ...NO_DIFFERENCE, status: "match", note: "respelled" }
    : { ...NO_DIFFERENCE, status: "drift", note: "unexplained" }
}

type Differences = Pick<ListComparison, "added" | "removed" | "modified">

const NO_DIFFERENCE: Differences = { added: [], removed: [], modified: [] }

/** Hashes of version 1 say nothing beside those of another version: then every tool of both sides may have changed. */
function compareTables(pinned: LegionFingerprint, served: LegionFingerprint): Differences {
  const comparable = (pinned.version === "v1") === (served.version === "v1")
  return compareNamed(pinned.tools, served.tools, (name, before, after) =>
    comparable && before === after ? [] : [{ name, fields: null }],
  )
}

const compareDefinitions = ({
  pinned,
  served,
}: {
  pinned: ProvenDefinitions
  served: ProvenDefinitions
}): Differences =>
  compareNamed(pinned, served, (name, before, after) => {
    const fields = COVERED_MEMBERS.filter((member) => memberText(before, member) !== memberText(after, member))
    return fields.length === 0 ? [] : [{ name, fields }]
  })

/** Canonical, so that `1` and `1.0` are one value, and `1` and `true` are two. */
function memberText(tool: JsonObject, member: string): string | null {
  const value = tool[member]
  return value === undefined ? null : canonicalize(value)
}

function compareNamed<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  compare: (name: string, before: T, after: T) => ListComparison["modified"],
): Differences {
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    modified: [...before].flatMap(([name, value]) => {
      const now = after.get(name)
      return now === undefined ? [] : compare(name, value, now)
    }),
  }
}
