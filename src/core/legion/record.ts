// What a LEGION log's entries say: a record of one server's tool list, or a correction that takes an earlier change back. Read only after
// signature and inclusion were checked, so that what is wrong here is the log's own doing. FORMAT.md, "LEGION dialect".
import { compareUtf8 } from "../bytes.js"
import { type Bad, quote, ToolsumError } from "../errors.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../json.js"
import { readCount } from "./json.js"
import { parseTime } from "./time.js"

/** Schema of a record. */
export const RECORD_SCHEMA = "legion-mcp-tlog-record/0.1"
/** Schema of a correction. */
export const CORRECTION_SCHEMA = "legion-mcp-tlog-correction/0.1"

/** How a fingerprint is computed. */
export type FingerprintVersion = "v1" | "v2" | "v3"

/** The `algo` of each version, exactly. */
export const FINGERPRINT_ALGORITHMS: Readonly<Record<FingerprintVersion, string>> = {
  v1: "sha256(canon(sorted[{name,description,inputSchema}]))/v1",
  v2: "sha256(JCS-RFC8785(sorted[{name,description,inputSchema}]))/v2",
  v3: "sha256(JCS-RFC8785+exact-bigint(sorted[{name,description,inputSchema}]))/v3",
}

/** The version that an `algo` means, or null: a text that only looks alike is another algorithm. */
export const fingerprintVersion = (algo: JsonValue | undefined): FingerprintVersion | null =>
  (["v1", "v2", "v3"] as const).find((version) => FINGERPRINT_ALGORITHMS[version] === algo) ?? null

/** Fingerprint of a tool list. `sha256`: 64 hex digits over the whole list; `tools`: the same over each tool, by name, in code point order. */
export interface LegionFingerprint {
  readonly version: FingerprintVersion
  readonly sha256: string
  readonly tools: ReadonlyMap<string, string>
}

interface Entry {
  readonly leafIndex: bigint
  readonly serverId: string
  readonly observedAt: string
  /** POSIX seconds of `observedAt`. */
  readonly observedSec: bigint
  /** As served, other members included. */
  readonly document: JsonObject
}

/** What was seen of one server once. */
export interface LegionRecord extends Entry {
  readonly kind: "record"
  readonly fingerprint: LegionFingerprint
}

/** The log's word that a change at an earlier leaf was none. */
export interface LegionCorrection extends Entry {
  readonly kind: "correction"
  readonly correctsLeafIndex: bigint
  readonly artifact: "array_order" | "number_format"
}

const invalid: Bad = (why) => new ToolsumError("RECORD_INVALID", why)
const newer: Bad = (why) => new ToolsumError("RECORD_MALFORMED", `${why}: a newer toolsum may know it`)

const HEX64 = /^[0-9a-f]{64}$/

/** True for 64 lower-case hex digits. */
export const isHex64 = (value: JsonValue | undefined): value is string => typeof value === "string" && HEX64.test(value)

/** Read a proven entry. Throws RECORD_INVALID for one that breaks its own rules, RECORD_MALFORMED for a schema or fingerprint algorithm that
 *  this version does not know. */
export function parseLegionEntry(document: JsonObject): LegionRecord | LegionCorrection {
  const { schema } = document
  if (schema === RECORD_SCHEMA)
    return { ...readEntry(document), kind: "record", fingerprint: readFingerprint(document) }
  if (schema === CORRECTION_SCHEMA) return readCorrection(document)
  throw newer(`expected ${RECORD_SCHEMA}, got ${typeof schema === "string" ? quote(schema) : "no schema"}`)
}

/** The record among the entries; a correction has no list to compare with. Throws PROOF_MALFORMED for one. */
export function requireRecord(entry: LegionRecord | LegionCorrection): LegionRecord {
  if (entry.kind === "record") return entry
  throw new ToolsumError("PROOF_MALFORMED", `leaf ${entry.leafIndex} is a correction, which has no list of tools`)
}

function readEntry(document: JsonObject): Entry {
  const { leaf_index: index, server_id: serverId, observed_at: observedAt } = document
  const leafIndex = readCount(index)
  if (leafIndex === null) throw invalid("expected a leaf index")
  if (typeof serverId !== "string") throw invalid("expected a server id")
  const observedSec = typeof observedAt === "string" ? parseTime(observedAt) : null
  if (typeof observedAt !== "string" || observedSec === null) throw invalid("expected the time of the observation")
  return { leafIndex, serverId, observedAt, observedSec, document }
}

function readCorrection(document: JsonObject): LegionCorrection {
  const entry = readEntry(document)
  const { kind, artifact } = document
  const correctsLeafIndex = readCount(document.corrects_leaf_index)
  if (kind !== "canonicalization_artifact") throw invalid("expected the kind canonicalization_artifact")
  if (artifact !== "array_order" && artifact !== "number_format") throw invalid("expected array_order or number_format")
  if (correctsLeafIndex === null || correctsLeafIndex >= entry.leafIndex)
    throw invalid("expected the index of an earlier leaf")
  return { ...entry, kind: "correction", correctsLeafIndex, artifact }
}

function readFingerprint({ tools_fingerprint: print }: JsonObject): LegionFingerprint {
  if (!isObject(print)) throw invalid("expected the fingerprint of a list")
  const version = fingerprintVersion(print.algo)
  if (version === null)
    throw newer(`expected a known fingerprint, got ${typeof print.algo === "string" ? quote(print.algo) : "none"}`)
  if (!isHex64(print.sha256)) throw invalid("expected a fingerprint of 64 hex digits")
  const tools = readTable(print.per_tool_sha256)
  if (readCount(print.tool_count) !== BigInt(tools.size)) throw invalid(`expected ${tools.size} as the count of tools`)
  return { version, sha256: print.sha256, tools }
}

/** Names ascend by code point, none twice. */
function readTable(value: JsonValue | undefined): ReadonlyMap<string, string> {
  if (!isArray(value)) throw invalid("expected a hash of each tool")
  const table = new Map<string, string>()
  let last: string | null = null
  for (const pair of value) {
    if (!isArray(pair) || pair.length !== 2) throw invalid("expected a name and a hash of each tool")
    const name = pair[0]
    const hash = pair[1]
    if (typeof name !== "string" || !isHex64(hash)) throw invalid("expected a name and 64 hex digits")
    if (last !== null && compareUtf8(last, name) >= 0)
      throw invalid(`expected names in order, got ${quote(name)} after ${quote(last)}`)
    table.set(name, hash)
    last = name
  }
  return table
}
