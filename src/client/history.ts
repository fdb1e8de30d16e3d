// Walks a stream backwards from a record through its `prev` (DESIGN 4): a stream is complete when the walk ends at seq 0, every step
// proven under the head, same stream, one less, and with the leaf hash that the later record names.
import { equalBytes } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { parseRecord, streamKey } from "../core/record.js"
import { proveInclusion } from "./prove.js"
import type { FoundRecord } from "./streams.js"
import type { VerifiedTree } from "./tiles.js"

/** The records of a stream before `newest`, newest first, down to seq 0 or to index `until`. Throws RECORD_INVALID when a step does not
 *  lead to the record before, and what reading throws. */
export async function* walkStream(tree: VerifiedTree, newest: FoundRecord, until = 0n): AsyncGenerator<FoundRecord> {
  let later = newest
  while (later.record.prev !== null && later.record.prev.index >= until) {
    later = await readPrevious(tree, later)
    yield later
  }
}

async function readPrevious(tree: VerifiedTree, later: FoundRecord): Promise<FoundRecord> {
  const { prev, seq } = later.record
  const bad = (why: string, cause?: unknown) =>
    new ToolsumError("RECORD_INVALID", `record ${later.index} names ${prev?.index} as the one before it: ${why}`, {
      cause,
    })
  if (prev === null || prev.index >= later.index) throw bad("expected a smaller index")
  const { entry, leafHash } = await proveInclusion(tree, prev.index)
  if (!equalBytes(leafHash, prev.leafHash)) throw bad("another entry is there")
  const record = parseOr(entry, (cause) => bad("that is no record", cause))
  if (streamKey(record) !== streamKey(later.record)) throw bad("that is of another stream")
  if (record.seq + 1n !== seq) throw bad(`expected seq ${seq - 1n}, got ${record.seq}`)
  return { index: prev.index, record, leafHash }
}

function parseOr(entry: Uint8Array, bad: (cause: unknown) => ToolsumError) {
  try {
    return parseRecord(entry)
  } catch (error) {
    throw error instanceof ToolsumError ? bad(error) : error
  }
}
