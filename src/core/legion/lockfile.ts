// LEGION's lockfile `mcp-tools-lock/0.1`, read and written as its own tools do: the same state gives the same bytes. Form only; what the
// evidence in it proves is verify-lockfile.ts's. Members that are not known here are kept. FORMAT.md, "LEGION dialect".
import { isObject, type JsonObject, type JsonValue } from "../json.js"
import {
  describe,
  malformed,
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

/** What somebody accepted of a list; nothing in the file but its evidence backs it. `tools`: hash by name. */
export interface LegionApproval {
  readonly algo: string
  readonly sha256: string
  readonly toolCount: bigint
  readonly tools: ReadonlyMap<string, string>
}

/** Which record and head a pin was taken from, as it says. */
export interface LegionPinnedFrom {
  readonly leafIndex: bigint
  readonly observedAt: string
  readonly treeSize: bigint
}

/** One server in a LEGION lockfile. `evidence`: `{record, inclusion, sth}` as served; null, with `pinnedFrom`, in entries that legion-guard
 *  wrote from what it saw itself. */
export interface LegionPin {
  readonly approved: LegionApproval
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
  /** All of it, with members that are not known here. */
  readonly document: JsonObject
}

/** Read a LEGION lockfile. Throws LOCKFILE_MALFORMED. */
export function parseLegionLockfile(input: Uint8Array | string): LegionLockfile {
  const document = readObject(readDocument(input, { integers: "bigint" }), "")
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
    document,
  }
}

function parseLegionPin(value: JsonValue | undefined, at: string): LegionPin {
  const pin = readObject(value, at)
  const approved = parseApproval(pin.approved, `${at}.approved`)
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

function parseApproval(value: JsonValue | undefined, at: string): LegionApproval {
  const approved = readObject(value, at)
  const tools = readObject(approved.tools, `${at}.tools`)
  const names = Object.keys(tools)
  return {
    algo: readText(approved, "algo", at),
    sha256: readHex64(approved, "tools_sha256", at),
    toolCount: readSize(approved, "tool_count", at),
    tools: new Map(names.map((name) => [name, readHex64(tools, name, `${at}.tools`)])),
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
export const formatLegionLockfile = ({ document }: LegionLockfile): string =>
  `${formatPythonJson(document, { sort: true, indent: true })}\n`

/** A lockfile without pins. */
export const createLegionLockfile = (log: { base: string; origin: string; rootPin: string }): LegionLockfile => ({
  ...log,
  keyring: null,
  servers: new Map(),
  document: {
    format: LEGION_LOCK_FORMAT,
    keyring: null,
    log: { base: log.base, origin: log.origin, root_pin_sha256: log.rootPin },
    servers: {},
  },
})

/** The lockfile with `serverId` pinned to a record that was proven, as `legion-lock add` writes it: the keyring and the entry are replaced.
 *  `evidence`: members inclusion, record and sth as served. `pinnedAt`: `YYYY-MM-DDTHH:MM:SSZ`. Throws LOCKFILE_MALFORMED for what a reader
 *  would refuse. */
export function pinInLegionLockfile(
  lockfile: LegionLockfile,
  p: { record: LegionRecord; treeSize: bigint; evidence: JsonObject; keyring: string; pinnedAt: string },
): LegionLockfile {
  const { record, treeSize, evidence, keyring, pinnedAt } = p
  const pin: JsonObject = {
    approved: approvalOf(record),
    evidence,
    pinned_at: pinnedAt,
    pinned_from: { leaf_index: record.leafIndex, observed_at: record.observedAt, tree_size: treeSize },
  }
  const read = parseLegionPin(pin, memberPlace("servers", record.serverId))
  const servers = new Map(lockfile.servers).set(record.serverId, read)
  const entries = isObject(lockfile.document.servers) ? lockfile.document.servers : {}
  const document = { ...lockfile.document, keyring, servers: withMember(entries, record.serverId, pin) }
  return { ...lockfile, keyring, servers, document }
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
