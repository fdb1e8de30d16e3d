// One log in a lockfile (DESIGN 7, formats 30, 31, 40): where it is, its keyring notes, its heads and the links between them. Only
// types and spellings are checked here; keyring, checkpoints and proofs stay text, and what they prove is judged in verify-log.ts.
import { MAX_DECIMAL } from "./bytes.js"
import { isOrigin, MAX_ORIGIN_BYTES } from "./checkpoint.js"
import type { JsonObject, JsonValue } from "./json.js"
import {
  checkMembers,
  describe,
  malformed,
  memberPlace,
  readBase64,
  readList,
  readObject,
  readText,
  readTextOrNull,
} from "./lockfile-reader.js"

/** The wire form of a log. */
export type LogDialect = "tlog-tiles" | "legion"

/** A log as a lockfile has it. `url`: https, or null when it can only be read on the machine that writes it. `keyring`: signed notes in
 *  order; of a log of dialect legion the one text of its keyring, and then `heads` and `links` are empty. `heads`: checkpoints by head key (`<size>-<16 hex of the root>`). `links`: consistency proofs in base64 by `<m>-<n>`. */
export interface LockedLog {
  readonly dialect: LogDialect
  readonly url: string | null
  readonly keyring: readonly string[]
  readonly heads: Readonly<Record<string, string>>
  readonly links: Readonly<Record<string, string>>
}

const MEMBERS = { required: ["dialect", "url", "keyring", "heads", "links"] }
const MAX_URL_CHARS = 2048
const URL_FORM = /^https:\/\/[!-~]+$/
const HEAD_KEY = /^(0|[1-9][0-9]{0,18})-[0-9a-f]{16}$/
const LINK_KEY = /^([1-9][0-9]{0,18})-([1-9][0-9]{0,18})$/

/** Read the logs of a lockfile by origin. Throws LOCKFILE_MALFORMED. */
export function parseLogs(value: JsonValue | undefined): Readonly<Record<string, LockedLog>> {
  const object = readObject(value, "logs")
  const logs: Record<string, LockedLog> = Object.create(null)
  for (const origin of Object.keys(object)) {
    const at = memberPlace("logs", origin)
    if (!isOrigin(origin)) throw malformed(at, `expected an origin of 1 to ${MAX_ORIGIN_BYTES} bytes on one line`)
    logs[origin] = parseLog(object[origin], at)
  }
  return logs
}

/** A log as JSON; the inverse of one member of `parseLogs`. */
export const formatLog = ({ dialect, url, keyring, heads, links }: LockedLog): JsonObject => ({
  dialect,
  url,
  keyring,
  heads,
  links,
})

function parseLog(value: JsonValue | undefined, at: string): LockedLog {
  const object = readObject(value, at)
  checkMembers(object, at, MEMBERS)
  const { dialect } = object
  if (dialect !== "tlog-tiles" && dialect !== "legion")
    throw malformed(`${at}.dialect`, `expected "tlog-tiles" or "legion", got ${describe(dialect)}`)
  return {
    dialect,
    url: parseUrl(object, at),
    keyring: parseKeyringNotes(object.keyring, dialect, `${at}.keyring`),
    heads: dialect === "legion" ? parseNone(object.heads, `${at}.heads`) : parseHeads(object.heads, `${at}.heads`),
    links: dialect === "legion" ? parseNone(object.links, `${at}.links`) : parseLinks(object.links, `${at}.links`),
  }
}

/** Heads of a log of dialect legion are in its pins. */
function parseNone(value: JsonValue | undefined, at: string): Readonly<Record<string, string>> {
  if (Object.keys(readObject(value, at)).length > 0) throw malformed(at, "expected none in a log of dialect legion")
  return {}
}

function parseUrl(object: JsonObject, at: string): string | null {
  const url = readTextOrNull(object, "url", at)
  if (url !== null && (url.length > MAX_URL_CHARS || !URL_FORM.test(url)))
    throw malformed(`${at}.url`, `expected an https URL or null, got ${describe(url)}`)
  return url
}

function parseKeyringNotes(value: JsonValue | undefined, dialect: LogDialect, at: string): readonly string[] {
  const notes = readList(value, at)
  if (notes.length === 0) throw malformed(at, "expected one keyring or more, got none")
  if (notes.length > 1 && dialect === "legion") throw malformed(at, `expected one keyring, got ${notes.length}`)
  notes.forEach((note, i) => {
    if (typeof note !== "string")
      throw malformed(`${at}[${i}]`, `expected the text of a keyring, got ${describe(note)}`)
  })
  return notes as readonly string[] // every element was checked just now
}

function parseHeads(value: JsonValue | undefined, at: string): Readonly<Record<string, string>> {
  const object = readObject(value, at)
  for (const key of Object.keys(object)) {
    const size = HEAD_KEY.exec(key)?.[1]
    if (size === undefined || BigInt(size) > MAX_DECIMAL)
      throw malformed(memberPlace(at, key), "expected a size, - and 16 lower-case hex digits as the key of a head")
    readText(object, key, at)
  }
  return object as Readonly<Record<string, string>> // every member was checked just now
}

function parseLinks(value: JsonValue | undefined, at: string): Readonly<Record<string, string>> {
  const object = readObject(value, at)
  for (const key of Object.keys(object)) {
    const [, older, newer] = LINK_KEY.exec(key) ?? []
    if (older === undefined || newer === undefined || BigInt(older) >= BigInt(newer) || BigInt(newer) > MAX_DECIMAL)
      throw malformed(memberPlace(at, key), "expected two sizes m-n with 0 < m < n as the key of a link")
    readBase64(object, key, at)
  }
  return object as Readonly<Record<string, string>> // every member was checked just now
}
