// One step of the log, steps 2 to 8 and 10 of brief 5.2 in their order: stage, read back and compute the root in a second way, sign,
// create the commit record, publish. Before the record nothing is public and nothing has happened; after it nothing can be undone.
import { equalBytes } from "../core/bytes.js"
import { formatCheckpoint } from "../core/checkpoint.js"
import { ToolsumError } from "../core/errors.js"
import { signNote } from "../core/note.js"
import type { SigningKey, VerifierKey } from "../core/vkey.js"
import type { TileStore } from "../ports.js"
import { type Commit, commitKey, formatCommit, hashCommit } from "./commit.js"
import { type Edge, extendEdge, readerOf } from "./edge.js"
import type { SignedCommit } from "./history.js"
import { type Cosigning, type Publication, publishStep } from "./publish.js"
import { recomputeHead } from "./second-root.js"
import {
  formatStaging,
  MAX_STAGING_BYTES,
  parseStaging,
  type StagedFile,
  type Staging,
  stagingDigest,
  stagingKey,
} from "./staging.js"
import type { LogState } from "./state.js"
import { createStoredTree, type StoredTree } from "./stored-tree.js"

/** What every step of one open log shares. */
export interface StepContext {
  readonly store: TileStore
  readonly origin: string
  /** All sign the checkpoint. */
  readonly signers: readonly SigningKey[]
  /** One of these must have signed what other writers commit. */
  readonly keys: readonly VerifierKey[]
  readonly cosigning: Cosigning
  /** Rewrites the subject index as of a tree. */
  readonly reindex: (tree: StoredTree) => Promise<void>
}

/** A step that is published, but for its checkpoint where `unmet` is set. */
export interface PublishedStep extends LogState, Publication {
  readonly tree: StoredTree
}

/** Append `entries` (at least one) after `before` and publish `files` with them. Null when another writer committed first: then nothing
 *  has happened. Throws what the store throws, after which the outcome is unknown; STATE_CORRUPT when the staged bytes do not hold,
 *  LOG_REFUSED when published names are taken by other bytes. */
export async function appendStep(
  context: StepContext,
  before: { readonly commit: SignedCommit | null; readonly edge: Edge },
  added: { readonly entries: readonly Uint8Array[]; readonly files: readonly StagedFile[] },
): Promise<PublishedStep | null> {
  const { store, origin, signers } = context
  const seq = before.commit === null ? 0n : before.commit.seq + 1n
  const { edge, files } = extendEdge(before.edge, added.entries)
  const { head } = edge
  const staging: Staging = { oldSize: before.edge.head.size, newSize: head.size, files: [...files, ...added.files] }
  const digest = await stage(store, seq, staging, edge)
  if (digest === null) return null
  const checkpoint = signNote(formatCheckpoint({ origin, ...head, extensions: [] }), signers)
  const prev = before.commit === null ? null : hashCommit(before.commit)
  const commit: Commit = { seq, prev, staging: digest, checkpoint }
  if (!(await store.create(commitKey(seq), formatCommit(commit)))) return null
  const state: LogState = { commit: { ...commit, head: { origin, ...head, extensions: [] } }, edge }
  const tree = createStoredTree(readerOf(store), head)
  const reindex = () => context.reindex(tree)
  const { oldSize } = staging
  const { cosigning } = context
  const { note, unmet } = await publishStep({ store, commit, staging, oldSize, cosigning, tree, reindex })
  return { ...state, note, unmet, tree }
}

/** Steps 2 and 3: write the staging file, read it back, check it in the second way. Null when it is gone: a rival that committed this
 *  step has published the same bytes and dropped it. */
async function stage(store: TileStore, seq: bigint, staging: Staging, edge: Edge): Promise<Commit["staging"] | null> {
  const bytes = formatStaging(staging)
  const digest = stagingDigest(bytes)
  const key = stagingKey(seq, digest)
  await store.create(key, bytes)
  const back = await store.read(key, MAX_STAGING_BYTES)
  if (back === null) return null
  if (stagingDigest(back) !== digest) throw new ToolsumError("STATE_CORRUPT", "the staged bytes came back changed")
  const second = await recomputeHead(readerOf(store), parseStaging(back))
  if (second.size !== edge.head.size || !equalBytes(second.rootHash, edge.head.rootHash)) {
    throw new ToolsumError("STATE_CORRUPT", "two ways to the next root disagree")
  }
  return digest
}
