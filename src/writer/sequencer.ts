// The log's one running state: each batch is planned on the newest tree and committed as one step. Whoever else writes to the log is
// followed first. The first failure closes the log for good: what has reached the disk is then unknown, and opening it anew finds out.
import { ToolsumError } from "../core/errors.js"
import type { TreeHead } from "../core/merkle.js"
import { parseNote } from "../core/note.js"
import { computeQuorumTime, type Policy } from "../core/policy.js"
import type { VerifierKey } from "../core/vkey.js"
import { followOthers, verifiersOf } from "./follow.js"
import { loadLiveKeyring, signersAt } from "./keyrings.js"
import { type BatchPlan, type Placed, planBatch } from "./plan.js"
import { adoptPolicy, type Cosigning, publishCheckpoint } from "./publish.js"
import { countCosigners, findForeign, readCosignatures } from "./quorum.js"
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
  /** Publish the newest checkpoint with fresh cosignatures, and with the lines `given`. Throws LOG_UNAVAILABLE when the quorum is not met, USAGE
   *  without witnesses or for a line that is none of theirs, and as `run`. */
  cosign(given: readonly string[]): Promise<CosignedHead>
}

/** A head with its cosignatures, as it is published now. */
export interface CosignedHead extends TreeHead {
  readonly checkpoint: string
  /** Names of the witnesses that have cosigned it, now or before. */
  readonly cosigners: readonly string[]
  /** Who did not cosign it now, and why. */
  readonly absent: readonly string[]
  /** POSIX seconds up to which the quorum vouches for the head, which readers hold to their --max-age; null: a quorum of nobody. */
  readonly quorumTime: bigint | null
}

/** What a sequencer works with. */
export interface SequencerOptions extends Pick<StepContext, "store" | "signers">, Cosigning {
  readonly earlierKeys?: readonly VerifierKey[] | undefined
  readonly nextKeyring?: string | undefined
}

/** A sequencer on the state that `start` brings about. Throws USAGE when no signer may sign under the newest keyring, or the next one. */
export async function createSequencer(
  options: SequencerOptions,
  settings: LogSettings,
  start: (context: StepContext) => Promise<PublishedStep>,
): Promise<Sequencer> {
  const { store, signers, cosign, failOpen, nextKeyring: next } = options
  const streams = createStreams(store)
  const reindex: StepContext["reindex"] = (tree) => streams.tail.rewrite(tree)
  const keys = [...verifiersOf(signers), ...(options.earlierKeys ?? [])]
  const context: StepContext = {
    store,
    origin: settings.origin,
    signers,
    keys,
    cosigning: { cosign, failOpen },
    reindex,
  }
  let step = await start(context)
  const loadKeyring = () => loadLiveKeyring(store, step.edge.head.size, { signers, next })
  let keyring = await loadKeyring()
  const gate = createGate()
  /** Whether publishing was tried just now, by whoever opened the log. */
  let isFresh = true

  const catchUp = async (): Promise<void> => {
    const newer = await followOthers(context, step)
    if (newer === null) return
    streams.forget()
    step = newer
    keyring = await loadKeyring()
  }
  /** Publish what is committed and misses its quorum, unless that was tried just now. */
  const publishPending = async (): Promise<void> => {
    if (step.unmet !== null && !isFresh)
      step = { ...step, ...(await publishCheckpoint({ ...context, ...step }, AS_IS)) }
    isFresh = false
  }
  /** The batch in the log; null when another writer was faster. */
  const attempt = async (items: readonly QueuedItem[]): Promise<readonly (Sequenced | ToolsumError)[] | null> => {
    await catchUp()
    await publishPending()
    const plan = await planBatch({ store, streams, tree: step.tree, signers }, items)
    const hindrance = await findHindrance({ ...context, ...step }, plan)
    if (hindrance !== null)
      return items.map(() => told("nothing was appended", hindrance, hindrance === step.unmet ? WAITS : ""))
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
    // Our checkpoint may have come late, over a newer one: nobody gets an answer before the newest is published again.
    if (plan.entries.length > 0) await catchUp()
    return answer(plan, step)
  }
  await catchUp()
  const attemptTwice = async (items: readonly QueuedItem[]): Promise<readonly (Sequenced | ToolsumError)[]> => {
    for (let losses = 0; losses < MAX_LOSSES; losses++) {
      const done = await attempt(items)
      if (done !== null) return done
    }
    throw new ToolsumError("LOG_BUSY", "another writer keeps appending to this log; try again")
  }
  const cosignNewest = async (given: readonly string[]): Promise<CosignedHead | ToolsumError> => {
    await catchUp()
    const { policy } = keyring
    if (policy === null)
      return new ToolsumError("USAGE", "the newest keyring of this log has no policy that names witnesses")
    const foreign = findForeign(step.commit.checkpoint, given, policy)
    if (foreign !== null) return foreign
    const { note, unmet, absent } = await publishCheckpoint({ ...context, ...step }, { given, refresh: true })
    step = { ...step, note, unmet }
    return unmet ?? { ...step.edge.head, absent, ...describeCosigned(note, policy) }
  }
  return {
    newest: () => step,
    requireOpen: gate.requireOpen,
    close: gate.close,
    run: (items) => gate.inTurn(() => attemptTwice(items)),
    cosign: async (given) => {
      const done = await gate.inTurn(() => cosignNewest(given))
      if (done instanceof ToolsumError) throw done
      return done
    },
  }
}

/** One thing at a time, until `close` or the first failure; losing to other writers is none. */
function createGate(): Pick<Sequencer, "requireOpen" | "close"> & {
  inTurn<T>(work: () => Promise<T>): Promise<T>
} {
  let failure: unknown = null
  let closed = false
  let turn: Promise<unknown> = Promise.resolve()
  const requireOpen = (): void => {
    if (failure !== null) throw new ToolsumError("LOG_CLOSED", "the log was closed by a failure", { cause: failure })
    if (closed) throw new ToolsumError("LOG_CLOSED", "the log is closed")
  }
  return {
    requireOpen,
    close: () => {
      closed = true
    },
    inTurn: (work) => {
      const mine = turn.then(async () => {
        requireOpen()
        try {
          return await work()
        } catch (error) {
          if (!(error instanceof ToolsumError && error.code === "LOG_BUSY")) failure = error
          throw error
        }
      })
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}

/** Why nothing may be appended now; null when it may. Only a keyring, which can name other witnesses, goes before what waits for its quorum;
 *  and none that would make readers refuse what is published. */
async function findHindrance(at: StepContext & PublishedStep, plan: BatchPlan): Promise<ToolsumError | null> {
  const next = plan.keyrings.at(-1)
  if (at.unmet !== null && (next === undefined || plan.entries.length > plan.keyrings.length)) return at.unmet
  return next === undefined ? null : adoptPolicy(at, next.policy)
}

/** What each item of a batch is told, once the batch is in the log. */
const answer = ({ placed }: BatchPlan, step: PublishedStep): readonly (Sequenced | ToolsumError)[] =>
  placed.map((one) => {
    if (one instanceof ToolsumError) return one
    return step.unmet === null
      ? { placed: one, step }
      : told(`leaf ${one.index} is in the log, but not published yet`, step.unmet, AGAIN)
  })

function describeCosigned(note: string, policy: Policy): Pick<CosignedHead, "checkpoint" | "cosigners" | "quorumTime"> {
  const cosignatures = readCosignatures(parseNote(note), [policy])
  return {
    checkpoint: note,
    cosigners: countCosigners(note, policy),
    quorumTime: computeQuorumTime(policy, { cosignatures }, ANY_TIME),
  }
}

/** The latest time that a cosignature can name. */
const ANY_TIME = 2n ** 63n - 1n

const AS_IS = { given: [], refresh: false }

const AGAIN = "; the next try publishes it, as does toolsum log cosign"

const WAITS = "; what was appended before waits for it, and the next try asks again, as does toolsum log cosign"

const told = (what: string, unmet: ToolsumError, advice = ""): ToolsumError =>
  new ToolsumError(unmet.code, `${what}: ${unmet.message}${advice}`, { cause: unmet })
