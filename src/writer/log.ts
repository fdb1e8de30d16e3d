// The embedded log (brief 5, DESIGN 6): opening it for writing, appending in batches, answering after publication. One batch at a time;
// other writers, in this process or another, are safe because of the commit record, and slow: who loses twice in a row gives up.
import type { Hash } from "../core/hash.js"
import type { TreeHead } from "../core/merkle.js"
import { TILE_WIDTH } from "../core/tile.js"
import type { SigningKey, VerifierKey } from "../core/vkey.js"
import type { TileStore } from "../ports.js"
import { createBatcher } from "./batch.js"
import { collectPartials } from "./collect.js"
import { finishStep, verifiersOf } from "./follow.js"
import type { Cosigning } from "./publish.js"
import { type CosignedHead, createSequencer, type Sequenced } from "./sequencer.js"
import type { LogSettings } from "./settings.js"
import { checkState, type KnownHead } from "./state.js"
import type { PublishedStep, StepContext } from "./step.js"
import type { ProvenEntry } from "./stored-tree.js"
import { type QueuedItem, queueEntry, queueObservation, type Submission } from "./submission.js"

/** Where an entry is. */
export interface Appended {
  readonly index: bigint
  readonly leafHash: Hash
  /** The published checkpoint that covers the entry, verbatim. */
  readonly checkpoint: string
}

/** Where an observation is recorded, proven. */
export interface Recorded extends Appended {
  /** Text of the record. */
  readonly record: string
  /** True when this surface was the newest of the stream, or of its lists, already, so nothing was appended. */
  readonly duplicate: boolean
  /** Sibling hashes up to the root of `checkpoint`, leaf side first. */
  readonly proof: readonly Hash[]
}

/** A log that is open for writing. Once a step has failed it is closed and must be opened anew: what would change it throws LOG_CLOSED;
 *  `head` and `prove` go on for the newest tree that it has published. */
export interface LogWriter extends LogSettings {
  /** The newest published tree and its checkpoint. Throws LOG_UNAVAILABLE while the newest tree waits for the quorum of its policy. */
  head(): TreeHead & { readonly checkpoint: string }
  /** Record observations; answers after publication, in their order. Throws RECORD_MALFORMED, USAGE, LOG_BUSY (try again), LOG_CLOSED,
   *  and what closes the log: IO_FAILED, STATE_CORRUPT, LOG_REFUSED. After such a failure an item may be in the log all the same. */
  append(submissions: readonly Submission[]): Promise<readonly Recorded[]>
  /** Append entries of other types as they are, the same one as often as it comes. Throws as `append`. */
  appendEntries(entries: readonly Uint8Array[]): Promise<readonly Appended[]>
  /** Append and publish the next keyring. Throws as `append`; what `verifyKeyring` throws; USAGE when it is not the next one, when it closes
   *  a key at a tree that this log never had, or when none of this log's signing keys may sign under it. */
  appendKeyring(note: string): Promise<Appended>
  /** Publish the newest checkpoint with fresh cosignatures by the witnesses of the newest keyring, and with cosignature lines that somebody
   *  brought. Throws LOG_UNAVAILABLE when the quorum is not met, USAGE without witnesses or for a line that is none of theirs, and as `append`. */
  cosign(lines: readonly string[]): Promise<CosignedHead>
  /** Entry `index` with a proof to the newest tree. Throws USAGE for an index that is not in it. */
  prove(index: bigint): Promise<ProvenEntry & { readonly checkpoint: string }>
  /** Remove partial tiles that no reader needs any more; returns how many. Throws LOG_CLOSED, IO_FAILED. */
  collect(): Promise<number>
  /** Finish what was taken and change nothing more. */
  close(): Promise<void>
}

/** How to open a log. */
export interface OpenOptions extends Cosigning {
  readonly store: TileStore
  /** At least one; one of them, or of `earlierKeys`, must have signed the newest checkpoint. The next ones are signed by all that the newest
   *  keyring lets sign: during a change of keys by the old and the new one. */
  readonly signers: readonly SigningKey[]
  /** What the outside world has seen: the user's state, the lockfile, witnesses. */
  readonly knownHeads?: readonly KnownHead[]
  /** Keys besides those of the signers that may have signed the newest checkpoint: a new key takes over from one that is gone. */
  readonly earlierKeys?: readonly VerifierKey[] | undefined
  /** The keyring that is appended first, if one is: the signers need not be allowed to sign before it. */
  readonly nextKeyring?: string | undefined
  /** How long a batch that is not full waits for more, in milliseconds. A command that appends once passes 0. */
  readonly waitMs?: number | undefined
}

/** Open a log for writing: check it, finish what a crash interrupted. Throws as `checkState`, USAGE when none of the signers may
 *  sign under the newest keyring, IO_FAILED. */
export async function openLog(options: OpenOptions): Promise<LogWriter> {
  const { store, signers, knownHeads = [] } = options
  const keys = [...verifiersOf(signers), ...(options.earlierKeys ?? [])]
  const { settings, published: _, ...checked } = await checkState({ store, keys, knownHeads })
  return createWriter(options, settings, (context) => finishStep(context, checked))
}

/** A writer on the state that `start` brings about. */
export async function createWriter(
  options: OpenOptions,
  settings: LogSettings,
  start: (context: StepContext) => Promise<PublishedStep>,
): Promise<LogWriter> {
  const sequencer = await createSequencer(options, settings, start)
  const room = () => TILE_WIDTH - Number(sequencer.newest().edge.head.size % BigInt(TILE_WIDTH))
  const batcher = createBatcher<QueuedItem, Sequenced>({ run: sequencer.run, room, waitMs: options.waitMs })
  const answer = async ({ placed, step }: Sequenced): Promise<Recorded> => {
    const { entry, proof, leafHash, index } = await step.tree.prove(placed.index)
    const record = new TextDecoder().decode(entry) // a record is ASCII
    return { index, record, leafHash, duplicate: placed.duplicate, proof, checkpoint: step.note }
  }
  return {
    ...settings,
    head: () => {
      const { edge, note } = requirePublished(sequencer.newest())
      return { ...edge.head, checkpoint: note }
    },
    append: async (all) => {
      const done = await batcher.submit(all.map((one) => queueObservation(one, settings.archive)))
      return Promise.all(done.map(answer))
    },
    appendEntries: async (all) => (await batcher.submit(all.map(queueEntry))).map(appended),
    appendKeyring: async (note) => {
      const [done] = await batcher.submit([{ kind: "keyring", note, bytes: note.length }])
      if (done === undefined) throw new Error("a batch left an item without an answer")
      return appended(done)
    },
    prove: async (index) => {
      const { tree, note } = requirePublished(sequencer.newest())
      return { ...(await tree.prove(index)), checkpoint: note }
    },
    cosign: (lines) => sequencer.cosign(lines),
    collect: async () => {
      sequencer.requireOpen()
      return collectPartials(options.store, sequencer.newest().commit)
    },
    close: async () => {
      await batcher.close()
      sequencer.close()
    },
  }
}

/** Nothing leaves under a checkpoint that readers would refuse. Throws LOG_UNAVAILABLE. */
function requirePublished(step: PublishedStep): PublishedStep {
  if (step.unmet !== null) throw step.unmet
  return step
}

const appended = ({ placed, step }: Sequenced): Appended => ({
  index: placed.index,
  leafHash: placed.leafHash,
  checkpoint: step.note,
})
