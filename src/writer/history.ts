// The commit records as a history (brief 5.4): finding the newest, and checking that it follows the ones before it and that our key
// signed it. Reads only.
import { equalBytes } from "../core/bytes.js"
import { type Checkpoint, parseCheckpoint, verifyCheckpoint } from "../core/checkpoint.js"
import { ToolsumError } from "../core/errors.js"
import { parseNote } from "../core/note.js"
import type { VerifierKey } from "../core/vkey.js"
import type { TileStore } from "../ports.js"
import { type Commit, commitKey, hashCommit, MAX_COMMIT_BYTES, parseCommit } from "./commit.js"
import { refused } from "./refused.js"

/** How many records before the newest are checked at start. */
const CHECKED_COMMITS = 4n

/** A commit record whose checkpoint is signed by a key of this log. */
export interface SignedCommit extends Commit {
  readonly head: Checkpoint
}

/** Read commit record `seq`, or null. Throws COMMIT_MALFORMED, also for a record of another number. */
export async function readCommit(store: Pick<TileStore, "read">, seq: bigint): Promise<Commit | null> {
  const bytes = await store.read(commitKey(seq), MAX_COMMIT_BYTES)
  if (bytes === null) return null
  const commit = parseCommit(bytes)
  if (commit.seq !== seq) throw new ToolsumError("COMMIT_MALFORMED", `expected seq ${seq}, got ${commit.seq}`)
  return commit
}

/** The newest commit record, or null when there is none. Records have no gaps, so doubling and halving finds the last one, and a
 *  last look forward finds what was added meanwhile. */
export async function findNewestCommit(store: Pick<TileStore, "read">): Promise<Commit | null> {
  let newest = await readCommit(store, 0n)
  if (newest === null) return null
  let step = 1n
  for (let next = await readCommit(store, step); next !== null; next = await readCommit(store, newest.seq + step)) {
    newest = next
    step *= 2n
  }
  for (; step > 0n; step /= 2n) newest = (await readCommit(store, newest.seq + step)) ?? newest
  for (let next: Commit | null = newest; next !== null; next = await readCommit(store, newest.seq + 1n)) newest = next
  return newest
}

/** Check that `commit` is signed by one of `keys` under its own origin. Throws as `verifyCheckpoint`. */
export function verifyCommit(commit: Commit, keys: readonly VerifierKey[], origin: string): SignedCommit {
  const { checkpoint } = verifyCheckpoint({ note: commit.checkpoint, origin, keys })
  return { ...commit, head: checkpoint }
}

/** Check that `next` follows `before`: named by hash, and of a larger tree. Throws LOG_REFUSED. */
export function verifyFollows(before: SignedCommit, next: SignedCommit): void {
  if (next.prev === null || !equalBytes(next.prev, hashCommit(before))) {
    throw refused(`commit record ${next.seq} does not follow record ${before.seq}`)
  }
  if (next.head.size <= before.head.size) {
    throw refused(`commit record ${next.seq} does not grow the tree`)
  }
}

/** Check the last few records back from `newest`. Older ones may be signed by a key that has been retired, so there only the chain
 *  and the growth count. Throws LOG_REFUSED. */
export async function verifyRecent(store: Pick<TileStore, "read">, newest: SignedCommit): Promise<void> {
  const last = newest.seq > CHECKED_COMMITS ? newest.seq - CHECKED_COMMITS : 0n
  for (let after: SignedCommit = newest; after.seq > last; ) {
    const commit = await readCommit(store, after.seq - 1n)
    if (commit === null) throw refused(`commit record ${after.seq - 1n} is missing`)
    const before = { ...commit, head: parseHead(commit.checkpoint) }
    verifyFollows(before, after)
    after = before
  }
}

/** The tree that a checkpoint note names, its signatures unchecked. Throws NOTE_MALFORMED, CHECKPOINT_MALFORMED. */
export const parseHead = (note: string): Checkpoint => parseCheckpoint(parseNote(note).text)
