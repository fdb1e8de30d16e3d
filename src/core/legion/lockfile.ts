// LEGION's lockfile `mcp-tools-lock/0.1`, read and written as its own tools do: the same state gives the same bytes. Form only; what the
// evidence in it proves is verify-lockfile.ts's. Members that are not known here are kept. FORMAT.md, "LEGION dialect".
import { decodeUtf8 } from "../bytes.js"
import { type JsonObject, type JsonValue, MAX_JSON_BYTES, MAX_JSON_DEPTH } from "../json.js"
import {
  describe,
  malformed,
  malformedAt,
  memberPlace,
  readDocument,
  readInstant,
  readObject,
  readText,
  readTextOrNull,
} from "../lockfile-reader.js"
import { readCount } from "./json.js"
import { formatPythonJson } from "./python-json.js"
import { FINGERPRINT_ALGORITHMS, isHex64, type LegionRecord } from "./record.js"

/** The `format` of a LEGION lockfile. */
export const LEGION_LOCK_FORMAT = "mcp-tools-lock/0.1"

/** Which record and head a pin was taken from, as it says. */
export interface LegionPinnedFrom {
  readonly leafIndex: bigint
  readonly observedAt: string
  readonly treeSize: bigint
}

/** One server in a LEGION lockfile. `approved`: what somebody accepted of its list; nothing but the evidence backs it.
 *  `evidence`: `{record, inclusion, sth}` as served; null, with `pinnedFrom`, in entries that legion-guard
 *  wrote from what it saw itself. */
export interface LegionPin {
  readonly approved: JsonObject
  readonly evidence: JsonObject | null
  readonly pinnedFrom: LegionPinnedFrom | null
}

/** A LEGION lockfile; nothing of it is proven. */
export interface LegionLockfile {
  readonly base: string
  readonly origin: string
  /** Pin of the root key that the file claims: 64 hex digits. */
  readonly rootPin: string
  readonly keyring: string | null
  readonly servers: ReadonlyMap<string, LegionPin>
  /** All of it, as it was read: with members that are not known here and the spelling of every number. */
  readonly source: Uint8Array | string
}

/** Read a LEGION lockfile. Throws LOCKFILE_MALFORMED. */
export function parseLegionLockfile(input: Uint8Array | string): LegionLockfile {
  const document = readObject(readWritten(input) ?? readDocument(input), "")
  if (document.format !== LEGION_LOCK_FORMAT)
    throw malformed("format", `expected "${LEGION_LOCK_FORMAT}", got ${describe(document.format)}`)
  const log = readObject(document.log, "log")
  const servers = readObject(document.servers, "servers")
  return {
    base: readText(log, "base", "log"),
    origin: readText(log, "origin", "log"),
    rootPin: readHex64(log, "root_pin_sha256", "log"),
    keyring: readTextOrNull(document, "keyring", ""),
    servers: new Map(Object.keys(servers).map((id) => [id, parseLegionPin(servers[id], memberPlace("servers", id))])),
    source: input,
  }
}

const TOO_DEEP = `\n${" ".repeat(MAX_JSON_DEPTH + 1)}`
// A value of so many digits may be more than a double holds.
const LARGE_NUMBER = / -?[0-9]{16}/

/** True where JSON.stringify would hide what the strict reader refuses or tells apart. */
const isTricky = (text: string): boolean =>
  text.includes("\\ud") || text.includes("\\uD") || text.includes(TOO_DEEP) || LARGE_NUMBER.test(text)

/** The JSON of a file as LEGION's tools write it, or null for any other spelling, which the strict reader reads. What is written is what
 *  JSON.stringify writes: a text that comes back from it unchanged has no member twice, no number that is another one, and nothing else that
 *  the strict reader refuses. Native work is worth it for a file that a short process reads whole. Members of every object are its own, or
 *  of names that nobody asks for. */
function readWritten(input: Uint8Array | string): JsonValue | null {
  if (input.length > MAX_JSON_BYTES) return null
  const text = typeof input === "string" ? input : decodeUtf8(input, malformedAt(""))
  if (isTricky(text)) return null
  try {
    const value = JSON.parse(text) as JsonValue // without integers beyond 2^53, which would be other types
    return `${JSON.stringify(value, null, 1)}\n` === text ? value : null
  } catch {
    return null // the strict reader says why
  }
}

function parseLegionPin(value: JsonValue | undefined, at: string): LegionPin {
  const pin = readObject(value, at)
  const approved = readObject(pin.approved, `${at}.approved`)
  if (pin.evidence === undefined || pin.evidence === null) {
    readInstant(pin, "approved_at", at)
    return { approved, evidence: null, pinnedFrom: null }
  }
  readInstant(pin, "pinned_at", at)
  return {
    approved,
    evidence: readObject(pin.evidence, `${at}.evidence`),
    pinnedFrom: parsePinnedFrom(pin.pinned_from, `${at}.pinned_from`),
  }
}

function parsePinnedFrom(value: JsonValue | undefined, at: string): LegionPinnedFrom {
  const from = readObject(value, at)
  return {
    leafIndex: readSize(from, "leaf_index", at),
    observedAt: readText(from, "observed_at", at),
    treeSize: readSize(from, "tree_size", at),
  }
}

function readHex64(object: JsonObject, name: string, at: string): string {
  const value = object[name]
  if (!isHex64(value)) throw malformed(memberPlace(at, name), `expected 64 hex digits, got ${describe(value)}`)
  return value
}

function readSize(object: JsonObject, name: string, at: string): bigint {
  const size = readCount(object[name])
  if (size === null) throw malformed(memberPlace(at, name), `expected a count, got ${describe(object[name])}`)
  return size
}

/** Write a LEGION lockfile: members sorted by code point, one space of indent per level, a final newline. */
export const formatLegionLockfile = ({ source }: Pick<LegionLockfile, "source">): string =>
  formatDocument(readDocument(source, { integers: "bigint" }))

const formatDocument = (document: JsonValue): string => `${formatPythonJson(document, { sort: true, indent: true })}\n`

/** A lockfile without pins. */
export function createLegionLockfile(p: { base: string; origin: string; rootPin: string }): LegionLockfile {
  const log = { base: p.base, origin: p.origin, root_pin_sha256: p.rootPin }
  return parseLegionLockfile(formatDocument({ format: LEGION_LOCK_FORMAT, keyring: null, log, servers: {} }))
}

/** The lockfile with a server pinned to a record that was proven, as `legion-lock add` writes it: the keyring and the entry are replaced.
 *  `evidence`: members inclusion, record and sth as served, read by `parseBundle`. `pinnedAt`: `YYYY-MM-DDTHH:MM:SSZ`. Throws
 *  LOCKFILE_MALFORMED for what a reader would refuse. */
export function pinInLegionLockfile(
  lockfile: LegionLockfile,
  p: { record: LegionRecord; treeSize: bigint; evidence: JsonObject; keyring: string; pinnedAt: string },
): LegionLockfile {
  const { record, treeSize, evidence, keyring, pinnedAt } = p
  const document = readObject(readDocument(lockfile.source, { integers: "bigint" }), "")
  const pin: JsonObject = {
    approved: approvalOf(record),
    evidence,
    pinned_at: pinnedAt,
    pinned_from: { leaf_index: record.leafIndex, observed_at: record.observedAt, tree_size: treeSize },
  }
  const servers = withMember(readObject(document.servers, "servers"), record.serverId, pin)
  return parseLegionLockfile(formatDocument({ ...document, keyring, servers }))
}

function approvalOf({ fingerprint }: LegionRecord): JsonObject {
  const { version, sha256, tools } = fingerprint
  return {
    algo: FINGERPRINT_ALGORITHMS[version],
    tool_count: BigInt(tools.size),
    tools: Object.fromEntries(tools),
    tools_sha256: sha256,
  }
}

/** A copy with one member more or another one; nothing is inherited, so that any id is a name like others. */
const withMember = (object: JsonObject, name: string, value: JsonValue): JsonObject =>
  Object.assign(Object.create(null), object, Object.fromEntries([[name, value]]))
