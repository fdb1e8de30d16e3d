// In which record of a stream a text appeared, and in which it was gone (`history --find POINTER=VALUE`; grammar in FORMAT.md). Every record is
// asked, since a text can come and go: a search by halves would miss the second time. What the log's archive does not have leaves the
// answer for that record open, and says so.
import { fetchJson, fetchSectionTexts } from "../client/objects.js"
import type { FoundRecord } from "../client/streams.js"
import { canonicalize } from "../core/canonical.js"
import { SURFACE_MEMBERS, type SurfaceMember } from "../core/compare-record.js"
import { attempt, type Bad, quote, ToolsumError } from "../core/errors.js"
import { isDigest } from "../core/hash.js"
import { isArray, isObject, type JsonValue, parseJson } from "../core/json.js"
import { parsePointer, valueAt } from "../core/pointer.js"
import type { ToolRecord } from "../core/record.js"
import { parseSectionText, SECTION_NAMES, type SectionName } from "../core/section.js"
import type { LogSource } from "../ports.js"
import { nameOf } from "./record-changes.js"

/** What to look for. `member` null: in all parts. `key`: of the item of a list, null for the whole list. `rest`: the place inside. */
export interface TextQuery {
  readonly text: string
  readonly member: SurfaceMember | null
  readonly key: string | null
  readonly rest: readonly string[]
  /** True where the value at the place is wanted as a whole, false where a text in it is. */
  readonly exact: boolean
  /** The text, or the canonical text of the value. */
  readonly wanted: string
  readonly matches: (value: JsonValue) => boolean
}

/** `not_covered`: the text behind the record is not at hand, or that part was not read; `no_list`: the server wanted credentials. */
export type Presence = "present" | "absent" | "not_covered" | "no_list"

/** A record and whether it has what was looked for. */
export interface AskedRecord extends FoundRecord {
  readonly presence: Presence
}

/** A change of the answer. `after`: the record before it that has an answer; null: there is none. */
export interface TextEvent {
  readonly kind: "appeared" | "disappeared"
  readonly at: FoundRecord
  readonly after: FoundRecord | null
}

const usage: Bad = (why) => new ToolsumError("USAGE", `--find: ${why}`)

/** Read `POINTER=VALUE` or `POINTER*=TEXT`. Throws USAGE. */
export function parseTextQuery(text: string): TextQuery {
  const equals = text.indexOf("=")
  if (equals < 0) throw usage(`expected POINTER=TEXT, such as /tools/NAME/description=TEXT, got ${quote(text)}`)
  const isText = text[equals - 1] === "*"
  const value = text.slice(equals + 1)
  if (value === "") throw usage("expected a value after =")
  const [name, ...tokens] = parsePointer(readFragment(text.slice(0, isText ? equals - 1 : equals)), usage)
  const member = name === undefined ? null : memberOf(name)
  const place = isList(member) ? { key: tokens[0] ?? null, rest: tokens.slice(1) } : { key: null, rest: tokens }
  const wanted = isText ? null : readJson(value)
  return wanted === null
    ? { text, member, ...place, exact: false, wanted: value, matches: contains(value) }
    : { text, member, ...place, exact: true, wanted, matches: (found) => canonicalize(found) === wanted }
}

/** A pointer may be written as a URI fragment (RFC 6901 section 6), in which a name with `=` or `*` has its escapes. */
function readFragment(pointer: string): string {
  if (!pointer.startsWith("#")) return pointer
  try {
    return decodeURIComponent(pointer.slice(1))
  } catch {
    throw usage(`expected percent escapes of UTF-8 in ${quote(pointer)}`)
  }
}

function memberOf(name: string): SurfaceMember {
  const member = SURFACE_MEMBERS.find((one) => nameOf(one) === name)
  if (member) return member
  throw usage(
    `expected a pointer that starts with one of /${SURFACE_MEMBERS.map(nameOf).join(", /")}, got ${quote(name)}`,
  )
}

const isList = (member: SurfaceMember | null): member is SectionName =>
  SECTION_NAMES.some((section) => section === member)

/** The canonical text of what is JSON; null for any other text. */
function readJson(value: string): string | null {
  const text = attempt(() => canonicalize(parseJson(value)))
  return text instanceof ToolsumError ? null : text
}

const contains = (text: string): TextQuery["matches"] => {
  const inside = (value: JsonValue): boolean => {
    if (typeof value === "string") return value.includes(text)
    if (isArray(value)) return value.some(inside)
    return isObject(value) && Object.entries(value).some(([name, member]) => name.includes(text) || inside(member))
  }
  return inside
}

/** Ask every record of a stream, oldest first. `source`: with objects remembered. Throws what reading throws. */
export async function findText(
  source: LogSource,
  records: readonly FoundRecord[],
  query: TextQuery,
): Promise<{ readonly records: readonly AskedRecord[]; readonly events: readonly TextEvent[] }> {
  const asked: AskedRecord[] = []
  for (const one of records) asked.push({ ...one, presence: await presenceIn(source, one.record, query) })
  return { records: asked, events: eventsOf(asked) }
}

function eventsOf(records: readonly AskedRecord[]): readonly TextEvent[] {
  const events: TextEvent[] = []
  let before: AskedRecord | null = null
  for (const at of records) {
    if (at.presence !== "present" && at.presence !== "absent") continue
    if (at.presence !== (before?.presence ?? "absent"))
      events.push({ kind: at.presence === "present" ? "appeared" : "disappeared", at, after: before })
    before = at
  }
  return events
}

async function presenceIn(source: LogSource, record: ToolRecord, query: TextQuery): Promise<Presence> {
  if (record.state !== "listed") return "no_list"
  const members = query.member === null ? SURFACE_MEMBERS : [query.member]
  const found = await Promise.all(members.map((member) => presenceInPart(source, { record, member }, query)))
  return (["present", "not_covered"] as const).find((presence) => found.includes(presence)) ?? "absent"
}

interface Part {
  readonly record: ToolRecord
  readonly member: SurfaceMember
}

async function presenceInPart(source: LogSource, { record, member }: Part, query: TextQuery): Promise<Presence> {
  const line = record.lines[member]
  // Of all parts, one that was never asked for is not what was looked for.
  if (line === "-") return query.member === null ? "absent" : "not_covered"
  if (line === "none") return "absent"
  const values = isList(member) ? await readList(source, { record, member }, query) : [await readValue(source, line)]
  if (values === null) return "not_covered"
  const known = values.filter((value) => value !== undefined)
  const isOpen = known.length < values.length
  if (isList(member) && query.key === null && query.exact)
    return isOpen ? "not_covered" : query.matches(known) ? "present" : "absent"
  const isThere = known.some((value) => {
    const place = valueAt(value, query.rest)
    return place !== undefined && query.matches(place)
  })
  return isThere ? "present" : isOpen ? "not_covered" : "absent"
}

/** The items of a list, or those of one key; undefined for each that is not at hand, null without the section text. */
async function readList(
  source: LogSource,
  { record, member }: { record: ToolRecord; member: SectionName },
  { key }: TextQuery,
): Promise<readonly (JsonValue | undefined)[] | null> {
  const text = (await fetchSectionTexts(source, record.lines))[member]
  if (text === undefined) return null
  const wanted = parseSectionText(text).filter((item) => key === null || item.key === key)
  return Promise.all(wanted.map(({ digest }) => readValue(source, digest)))
}

const readValue = async (source: LogSource, digest: string): Promise<JsonValue | undefined> =>
  isDigest(digest) ? fetchJson(source, digest) : undefined
