// Finds the records of a subject in a log (DESIGN 4 and 6): those that the subject index lists, which is a hint, and all entries from
// the index's size to the head, which are scanned. Every entry is read from a bundle that hashes to the head. Records of one stream must
// be numbered and chained as the log promises, else they contradict one another; which of them count is the caller's to say.
import { equalBytes } from "../core/bytes.js"
import { type ErrorCode, ToolsumError } from "../core/errors.js"
import { type Hash, hashLeaf } from "../core/hash.js"
import { entryType, parseRecord, RECORD_TYPE, streamKey, type ToolRecord } from "../core/record.js"
import {
  EMPTY_SUBJECT_BUCKET,
  MAX_SUBJECT_BUCKET_BYTES,
  parseSubjectBucket,
  type SubjectBucket,
  subjectBucketName,
  subjectBucketPath,
} from "../core/subject-index.js"
import { TILE_WIDTH } from "../core/tile.js"
import type { LogSource } from "../ports.js"
import type { VerifiedTree } from "./tiles.js"

/** A record in the log: its entry is part of the head's tree. */
export interface FoundRecord {
  readonly index: bigint
  readonly record: ToolRecord
  readonly leafHash: Hash
}

/** What was found of a subject. */
export interface SubjectRecords {
  /** Ascending. */
  readonly records: readonly FoundRecord[]
  /** Entries of a newer `toolsum-record/` format about the subject, ascending. */
  readonly newerFormat: readonly bigint[]
  /** From here to the head every entry was looked at. */
  readonly scannedFrom: bigint
  /** Entries before this were not looked for. */
  readonly since: bigint
  /** False when the index lists records that were not read, and when it ends before the part that was scanned. */
  readonly complete: boolean
  /** `index_malformed`, `index_unavailable`, `index_omits:<index>`, `record_malformed:<index>`. */
  readonly warnings: readonly string[]
}

/** How far to look. */
export interface SubjectSearch {
  readonly subject: string
  /** Stream whose newest list is wanted: records in the index are read from the newest on until it is found. */
  readonly stream?: string
  /** First index that matters, such as the one after a pin's record; 0 when left out. */
  readonly since?: bigint
  /** Scan everything from `since` on instead of believing the index. */
  readonly exhaustive?: boolean
  /** A record of the subject that is proven to be there, such as a pin's: an index that leaves it out lies, and counts as absent. */
  readonly known?: bigint
  /** How many bundles to read for records of other streams, which are only notes; all when no stream is wanted. */
  readonly noteBundles?: number
  /** Records of the subject that the caller has proven already; they must fit in with what is found. */
  readonly proven?: readonly FoundRecord[]
}

/** Newest record of a stream with a list: one that only says that credentials are wanted never replaces it. `scanned`: every later entry was looked at; `hint`: the index, which nobody vouches for, lists no later one. */
export interface NewestRecord {
  readonly found: FoundRecord | null
  readonly newest: "scanned" | "hint"
}

const WIDTH = BigInt(TILE_WIDTH)
const READS_AT_ONCE = 8
/** Most entries that are scanned because the index is behind; a log without an index is read that far back. */
const MAX_SCAN = 65_536n
/** Most bundles that are read because the index lists records in them. */
const MAX_LISTED_BUNDLES = 256
const NOTE_BUNDLES = 3

/** Find the records of a subject under the head of `tree`. Throws RECORD_INVALID when the records of a stream contradict one another,
 *  and what reading throws. */
export async function findSubjectRecords(
  { source, tree }: { source: LogSource; tree: VerifiedTree },
  search: SubjectSearch,
): Promise<SubjectRecords> {
  const { size } = tree.head
  const since = search.since ?? 0n
  const index = search.exhaustive ? { bucket: EMPTY_SUBJECT_BUCKET, warnings: [] } : await fetchTruthful(source, search)
  const scannedFrom = scanStart({ since, size, indexed: index.bucket.size, exhaustive: search.exhaustive ?? false })
  const sieve = createSieve(search.subject)
  await scan(tree, scannedFrom, sieve)
  const listed = (index.bucket.subjects.get(search.subject) ?? []).filter((at) => at >= since && at < scannedFrom)
  const isWhole = scannedFrom <= since || scannedFrom <= index.bucket.size
  const areRead = await readListed(tree, listed, search, sieve)
  checkStreams([...sieve.records, ...(search.proven ?? [])], scannedFrom)
  return {
    records: [...sieve.records].sort(byIndex),
    newerFormat: [...sieve.newerFormat].sort((a, b) => (a < b ? -1 : 1)),
    scannedFrom,
    since,
    complete: isWhole && areRead,
    warnings: [...index.warnings, ...sieve.malformed.map((at) => `record_malformed:${at}`)],
  }
}

/** Newest record of a stream with a list among those found. */
export function newestOfStream(found: SubjectRecords, stream: string): NewestRecord {
  const newest = found.records.findLast(({ record }) => isListed(record) && streamKey(record) === stream) ?? null
  const after = newest === null ? found.since : newest.index + 1n
  return { found: newest, newest: found.scannedFrom <= after ? "scanned" : "hint" }
}

const isListed = ({ state }: ToolRecord): boolean => state === "listed"

/** Newest record with a list of each stream, by stream key, in the order of the log. */
export function newestOfStreams(found: SubjectRecords): ReadonlyMap<string, FoundRecord> {
  const newest = new Map<string, FoundRecord>()
  for (const one of found.records) {
    if (!isListed(one.record)) continue
    newest.delete(streamKey(one.record))
    newest.set(streamKey(one.record), one)
  }
  return newest
}

const byIndex = (a: FoundRecord, b: FoundRecord): number => (a.index < b.index ? -1 : a.index > b.index ? 1 : 0)

/** Where scanning starts: where the index ends, at the start of that bundle, which is read anyway; never before `since`. */
function scanStart(p: { since: bigint; size: bigint; indexed: bigint; exhaustive: boolean }): bigint {
  const { since, size, indexed, exhaustive } = p
  if (since >= size || (indexed >= size && !exhaustive)) return size
  if (exhaustive) return since
  const wanted = size - indexed > MAX_SCAN ? size - MAX_SCAN : indexed
  const aligned = wanted - (wanted % WIDTH)
  return aligned >= since ? aligned : since
}

/** The subject's bucket, unless it leaves out what is known to be there. */
async function fetchTruthful(source: LogSource, { subject, known }: SubjectSearch): ReturnType<typeof fetchBucket> {
  const { bucket, warnings } = await fetchBucket(source, subject)
  const isOmitted = known !== undefined && known < bucket.size && !bucket.subjects.get(subject)?.includes(known)
  return isOmitted ? { bucket: EMPTY_SUBJECT_BUCKET, warnings: [`index_omits:${known}`] } : { bucket, warnings }
}

/** Warnings for a bucket that cannot be had, by the code of the error; LOG_UNAVAILABLE is also that of one that is too long. */
const BUCKET_WARNINGS: Readonly<Partial<Record<ErrorCode, string>>> = {
  INDEX_MALFORMED: "index_malformed",
  LOG_UNAVAILABLE: "index_unavailable",
}

/** The subject's bucket. It is a hint: one that cannot be read counts as absent. */
async function fetchBucket(
  source: LogSource,
  subject: string,
): Promise<{ bucket: SubjectBucket; warnings: readonly string[] }> {
  const name = subjectBucketName(subject)
  try {
    const bytes = await source.read(subjectBucketPath(name), MAX_SUBJECT_BUCKET_BYTES)
    return { bucket: bytes === null ? EMPTY_SUBJECT_BUCKET : parseSubjectBucket(bytes, name), warnings: [] }
  } catch (error) {
    const warning = error instanceof ToolsumError ? BUCKET_WARNINGS[error.code] : undefined
    if (warning === undefined) throw error
    return { bucket: EMPTY_SUBJECT_BUCKET, warnings: [warning] }
  }
}

/** Takes entries and keeps what is about the subject. */
interface Sieve {
  readonly records: FoundRecord[]
  readonly newerFormat: bigint[]
  readonly malformed: bigint[]
  take(index: bigint, entry: Uint8Array): void
}

function createSieve(subject: string): Sieve {
  const records: FoundRecord[] = []
  const newerFormat: bigint[] = []
  const malformed: bigint[] = []
  const seen = new Set<bigint>()
  return {
    records,
    newerFormat,
    malformed,
    take: (index, entry) => {
      if (seen.has(index) || !isAbout(entry, subject)) return
      seen.add(index)
      if (entryType(entry) !== RECORD_TYPE) newerFormat.push(index)
      else {
        const record = parseIfRecord(entry)
        if (record === null) malformed.push(index)
        else records.push({ index, record, leafHash: hashLeaf(entry) })
      }
    },
  }
}

/** True for a record of any version whose second line names the subject. */
function isAbout(entry: Uint8Array, subject: string): boolean {
  if (!entryType(entry)?.startsWith("toolsum-record/")) return false
  const start = entry.indexOf(10) + 1
  const end = entry.indexOf(10, start)
  const line = entry.subarray(start, end < 0 ? entry.length : end)
  return start > 0 && line.length === subject.length + 8 && String.fromCharCode(...line) === `subject ${subject}`
}

/** The record that an entry is; null for another type, and for an ill-formed one, which is for `audit` to report. */
export function parseIfRecord(entry: Uint8Array): ToolRecord | null {
  if (entryType(entry) !== RECORD_TYPE) return null
  try {
    return parseRecord(entry)
  } catch (error) {
    if (error instanceof ToolsumError) return null
    throw error
  }
}

async function readBundles(tree: VerifiedTree, bundles: readonly bigint[], take: Sieve["take"]): Promise<void> {
  for (let at = 0; at < bundles.length; at += READS_AT_ONCE) {
    const group = bundles.slice(at, at + READS_AT_ONCE)
    const read = await Promise.all(group.map((bundle) => tree.readEntries(bundle)))
    group.forEach((bundle, i) => {
      read[i]?.forEach((entry, j) => {
        take(bundle * WIDTH + BigInt(j), entry)
      })
    })
  }
}

/** Take every entry from `from` to the head. What lies before it in the first bundle is not taken: it was not asked for. */
async function scan(tree: VerifiedTree, from: bigint, sieve: Sieve): Promise<void> {
  const bundles: bigint[] = []
  for (let bundle = from / WIDTH; bundle * WIDTH < tree.head.size; bundle++) bundles.push(bundle)
  if (from < tree.head.size)
    await readBundles(tree, bundles, (index, entry) => index >= from && sieve.take(index, entry))
}

/** Take listed entries, newest first: until the wanted stream is found, and in a few more bundles for notes. True when all were read. */
async function readListed(
  tree: VerifiedTree,
  listed: readonly bigint[],
  { stream, noteBundles = stream === undefined ? MAX_LISTED_BUNDLES : NOTE_BUNDLES }: SubjectSearch,
  sieve: Sieve,
): Promise<boolean> {
  const bundles = [...new Set(listed.map((index) => index / WIDTH))].reverse()
  const wanted = new Set(listed)
  const take: Sieve["take"] = (index, entry) => wanted.has(index) && sieve.take(index, entry)
  const isFound = () =>
    stream === undefined || sieve.records.some(({ record }) => isListed(record) && streamKey(record) === stream)
  let read = 0
  while (read < bundles.length && (read < noteBundles || !isFound())) {
    if (read >= MAX_LISTED_BUNDLES) return false
    const group = bundles.slice(read, read + (read < noteBundles ? noteBundles - read : READS_AT_ONCE))
    await readBundles(tree, group, take)
    read += group.length
  }
  return read === bundles.length
}

/** Records of one stream: seq rises with the index, neighbours by seq are chained by index and leaf hash, and from `scannedFrom` on, where
 *  every entry was looked at, none is missing. Throws RECORD_INVALID. */
function checkStreams(records: readonly FoundRecord[], scannedFrom: bigint): void {
  const before = new Map<string, FoundRecord>()
  for (const one of [...records].sort(byIndex)) {
    const stream = streamKey(one.record)
    const last = before.get(stream) ?? null
    if (last?.index !== one.index) checkStep(last, one, scannedFrom)
    before.set(stream, one)
  }
}

function checkStep(before: FoundRecord | null, one: FoundRecord, scannedFrom: bigint): void {
  const { seq, prev } = one.record
  const isChained =
    before !== null &&
    prev?.index === before.index &&
    seq === before.record.seq + 1n &&
    equalBytes(prev.leafHash, before.leafHash)
  if (isChained) return
  // Else the record before it must be one that was not read: between the two, and before the scanned part.
  const isFirst = prev === null && before === null
  const isUnread =
    prev !== null &&
    prev.index > (before?.index ?? -1n) &&
    seq > (before?.record.seq ?? -1n) + 1n &&
    prev.index < scannedFrom &&
    prev.index < one.index
  if (isFirst || isUnread) return
  const place = before === null ? `record ${one.index}` : `records ${before.index} and ${one.index}`
  throw new ToolsumError(
    "RECORD_INVALID",
    `${place}: not numbered and chained as records of one stream are (seq ${seq})`,
  )
}
