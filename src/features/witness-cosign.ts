// Cosigns one checkpoint without a server: the same check and store as over HTTP, with the proof built from what the log serves.
import { proveConsistency } from "../client/prove.js"
import { createVerifiedTree } from "../client/tiles.js"
import { formatAddCheckpoint } from "../core/add-checkpoint.js"
import { parseCheckpoint } from "../core/checkpoint.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Hash } from "../core/hash.js"
import type { TreeHead } from "../core/merkle.js"
import { addSignatures, formatNote, type Note, parseNote } from "../core/note.js"
import type { LogSource } from "../ports.js"
import type { Witness, WitnessAnswer } from "../writer/witness.js"

/** A checkpoint that was cosigned now. */
export interface CosignedCheckpoint extends TreeHead {
  readonly origin: string
  /** Signature lines, without newlines. */
  readonly lines: readonly string[]
  /** The note as it came, with those lines. */
  readonly note: string
}

/** Cosign the checkpoint `note`. `source`: where the log's tiles are; needed where the witness has cosigned a smaller tree before. Throws
 *  USAGE (unknown log, or no source where one is needed), SIGNATURE_INVALID, CONSISTENCY_INVALID when the tree does not extend what was
 *  cosigned before, HASH_MISMATCH, LOG_BEHIND when a larger one was, LOG_BUSY when another process was faster, LOG_UNAVAILABLE, and what
 *  reading throws. */
export async function cosignCheckpoint(p: {
  readonly witness: Witness
  readonly note: Uint8Array
  readonly source: LogSource | null
}): Promise<CosignedCheckpoint> {
  const { witness } = p
  const note = parseNote(p.note)
  const head = parseCheckpoint(note.text)
  const last = await witness.latest(head.origin)
  if (last !== null && last.size > head.size)
    throw new ToolsumError("LOG_BEHIND", `this witness has cosigned size ${last.size} already, got size ${head.size}`)
  const old = last?.size ?? 0n
  const ask = (proof: readonly Hash[]) => witness.addCheckpoint(formatAddCheckpoint({ old, proof, note }))
  // Without a proof first: who signed is judged before any tile is read.
  const first = await ask([])
  const lacksProof = first.status === 422 && old > 0n && old < head.size
  const answer = lacksProof ? await ask(await buildProof(p.source, head, old)) : first
  if (answer.status !== 200) throw refusalOf(answer, head.origin)
  return { ...head, lines: answer.lines, note: cosigned(note, answer.lines) }
}

const cosigned = (note: Note, lines: readonly string[]): string => formatNote(addSignatures(note, lines))

async function buildProof(source: LogSource | null, head: TreeHead, old: bigint): Promise<readonly Hash[]> {
  if (source === null)
    throw new ToolsumError("USAGE", `this witness has cosigned size ${old}; the way to ${head.size} takes --from`)
  return (await proveConsistency(createVerifiedTree(source, head), old)).proof
}

function refusalOf(answer: Exclude<WitnessAnswer, { readonly status: 200 }>, origin: string): ToolsumError {
  if (answer.status === 409) return new ToolsumError("LOG_BUSY", "another process cosigned meanwhile; try again")
  const { status, why } = answer
  if (status === 404) return new ToolsumError("USAGE", `expected a log of --log, got ${quote(origin)}`)
  if (status === 403) return new ToolsumError("SIGNATURE_INVALID", why)
  if (status === 422)
    return new ToolsumError("CONSISTENCY_INVALID", `the tree does not extend what was cosigned: ${why}`)
  return new ToolsumError(status === 400 ? "PROTOCOL_MALFORMED" : "LOG_UNAVAILABLE", why)
}
