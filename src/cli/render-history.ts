// The history of a server for people and as members of a document: a line a record, what changed against the one before it, what is shown of
// being whole and what is not. Everything from the log is escaped.
import type { LogClient } from "../client/open-log.js"
import type { FoundRecord } from "../client/streams.js"
import { SURFACE_MEMBERS } from "../core/compare-record.js"
import { escapeInvisible } from "../core/errors.js"
import type { JsonObject, JsonValue } from "../core/json.js"
import { SECTION_NAMES } from "../core/section.js"
import type { AskedRecord, TextEvent, TextQuery } from "../features/find-text.js"
import type { HistoryEntry, ServerHistory, StreamHistory } from "../features/history.js"
import { describeDay, signedAt } from "../features/log-answer.js"
import { type ItemChange, pointersOf, type RecordChanges } from "../features/record-changes.js"
import { showItem, showName } from "../surface/shown-text.js"
import { analysisMembers } from "./analysis-json.js"
import { countItems, formatSec } from "./render.js"
import { changeMember } from "./report-json.js"
import { showWord } from "./shell-words.js"

/** What a text search found in one stream. */
export interface FoundInStream {
  readonly stream: StreamHistory
  readonly records: readonly AskedRecord[]
  readonly events: readonly TextEvent[]
}

/** Pointers that are named behind one item. */
const MAX_POINTERS = 3
/** Items that are named on one line. */
const MAX_ITEMS = 12
const MAX_POINTER_CHARS = 80

type Head = Pick<LogClient, "origin" | "head">

/** The whole report on the streams that were asked for. */
export function describeHistory(history: ServerHistory, client: Head): string {
  const isOne = history.streams.length === 1
  const lines = history.streams.flatMap((stream) => [
    ...(isOne ? [] : [describeStream(newestOf(stream))]),
    ...describeEntries(stream).map((line) => `  ${line}`),
    describeWholeness(stream, client),
  ])
  return joined([titleOf(history, client), ...lines, ...history.others.map(describeOther)])
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("")

const titleOf = ({ subject }: ServerHistory, { origin, head }: Head): string =>
  `${showWord(subject)} in ${showWord(origin)}, head ${head.size}, ${countItems(head.cosigners, "cosigners")}`

const newestOf = ({ entries }: StreamHistory): FoundRecord => {
  const newest = entries.at(-1)
  if (newest === undefined) throw new Error("a stream has at least one record")
  return newest
}

function describeEntries({ entries }: StreamHistory): readonly string[] {
  const width = Math.max(...entries.map(({ index }) => String(index).length))
  return entries.map((entry) => {
    const leaf = `leaf ${String(entry.index).padEnd(width)}`
    return `${describeDay(entry.record.observed)}  ${leaf}  ${describeEntry(entry)}`
  })
}

function describeEntry({ record, changes }: HistoryEntry): string {
  if (record.state === "auth") return "credentials wanted, no list"
  if (changes !== null) return describeChanges(changes)
  const counts = SECTION_NAMES.flatMap((section) => {
    const count = Number(record.lines[section].split(" ")[0])
    return count > 0 ? [countItems(count, section)] : []
  })
  return counts.join(", ") || "no items"
}

/** `tools: ~search (/description), +add; instructions changed`. */
function describeChanges({ differs, items, diff }: RecordChanges): string {
  const parts = differs.map((member) => {
    const own = items.filter(({ section }) => section === member)
    const [first] = own
    if (first === undefined) return `${member} differ, their names are not at hand`
    if (member === "instructions" || member === "server") return `${member} ${first.kind}`
    const names = own.slice(0, MAX_ITEMS).map((item) => describeItem(item, diff.changes))
    const more = own.length > MAX_ITEMS ? [`… ${own.length - MAX_ITEMS} more`] : []
    return `${member}: ${[...names, ...more].join(", ")}`
  })
  return parts.join("; ") || "the same lists"
}

const SIGNS = { added: "+", removed: "-", changed: "~" } as const

function describeItem(item: ItemChange, changes: RecordChanges["diff"]["changes"]): string {
  const pointers = pointersOf(item, changes)
  const shown = pointers.slice(0, MAX_POINTERS).map((pointer) => showName(pointer, MAX_POINTER_CHARS))
  const more = pointers.length > MAX_POINTERS ? [`… ${pointers.length - MAX_POINTERS} more`] : []
  const where = shown.length > 0 ? ` (${[...shown, ...more].join(", ")})` : ""
  return `${SIGNS[item.kind]}${showItem(item.item)}${where}`
}

function describeWholeness(stream: StreamHistory, { head }: Head): string {
  const newest = newestOf(stream)
  const count = countItems(stream.entries.length, "records")
  const whole = `complete up to leaf ${newest.index}: ${count} from seq 0 on, each naming the one before it`
  return stream.newest === "scanned"
    ? `${whole}; no later one up to head ${head.size}, every entry was looked at`
    : `${whole}; not shown: that the log's index leaves out no later one (--exhaustive looks at every entry)`
}

/** `version 1.2.0, read as anonymous by local`. */
function describeStream({ record }: FoundRecord): string {
  const { version, profile, observer, mask } = record
  return [
    ...(version === "-" ? [] : [`version ${version}`]),
    `read as ${profile} by ${observer}`,
    ...(mask === "-" ? [] : ["masked"]),
  ].join(", ")
}

const describeOther = (one: FoundRecord): string =>
  `also there: ${describeStream(one)}, ${signedAt(one)} (--stream ${one.index} shows it)`

/** `leaf 1, 2026-11-30 → leaf 42, 2026-12-01: tools, instructions`. */
export function describePair(from: FoundRecord, to: FoundRecord, { differs }: RecordChanges): string {
  const place = ({ index, record }: FoundRecord) => `leaf ${index}, ${describeDay(record.observed)}`
  return `${place(from)} → ${place(to)}: ${differs.length === 0 ? "no difference" : differs.join(", ")}`
}

/** What differs and cannot be shown in words: the names of items, where the section texts are at hand. */
export function describeUncovered({ notCovered, items, diff }: RecordChanges): readonly string[] {
  return notCovered.map((member) => {
    const own = items.filter(({ section, item }) => section === member && item !== null)
    const names = own.map((item) => describeItem(item, diff.changes)).join(", ")
    return `${member}${names && `: ${names}`}; not covered: the log's archive does not have the words`
  })
}

/** The answer to a search, stream by stream. */
export function describeFound(
  found: readonly FoundInStream[],
  query: TextQuery,
  { history, client }: { history: ServerHistory; client: Head },
): string {
  const lines = found.flatMap(({ stream, records, events }) => [
    ...(found.length === 1 ? [] : [describeStream(newestOf(stream))]),
    ...events.map((event) => `  ${describeEvent(event)}`),
    ...describeOpen(records),
    describeCount(records),
    describeWholeness(stream, client),
  ])
  return joined([titleOf(history, client), `looked for: ${escapeInvisible(query.text)}`, ...lines])
}

function describeEvent({ kind, at, after }: TextEvent): string {
  const place = `leaf ${at.index}, signed ${describeDay(at.record.observed)} (seq ${at.record.seq})`
  if (after === null) return `there from the first record that can be asked: ${place}`
  const before = `leaf ${after.index}${at.record.seq === after.record.seq + 1n ? "" : `, seq ${after.record.seq},`}`
  return kind === "appeared"
    ? `appeared in ${place}; ${before} does not have it`
    : `gone in ${place}; ${before} still has it`
}

function describeOpen(records: readonly AskedRecord[]): readonly string[] {
  const open = records.filter(({ presence }) => presence === "not_covered")
  if (open.length === 0) return []
  const leaves = open.slice(0, MAX_ITEMS).map(({ index }) => String(index))
  const more = open.length > MAX_ITEMS ? `, … ${open.length - MAX_ITEMS} more` : ""
  return [`  not covered: leaf ${leaves.join(", ")}${more}: the text is not in the log's archive, or was not read`]
}

function describeCount(records: readonly AskedRecord[]): string {
  const has = records.filter(({ presence }) => presence === "present").length
  return `${has} of ${countItems(records.length, "records")} ${has === 1 ? "has" : "have"} it`
}

/** A record's place, for a document. */
export const placeMember = ({ index, record }: FoundRecord): JsonObject => ({
  index: String(index),
  observed: formatSec(record.observed),
})

/** The newest record of another stream, for a document. */
export const otherMember = (one: FoundRecord): JsonValue => ({ ...placeMember(one), ...streamMembers(one) })

const streamMembers = ({ record }: FoundRecord): JsonObject => {
  const { version, profile, observer, mask, how } = record
  return { version: version === "-" ? null : version, profile, observer, mask: mask === "-" ? null : mask, how }
}

/** A stream with its records, for a document. */
export const streamMember = (stream: StreamHistory): JsonObject => ({
  ...streamMembers(newestOf(stream)),
  newest: stream.newest,
  entries: stream.entries.map(entryMember),
})

const entryMember = (entry: HistoryEntry): JsonValue => {
  const { record, changes } = entry
  const { state, surface } = record
  return {
    ...placeMember(entry),
    ...{ seq: String(record.seq), state, surface, parts: partsMember(entry) },
    ...(changes === null ? {} : changesMember(changes)),
  }
}

/** Digests by part; null where nothing was declared, left out where it was not asked for. */
const partsMember = ({ record }: FoundRecord): JsonObject =>
  Object.fromEntries(
    SURFACE_MEMBERS.flatMap((member) => {
      const line = record.lines[member]
      return line === "-" ? [] : [[member, line === "none" ? null : (line.split(" ").at(-1) ?? null)] as const]
    }),
  )

/** What differs between two records, for a document. */
export const changesMember = ({ differs, items, diff, notCovered }: RecordChanges): JsonObject => ({
  differs: [...differs],
  items: items.map((item) => ({ ...item })),
  changes: diff.changes.map(changeMember),
  ...analysisMembers(diff),
  notCovered: [...notCovered],
})

/** The answers of a search, for a document. */
export const foundMember = ({ records, events }: FoundInStream): JsonObject => ({
  found: records.map(({ index, presence }) => ({ index: String(index), presence })),
  events: events.map(({ kind, at, after }) => ({
    kind,
    index: String(at.index),
    after: after === null ? null : String(after.index),
  })),
})
