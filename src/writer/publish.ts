// Steps 6 to 8 and 10 of a commit (brief 5.2): everything after the commit record. Each can be done again, by this process or the
// next one, at any time: files are created with bytes that are decided for ever. A late write can put an older checkpoint in the place
// of a newer one, so whoever has published looks for a newer commit before it answers, and publishes that (follow.ts).
import { encodeUtf8, equalBytes } from "../core/bytes.js"
import { type Checkpoint, parseCheckpoint } from "../core/checkpoint.js"
import { ToolsumError } from "../core/errors.js"
import { formatNote, MAX_NOTE_BYTES, parseNote } from "../core/note.js"
import type { Policy } from "../core/policy.js"
import { SUBJECT_INDEX_INTERVAL } from "../core/subject-index.js"
import type { TileStore } from "../ports.js"
import type { Commit } from "./commit.js"
import { readerOf } from "./edge.js"
import { parseHead } from "./history.js"
import { loadPolicy } from "./keyrings.js"
import { type Cosign, gatherCosignatures, meetsPolicy, withoutCosignatures } from "./quorum.js"
import { refused } from "./refused.js"
import { STAGING_FOLDER, type StagedFile, type Staging, stagingKey, stagingSeq } from "./staging.js"
import { createStoredTree, type StoredTree } from "./stored-tree.js"

/** Where the newest signed checkpoint is served from. */
export const CHECKPOINT_KEY = "public/checkpoint"

const PUBLISH_ATTEMPTS = 3
/** Files written at the same time: a batch of objects shares the syncs of its folders. */
const PARALLEL_FILES = 128

/** How a checkpoint gets the cosignatures that it needs, and what happens when it does not. */
export interface Cosigning {
  readonly cosign?: Cosign | undefined
  /** Given: a checkpoint that misses the quorum is published all the same, and this is told why readers will refuse it. */
  readonly failOpen?: ((unmet: ToolsumError) => void) | undefined
}

/** What came of publishing a checkpoint. */
export interface Publication {
  /** The checkpoint with the cosignatures that could be had; given to nobody while `unmet` is set. */
  readonly note: string
  /** Why it is not published: LOG_UNAVAILABLE, the quorum of the policy is not met. What was published before still is. */
  readonly unmet: ToolsumError | null
}

/** Publish a committed step. `staging` null: its files are in place already, which the caller has checked. `reindex` rewrites the
 *  subject index at this step's size, when that has crossed an interval since `oldSize`. Without the quorum that the newest keyring
 *  demands, all is done but the checkpoint. Throws LOG_REFUSED when something else lies where this step's bytes belong, and as Cosign. */
export async function publishStep(p: {
  readonly store: TileStore
  readonly commit: Commit
  readonly staging: Staging | null
  readonly oldSize: bigint
  readonly cosigning: Cosigning
  readonly tree: StoredTree
  readonly reindex: () => Promise<void>
}): Promise<Publication> {
  const { store, commit, staging } = p
  if (staging !== null) await createFiles(store, staging.files)
  const published = await publishCheckpoint(p, { given: [], refresh: false })
  if (crossesInterval(p.oldSize, parseHead(commit.checkpoint).size)) await p.reindex()
  if (staging !== null) await store.remove(stagingKey(commit.seq, commit.staging))
  return published
}

/** Remove staging files of steps up to `seq`, which can no longer be committed. The next step's may belong to a live writer. */
export async function removeOrphans(store: TileStore, seq: bigint): Promise<void> {
  for (const name of await store.list(STAGING_FOLDER)) {
    const step = stagingSeq(name)
    if (step !== null && step <= seq) await store.remove(`${STAGING_FOLDER}/${name}`)
  }
}

const crossesInterval = (oldSize: bigint, newSize: bigint): boolean =>
  oldSize / SUBJECT_INDEX_INTERVAL !== newSize / SUBJECT_INDEX_INTERVAL

async function createFiles(store: TileStore, files: readonly StagedFile[]): Promise<void> {
  for (let at = 0; at < files.length; at += PARALLEL_FILES) {
    const done = await Promise.allSettled(files.slice(at, at + PARALLEL_FILES).map((file) => createFile(store, file)))
    // All have ended before one failure is told: nothing may still be written when the log is closed.
    for (const result of done) if (result.status === "rejected") throw result.reason
  }
}

async function createFile(store: TileStore, { key, bytes }: StagedFile): Promise<void> {
  if (await store.create(key, bytes)) return
  const present = await store.read(key)
  if (present !== null && equalBytes(present, bytes)) return
  // An object is named by its hash and may be deleted at any time, so the right bytes are right whatever was there.
  if (!key.startsWith("public/objects/")) throw refused(`${key} exists with other bytes`)
  await store.replace(key, bytes)
}

/** A committed tree and the way to cosignatures for it. */
export interface PublishContext {
  readonly store: TileStore
  readonly commit: Commit
  readonly tree: StoredTree
  readonly cosigning: Cosigning
}

/** Put the checkpoint of a committed step where it is served from, cosigned as the newest keyring's policy demands. `given`: cosignature lines
 *  that somebody brought; `refresh`: ask all witnesses again, for newer times. A checkpoint of the same tree that is good enough stays. */
export async function publishCheckpoint(
  context: PublishContext,
  how: { readonly given: readonly string[]; readonly refresh: boolean },
): Promise<Publication & { readonly absent: readonly string[] }> {
  const { store, commit, tree, cosigning } = context
  const own = parseHead(commit.checkpoint)
  const published = await readPublished(store)
  const isThere = published !== null && !isBehind(published, own)
  if (isThere && parseHead(published).size > own.size) return { note: commit.checkpoint, unmet: null, absent: [] }
  const policy = await loadPolicy(store)
  const present = isThere ? published : null
  const isAsked = policy !== null && (how.refresh || how.given.length > 0)
  if (present !== null && !isAsked && meetsPolicy(present, policy)) return { note: present, unmet: null, absent: [] }
  const request = { signed: commit.checkpoint, present, kept: [policy], policy, tree, committed: own.size, published }
  const { note, unmet, absent } = await gatherCosignatures(cosigning.cosign, { ...request, ...how })
  if (unmet !== null && cosigning.failOpen === undefined) return { note, unmet, absent }
  if (unmet !== null) cosigning.failOpen?.(unmet)
  if (note !== present) await replaceCheckpoint(store, note, own)
  return { note, unmet: null, absent }
}

/** Have the published checkpoint cosigned as `policy` demands, on top of the cosignatures that it has, and publish it so: before a keyring with
 *  that policy is published, which readers will hold it to at once. Returns why it could not be done, and then nothing has changed.
 *  Throws as Cosign. */
export async function adoptPolicy(context: PublishContext, policy: Policy | null): Promise<ToolsumError | null> {
  const { store, commit, cosigning } = context
  const published = await readPublished(store)
  if (published === null || meetsPolicy(published, policy)) return null
  const head = parseHead(published)
  const tree = createStoredTree(readerOf(store), head)
  const kept = [await loadPolicy(store), policy]
  const signed = withoutCosignatures(published, kept)
  const committed = parseHead(commit.checkpoint).size
  const request = { signed, present: published, kept, policy, tree, committed, published, given: [], refresh: false }
  const { note, unmet } = await gatherCosignatures(cosigning.cosign, request)
  if (unmet === null) await replaceCheckpoint(store, note, head)
  return unmet
}

async function replaceCheckpoint(store: TileStore, note: string, own: Checkpoint): Promise<void> {
  for (let attempt = 1; attempt <= PUBLISH_ATTEMPTS; attempt++) {
    await store.replace(CHECKPOINT_KEY, encodeUtf8(note))
    // Another writer's late write of an older checkpoint may have come in between.
    const after = await readPublished(store)
    if (after !== null && !isBehind(after, own)) return
  }
  throw new ToolsumError("IO_FAILED", "the published checkpoint goes back to an older one")
}

/** The published note, or null. Throws LOG_REFUSED when it cannot be read as a checkpoint. */
export async function readPublished(store: Pick<TileStore, "read">): Promise<string | null> {
  const bytes = await store.read(CHECKPOINT_KEY, MAX_NOTE_BYTES)
  if (bytes === null) return null
  try {
    const note = parseNote(bytes)
    parseCheckpoint(note.text)
    return formatNote(note)
  } catch (cause) {
    throw refused("the published checkpoint is unreadable", cause)
  }
}

/** True when the published note is of a smaller tree than `own`. Throws LOG_REFUSED for another log or another tree of the size. */
function isBehind(published: string, own: Checkpoint): boolean {
  const other = parseHead(published)
  if (other.origin !== own.origin) throw refused("the published checkpoint is another log's")
  if (other.size === own.size && !equalBytes(other.rootHash, own.rootHash)) {
    throw refused(`another tree of size ${own.size} is published`)
  }
  return other.size < own.size
}
