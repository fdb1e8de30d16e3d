// Archived texts of a log (DESIGN 6, formats 21): section texts, canonical items, instructions, server information. Untrusted: an
// object counts only if it hashes to the digest it was asked for, and that digest comes from a proven record. May be absent.
import { decodeUtf8, formatHex } from "../core/bytes.js"
import { attempt, quote, ToolsumError } from "../core/errors.js"
import { type Digest, isDigest, sha256 } from "../core/hash.js"
import { type JsonValue, MAX_JSON_BYTES, parseJson } from "../core/json.js"
import {
  parseSectionText,
  SECTION_NAMES,
  type SectionName,
  type Surface,
  type SurfaceLines,
  surfaceMember,
} from "../core/section.js"
import type { LogSource } from "../ports.js"

/** What the archive has of a record's surface. Items are the masked ones when the record has masks. */
export interface ArchivedSurface {
  /** null where nothing was declared, asked for, or found. */
  readonly surface: Surface
  /** Members of the surface that the record has a digest for and the archive has not, or not all of. */
  readonly missing: readonly (keyof Surface)[]
}

const READS_AT_ONCE = 16

/** Path of an object below public/. */
export const objectPath = (digest: Digest): string => {
  const hex = digest.slice("sha256:".length)
  return `objects/${hex.slice(0, 2)}/${hex}`
}

/** The bytes whose SHA-256 is `digest`, or null when the log does not have them. Throws HASH_MISMATCH for other bytes, LOG_UNAVAILABLE. */
export async function fetchObject(source: LogSource, digest: Digest): Promise<Uint8Array | null> {
  const path = objectPath(digest)
  const bytes = await source.read(path, MAX_JSON_BYTES)
  if (bytes !== null && `sha256:${formatHex(sha256(bytes))}` !== digest) {
    throw new ToolsumError("HASH_MISMATCH", `${path} of ${quote(source.location)} does not hash to its name`)
  }
  return bytes
}

/** What a record's lines are digests of, as far as the archive has it. A text that is what was recorded and yet no item, or no list of items,
 *  counts as missing: nothing can be said of it. Throws HASH_MISMATCH, LOG_UNAVAILABLE. */
export async function fetchArchivedSurface(source: LogSource, lines: SurfaceLines): Promise<ArchivedSurface> {
  const missing: (keyof Surface)[] = []
  const keep = (member: keyof Surface, value: JsonValue | undefined): JsonValue => {
    if (value === undefined) missing.push(member)
    return value ?? null
  }
  const lists: Partial<Record<keyof Surface, JsonValue>> = {}
  for (const section of SECTION_NAMES) {
    const member = surfaceMember(section)
    lists[member] = keep(member, await fetchItems(source, lines[section]))
  }
  const { tools = null, prompts = null, resourceTemplates = null, resources = null } = lists
  const instructions = keep("instructions", await fetchValue(source, lines.instructions))
  const serverInfo = keep("serverInfo", await fetchValue(source, lines.server))
  return { surface: { instructions, tools, prompts, resourceTemplates, resources, serverInfo }, missing }
}

/** Section texts of the lists that have one, as far as the log has them; that of an empty list is empty. What is none counts as missing. Throws
 *  HASH_MISMATCH, LOG_UNAVAILABLE. */
export async function fetchSectionTexts(
  source: LogSource,
  lines: SurfaceLines,
): Promise<Readonly<Partial<Record<SectionName, string>>>> {
  const read = SECTION_NAMES.map(async (section) => {
    const [count = "", digest = ""] = lines[section].split(" ")
    const text = count === "0" ? "" : isDigest(digest) ? await fetchText(source, digest) : null
    return text === null ? [] : [[section, text] as const]
  })
  return Object.fromEntries((await Promise.all(read)).flat())
}

/** A section text that can be read as one, else null. */
async function fetchText(source: LogSource, digest: Digest): Promise<string | null> {
  const bytes = await fetchObject(source, digest)
  if (bytes === null) return null
  const text = attempt(() => decodeUtf8(bytes, (why) => new ToolsumError("RECORD_INVALID", `section text: ${why}`)))
  if (text instanceof ToolsumError) return null
  return attempt(() => parseSectionText(text)) instanceof ToolsumError ? null : text
}

/** A JSON value by its digest, undefined where there is none that can be read. Throws HASH_MISMATCH, LOG_UNAVAILABLE. */
export async function fetchJson(source: LogSource, digest: Digest): Promise<JsonValue | undefined> {
  const bytes = await fetchObject(source, digest)
  const value = bytes === null ? undefined : attempt(() => parseJson(bytes))
  return value instanceof ToolsumError ? undefined : value
}

/** A JSON value by its line, null for `none` and `-`, undefined when it is not archived. */
async function fetchValue(source: LogSource, line: string): Promise<JsonValue | undefined> {
  return isDigest(line) ? fetchJson(source, line) : null
}

/** The items of a section line such as `9 sha256:…`, in the order of the section text; undefined when one is not archived. */
async function fetchItems(source: LogSource, line: string): Promise<readonly JsonValue[] | null | undefined> {
  const [count = "", digest = ""] = line.split(" ")
  if (!isDigest(digest)) return null
  // The empty text is not stored.
  const text = count === "0" ? "" : await fetchText(source, digest)
  if (text === null) return undefined
  const digests = parseSectionText(text).map((item) => item.digest)
  const items: JsonValue[] = []
  for (let at = 0; at < digests.length; at += READS_AT_ONCE) {
    const read = await Promise.all(digests.slice(at, at + READS_AT_ONCE).map((item) => fetchValue(source, item)))
    for (const item of read) if (item !== undefined) items.push(item)
    if (items.length < Math.min(at + READS_AT_ONCE, digests.length)) return undefined
  }
  return items
}

/** Longest objects together that are remembered. */
const MAX_REMEMBERED_BYTES = 64 * 1024 * 1024

/** The log with its objects read once each: records of one stream share most of them. What does not hash to its name, or does not come, counts
 *  as absent, and `onMissing` is told: `object_wrong:<path>` or `objects_unavailable`. */
export function rememberObjects(source: LogSource, onMissing: (warning: string) => void): LogSource {
  const known = new Map<string, Promise<Uint8Array | null>>()
  let total = 0
  const read = async (path: string, maxBytes: number): Promise<Uint8Array | null> => {
    const bytes = await source.read(path, maxBytes).catch((error: unknown) => {
      if (!(error instanceof ToolsumError) || error.kind !== "unavailable") throw error
      onMissing("objects_unavailable")
      return null
    })
    total += bytes?.length ?? 0
    if (total > MAX_REMEMBERED_BYTES) {
      known.clear()
      total = bytes?.length ?? 0
    }
    if (bytes === null || objectPath(`sha256:${formatHex(sha256(bytes))}`) === path) return bytes
    onMissing(`object_wrong:${path}`)
    return null
  }
  return {
    ...source,
    read: (path, maxBytes) => {
      if (!path.startsWith("objects/")) return source.read(path, maxBytes)
      const reading = known.get(path) ?? read(path, maxBytes)
      known.set(path, reading)
      return reading
    },
  }
}
