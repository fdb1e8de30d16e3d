// The log's one running state: each batch is planned on the newest tree and committed as one step. Whoever else writes to the log is
// followed first. The first failure closes the log for good: what has reached the disk is then unknown, and opening it anew finds out.
import { ToolsumError } from "../core/errors.js"
import type { VerifierKey } from "../core/vkey.js"
import { followOthers, verifiersOf } from "./follow.js"
import { loadLiveKeyring, signersAt } from "./keyrings.js"
import { type Placed, planBatch } from "./plan.js"
import type { LogSettings } from "./settings.js"
import { appendStep, type PublishedStep, type StepContext } from "./step.js"
import { createStreams } from "./streams.js"
import type { QueuedItem } from "./submission.js"

/** How often a batch may lose to other writers. */
const MAX_LOSSES = 2

/** Where an item is, and the published tree that it is in. */
export interface Sequenced {
  readonly placed: Placed
  readonly step: PublishedStep
}

/** Runs batches, one at a time. */
export interface Sequencer {
  newest(): PublishedStep
  /** Throws LOG_CLOSED after a failure, and after `close`. */
  requireOpen(): void
  /** Run nothing more. */
  close(): void
  /** Put a batch into the log and publish it. Per item its place, or the error of an item that cannot be appended. Throws LOG_BUSY when
   *  other writers were faster twice, as `requireOpen`, and the failure itself. */
  run(items: readonly QueuedItem[]): Promise<readonly (Sequenced | ToolsumError)[]>
}

/** What a sequencer works with. */
export interface SequencerOptions extends Pick<StepContext, "store" | "signers" | "cosign"> {
  readonly earlierKeys?: readonly VerifierKey[] | undefined
  readonly nextKeyring?: string | undefined
}

/** A sequencer on the state that `start` brings about. Throws USAGE when no signer may sign under the newest keyring, or the next one. */
export async function createSequencer(
  options: SequencerOptions,
  settings: LogSettings,
  start: (context: StepContext) => Promise<PublishedStep>,
): Promise<Sequencer> {
  const { store, signers, cosign, nextKeyring: next } = options
  const streams = createStreams(store)
  const reindex: StepContext["reindex"] = (tree) => streams.tail.rewrite(tree)
  const keys = [...verifiersOf(signers), ...(options.earlierKeys ?? [])]
  const context: StepContext = { store, origin: settings.origin, signers, keys, cosign, reindex }
  let step = await start(context)
  const loadKeyring = () => loadLiveKeyring(store, step.edge.head.size, { signers, next })
  let keyring = await loadKeyring()
  let failure: unknown = null
  let closed = false

  const requireOpen = (): void => {
    if (failure !== null) throw new ToolsumError("LOG_CLOSED", "the log was closed by a failure", { cause: failure })
    if (closed) throw new ToolsumError("LOG_CLOSED", "the log is closed")
  }
  const catchUp = async (): Promise<void> => {
    const newer = await followOthers(context, step)
    if (newer === null) return
    streams.forget()
    step = newer
    keyring = await loadKeyring()
  }
  /** The batch in the log; null when another writer was faster. */
  const attempt = async (items: readonly QueuedItem[]): Promise<readonly (Sequenced | ToolsumError)[] | null> => {
    await catchUp()
    const plan = await planBatch({ store, streams, tree: step.tree, signers }, items)
    const { size } = step.edge.head
    if (plan.entries.length > 0) {
      const keyrings = [keyring, ...plan.keyrings]
      const own = signersAt(keyrings, size + BigInt(plan.entries.length), signers)
      const appended = await appendStep({ ...context, signers: own }, step, plan)
      if (appended === null) return null
      step = appended
      keyring = keyrings.at(-1) ?? keyring
      streams.added(size, plan.entries, plan.ends)
    }
    const done = step
    // Our checkpoint may have come late, over a newer one: nobody gets an answer before the newest is published again.
    if (plan.entries.length > 0) await catchUp()
    return plan.placed.map((placed) => (placed instanceof ToolsumError ? placed : { placed, step: done }))
  }
  await catchUp()
  const attemptTwice = async (items: readonly QueuedItem[]): Promise<readonly (Sequenced | ToolsumError)[]> => {
    for (let losses = 0; losses < MAX_LOSSES; losses++) {
      const done = await attempt(items)
      if (done !== null) return done
    }
    throw new ToolsumError("LOG_BUSY", "another writer keeps appending to this log; try again")
  }
  return {
    newest: () => step,
    requireOpen,
    close: () => {
      closed = true
    },
    async run(items) {
      requireOpen()
      try {
        return await attemptTwice(items)
      } catch (error) {
        if (!(error instanceof ToolsumError && error.code === "LOG_BUSY")) failure = error
        throw error
      }
    },
  }
}
