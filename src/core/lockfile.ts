// The lockfile `toolsum-lock/v1` (DESIGN 7, formats 28 to 40): JSON with logs, pins and what was removed. The reader refuses what it
// does not know, unknown members included; what a hash, a signature or a rule refutes is verify-lockfile.ts's, so that it is REJECTED
// and not malformed. Its parts are lockfile-log.ts and lockfile-pin.ts.
import { quote } from "./errors.js"
import type { JsonObject, JsonValue } from "./json.js"
import { formatLog, type LockedLog, parseLogs } from "./lockfile-log.js"
import { formatPin, type Pin, parsePin } from "./lockfile-pin.js"
import {
  checkMembers,
  describe,
  malformed,
  memberPlace,
  readDocument,
  readInstant,
  readObject,
  readText,
  readTextOrNull,
} from "./lockfile-reader.js"
import { isPinName } from "./pin.js"
import { formatPrettyJson } from "./pretty-json.js"

export type { LockedLog, LogDialect } from "./lockfile-log.js"
export type { Approval, ItemDigests, Pin, PinOrigin } from "./lockfile-pin.js"

/** The `format` of a lockfile. */
export const LOCKFILE_FORMAT = "toolsum-lock/v1"

/** Who removed a pin, when (`YYYY-MM-DDTHH:MM:SSZ`) and why. */
export interface Removal {
  readonly at: string
  readonly by: string
  readonly reason: string | null
}

/** A parsed lockfile: well-formed, its names of logs and heads lead somewhere; nothing of it is proven. Logs go by origin, pins and
 *  removals by pin name, and no name is in both. */
export interface Lockfile {
  readonly format: typeof LOCKFILE_FORMAT
  readonly logs: Readonly<Record<string, LockedLog>>
  readonly servers: Readonly<Record<string, Pin>>
  readonly removed: Readonly<Record<string, Removal>>
}

const MEMBERS = { required: ["format", "logs", "servers", "removed"] }
const REMOVAL = { required: ["at", "by", "reason"] }

/** Read a lockfile; any order and white space. The message names the place in the file, what was expected and what came; for a newer
 *  format and for git's conflict markers it says just that. Throws LOCKFILE_MALFORMED. */
export function parseLockfile(input: Uint8Array | string): Lockfile {
  const object = readObject(readDocument(input), "")
  checkFormat(object.format)
  checkMembers(object, "", MEMBERS)
  const logs = parseLogs(object.logs)
  const servers = parseNamed(object.servers, "servers", (value, at) => parsePin(value, logs, at))
  const removed = parseNamed(object.removed, "removed", parseRemoval)
  for (const name in removed) {
    if (name in servers) throw malformed(memberPlace("removed", name), "expected no pin of this name in servers")
  }
  return { format: LOCKFILE_FORMAT, logs, servers, removed }
}

/** Write a lockfile in its one written form: two spaces, sorted members, invisible characters escaped, a final newline.
 *  `parseLockfile` gives the same lockfile back, with sorted masks. */
export function formatLockfile({ format, logs, servers, removed }: Lockfile): string {
  const value = {
    format,
    logs: mapMembers(logs, formatLog),
    servers: mapMembers(servers, formatPin),
    removed: mapMembers(removed, ({ at, by, reason }) => ({ at, by, reason })),
  }
  return `${formatPrettyJson(value)}\n`
}

function checkFormat(format: JsonValue | undefined): void {
  if (format === LOCKFILE_FORMAT) return
  if (typeof format !== "string")
    throw malformed("format", `expected ${quote(LOCKFILE_FORMAT)}, got ${describe(format)}`)
  throw malformed(
    "format",
    `expected ${quote(LOCKFILE_FORMAT)}, got ${quote(format)}: a newer format than this version reads`,
  )
}

/** Members whose names are pin names. */
function parseNamed<T>(
  value: JsonValue | undefined,
  at: string,
  parse: (value: JsonValue | undefined, at: string) => T,
): Readonly<Record<string, T>> {
  const object = readObject(value, at)
  const members: Record<string, T> = Object.create(null)
  for (const name of Object.keys(object)) {
    const place = memberPlace(at, name)
    if (!isPinName(name)) throw malformed(place, "expected a pin name: a-z, 0-9 and . _ - after the first, at most 64")
    members[name] = parse(object[name], place)
  }
  return members
}

function parseRemoval(value: JsonValue | undefined, at: string): Removal {
  const object = readObject(value, at)
  checkMembers(object, at, REMOVAL)
  return {
    at: readInstant(object, "at", at),
    by: readText(object, "by", at),
    reason: readTextOrNull(object, "reason", at),
  }
}

function mapMembers<T>(members: Readonly<Record<string, T>>, format: (value: T) => JsonObject): JsonObject {
  const object: Record<string, JsonValue> = Object.create(null)
  for (const [name, value] of Object.entries(members)) object[name] = format(value)
  return object
}
