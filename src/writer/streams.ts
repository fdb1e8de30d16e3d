// Streams and the duplicate rule (DESIGN 4, brief 5.5): an observation becomes the next record of its stream, unless its surface is
// that of the stream's newest record; then that one's index is the answer. A, B, A is three records. What is remembered here is a
// cache of the log: each newest record was proven to be in the tree when it was read.
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { type Hash, hashLeaf } from "../core/hash.js"
import { formatRecord, type Observation, parseRecord, streamKey, type ToolRecord } from "../core/record.js"
import type { TileStore } from "../ports.js"
import type { StoredTree } from "./stored-tree.js"
import { createSubjectTail, type SubjectTail } from "./subject-tail.js"

const MAX_REMEMBERED = 4096

/** A record and its place in the log. */
export interface PlacedRecord {
  readonly index: bigint
  readonly text: string
  readonly leafHash: Hash
  readonly record: ToolRecord
}

/** The streams of one log. */
export interface Streams {
  readonly tail: SubjectTail
  /** The newest record of the stream that `observation` belongs to, or null. Throws STATE_CORRUPT. */
  newest(observation: Observation, tree: StoredTree): Promise<PlacedRecord | null>
  /** Note what a commit added: all its entries, and the records among them that are their stream's newest now. */
  added(from: bigint, entries: readonly Uint8Array[], records: Iterable<PlacedRecord>): void
  /** Forget what another writer may have superseded. */
  forget(): void
}

/** Streams of the log in `store`. */
export function createStreams(store: TileStore): Streams {
  const tail = createSubjectTail(store)
  const known = new Map<string, PlacedRecord>()
  const remember = (placed: PlacedRecord): void => {
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(streamKey(placed.record), placed)
  }
  return {
    tail,
    async newest(observation, tree) {
      const key = streamKey(observation)
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
      const indexes = await tail.indexesOf(observation.subject, tree)
      const found = await findNewest(key, indexes, tree)
      if (found !== null) remember(found)
      return found
    },
    added(from, entries, records) {
      tail.added(from, entries)
      for (const placed of records) remember(placed)
    },
    forget: () => known.clear(),
  }
}

/** The record that `observation` becomes at `index`, after `newest`. */
export function placeRecord(observation: Observation, index: bigint, newest: PlacedRecord | null): PlacedRecord {
  const prev = newest === null ? null : { index: newest.index, leafHash: newest.leafHash }
  const record: ToolRecord = { ...observation, seq: newest === null ? 0n : newest.record.seq + 1n, prev }
  const text = formatRecord(record)
  return { index, text, leafHash: hashLeaf(encodeUtf8(text)), record }
}

/** The last of `indexes` whose record belongs to the stream `key`. */
async function findNewest(key: string, indexes: readonly bigint[], tree: StoredTree): Promise<PlacedRecord | null> {
  for (const index of indexes.toReversed()) {
    const { entry, leafHash } = await tree.prove(index)
    const record = parseOrNull(entry)
    if (record !== null && streamKey(record) === key) {
      return { index, text: formatRecord(record), leafHash, record }
    }
  }
  return null
}

/** An ill-formed record (a raw entry may be anything) belongs to no stream. */
function parseOrNull(entry: Uint8Array): ToolRecord | null {
  try {
    return parseRecord(entry)
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "RECORD_MALFORMED") return null
    throw error
  }
}
