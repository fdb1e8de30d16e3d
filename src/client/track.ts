// Holds a log to what was seen of it before, and remembers what is seen now, before anybody gets an answer (DESIGN 8, State). A swap that
// another process wins starts again from its memory. State that cannot be read or written at all is a warning; damaged state is not.
import { ToolsumError } from "../core/errors.js"
import type { VerifiedKeyring } from "../core/keyring.js"
import { formatNote, parseNote } from "../core/note.js"
import type { LogIdentity, State } from "../ports.js"
import { compareHeads, type KnownHead, type LogView } from "./heads.js"
import { advanceMemory, formatMemory, type Memory, parseMemory } from "./remember.js"
import { UNAVAILABLE, unlessUnavailable } from "./usable-state.js"

/** A log as it is now, verified by itself. */
export interface SeenLog {
  readonly log: LogIdentity
  readonly view: LogView
  readonly head: KnownHead
  readonly keyring: VerifiedKeyring
  /** A directory on this machine: there a smaller head is a rollback at once. */
  readonly local: boolean
  /** POSIX seconds. */
  readonly nowSec: bigint
}

/** Between a head and a smaller one a cache may lie for this long; after that the log itself went back. */
const ROLLBACK_AFTER_SEC = 86_400n
const MAX_SWAPS = 8

/** Compare a log with what is remembered of it and remember its head and keyring durably. Returns warnings: `state_unavailable` when that
 *  could not be done for want of a usable state. Throws LOG_INCONSISTENT (fork, or two keyrings of one version) with evidence, LOG_BEHIND
 *  or LOG_ROLLBACK when head or keyring is older than remembered, HEAD_UNPROVEN, STATE_CORRUPT, and what reading the log throws. */
export async function trackLog(state: State, seen: SeenLog): Promise<readonly string[]> {
  for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
    const stored = await unlessUnavailable(state.newest(seen.log))
    if (stored === UNAVAILABLE) return [UNAVAILABLE]
    const memory = stored === null ? null : parseMemory(stored, seen.log)
    await holdToMemory(memory, seen)
    const next = advanceMemory(memory, { ...seen, keyring: rememberedKeyring(seen.keyring) })
    if (next === memory) return []
    const swapped = await unlessUnavailable(state.compareAndSwap(seen.log, stored, formatMemory(next, seen.log)))
    if (swapped === UNAVAILABLE) return [UNAVAILABLE]
    if (swapped) return []
  }
  throw new ToolsumError("IO_FAILED", "what is remembered of this log keeps changing: other processes are reading it")
}

/** Compare a log with what is remembered of it, and remember nothing. Throws as `trackLog`. */
export async function holdToState(state: State, seen: SeenLog): Promise<void> {
  const stored = await unlessUnavailable(state.newest(seen.log))
  if (stored === UNAVAILABLE) return
  await holdToMemory(stored === null ? null : parseMemory(stored, seen.log), seen)
}

const rememberedKeyring = ({ newest }: VerifiedKeyring): Memory["keyring"] => ({
  version: newest.version,
  note: formatNote(newest.note),
})

async function holdToMemory(memory: Memory | null, seen: SeenLog): Promise<void> {
  if (memory !== null) {
    holdKeyring(memory, seen)
    const relation = await compareHeads({
      view: seen.view,
      known: memory.head,
      served: seen.head,
      earlier: memory.earlier,
    })
    if (relation.kind === "behind") throw headWentBack(seen, memory.head, memory.headSeenSec)
  }
  if (memory?.keyring.version !== seen.keyring.newest.version) await holdToClosingTrees(seen)
}

/** The chain must contain the remembered keyring. */
function holdKeyring({ keyring, keyringSeenSec }: Memory, seen: SeenLog): void {
  const served = seen.view.keyrings[Number(keyring.version) - 1]
  const { version } = seen.keyring.newest
  if (served === undefined) {
    const evidence = { a: seen.view.keyrings.at(-1) ?? "", b: keyring.note, keyrings: keyringsOf(seen) }
    throw wentBack(seen, keyringSeenSec, `keyring ${version}, and ${keyring.version} was seen before`, evidence)
  }
  if (parseNote(served).text !== parseNote(keyring.note).text) {
    throw new ToolsumError(
      "LOG_INCONSISTENT",
      `fork: the root keys signed two keyrings of version ${keyring.version}`,
      {
        evidence: { a: keyring.note, b: served, keyrings: keyringsOf(seen) },
      },
    )
  }
}

/** Trees that the root keys vouch for: whoever took over the log must have gone on from there. Checked when a keyring is new to us. */
async function holdToClosingTrees({ keyring, head, view }: SeenLog): Promise<void> {
  for (const { closing, revoked } of keyring.newest.logs) {
    if (closing === null || revoked || closing.size > head.size) continue
    await compareHeads({ view, known: { ...closing, note: formatNote(keyring.newest.note) }, served: head })
  }
}

/** Keyrings of the log as evidence holds them: whoever judges it needs the keys. */
const keyringsOf = ({ view }: Pick<SeenLog, "view">): string => JSON.stringify(view.keyrings)

/** The error for a head that is a proven prefix of one seen at `seenSec`; null: not known when. */
export function headWentBack(
  seen: Pick<SeenLog, "view" | "head" | "local" | "nowSec">,
  known: KnownHead,
  seenSec: bigint | null,
): ToolsumError {
  const evidence = { a: seen.head.note, b: known.note, keyrings: keyringsOf(seen) }
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
