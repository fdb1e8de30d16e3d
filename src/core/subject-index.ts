// Buckets of the subject index (DESIGN 6, formats 22): which records of a log are about a subject, as of a tree size. A hint: the
// log's writer vouches for nothing in it, so a client checks each record and scans the entries from `size` to the head itself.
import { decodeUtf8, encodeUtf8, formatHex, parseDecimal } from "./bytes.js"
import { quote, ToolsumError } from "./errors.js"
import { sha256 } from "./hash.js"
import { isSubject } from "./record.js"

/** Largest bucket that is read. */
export const MAX_SUBJECT_BUCKET_BYTES = 16 * 1024 * 1024
/** Buckets are rewritten at least this often, in entries of the log: no more than these have to be scanned. */
export const SUBJECT_INDEX_INTERVAL = 1024n

/** Names of all buckets: two lower-case hex digits. */
export const SUBJECT_BUCKET_NAMES: readonly string[] = Array.from({ length: 256 }, (_, i) =>
  i.toString(16).padStart(2, "0"),
)

/** One bucket. `size`: the tree size up to which it is complete; `subjects`: ascending indexes below it. */
export interface SubjectBucket {
  readonly size: bigint
  readonly subjects: ReadonlyMap<string, readonly bigint[]>
}

/** An absent bucket reads as this. */
export const EMPTY_SUBJECT_BUCKET: SubjectBucket = { size: 0n, subjects: new Map() }

const bad = (why: string): ToolsumError => new ToolsumError("INDEX_MALFORMED", why)

/** Name of the bucket of a subject: the first byte of its SHA-256. */
export const subjectBucketName = (subject: string): string => formatHex(sha256(encodeUtf8(subject)).subarray(0, 1))

/** Path of a bucket below public/. */
export const subjectBucketPath = (name: string): string => `subjects/${name}`

/** Write a bucket; the exact inverse of `parseSubjectBucket`. */
export function formatSubjectBucket({ size, subjects }: SubjectBucket): Uint8Array {
  const sorted = [...subjects].sort(([a], [b]) => (a < b ? -1 : 1)) // ASCII: unit order is byte order
  const lines = sorted.map(([subject, indexes]) => `${subject} ${indexes.join(" ")}\n`)
  return encodeUtf8(`${size}\n${lines.join("")}`)
}

/** Read the bucket `name`. Throws INDEX_MALFORMED for anything but its one spelling, subjects of other buckets included. */
export function parseSubjectBucket(bytes: Uint8Array, name: string): SubjectBucket {
  if (bytes.length > MAX_SUBJECT_BUCKET_BYTES) throw bad(`expected at most ${MAX_SUBJECT_BUCKET_BYTES} bytes`)
  const text = decodeUtf8(bytes, bad)
  if (!text.endsWith("\n")) throw bad("expected a final newline")
  const [sizeLine = "", ...lines] = text.slice(0, -1).split("\n")
  const size = parseDecimal(sizeLine, bad)
  const subjects = new Map<string, readonly bigint[]>()
  let last = ""
  for (const line of lines) {
    const [subject = "", ...indexes] = line.split(" ")
    if (!isSubject(subject) || subject <= last) throw bad(`expected subjects in order, got ${quote(subject)}`)
    if (subjectBucketName(subject) !== name) throw bad(`expected a subject of bucket ${name}, got ${quote(subject)}`)
    subjects.set(subject, parseIndexes(indexes, size))
    last = subject
  }
  return { size, subjects }
}

function parseIndexes(texts: readonly string[], size: bigint): readonly bigint[] {
  if (texts.length === 0) throw bad("expected an index after the subject")
  let last = -1n
  return texts.map((text) => {
    const index = parseDecimal(text, bad)
    if (index <= last || index >= size) throw bad(`expected ascending indexes below ${size}, got ${index}`)
    last = index
    return index
  })
}
