// Opening a log without the means to change it: for serving, monitoring and showing it (brief 5.4). The same checks as for writing, on a
// storage that offers nothing but reading; what a crash left unpublished is shown but not finished.
import type { VerifierKey } from "../core/vkey.js"
import { parseHead } from "./history.js"
import type { LogSettings } from "./settings.js"
import { checkState, type KnownHead, type StoreReader } from "./state.js"
import type { StoredTree } from "./stored-tree.js"

/** A log as it was when it was opened. */
export interface LogReader extends LogSettings, Pick<StoredTree, "head" | "entries" | "prove"> {
  /** The newest signed checkpoint, with cosignatures when it is published. */
  readonly checkpoint: string
  /** False after a crash or while a writer is at work: the newest tree is decided but not published yet. */
  readonly published: boolean
}

/** Open a log for reading. Throws as `checkState`. */
export async function openLogReadOnly(p: {
  readonly store: StoreReader
  readonly keys: readonly VerifierKey[]
  readonly knownHeads?: readonly KnownHead[]
}): Promise<LogReader> {
  const { settings, commit, tree, published: note } = await checkState({ ...p, knownHeads: p.knownHeads ?? [] })
  const published = note !== null && parseHead(note).size === commit.head.size
  const { head, entries, prove } = tree
  return { ...settings, head, entries, prove, checkpoint: published ? note : commit.checkpoint, published }
}
