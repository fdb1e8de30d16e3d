// Holds a LEGION log to every head that was seen of it, in this run, in pins and in runs before, and remembers what is newer before anybody
// gets an answer (DESIGN 8, State). Heads are compared one after the other, so that of two contradicting answers the second fails.
import { ToolsumError } from "../core/errors.js"
import type { Hash } from "../core/hash.js"
import { parseConsistencyAnswer, parseHeadAnswer } from "../core/legion/answers.js"
import { type LegionKeyring, requireKeyringExtends } from "../core/legion/keyring.js"
import {
  requireOneRootPerSize,
  type VerifiedTreeHead,
  verifyAppendOnly,
  verifyTreeHead,
} from "../core/legion/tree-head.js"
import type { Clock, LegionLog, LogIdentity, State } from "../ports.js"
import { formatLegionMemory, type LegionMemory, parseLegionMemory } from "./legion-memory.js"
import { recall, UNAVAILABLE, unlessUnavailable } from "./usable-state.js"

/** A log whose keyring was verified. */
export interface TrackedLog {
  readonly source: LegionLog
  readonly log: LogIdentity
  readonly keyring: LegionKeyring
  readonly keyringText: string
  readonly state: State
  readonly clock: Clock
}

/** What holds one log to its past during one run. */
export interface LegionTracker {
  /** A head that this log signed, such as a pin's: whatever the log serves as newest must be of the same tree, and not smaller. Throws
   *  LOG_INCONSISTENT for two roots of one size. */
  expect(head: VerifiedTreeHead): void
  /** Compare a head that the log serves as its newest with all that is known and expected, and remember it. Throws LOG_INCONSISTENT,
   *  CONSISTENCY_INVALID, LOG_ROLLBACK with both heads as evidence; LOG_BEHIND for an old head of a log that has a newer one;
   *  RESOURCE_MISSING where a proof is; and what reading throws. */
  hold(head: VerifiedTreeHead): Promise<void>
  /** Compare a head of a size that was asked for. Throws as `hold`. */
  tie(head: VerifiedTreeHead): Promise<void>
  /** The consistency proof between two sizes, each asked for once. Throws RESOURCE_MISSING, PROOF_MALFORMED. */
  fetchProof(from: bigint, to: bigint): Promise<readonly Hash[]>
  /** `state_unavailable` when nothing could be remembered. */
  readonly warnings: ReadonlySet<string>
}

const MAX_SWAPS = 8

/** Begin a run: the keyring must extend the remembered one. Throws LOG_ROLLBACK for a shorter keyring, LOG_INCONSISTENT for another one,
 *  STATE_CORRUPT. */
export async function trackLegionLog(tracked: TrackedLog): Promise<LegionTracker> {
  const run = new Run(tracked)
  const { memory } = await run.recall()
  if (memory) run.expect(memory.head)
  return run
}

class Run implements LegionTracker {
  readonly warnings = new Set<string>()
  private readonly tracked: TrackedLog
  /** Heads that the newest one must still be compared with. */
  private expected: readonly VerifiedTreeHead[] = []
  /** Heads that are the newest or prefixes of it, by size. */
  private readonly known = new Map<bigint, VerifiedTreeHead>()
  private newest: VerifiedTreeHead | null = null
  private readonly proofs = new Map<string, Promise<readonly Hash[]>>()
  private turn: Promise<unknown> = Promise.resolve()

  constructor(tracked: TrackedLog) {
    this.tracked = tracked
  }

  expect(head: VerifiedTreeHead): void {
    requireOneRootPerSize([...this.expected, ...this.known.values(), head])
    if (!this.known.has(head.size)) this.expected = [...this.expected, head]
  }

  hold(head: VerifiedTreeHead): Promise<void> {
    return this.inTurn(async () => {
      const isNew = this.newest === null || head.size > this.newest.size
      await this.holdToExpected(head)
      await this.compare(head)
      if (isNew) await this.remember(head)
    })
  }

  tie(head: VerifiedTreeHead): Promise<void> {
    return this.inTurn(() => this.compare(head))
  }

  fetchProof(from: bigint, to: bigint): Promise<readonly Hash[]> {
    const key = `${from}-${to}`
    const proof = this.proofs.get(key) ?? this.askForProof(from, to)
    this.proofs.set(key, proof)
    return proof
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work).catch((error: unknown) => {
      throw this.withKeyring(error)
    })
    this.turn = done.catch(() => undefined)
    return done
  }

  /** Whoever judges two heads needs the keys. */
  private withKeyring(error: unknown): unknown {
    if (!(error instanceof ToolsumError) || error.kind !== "rejected" || !error.evidence) return error
    const evidence = { ...error.evidence, keyrings: JSON.stringify([this.tracked.keyringText]) }
    return new ToolsumError(error.code, error.message, { cause: error.cause, evidence })
  }

  private async holdToExpected(head: VerifiedTreeHead): Promise<void> {
    const largest = this.expected.reduce((best, one) => (one.size > best.size ? one : best), head)
    if (largest.size > head.size) throw await this.explainSmaller(head, largest)
    for (const older of this.expected) await this.requireGrowth(older, head)
    for (const older of this.expected) this.known.set(older.size, older)
    this.expected = []
  }

  /** Of one size there is one root; of two sizes the smaller tree is a prefix of the larger. */
  private async compare(head: VerifiedTreeHead): Promise<void> {
    const { newest } = this
    const same = this.known.get(head.size)
    if (same) requireOneRootPerSize([same, head])
    else if (newest && head.size < newest.size) await this.requireGrowth(head, newest)
    else if (newest) await this.requireGrowth(newest, head)
    this.known.set(head.size, head)
    if (newest === null || head.size > newest.size) this.newest = head
  }

  private async requireGrowth(older: VerifiedTreeHead, newer: VerifiedTreeHead): Promise<void> {
    const proof = older.size < newer.size ? await this.fetchProof(older.size, newer.size) : []
    verifyAppendOnly({ older, newer, proof })
  }

  private async askForProof(from: bigint, to: bigint): Promise<readonly Hash[]> {
    const answer = await this.tracked.source.consistency({ from, to })
    if (answer !== null) return parseConsistencyAnswer(answer)
    const why = `the log has no proof that it only grew from size ${from} to ${to}, both of which it signed`
    throw new ToolsumError("RESOURCE_MISSING", why)
  }

  /** Why the log serves a smaller head than one that it signed before. A log that still has the larger tree answers from a cache, or hides what
   *  came since; one that has not went back. Throws what shows either. */
  private async explainSmaller(head: VerifiedTreeHead, seen: VerifiedTreeHead): Promise<ToolsumError> {
    const { source, keyring } = this.tracked
    const answer = await source.head(null)
    const newest = answer && verifyTreeHead(keyring, parseHeadAnswer(answer))
    if (newest === null || newest.size < seen.size) await this.requireGrowth(seen, head)
    else {
      await this.requireGrowth(seen, newest)
      await this.requireGrowth(head, newest)
    }
    const why = `the log serves a head of size ${head.size}, and ${seen.size} was seen before; a retry may help`
    return new ToolsumError("LOG_BEHIND", why)
  }

  /** Another process may have seen more meanwhile: then that is compared, too. */
  private async remember(head: VerifiedTreeHead): Promise<void> {
    const { log, state, clock, keyring, keyringText } = this.tracked
    for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
      const { bytes, memory, isUsable } = await this.recall()
      if (!isUsable) return
      if (memory) await this.compare(memory.head)
      const isNew = memory === null || head.size > memory.head.size
      if (!isNew && keyring.hashes.length === memory.keyring.hashes.length) return
      const seen = isNew ? { head, headSeenSec: BigInt(clock()) } : memory
      const next = formatLegionMemory({ ...seen, keyring, keyringText }, log)
      const swapped = await unlessUnavailable(state.compareAndSwap(log, bytes, next))
      if (swapped === UNAVAILABLE) this.warnings.add(UNAVAILABLE)
      if (swapped !== false) return
    }
    throw new ToolsumError("IO_FAILED", "what is remembered of this log keeps changing: other processes are reading it")
  }

  /** What is remembered now; the served keyring must extend it. */
  async recall(): Promise<{ bytes: Uint8Array | null; memory: LegionMemory | null; isUsable: boolean }> {
    const { log, state, keyring } = this.tracked
    const recalled = await recall(state, log, parseLegionMemory)
    if (recalled === UNAVAILABLE) {
      this.warnings.add(UNAVAILABLE)
      return { bytes: null, memory: null, isUsable: false }
    }
    const { memory } = recalled
    if (memory) requireKeyringExtends({ stored: memory.keyring, served: keyring })
    return { ...recalled, isUsable: true }
  }
}
