// Opening: the start-up checks of brief 5.4. Everything is checked before anything is written, on the stored files and on the staged
// ones that a crash kept from being published. A log that fails is not opened.
import { equalBytes } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { TreeHead } from "../core/merkle.js"
import type { VerifierKey } from "../core/vkey.js"
import type { TileStore } from "../ports.js"
import type { Commit } from "./commit.js"
import { type Edge, loadEdge, type ReadFile } from "./edge.js"
import { findNewestCommit, parseHead, type SignedCommit, verifyCommit, verifyRecent } from "./history.js"
import { readPublished } from "./publish.js"
import { refused } from "./refused.js"
import { type LogSettings, loadSettings } from "./settings.js"
import { MAX_STAGING_BYTES, parseStaging, type Staging, stagingDigest, stagingKey } from "./staging.js"
import { beginsWith, createStoredTree, type StoredTree } from "./stored-tree.js"

/** What the checks need of the storage: none of them writes. */
export type StoreReader = Pick<TileStore, "read">

/** A head of this log that somebody outside has seen, its signature verified by the caller. `from`: who, for the message. */
export interface KnownHead extends TreeHead {
  readonly from: string
}

/** Where the log stands. */
export interface LogState {
  readonly commit: SignedCommit
  readonly edge: Edge
}

/** A committed tree whose files are there and hash to its root, and the step that may still have to be published. */
export interface CheckedTree extends LogState {
  /** The newest step's staged files; null when they have been published and dropped. */
  readonly staging: Staging | null
  /** The tree, staged files included. */
  readonly tree: StoredTree
}

/** Load the log in `store` and check it. `published`: the note that is served now. Throws LOG_UNAVAILABLE when there is none, LOG_REFUSED
 *  when it contradicts itself or what was seen outside, STATE_CORRUPT or COMMIT_MALFORMED when its files are damaged,
 *  SIGNATURE_INVALID when none of `keys` signed it. */
export async function checkState(p: {
  readonly store: StoreReader
  readonly keys: readonly VerifierKey[]
  readonly knownHeads: readonly KnownHead[]
}): Promise<CheckedTree & { readonly settings: LogSettings; readonly published: string | null }> {
  const { store, keys } = p
  // Read before the commits: whoever publishes meanwhile has committed before that.
  const published = await readPublished(store)
  const newest = await findNewestCommit(store)
  if (newest === null)
    throw published === null ? noLog() : refused("a checkpoint is published but nothing is committed")
  const settings = await loadSettings(withStaged(store, await loadStaging(store, newest)))
  if (parseHead(newest.checkpoint).origin !== settings.origin) throw damaged("the settings name another log")
  const commit = verifyCommit(newest, keys, settings.origin)
  await verifyRecent(store, commit)
  const knownHeads = [...publishedHead(published, settings.origin), ...p.knownHeads]
  for (const known of knownHeads) requireNotAhead(known, commit.head)
  const checked = await loadTree(store, commit)
  for (const known of knownHeads) {
    if (!(await beginsWith(checked.tree, known))) throw refused(`${known.from} has another tree of size ${known.size}`)
  }
  return { ...checked, settings, published }
}

/** Load the tree of a commit from its stored and staged files, and check that its right edge hashes to the signed root.
 *  Throws STATE_CORRUPT. */
export async function loadTree(store: StoreReader, commit: SignedCommit): Promise<CheckedTree> {
  const staging = await loadStaging(store, commit)
  const read = withStaged(store, staging)
  const edge = await loadEdge(read, commit.head)
  return { commit, edge, staging, tree: createStoredTree(read, commit.head) }
}

const damaged = (why: string) => new ToolsumError("STATE_CORRUPT", why)

const noLog = () => new ToolsumError("LOG_UNAVAILABLE", "there is no log here")

/** The staged files of a commit, or null when they are gone. Throws STATE_CORRUPT when their bytes are others. */
export async function loadStaging(store: StoreReader, commit: Commit): Promise<Staging | null> {
  const bytes = await store.read(stagingKey(commit.seq, commit.staging), MAX_STAGING_BYTES)
  if (bytes === null) return null
  if (stagingDigest(bytes) === commit.staging) return parseStaging(bytes)
  throw damaged(`the staged files of commit ${commit.seq} are damaged`)
}

/** Reads staged files as if they were in place already. */
function withStaged(store: StoreReader, staging: Staging | null): ReadFile {
  const staged = new Map(staging?.files.map(({ key, bytes }) => [key, bytes]))
  return async (key, maxBytes) => staged.get(key) ?? store.read(key, maxBytes)
}

function requireNotAhead(known: KnownHead, own: TreeHead): void {
  if (known.size > own.size) throw refused(`${known.from} has size ${known.size}, this log only ${own.size}`)
  if (known.size === own.size && !equalBytes(known.rootHash, own.rootHash)) {
    throw refused(`${known.from} has another tree of size ${own.size}`)
  }
}

function publishedHead(note: string | null, origin: string): readonly KnownHead[] {
  if (note === null) return []
  const head = parseHead(note)
  if (head.origin !== origin) throw refused(`the published checkpoint is of the log ${quote(head.origin)}`)
  return [{ ...head, from: "the published checkpoint" }]
}
