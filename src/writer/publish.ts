// Steps 6 to 8 and 10 of a commit (brief 5.2): everything after the commit record. Each can be done again, by this process or the
// next one, at any time: files are created with bytes that are decided for ever. A late write can put an older checkpoint in the place
// of a newer one, so whoever has published looks for a newer commit before it answers, and publishes that (follow.ts).
import { encodeUtf8, equalBytes } from "../core/bytes.js"
import { type Checkpoint, parseCheckpoint } from "../core/checkpoint.js"
import { ToolsumError } from "../core/errors.js"
import { addSignatures, formatNote, MAX_NOTE_BYTES, parseNote } from "../core/note.js"
import { SUBJECT_INDEX_INTERVAL } from "../core/subject-index.js"
import type { TileStore } from "../ports.js"
import type { Commit } from "./commit.js"
import { parseHead } from "./history.js"
import { refused } from "./refused.js"
import { STAGING_FOLDER, type StagedFile, type Staging, stagingKey, stagingSeq } from "./staging.js"

/** Where the newest signed checkpoint is served from. */
export const CHECKPOINT_KEY = "public/checkpoint"

/** Collects cosignatures for a signed checkpoint: signature lines without newlines. What it throws stops the publication. */
export type Cosign = (checkpoint: string) => Promise<readonly string[]>

const PUBLISH_ATTEMPTS = 3
/** Files written at the same time: a batch of objects shares the syncs of its folders. */
const PARALLEL_FILES = 128

/** Publish a committed step. `staging` null: its files are in place already, which the caller has checked. `reindex` rewrites the
 *  subject index at this step's size, when that has crossed an interval since `oldSize`. Returns the note of this step's tree, cosigned as far as it was published so.
 *  Throws LOG_REFUSED when something else lies where this step's bytes belong. */
export async function publishStep(p: {
  readonly store: TileStore
  readonly commit: Commit
  readonly staging: Staging | null
  readonly oldSize: bigint
  readonly cosign: Cosign | undefined
  readonly reindex: () => Promise<void>
}): Promise<string> {
  const { store, commit, staging } = p
  if (staging !== null) await createFiles(store, staging.files)
  const published = await publishCheckpoint(store, commit, p.cosign)
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

async function publishCheckpoint(store: TileStore, commit: Commit, cosign: Cosign | undefined): Promise<string> {
  const own = parseHead(commit.checkpoint)
  const before = await readPublished(store)
  if (before !== null && !isBehind(before, own)) return parseHead(before).size === own.size ? before : commit.checkpoint
  const note = cosign ? withCosignatures(commit.checkpoint, await cosign(commit.checkpoint)) : commit.checkpoint
  for (let attempt = 1; attempt <= PUBLISH_ATTEMPTS; attempt++) {
    await store.replace(CHECKPOINT_KEY, encodeUtf8(note))
    // Another writer's late write of an older checkpoint may have come in between.
    const after = await readPublished(store)
    if (after !== null && !isBehind(after, own)) return note
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

const withCosignatures = (note: string, lines: readonly string[]): string =>
  formatNote(addSignatures(parseNote(note), lines))
