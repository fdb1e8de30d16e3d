// Which entries of the log are records of a subject: the stored index up to its size, and the entries after it, scanned once and then
// kept up by each commit (DESIGN 6, formats 22). The stored index is a hint, so a bucket that is damaged or too long reads as an empty one
// and costs a longer scan. It is rewritten when the size crosses a multiple of 1024: no bucket is ever further behind than that, but one
// that would get too long stays as it is. Readers of a log warn of an index that they cannot use; writing needs none.
import { equalBytes } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { isSubject, MAX_RECORD_BYTES, RECORD_TYPE } from "../core/record.js"
import {
  EMPTY_SUBJECT_BUCKET,
  formatSubjectBucket,
  MAX_SUBJECT_BUCKET_BYTES,
  parseSubjectBucket,
  SUBJECT_BUCKET_NAMES,
  type SubjectBucket,
  subjectBucketName,
  subjectBucketPath,
} from "../core/subject-index.js"
import type { TileStore } from "../ports.js"
import type { StoredTree } from "./stored-tree.js"

/** Buckets written at the same time. */
const PARALLEL_BUCKETS = 128

/** The subject index as the writer uses it. */
export interface SubjectTail {
  /** Indexes of the entries of `tree` that are records of `subject`, ascending. All of them, if the stored index is honest. */
  indexesOf(subject: string, tree: StoredTree): Promise<readonly bigint[]>
  /** Note entries that were added at `from`. */
  added(from: bigint, entries: readonly Uint8Array[]): void
  /** Rewrite every bucket as of `tree`. A log without records has no index. */
  rewrite(tree: StoredTree): Promise<void>
}

/** Indexes by subject of the entries `from` up to, not including, `to`. */
interface Scanned {
  from: bigint
  to: bigint
  subjects: Map<string, bigint[]>
}

/** The subject index of the log in `store`. `maxBytes`: of a bucket, in place of MAX_SUBJECT_BUCKET_BYTES. */
export function createSubjectTail(
  store: TileStore,
  { maxBytes = MAX_SUBJECT_BUCKET_BYTES }: { maxBytes?: number } = {},
): SubjectTail {
  const stored: StoredBuckets = { store, maxBytes }
  let tail: Scanned | null = null

  /** The tail, grown in both directions to cover `from` up to the head. */
  const cover = async (tree: StoredTree, from: bigint): Promise<Scanned> => {
    const { size } = tree.head
    if (tail === null) tail = await scan(tree, from, size)
    if (tail.to < size) tail = join(tail, await scan(tree, tail.to, size))
    if (from < tail.from) tail = join(await scan(tree, from, tail.from), tail)
    return tail
  }
  return {
    async indexesOf(subject, tree) {
      const bucket = await readBucket(stored, subjectBucketName(subject), tree.head.size)
      const { subjects } = await cover(tree, bucket.size)
      return merge(bucket, subject, subjects.get(subject) ?? [])
    },
    added(from, entries) {
      if (tail === null || tail.to !== from) return // not scanned so far: found when it is
      for (const [i, entry] of entries.entries()) note(tail, from + BigInt(i), entry)
      tail.to = from + BigInt(entries.length)
    },
    async rewrite(tree) {
      const { size } = tree.head
      const buckets = await readBuckets(stored, size)
      let start = size
      for (const bucket of buckets.values()) if (bucket.size < start) start = bucket.size
      const { subjects } = await cover(tree, start)
      if (subjects.size === 0 && [...buckets.values()].every((bucket) => bucket.subjects.size === 0)) return
      const all = await writeBuckets(stored, size, buckets, subjects)
      // What a bucket lacks that has not been written would have to be scanned again.
      if (all) tail = { from: size, to: size, subjects: new Map() }
    },
  }
}

const RECORD_START = new TextEncoder().encode(`${RECORD_TYPE}\nsubject `)

/** Subject that an entry claims to be a record of, or null. */
export function subjectOfEntry(entry: Uint8Array): string | null {
  const start = RECORD_START.length
  if (entry.length > MAX_RECORD_BYTES || !equalBytes(entry.subarray(0, start), RECORD_START)) return null
  const end = entry.indexOf(10, start)
  const subject = end < 0 ? "" : String.fromCharCode(...entry.subarray(start, end))
  return isSubject(subject) ? subject : null
}

function note(tail: Scanned, index: bigint, entry: Uint8Array): void {
  const subject = subjectOfEntry(entry)
  if (subject === null) return
  const indexes = tail.subjects.get(subject)
  if (indexes === undefined) tail.subjects.set(subject, [index])
  else indexes.push(index)
}

async function scan(tree: StoredTree, from: bigint, to: bigint): Promise<Scanned> {
  const tail: Scanned = { from, to: from < to ? to : from, subjects: new Map() }
  for await (const { index, entry } of tree.entries(from, to)) note(tail, index, entry)
  return tail
}

function join(first: Scanned, second: Scanned): Scanned {
  const subjects = new Map(first.subjects)
  for (const [subject, indexes] of second.subjects)
    subjects.set(subject, [...(subjects.get(subject) ?? []), ...indexes])
  return { from: first.from, to: second.to, subjects }
}

/** Indexes in the bucket and those after it. */
function merge(bucket: SubjectBucket, subject: string, tail: readonly bigint[]): readonly bigint[] {
  return [...(bucket.subjects.get(subject) ?? []), ...tail.filter((index) => index >= bucket.size)]
}

/** Where the buckets are, and how long each may be. */
interface StoredBuckets {
  readonly store: TileStore
  readonly maxBytes: number
}

/** A bucket as of a tree of `size`: what another writer has added to it since is left out. */
async function readBucket(stored: StoredBuckets, name: string, size: bigint): Promise<SubjectBucket> {
  const bucket = await readOrEmpty(stored, name)
  return bucket.size <= size ? bucket : cutBucket(bucket, size)
}

/** What a hint says; nothing when it is damaged, or longer than what is read, which is IO_FAILED. A disk that fails will not take the
 *  next step either. */
async function readOrEmpty({ store, maxBytes }: StoredBuckets, name: string): Promise<SubjectBucket> {
  try {
    const bytes = await store.read(`public/${subjectBucketPath(name)}`, maxBytes)
    return bytes === null ? EMPTY_SUBJECT_BUCKET : parseSubjectBucket(bytes, name)
  } catch (error) {
    if (error instanceof ToolsumError && UNUSABLE.includes(error.code)) return EMPTY_SUBJECT_BUCKET
    throw error
  }
}

const UNUSABLE: readonly string[] = ["INDEX_MALFORMED", "IO_FAILED"]

function cutBucket(bucket: SubjectBucket, size: bigint): SubjectBucket {
  const cut = [...bucket.subjects].map(([subject, all]) => [subject, all.filter((index) => index < size)] as const)
  return { size, subjects: new Map(cut.filter(([, indexes]) => indexes.length > 0)) }
}

async function readBuckets(stored: StoredBuckets, size: bigint): Promise<ReadonlyMap<string, SubjectBucket>> {
  const buckets = new Map<string, SubjectBucket>()
  await inSlices(SUBJECT_BUCKET_NAMES, async (name) => void buckets.set(name, await readBucket(stored, name, size)))
  return buckets
}

/** Write every bucket that does not get too long; true when that were all of them. An older one is right as far as it goes. */
async function writeBuckets(
  { store, maxBytes }: StoredBuckets,
  size: bigint,
  buckets: ReadonlyMap<string, SubjectBucket>,
  subjects: ReadonlyMap<string, readonly bigint[]>,
): Promise<boolean> {
  const bySlot = new Map(SUBJECT_BUCKET_NAMES.map((name) => [name, new Map(buckets.get(name)?.subjects)]))
  for (const [subject, indexes] of subjects) {
    const name = subjectBucketName(subject)
    const merged = merge(buckets.get(name) ?? EMPTY_SUBJECT_BUCKET, subject, indexes)
    bySlot.get(name)?.set(subject, merged)
  }
  let all = true
  await inSlices([...bySlot], async ([name, merged]) => {
    const bytes = formatSubjectBucket({ size, subjects: merged })
    if (bytes.length <= maxBytes) await store.replace(`public/${subjectBucketPath(name)}`, bytes)
    else all = false
  })
  return all
}

/** All of `work`, some at a time. When one fails, the others of its slice have ended before that is told. */
async function inSlices<T>(all: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += PARALLEL_BUCKETS) {
    const done = await Promise.allSettled(all.slice(at, at + PARALLEL_BUCKETS).map(work))
    for (const result of done) if (result.status === "rejected") throw result.reason
  }
}
