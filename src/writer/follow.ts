// Getting to the newest committed step and publishing it: after a crash, and when other writers were faster (brief 5.2, 5.4). The same
// code does both: a rival that is still at it and one that died look alike, and publishing twice is harmless.
import { computeVerifierKey, ED25519_NOTE, type SigningKey, type VerifierKey } from "../core/vkey.js"
import { commitKey, formatCommit } from "./commit.js"
import { readerOf } from "./edge.js"
import { readCommit, type SignedCommit, verifyCommit, verifyFollows } from "./history.js"
import { publishStep, removeOrphans } from "./publish.js"
import { refused } from "./refused.js"
import { type CheckedTree, loadTree } from "./state.js"
import type { PublishedStep, StepContext } from "./step.js"
import { beginsWith, createStoredTree } from "./stored-tree.js"

/** The verifier keys of signing keys. */
export const verifiersOf = (signers: readonly SigningKey[]): readonly VerifierKey[] =>
  signers.map(({ name, publicKey }) => computeVerifierKey({ name, type: ED25519_NOTE, publicKey }))

/** Publish a committed and checked step as far as it is not published yet, remove what lost against it, and go on to what was committed
 *  after it: a late write of ours may have put our older checkpoint in the place of a newer one. `known`: size of the tree that we
 *  come from, which is the step's own old one unless it is given. */
export async function finishStep(context: StepContext, checked: CheckedTree, known?: bigint): Promise<PublishedStep> {
  const { store, cosigning } = context
  const { commit, edge, staging } = checked
  // What was read may be in no more than memory, if its writer died before it had synced the folder. Creating it again syncs that, so
  // nothing is public that a power failure can undo. Once the staged files are gone this has been done.
  if (staging !== null) await store.create(commitKey(commit.seq), formatCommit(commit))
  const tree = createStoredTree(readerOf(store), commit.head)
  const reindex = () => context.reindex(tree)
  const oldSize = known ?? staging?.oldSize ?? commit.head.size
  const { note, unmet } = await publishStep({ store, commit, staging, oldSize, cosigning, tree, reindex })
  await removeOrphans(store, commit.seq)
  const step = { commit, edge, note, unmet, tree }
  return (await followOthers(context, step)) ?? step
}

/** What other writers have committed after `state`, checked and published; null when nothing. Throws LOG_REFUSED when they did not
 *  build on our tree, and as `finishStep`. */
export async function followOthers(context: StepContext, state: PublishedStep): Promise<PublishedStep | null> {
  const newest = await readNewer(context, state.commit)
  if (newest === null) return null
  const checked = await loadTree(context.store, newest)
  if (!(await beginsWith(checked.tree, state.edge.head))) throw refused("another writer has replaced the tree")
  return finishStep(context, checked, state.edge.head.size)
}

async function readNewer(context: StepContext, known: SignedCommit): Promise<SignedCommit | null> {
  let newest = known
  for (;;) {
    const next = await readCommit(context.store, newest.seq + 1n)
    if (next === null) return newest === known ? null : newest
    const signed = verifyCommit(next, context.keys, context.origin)
    verifyFollows(newest, signed)
    newest = signed
  }
}
