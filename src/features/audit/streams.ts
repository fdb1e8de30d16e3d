// The streams of a log as its records come by, in order (DESIGN 4): each record names exactly the one before it, is numbered one higher, does
// not say the same surface again, and does not go back in time. Of each stream its newest record is kept, in 104 bytes.
import { encodeUtf8, parseHex } from "../../core/bytes.js"
import { quote } from "../../core/errors.js"
import { HASH_BYTES, sha256 } from "../../core/hash.js"
import { DEFAULT_SKEW_SEC } from "../../core/policy.js"
import type { ToolRecord } from "../../core/record.js"
import type { Findings } from "./findings.js"
import { KEY_BYTES, KeyTable, type Place } from "./key-table.js"
import { Lookalikes } from "./lookalikes.js"
import type { UnreadEntries } from "./unread.js"

// The value of a stream: its newest record, and the subject of all of them.
const INDEX = 0
const SEQ = 8
const OBSERVED = 16
const LEAF = 24
const SURFACE = LEAF + HASH_BYTES
const SURFACE_BYTES = 16
const SUBJECT = SURFACE + SURFACE_BYTES
const SUBJECT_BYTES = 16
const VALUE_BYTES = SUBJECT + SUBJECT_BYTES

/** Lines of a record before `seq`: its type, and the six that name the stream. */
const LINES_BEFORE_SEQ = 7

/** A record where it stands. */
export interface PlacedRecord {
  readonly index: number
  readonly entry: Uint8Array
  /** 32 bytes. */
  readonly leafHash: Uint8Array
  readonly record: ToolRecord
}

/** The streams of a log. */
export class StreamLedger {
  readonly streams = new KeyTable(VALUE_BYTES)
  readonly lookalikes = new Lookalikes()
  readonly #findings: Findings
  readonly #unread: UnreadEntries
  readonly #latestSec: bigint

  /** `nowSec`: no record can have been observed later, but for the skew of clocks. */
  constructor(p: { findings: Findings; unread: UnreadEntries; nowSec: bigint }) {
    this.#findings = p.findings
    this.#unread = p.unread
    this.#latestSec = p.nowSec + DEFAULT_SKEW_SEC
  }

  /** Take the next record of the log; returns the first bytes of its subject's SHA-256, valid until the next call. */
  take(placed: PlacedRecord): Uint8Array {
    const { index, record } = placed
    if (record.observed > this.#latestSec)
      this.#findings.add("time_future", `entry ${index}`, `observed at ${record.observed}, which is not yet`)
    const key = sha256(streamBytes(placed.entry))
    const row = this.streams.find(key)
    const tail = this.streams.value(row < 0 ? this.streams.add(key) : row)
    if (row < 0) this.#begin(placed, tail)
    else this.#follow(placed, tail)
    writeTail(tail, placed)
    return tail.bytes.subarray(tail.at + SUBJECT, tail.at + SUBJECT + SUBJECT_BYTES)
  }

  /** The first record of a stream that is known of. */
  #begin({ index, record }: PlacedRecord, tail: Place): void {
    const { prev, seq, subject } = record
    if (prev !== null && !this.#isUnread(prev.index, index))
      this.#broken(
        index,
        `names entry ${prev.index} as the one before it, seq ${seq}: there is none of its stream before it`,
      )
    const hash = sha256(encodeUtf8(subject))
    tail.bytes.set(hash.subarray(0, SUBJECT_BYTES), tail.at + SUBJECT)
    const like = this.lookalikes.take(subject, hash, index)
    if (like !== null)
      this.#findings.add(
        "subject_lookalike",
        `entry ${index}`,
        `subject ${quote(subject)} looks like that of entry ${like} and is another`,
      )
  }

  #follow({ index, record }: PlacedRecord, tail: Place): void {
    const { prev, seq, observed } = record
    const before = readTail(tail)
    const isNext = prev !== null && prev.index === BigInt(before.index) && seq === before.seq + 1n
    if (isNext && isLeaf(tail, prev.leafHash)) {
      if (isSurface(tail, record))
        this.#findings.add(
          "record_repeated",
          `entry ${index}`,
          `the same surface as entry ${before.index}, the record before it of the stream`,
        )
    } else if (!isSkipping(record, before) || !this.#isUnread(prev?.index ?? -1n, index)) {
      this.#broken(index, explainBreak(record, before))
    }
    if (observed + DEFAULT_SKEW_SEC < before.observed)
      this.#findings.add(
        "time_backwards",
        `entry ${index}`,
        `observed at ${observed}, after entry ${before.index} of its stream at ${before.observed}`,
      )
  }

  #isUnread(prev: bigint, index: number): boolean {
    return prev < BigInt(index) && this.#unread.has(prev)
  }

  #broken(index: number, why: string): void {
    this.#findings.add("chain_broken", `entry ${index}`, why)
  }
}

/** The lines that name a stream, as they stand in a well-formed record. */
function streamBytes(entry: Uint8Array): Uint8Array {
  let start = 0
  let end = 0
  for (let line = 0; line < LINES_BEFORE_SEQ; line++) {
    end = entry.indexOf(10, end) + 1
    if (line === 0) start = end
  }
  return entry.subarray(start, end)
}

interface Tail {
  readonly index: number
  readonly seq: bigint
  readonly observed: bigint
}

const readTail = ({ view, at }: Place): Tail => ({
  index: view.getFloat64(at + INDEX, true),
  seq: view.getBigUint64(at + SEQ, true),
  observed: view.getBigUint64(at + OBSERVED, true),
})

function writeTail({ bytes, view, at }: Place, { index, record, leafHash }: PlacedRecord): void {
  view.setFloat64(at + INDEX, index, true)
  view.setBigUint64(at + SEQ, record.seq, true)
  view.setBigUint64(at + OBSERVED, record.observed, true)
  bytes.set(leafHash, at + LEAF)
  bytes.set(surfaceOf(record), at + SURFACE)
}

const surfaceOf = ({ surface }: ToolRecord): Uint8Array =>
  parseHex(surface.slice("sha256:".length, "sha256:".length + 2 * SURFACE_BYTES), (why) => new RangeError(why) as never)

const isLeaf = ({ bytes, at }: Place, leafHash: Uint8Array): boolean => isSameAt(bytes, at + LEAF, leafHash)
const isSurface = ({ bytes, at }: Place, record: ToolRecord): boolean =>
  isSameAt(bytes, at + SURFACE, surfaceOf(record))

function isSameAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false
  return true
}

/** True for a record that leaves room for unread ones between the known tail and itself. */
const isSkipping = ({ prev, seq }: ToolRecord, before: Tail): boolean =>
  prev !== null && prev.index > BigInt(before.index) && seq > before.seq + 1n

function explainBreak({ prev, seq }: ToolRecord, before: Tail): string {
  const last = `entry ${before.index}, seq ${before.seq}`
  if (prev === null) return `begins its stream anew at seq 0, though the stream ends at ${last}`
  if (seq <= before.seq) return `has seq ${seq}, though the stream ends at ${last}`
  if (seq !== before.seq + 1n) return `has seq ${seq}, after ${last}: records are missing between them`
  if (prev.index !== BigInt(before.index)) return `names entry ${prev.index} as the one before it; that is ${last}`
  return `names another leaf hash for entry ${prev.index} than that entry has`
}

/** Row size of the table, for the audit state. */
export const STREAM_ROW_BYTES = KEY_BYTES + VALUE_BYTES
