// Holds a log to what was seen of it before, and remembers what is seen now, before anybody gets an answer (DESIGN 8, State). A swap that
// another process wins starts again from its memory. State that cannot be read or written at all is a warning; damaged state is not.
import { attempt, ToolsumError } from "../core/errors.js"
import { isProvenFinding, judgeFork } from "../core/fork-proof.js"
import { formatKeyrings, parseKeyring, type VerifiedKeyring } from "../core/keyring.js"
import { formatNote } from "../core/note.js"
import type { LogIdentity, State } from "../ports.js"
import { compareHeads, type KnownHead, type LogView } from "./heads.js"
import { advanceMemory, formatMemory, type Memory, parseMemory } from "./remember.js"
import { howToForget, recall, UNAVAILABLE, unlessUnavailable } from "./usable-state.js"

/** A log as it is now, its keyrings verified by themselves. */
export interface SeenKeys {
  readonly log: LogIdentity
  readonly view: LogView & { readonly keyring: VerifiedKeyring }
  /** A directory on this machine: there a smaller head is a rollback at once. */
  readonly local: boolean
  /** POSIX seconds. */
  readonly nowSec: bigint
}

/** The same with its head. */
export interface SeenLog extends SeenKeys {
  readonly head: KnownHead
}

/** Between a head and a smaller one a cache may lie for this long; after that the log itself went back. */
const ROLLBACK_AFTER_SEC = 86_400n
const MAX_SWAPS = 8

/** Compare a log with what is remembered of it and remember its head and keyring durably. Returns warnings: `state_unavailable` when that
 *  could not be done for want of a usable state. Throws LOG_INCONSISTENT (fork, or two keyrings of one version) with evidence, LOG_BEHIND
 *  or LOG_ROLLBACK when head or keyring is older than remembered, HEAD_UNPROVEN, STATE_CORRUPT, and what reading the log throws. */
export async function trackLog(state: State, seen: SeenLog): Promise<readonly string[]> {
  for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
    const recalled = await recall(state, seen.log, parseMemory)
    if (recalled === UNAVAILABLE) return [UNAVAILABLE]
    const { bytes, memory } = recalled
    await holdToMemory(memory, seen).catch(explainRevoked(state, seen.log))
    const next = advanceMemory(memory, { ...seen, keyring: rememberedKeyring(seen.view) })
    if (next === memory) return []
    const swapped = await unlessUnavailable(state.compareAndSwap(seen.log, bytes, formatMemory(next, seen.log)))
    if (swapped === UNAVAILABLE) return [UNAVAILABLE]
    if (swapped) return []
  }
  throw new ToolsumError("IO_FAILED", "what is remembered of this log keeps changing: other processes are reading it")
}

/** Compare a log with what is remembered of it, and remember nothing. Throws as `trackLog`. */
export async function holdToState(state: State, seen: SeenLog): Promise<void> {
  const recalled = await recall(state, seen.log, parseMemory)
  if (recalled !== UNAVAILABLE) await holdToMemory(recalled.memory, seen).catch(explainRevoked(state, seen.log))
}

/** A remembered head by a key that was revoked since contradicts the log for good: nobody but the user can drop it. */
const explainRevoked =
  (state: State, log: LogIdentity) =>
  (error: unknown): never => {
    if (!(error instanceof ToolsumError) || error.code !== "KEY_NOT_VALID_AT_SIZE") throw error
    throw new ToolsumError(error.code, `${error.message}; of what is remembered: ${howToForget(state, log)}`, {
      cause: error,
    })
  }

const rememberedKeyring = ({ keyring: { newest } }: SeenKeys["view"]): Memory["keyring"] => ({
  version: newest.version,
  note: formatNote(newest.note),
})

async function holdToMemory(memory: Memory | null, seen: SeenLog): Promise<void> {
  if (memory !== null) {
    holdKeyring(memory.keyring.note, seen, memory.keyringSeenSec)
    const relation = await compareHeads({
      view: seen.view,
      known: memory.head,
      served: seen.head,
      earlier: memory.earlier,
    })
    if (relation.kind === "behind") throw headWentBack(seen, memory.head, memory.headSeenSec)
  }
  if (memory?.keyring.version !== seen.view.keyring.newest.version) await holdToClosingTrees(seen)
}

/** Hold the served keyrings to the remembered one, and to others that were verified before, such as a lockfile's (`notes`, from 1). Throws
 *  LOG_INCONSISTENT for another keyring of one version, with evidence, KEYRING_INVALID where nothing proves that the same root keys signed
 *  both; LOG_BEHIND, LOG_ROLLBACK for a shorter chain; STATE_CORRUPT. */
export async function holdKeyrings(state: State, seen: SeenKeys, notes: readonly string[]): Promise<void> {
  const recalled = await recall(state, seen.log, parseMemory)
  const memory = recalled === UNAVAILABLE ? null : recalled.memory
  if (memory !== null) holdKeyring(memory.keyring.note, seen, memory.keyringSeenSec)
  for (const note of notes) holdKeyring(note, seen, null)
}

/** The chain must contain a keyring that was verified before. `seenSec`: when it was seen first; null: not known. Throws as `holdKeyrings`. */
export function holdKeyring(known: string, seen: SeenKeys, seenSec: bigint | null): void {
  const { chain } = seen.view.keyring
  const { version, note } = parseKeyring(known)
  const served = chain[Number(version) - 1]
  if (served === undefined) {
    const newest = chain.at(-1)
    const evidence = { a: newest ? formatNote(newest.note) : "", b: known, keyrings: formatKeyrings(seen.view.keyring) }
    throw wentBack(seen, seenSec, `keyring ${newest?.version}, and ${version} was seen before`, evidence)
  }
  if (served.note.text !== note.text) throw keyringFork({ a: known, b: formatNote(served.note) }, version, seen)
}

function keyringFork(notes: { a: string; b: string }, version: bigint, { view }: SeenKeys): ToolsumError {
  const { keyring } = view
  const judged = attempt(() => judgeFork(keyring.chain, { ...notes, prefix: null, code: "LOG_INCONSISTENT" }))
  if (judged instanceof ToolsumError || !isProvenFinding(judged.finding)) {
    const why = `keyring ${version} of the log is not the one that was seen before, and follows other keys`
    return new ToolsumError("KEYRING_INVALID", why)
  }
  return new ToolsumError("LOG_INCONSISTENT", `fork: the root keys signed two keyrings of version ${version}`, {
    evidence: { ...notes, keyrings: formatKeyrings(keyring) },
  })
}

/** Trees that the root keys vouch for: whoever took over the log must have gone on from there. Checked when a keyring is new to us. */
async function holdToClosingTrees({ head, view }: SeenLog): Promise<void> {
  const { newest } = view.keyring
  for (const { closing, revoked } of newest.logs) {
    if (closing === null || revoked || closing.size > head.size) continue
    await compareHeads({ view, known: { ...closing, note: formatNote(newest.note) }, served: head })
  }
}

/** The error for a head that is a proven prefix of one seen at `seenSec`; null: not known when. */
export function headWentBack(
  seen: Pick<SeenLog, "head" | "local" | "nowSec"> & { readonly view: LogView },
  known: KnownHead,
  seenSec: bigint | null,
): ToolsumError {
  const { keyring } = seen.view
  const evidence = { a: seen.head.note, b: known.note, ...(keyring ? { keyrings: formatKeyrings(keyring) } : {}) }
  return wentBack(seen, seenSec, `size ${seen.head.size}, and ${known.size} was seen before`, evidence)
}

function wentBack(
  { local, nowSec }: Pick<SeenLog, "local" | "nowSec">,
  seenSec: bigint | null,
  what: string,
  evidence: Readonly<Record<string, string>>,
): ToolsumError {
  const isLate = seenSec !== null && nowSec - seenSec >= ROLLBACK_AFTER_SEC
  return local || isLate
    ? new ToolsumError("LOG_ROLLBACK", `rollback: the log serves ${what}`, { evidence })
    : new ToolsumError("LOG_BEHIND", `the log serves ${what}; a cache may be behind, a retry may help`, { evidence })
}
