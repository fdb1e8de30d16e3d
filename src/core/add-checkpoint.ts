// The body of an add-checkpoint request (C2SP tlog-witness): the size that the witness is thought to have, a consistency proof from there,
// and the signed checkpoint, verbatim. One spelling. What the witness makes of it is writer/witness.ts's.
//
//   old N / hashes in base64, one a line / (empty line) / the note
import { decodeUtf8, encodeUtf8, formatBase64, parseDecimal } from "./bytes.js"
import { parseHash } from "./checkpoint.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import type { Hash } from "./hash.js"
import { formatNote, MAX_NOTE_BYTES, type Note, parseNote } from "./note.js"

/** Most hashes of the proof; trees of 2^63 entries need no more. */
export const MAX_ADD_CHECKPOINT_HASHES = 63
/** Largest body: the longest note, 63 lines of 45 bytes, and the line with the size. */
export const MAX_ADD_CHECKPOINT_BYTES = MAX_NOTE_BYTES + 45 * MAX_ADD_CHECKPOINT_HASHES + 25

/** A request; nothing in it is verified. */
export interface AddCheckpoint {
  /** Size of the tree that the proof starts from; 0 where the witness is thought to have none. */
  readonly old: bigint
  /** Consistency proof from `old` to the size of the checkpoint; empty from size 0. */
  readonly proof: readonly Hash[]
  readonly note: Note
}

const malformed: Bad = (why) => new ToolsumError("PROTOCOL_MALFORMED", why)

/** Read a body. Throws PROTOCOL_MALFORMED; NOTE_MALFORMED for what stands in the note's place. */
export function parseAddCheckpoint(body: Uint8Array): AddCheckpoint {
  if (body.length > MAX_ADD_CHECKPOINT_BYTES) throw malformed(`expected at most ${MAX_ADD_CHECKPOINT_BYTES} bytes`)
  const text = decodeUtf8(body, malformed)
  const end = text.indexOf("\n\n")
  if (end < 0) throw malformed("expected an empty line before the checkpoint")
  const [first = "", ...hashes] = text.slice(0, end).split("\n", MAX_ADD_CHECKPOINT_HASHES + 2)
  if (!first.startsWith("old ")) throw malformed(`expected the line old N, got ${quote(first)}`)
  if (hashes.length > MAX_ADD_CHECKPOINT_HASHES)
    throw malformed(`expected at most ${MAX_ADD_CHECKPOINT_HASHES} hashes before the checkpoint`)
  return {
    old: parseDecimal(first.slice(4), malformed),
    proof: hashes.map((line) => parseHash(line, malformed)),
    note: parseNote(text.slice(end + 2)),
  }
}

/** Exact inverse of `parseAddCheckpoint`. */
export const formatAddCheckpoint = ({ old, proof, note }: AddCheckpoint): Uint8Array =>
  encodeUtf8(`old ${old}\n${proof.map((hash) => `${formatBase64(hash)}\n`).join("")}\n${formatNote(note)}`)
