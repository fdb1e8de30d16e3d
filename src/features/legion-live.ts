// A live list beside one that a LEGION log signed: the log's own rule for what it observes, applied to what a server says now. What came of a
// list that was not read to its end can show that something is new or different, never that something is gone (DESIGN 9).
import { isArray, isObject, type JsonObject, type JsonValue } from "../core/json.js"
import type { ProvenDefinitions } from "../core/legion/archive.js"
import { compareLists, type ListComparison } from "../core/legion/check.js"
import { computeFingerprint, coverTools } from "../core/legion/fingerprint.js"
import type { LegionFingerprint } from "../core/legion/record.js"
import { surfaceItems } from "../core/section.js"
import type { Change } from "../core/verdict.js"
import type { ServerReading } from "../ports.js"
import { changesOfLists } from "./legion-changes.js"

/** The tools that a server listed, as fingerprints need them: integers are bigints. */
export interface LegionLiveList {
  readonly tools: readonly JsonValue[]
  /** Why the list was not read to its end; null where it was. */
  readonly incomplete: string | null
}

/** The tools of a reading. A server that declares none has an empty list. Throws SURFACE_MALFORMED. */
export function liveListOf({ surface, failures }: Pick<ServerReading, "surface" | "failures">): LegionLiveList {
  const tools = (surfaceItems(surface, "tools") ?? []).map(withBigIntegers)
  return { tools, incomplete: failures.tools?.message ?? null }
}

/** A reading does not keep how a number was spelled, and version 1 of the fingerprint hashes that: what has no fraction is taken for an
 *  integer. Beyond 2^53 a reading has integers as bigints already. */
function withBigIntegers(value: JsonValue): JsonValue {
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
  if (isArray(value)) return value.map(withBigIntegers)
  return isObject(value) ? mapMembers(value) : value
}

function mapMembers(object: JsonObject): JsonObject {
  const copy: Record<string, JsonValue> = Object.create(null)
  for (const name of Object.keys(object)) copy[name] = withBigIntegers(object[name] as JsonValue) // an own member
  return copy
}

/** What a live list is beside a signed one. `partial`: nothing else came, but not all of it. */
export interface LegionLiveComparison {
  readonly is: "same" | "other" | "partial"
  readonly changes: readonly Change[]
}

/** Compare a live list with a signed one. `definitions`: what the log's archive has of the signed one. Throws SURFACE_MALFORMED. */
export function compareLegionLive(
  live: LegionLiveList,
  p: { signed: LegionFingerprint; definitions: ProvenDefinitions | null },
): LegionLiveComparison {
  const { signed, definitions } = p
  const { tools, incomplete } = live
  const print = computeFingerprint({ tools, version: signed.version, rule: "observe" })
  const after = coverTools(tools, "observe")
  const texts = definitions && { before: definitions, after }
  const both = definitions && { pinned: definitions, served: after }
  const lists = compareLists({ pinned: signed, served: print, definitions: both })
  if (incomplete === null)
    return isSame(lists, signed) ? { is: "same", changes: [] } : { is: "other", changes: changesOfLists(lists, texts) }
  if (lists.added.length + lists.modified.length === 0) return { is: "partial", changes: [] }
  const before = new Map([...(definitions ?? [])].filter(([name]) => after.has(name)))
  return { is: "other", changes: changesOfLists({ ...lists, removed: [] }, texts && { before, after }) }
}

/** By the log's rule it is the hash that counts; but what version 1 hashes of a number, a reading does not have. */
const isSame = ({ status, note }: ListComparison, { version }: LegionFingerprint): boolean =>
  status === "match" && (note !== "respelled" || version === "v1")
