// `history` of one server in a tlog-tiles log: every record of its streams, oldest first. From the newest record that was found, each names the
// one before it by index and leaf hash down to seq 0, so that a stream is whole up to there. That no newer one was left out, only reading every
// entry shows (`newest`).
import { walkStream } from "../client/history.js"
import { rememberObjects } from "../client/objects.js"
import type { LogClient } from "../client/open-log.js"
import { type FoundRecord, findSubjectRecords, parseIfRecord, type SubjectRecords } from "../client/streams.js"
import { quote, ToolsumError } from "../core/errors.js"
import { streamKey } from "../core/record.js"
import { compareRecords, type RecordChanges, type RecordTexts, readRecordTexts } from "./record-changes.js"

/** One record of a stream. `changes`: against the list before it; null for the first list, and for a record without a list. */
export interface HistoryEntry extends FoundRecord {
  readonly changes: RecordChanges | null
}

/** A whole stream from seq 0 on. */
export interface StreamHistory {
  /** Oldest first, at least one. */
  readonly entries: readonly HistoryEntry[]
  /** Whether every entry after the last was looked at, or the log's index was believed that there is no later one. */
  readonly newest: "scanned" | "hint"
}

/** What a log has of a server. */
export interface ServerHistory {
  readonly subject: string
  /** The streams that were asked for, in the order of their newest records. */
  readonly streams: readonly StreamHistory[]
  /** Newest record of each of the others. */
  readonly others: readonly FoundRecord[]
  /** `newer_format:<leaf>`, `records_unread`, `object_wrong:<path>`, `objects_unavailable`, and those of log and search. */
  readonly warnings: readonly string[]
}

/** Which streams of a subject: all; that of the record at a leaf; that of one record, such as a pin's. */
export type StreamChoice = "all" | { readonly leaf: bigint } | { readonly stream: string }

/** What to look for. `known`: a leaf that is known to be a record of the subject, such as a pin's: an index that leaves it out says so. */
export interface HistoryQuestion {
  readonly subject: string
  readonly choice: StreamChoice
  readonly exhaustive: boolean
  readonly known: bigint | null
}

/** Read the history. Throws RESOURCE_MISSING where the log has no record of the subject, or none of that stream, RECORD_INVALID where records of a
 *  stream contradict one another, USAGE for a leaf that is no record of the subject, and what reading throws. */
export async function readHistory(client: LogClient, question: HistoryQuestion): Promise<ServerHistory> {
  const { subject, exhaustive, known } = question
  const leaves = [known, typeof question.choice === "object" && "leaf" in question.choice ? question.choice.leaf : null]
  const proven = await Promise.all(leaves.flatMap((leaf) => (leaf === null ? [] : [readRecord(client, leaf, subject)])))
  const found = await findSubjectRecords(client, { subject, exhaustive, proven, ...(known === null ? {} : { known }) })
  const newest = newestByStream([...found.records, ...proven])
  const isWanted = chosen(question.choice, proven)
  const warnings = new Set([...client.warnings, ...warningsOf(found)])
  const source = rememberObjects(client.source, (warning) => warnings.add(warning))
  const streams: StreamHistory[] = []
  for (const last of newest.filter(isWanted)) {
    const entries = await describeAll(await walkBack(client, last), source)
    streams.push({ entries, newest: howNewest(found, last, question) })
  }
  if (streams.length === 0) throw noRecord(question, newest.length)
  return { subject, streams, others: newest.filter((one) => !isWanted(one)), warnings: [...warnings] }
}

/** The record at a leaf, which must be about the subject. Throws USAGE. */
export async function readRecord(client: LogClient, leaf: bigint, subject: string): Promise<FoundRecord> {
  const bad = (why: string) => new ToolsumError("USAGE", `leaf ${leaf} of the log ${why}`)
  if (leaf >= client.head.size) throw bad(`is not there: it has ${client.head.size} entries`)
  const { entry, leafHash } = await client.proveInclusion(leaf)
  const record = parseIfRecord(entry)
  if (record?.subject !== subject) throw bad(`is no record of ${quote(subject)}`)
  return { index: leaf, record, leafHash }
}

/** The last record of each stream, with a list or without, in the order of the log. */
function newestByStream(records: readonly FoundRecord[]): readonly FoundRecord[] {
  const newest = new Map<string, FoundRecord>()
  for (const one of records) {
    const known = newest.get(streamKey(one.record))
    if (!known || known.index < one.index) newest.set(streamKey(one.record), one)
  }
  return [...newest.values()].sort((a, b) => (a.index < b.index ? -1 : 1))
}

function chosen(choice: StreamChoice, proven: readonly FoundRecord[]): (one: FoundRecord) => boolean {
  if (choice === "all") return () => true
  const key = "stream" in choice ? choice.stream : keyAt(choice.leaf, proven)
  return ({ record }) => streamKey(record) === key
}

function keyAt(leaf: bigint, proven: readonly FoundRecord[]): string | null {
  const one = proven.find(({ index }) => index === leaf)
  return one ? streamKey(one.record) : null
}

const warningsOf = (found: SubjectRecords): readonly string[] => [
  ...found.warnings,
  ...found.newerFormat.map((leaf) => `newer_format:${leaf}`),
  ...(found.complete ? [] : ["records_unread"]),
]

/** Of all streams the index may hide a whole one, so that only reading everything is enough. */
const howNewest = (
  { scannedFrom }: SubjectRecords,
  last: FoundRecord,
  { choice }: HistoryQuestion,
): "scanned" | "hint" => (scannedFrom <= (choice === "all" ? 0n : last.index + 1n) ? "scanned" : "hint")

async function walkBack({ tree }: LogClient, newest: FoundRecord): Promise<readonly FoundRecord[]> {
  const records = [newest]
  for await (const record of walkStream(tree, newest)) records.push(record)
  return records.reverse()
}

async function describeAll(
  records: readonly FoundRecord[],
  source: LogClient["source"],
): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = []
  let before: RecordTexts | null = null
  for (const one of records) {
    const after: RecordTexts | null = one.record.state === "listed" ? await readRecordTexts(source, one.record) : null
    entries.push({ ...one, changes: before && after && compareRecords(before, after) })
    before = after ?? before
  }
  return entries
}

const noRecord = ({ subject, exhaustive }: HistoryQuestion, streams: number): ToolsumError =>
  new ToolsumError(
    "RESOURCE_MISSING",
    streams === 0
      ? `the log has no record of ${quote(subject)}${exhaustive ? "" : ", as far as its index goes; --exhaustive looks at every entry"}`
      : `the log has no record of that stream of ${quote(subject)}; --stream all shows ${streams === 1 ? "the other" : `the ${streams} others`}`,
  )
