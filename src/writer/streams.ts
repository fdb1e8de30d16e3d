// Streams and the duplicate rule (DESIGN 4, brief 5.5): an observation becomes the next record of its stream, unless its surface is
// that of the stream's newest record; then that one's index is the answer. A, B, A is three records. A list is compared with the newest
// one, whatever was refused for want of credentials since. What is remembered here is a cache of the log: each record was proven to be
// in the tree when it was read.
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

/** The end of a stream. `newest`: its newest record, which the next one names; `listed`: its newest one with a list, which a record
 *  of state auth never replaces. */
export interface StreamEnd {
  readonly newest: PlacedRecord
  readonly listed: PlacedRecord | null
}

/** The streams of one log. */
export interface Streams {
  readonly tail: SubjectTail
  /** The end of the stream that `observation` belongs to, or null before its first record. Throws STATE_CORRUPT. */
  end(observation: Observation, tree: StoredTree): Promise<StreamEnd | null>
  /** Note what a commit added: all its entries, and where the streams of the records among them end now. */
  added(from: bigint, entries: readonly Uint8Array[], ends: Iterable<StreamEnd>): void
  /** Forget what another writer may have superseded. */
  forget(): void
}

/** Streams of the log in `store`. */
export function createStreams(store: TileStore): Streams {
  const tail = createSubjectTail(store)
  const known = new Map<string, StreamEnd>()
  const remember = (end: StreamEnd): void => {
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(streamKey(end.newest.record), end)
  }
  return {
    tail,
    async end(observation, tree) {
      const key = streamKey(observation)
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
      const indexes = await tail.indexesOf(observation.subject, tree)
      const found = await findEnd(key, indexes, tree)
      if (found !== null) remember(found)
      return found
    },
    added(from, entries, ends) {
      tail.added(from, entries)
      for (const end of ends) remember(end)
    },
    forget: () => known.clear(),
  }
}

/** The record that says what `observation` does already, or null when it is news. */
export function findDuplicate({ state, surface }: Observation, end: StreamEnd | null): PlacedRecord | null {
  const before = state === "listed" ? end?.listed : end?.newest
  return before?.record.surface === surface ? before : null
}

/** Where a stream ends when `placed` follows `end`. */
export const extendStream = (end: StreamEnd | null, placed: PlacedRecord): StreamEnd => ({
  newest: placed,
  listed: placed.record.state === "listed" ? placed : (end?.listed ?? null),
})

/** The record that `observation` becomes at `index`, after `newest`. */
export function placeRecord(observation: Observation, index: bigint, newest: PlacedRecord | null): PlacedRecord {
  const prev = newest === null ? null : { index: newest.index, leafHash: newest.leafHash }
  const record: ToolRecord = { ...observation, seq: newest === null ? 0n : newest.record.seq + 1n, prev }
  const text = formatRecord(record)
  return { index, text, leafHash: hashLeaf(encodeUtf8(text)), record }
}

/** The last of `indexes` whose record belongs to the stream `key`, and the last one with a list. */
async function findEnd(key: string, indexes: readonly bigint[], tree: StoredTree): Promise<StreamEnd | null> {
  let newest: PlacedRecord | null = null
  for (const index of indexes.toReversed()) {
    const { entry, leafHash } = await tree.prove(index)
    const record = parseOrNull(entry)
    if (record === null || streamKey(record) !== key) continue
    const placed: PlacedRecord = { index, text: formatRecord(record), leafHash, record }
    newest ??= placed
    if (record.state === "listed") return { newest, listed: placed }
    if (record.prev === null) break
  }
  return newest === null ? null : { newest, listed: null }
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
