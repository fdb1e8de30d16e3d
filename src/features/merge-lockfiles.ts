// `lock merge`: two lockfiles and their common ancestor as one (DESIGN 7). Name by name: what one side added, updated, removed or renamed
// is taken in, and the same on both once; what is left for a person is a name on which the sides disagree. Pure. How one pin is
// united is merge-pins.ts's, how a log is merge-logs.ts's.
import { canonicalize } from "../core/canonical.js"
import { ToolsumError } from "../core/errors.js"
import type { Lockfile, Pin, Removal } from "../core/lockfile.js"
import { formatPin } from "../core/lockfile-pin.js"
import { judgeLog, type LogJudgement } from "../core/verify-log.js"
import { judgePin } from "../core/verify-pin.js"
import { mergeLogs } from "./merge-logs.js"
import { identityOf, isSamePin, mergePins } from "./merge-pins.js"
import { firstByText, mapSides, mergeValue, namesOf, ownMember, type Sides } from "./merge-sides.js"

/** Something that a person must decide. `name`: of a pin, or the origin of a log. `what`: a phrase. */
export interface MergeConflict {
  readonly kind: "pin" | "log"
  readonly name: string
  readonly what: string
}

/** A merge. Where the sides conflict, `lockfile` has what ours has and `otherwise` what theirs has; both are whole lockfiles, and equal
 *  where there is no conflict. Merging the other way round swaps them. */
export interface MergedLockfiles {
  readonly lockfile: Lockfile
  readonly otherwise: Lockfile
  readonly conflicts: readonly MergeConflict[]
}

/** Merge two lockfiles that nothing refutes, as far as evidence goes: a side with evidence that fails is never taken in, nor is a result
 *  in which the two contradict each other. No root is needed. Throws what refutes them, saying which side. */
export function mergeVerified(sides: Sides<Lockfile>): MergedLockfiles {
  refuseRefuted(sides.ours, "ours")
  refuseRefuted(sides.theirs, "theirs")
  const merged = mergeLockfiles(sides)
  refuseRefuted(merged.lockfile, "both sides together")
  return merged
}

/** Merge two lockfiles without looking at their evidence. Throws LOG_INCONSISTENT where keyrings or heads contradict each other. */
export function mergeLockfiles(sides: Sides<Lockfile>): MergedLockfiles {
  const { base, ours, theirs } = sides
  const moves = mapSides(sides, (side) => findMoves(base, side))
  const names = namesOf(...[base, ours, theirs].flatMap(({ servers, removed }) => [servers, removed]))
  const merged = names.map((name) => ({ name, ...mergeName(name, sides, moves) }))
  const pins = merged.flatMap((one) => [one.ours.pin, one.theirs.pin]).filter((pin) => pin !== null)
  const logs = mergeLogs(
    mapSides(sides, (side) => side.logs),
    pins,
  )
  const build = (side: "ours" | "theirs"): Lockfile => ({
    format: ours.format,
    logs: logs[side],
    servers: members(merged, (one) => one[side].pin),
    removed: members(merged, (one) => one[side].removal),
  })
  const disputed = merged.flatMap(({ name, what }): MergeConflict[] =>
    what === null ? [] : [{ kind: "pin", name, what }],
  )
  const places = logs.disputed.map(
    (name): MergeConflict => ({ kind: "log", name, what: "each side gives it another URL" }),
  )
  return { lockfile: build("ours"), otherwise: build("theirs"), conflicts: [...disputed, ...places] }
}

function members<T>(merged: readonly MergedName[], part: (one: MergedName) => T | null): Readonly<Record<string, T>> {
  const found = merged.flatMap((one) => {
    const value = part(one)
    return value === null ? [] : [[one.name, value] as const]
  })
  return Object.fromEntries(found)
}

/** What a lockfile has under a name: a pin, the note that it was removed, or nothing. */
interface NameState {
  readonly pin: Pin | null
  readonly removal: Removal | null
}

/** What each side's resolution has under a name; `what` is null when they agree. */
interface MergedState {
  readonly ours: NameState
  readonly theirs: NameState
  readonly what: string | null
}

interface MergedName extends MergedState {
  readonly name: string
}

const stateOf = ({ servers, removed }: Lockfile, name: string): NameState => ({
  pin: ownMember(servers, name),
  removal: ownMember(removed, name),
})

const stateText = ({ pin, removal }: NameState): string =>
  pin ? `pin ${canonicalize(formatPin(pin))}` : removal ? removalText(removal) : ""

const removalText = ({ at, by, reason }: Removal): string => JSON.stringify([at, by, reason])

const agreed = (state: NameState): MergedState => ({ ours: state, theirs: state, what: null })

function mergeName(name: string, lockfiles: Sides<Lockfile>, moves: Sides<Moves>): MergedState {
  const sides = mapSides(lockfiles, (lockfile) => stateOf(lockfile, name))
  const disputed = (what: string): MergedState => ({ ours: sides.ours, theirs: sides.theirs, what })
  const merged = mergeValue(sides, stateText)
  if (merged !== null) {
    const old = disputedMove(name, lockfiles, moves)
    return old === null ? agreed(merged.value) : disputed(`was ${old}, which the other side changed, too`)
  }
  const { base, ours, theirs } = sides
  if (ours.pin && theirs.pin) {
    const pin = mergePins({ base: base.pin, ours: ours.pin, theirs: theirs.pin })
    return pin
      ? agreed({ pin, removal: null })
      : disputed(`${base.pin ? "updated" : "added"} differently on both sides`)
  }
  if (!ours.pin && !theirs.pin) {
    const isMoved = [...moves.ours.values(), ...moves.theirs.values()].includes(name)
    return isMoved ? disputed("removed on one side, renamed on the other") : agreed(mergeGone(ours, theirs))
  }
  return mergeHalfGone(sides, disputed)
}

/** Removed by both, or by one while the other left no note. */
function mergeGone(ours: NameState, theirs: NameState): NameState {
  if (ours.removal === null || theirs.removal === null) return ours.removal === null ? theirs : ours
  return firstByText(ours, theirs, stateText)
}

/** A pin that only one side has, and both sides did something. */
function mergeHalfGone({ base, ours, theirs }: Sides<NameState>, disputed: (what: string) => MergedState): MergedState {
  const [kept, gone] = ours.pin ? [ours, theirs] : [theirs, ours]
  if (base.pin && kept.pin && isSamePin(base.pin, kept.pin)) return agreed(gone)
  if (!base.pin && gone.removal === null) return agreed(kept)
  const left = gone.removal ? "removed" : "renamed or deleted"
  return disputed(`${base.pin ? "updated" : "added"} on one side, ${left} on the other`)
}

/** New names of pins that a side renamed, with their old ones. A removed pin leaves a note, a renamed one does not. */
type Moves = ReadonlyMap<string, string>

function findMoves(base: Lockfile, side: Lockfile): Moves {
  const gone = Object.entries(base.servers).filter(
    ([name]) => ownMember(side.servers, name) === null && ownMember(side.removed, name) === null,
  )
  if (gone.length === 0) return new Map()
  const oldNames = new Map(gone.map(([name, pin]) => [identityOf(pin), name]))
  const added = Object.entries(side.servers).filter(([name]) => ownMember(base.servers, name) === null)
  return new Map(
    added.flatMap(([name, pin]) => {
      const old = oldNames.get(identityOf(pin))
      return old === undefined ? [] : [[name, old] as const]
    }),
  )
}

/** The old name of a pin that one side renamed to `name` while the other changed, removed or renamed it in its own way. */
function disputedMove(name: string, { base, ours, theirs }: Sides<Lockfile>, moves: Sides<Moves>): string | null {
  for (const [old, other] of [
    [moves.ours.get(name), theirs],
    [moves.theirs.get(name), ours],
  ] as const) {
    if (old === undefined || ownMember(other.servers, name) !== null) continue
    const [before, now] = [ownMember(base.servers, old), ownMember(other.servers, old)]
    if (before !== null && !(now && isSamePin(before, now))) return old
  }
  return null
}

/** Throws the evidence that refutes a log or a pin. What cannot be read, and what nobody has a root for, refutes nothing. */
function refuseRefuted(lockfile: Lockfile, who: string): void {
  const judged = new Map<string, LogJudgement>()
  for (const [origin, log] of Object.entries(lockfile.logs)) {
    const judgement = judgeLog({ origin, log, roots: [], nowSec: 0n })
    if (judgement.fault?.kind === "rejected") throw saying(`${who}: ${origin}`, judgement.fault)
    judged.set(origin, judgement)
  }
  for (const [name, pin] of Object.entries(lockfile.servers)) {
    const log = judged.get(pin.log)
    if (log === undefined) continue
    const { rejected } = judgePin({ name, pin, log, definitions: undefined, underBase: false })
    if (rejected?.kind === "rejected") throw saying(`${who}: ${name}`, rejected)
  }
}

const saying = (where: string, cause: ToolsumError): ToolsumError =>
  new ToolsumError(cause.code, `${where}: ${cause.message}`, {
    cause,
    ...(cause.evidence ? { evidence: cause.evidence } : {}),
  })
