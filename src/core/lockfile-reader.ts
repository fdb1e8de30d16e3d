// What the readers of a lockfile's parts share: exact members, types and spellings, with messages that name the place in the file,
// what was expected and what came (formats 28, 29). Everything throws LOCKFILE_MALFORMED.
import { decodeUtf8, parseBase64 } from "./bytes.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { type Digest, isDigest } from "./hash.js"
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonOptions,
  type JsonValue,
  MAX_JSON_BYTES,
  parseJson,
} from "./json.js"

/** The error at a place such as `servers.memory.index`; the whole file is the empty text. */
export const malformed = (at: string, why: string): ToolsumError =>
  new ToolsumError("LOCKFILE_MALFORMED", at === "" ? why : `${at}: ${why}`)

/** `malformed` at a fixed place, for codecs. */
export const malformedAt =
  (at: string): Bad =>
  (why) =>
    malformed(at, why)

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** The place of a member: `servers.memory`, or `logs["log.example.com/t"]` where the name is not plain. */
export function memberPlace(at: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${at}[${quote(name)}]`
  return at === "" ? name : `${at}.${name}`
}

/** What came, for a message: its JSON type, and the value where that is short. */
export function describe(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing"
  if (isArray(value)) return "a list"
  if (isObject(value)) return "an object"
  return typeof value === "string" ? quote(value, 40) : String(value)
}

/** The JSON of a lockfile; for git's conflict markers the message says just that. */
export function readDocument(input: Uint8Array | string, options: JsonOptions = {}): JsonValue {
  try {
    return parseJson(input, options)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    const conflict = hasConflictMarker(input)
    const why = conflict ? "expected no conflict markers of git (<<<<<<<): merge the two versions first" : error.message
    throw new ToolsumError("LOCKFILE_MALFORMED", why, { cause: error })
  }
}

/** Well-formed JSON has no seven `<`, `=` or `>` at the start of a line: a line feed is never raw in a string. */
function hasConflictMarker(input: Uint8Array | string): boolean {
  if (input.length > MAX_JSON_BYTES) return false
  const text = typeof input === "string" ? input : decodeUtf8(input, malformedAt(""))
  return /^(?:<{7}|={7}|>{7})(?: |\r?$)/m.test(text)
}

/** An object. */
export function readObject(value: JsonValue | undefined, at: string): JsonObject {
  if (!isObject(value)) throw malformed(at, `expected an object, got ${describe(value)}`)
  return value
}

/** A list. */
export function readList(value: JsonValue | undefined, at: string): readonly JsonValue[] {
  if (!isArray(value)) throw malformed(at, `expected a list, got ${describe(value)}`)
  return value
}

/** Refuse missing members, and members beyond `required` and `optional`. */
export function checkMembers(
  object: JsonObject,
  at: string,
  members: { readonly required: readonly string[]; readonly optional?: readonly string[] },
): void {
  const { required, optional = [] } = members
  const missing = required.find((name) => object[name] === undefined)
  if (missing !== undefined) throw malformed(at, `expected member ${quote(missing)}`)
  const known = required.length + optional.filter((name) => object[name] !== undefined).length
  const names = Object.keys(object)
  if (names.length === known) return
  const unknown = names.find((name) => !required.includes(name) && !optional.includes(name)) ?? ""
  throw malformed(at, `expected no member ${quote(unknown)}: this version does not know it`)
}

/** A member that is text. */
export function readText(object: JsonObject, name: string, at: string): string {
  const value = object[name]
  if (typeof value !== "string") throw malformed(memberPlace(at, name), `expected text, got ${describe(value)}`)
  return value
}

/** A member that is text or null. */
export const readTextOrNull = (object: JsonObject, name: string, at: string): string | null =>
  object[name] === null ? null : readText(object, name, at)

/** A member that is a digest. */
export function readDigest(object: JsonObject, name: string, at: string): Digest {
  const text = readText(object, name, at)
  if (!isDigest(text))
    throw malformed(memberPlace(at, name), `expected sha256: and 64 hex digits, got ${describe(text)}`)
  return text
}

/** A member that is base64. */
export const readBase64 = (object: JsonObject, name: string, at: string): Uint8Array =>
  parseBase64(readText(object, name, at), malformedAt(memberPlace(at, name)))

const INSTANT = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/

/** True for an instant, `YYYY-MM-DDTHH:MM:SSZ`, on a day that exists. */
export const isInstant = (text: string): boolean => INSTANT.test(text) && (text.slice(8, 10) <= "28" || isDay(text))

/** A member that is an instant. */
export function readInstant(object: JsonObject, name: string, at: string): string {
  const text = readText(object, name, at)
  if (!isInstant(text)) throw malformed(memberPlace(at, name), `expected YYYY-MM-DDTHH:MM:SSZ, got ${describe(text)}`)
  return text
}

/** False for a day past the end of its month. */
function isDay(instant: string): boolean {
  const [year = 0, month = 0, day = 0] = instant.slice(0, 10).split("-").map(Number)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31)
}
