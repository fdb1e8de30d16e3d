// What a revocation means for heads that people hold: a head that no key in use has signed counts only as part of a later tree that one
// has. Whether it is part of the log's own tree tells an honest head from one that a thief signed.
import { equalBytes } from "../../core/bytes.js"
import { parseCheckpoint } from "../../core/checkpoint.js"
import { attempt, ToolsumError } from "../../core/errors.js"
import type { Keyring } from "../../core/keyring-text.js"
import type { TreeHead } from "../../core/merkle.js"
import { openNote, parseNote } from "../../core/note.js"
import { isInUse } from "./plan.js"

/** A head that somebody holds. `from`: who, for people. */
export interface HeldHead {
  readonly from: string
  readonly note: string
}

/** A held head that stops counting by itself. */
export interface AffectedHead extends TreeHead {
  readonly from: string
  /** True: it is part of the log's tree. False: the log never had that tree. Null: it is larger than the log. */
  readonly isOurs: boolean | null
}

/** The heads that count under `next` only as part of another tree. `rootAt`: root hash of the log's tree at a size, null above it. Notes that
 *  are not by this log's keys are left out: other checks refuse them. */
export async function findAffectedHeads(p: {
  readonly heads: readonly HeldHead[]
  readonly next: Keyring
  readonly rootAt: (size: bigint) => Promise<Uint8Array | null>
}): Promise<readonly AffectedHead[]> {
  const affected: AffectedHead[] = []
  for (const { from, note } of p.heads) {
    const head = readAffected(note, p.next)
    if (head === null) continue
    const root = await p.rootAt(head.size)
    affected.push({ from, ...head, isOurs: root && equalBytes(root, head.rootHash) })
  }
  return affected
}

/** The tree of a head that a log key has signed, but none in use at its size. */
function readAffected(note: string, { origin, logs }: Keyring): TreeHead | null {
  const read = attempt(() => ({
    head: parseCheckpoint(parseNote(note).text),
    opened: openNote(
      note,
      logs.map(({ key }) => key),
    ),
  }))
  if (read instanceof ToolsumError || read.head.origin !== origin) return null
  const { size, rootHash } = read.head
  const live = logs.filter((key) => isInUse(key) && key.from <= size).map(({ key }) => key.vkey)
  return read.opened.verified.some(({ vkey }) => live.includes(vkey)) ? null : { size, rootHash }
}
