// `log succeed`: pins of a log that cannot go on are recorded again in its successor. Only what the lockfile still proves is moved, under the
// old log's own root; nothing is read again. The pin digest names the log, so an approval does not move by itself: somebody approves again,
// or says with `--approve` that what was approved there is approved here.
import { headKey } from "../../core/checkpoint.js"
import { ToolsumError } from "../../core/errors.js"
import type { Digest } from "../../core/hash.js"
import type { Lockfile, Pin } from "../../core/lockfile.js"
import type { PinnedRoot } from "../../core/root.js"
import { judgeLog, type LogJudgement } from "../../core/verify-log.js"
import { judgePin } from "../../core/verify-pin.js"
import type { LockfileStore } from "../../ports.js"
import type { Recorded } from "../../writer/log.js"
import { approvalOf } from "../approve.js"
import { requireSame, submissionOf } from "../complete-pins.js"
import { addHead, headOf, linkHeads } from "../link-heads.js"
import { type Actor, findPin, pinDigestOf, withPin } from "../pins.js"
import { findLocalRefusal, proverOf, requireProven, type TargetLog } from "../record-pin.js"

/** How it went with one pin. */
export type MovedPin =
  | {
      readonly name: string
      readonly ok: true
      /** Index of its record in the new log. */
      readonly index: bigint
      readonly pin: Digest
      readonly approved: boolean
    }
  | { readonly name: string; readonly ok: false; readonly error: ToolsumError }

/** What to move, and where. */
export interface MoveInput {
  readonly lockfile: LockfileStore
  /** Origin of the log before. */
  readonly origin: string
  /** Roots from outside the lockfile; one of them must be the old log's. */
  readonly roots: readonly PinnedRoot[]
  /** POSIX seconds. */
  readonly nowSec: bigint
  readonly log: Extract<TargetLog, { kind: "own" }>
  /** Who approves again what was approved; null: nobody. */
  readonly approver: Actor | null
}

interface NamedPin {
  readonly name: string
  readonly pin: Pin
}

/** The pins of a log in a lockfile, those that can be moved and why the others cannot. Throws what is wrong with the log as a whole: nothing
 *  of it is proven then. */
export function sortPins(
  lockfile: Lockfile,
  { origin, roots, nowSec }: Pick<MoveInput, "origin" | "roots" | "nowSec">,
): {
  readonly judged: LogJudgement | null
  readonly movable: readonly NamedPin[]
  readonly stuck: readonly MovedPin[]
} {
  const log = lockfile.logs[origin]
  if (log === undefined) return { judged: null, movable: [], stuck: [] }
  const judged = judgeLog({ origin, log, roots, nowSec })
  if (judged.fault !== null) throw judged.fault
  const pins = Object.entries(lockfile.servers).flatMap(([name, pin]) => (pin.log === origin ? [{ name, pin }] : []))
  const errors = pins.map((one) => findObstacle(one, judged))
  const stuck = pins.flatMap(({ name }, i): MovedPin[] => {
    const error = errors[i] ?? null
    return error === null ? [] : [{ name, ok: false, error }]
  })
  return { judged, movable: pins.filter((_, i) => errors[i] === null), stuck }
}

/** Why a pin is not moved: it does not prove what it says. One that waits to be logged proves nothing yet, and may wait for the new log. */
function findObstacle({ name, pin }: NamedPin, log: LogJudgement): ToolsumError | null {
  const { rejected, unknown } = judgePin({ name, pin, log, definitions: undefined, underBase: false })
  if (rejected !== null) return rejected
  if (unknown === null || unknown.reason === "not_logged") return null
  return new ToolsumError("HEAD_UNPROVEN", `it is not proven here: ${unknown.detail}`)
}

/** Move the pins of one lockfile. Throws as `sortPins`, what appending and the lockfile throw, and RECORD_INVALID when a moved pin would not
 *  verify; then the lockfile is as it was. */
export async function movePins(input: MoveInput): Promise<readonly MovedPin[]> {
  const { lockfile: store, log } = input
  const lockfile = await store.read()
  if (lockfile === null) return []
  const { movable, stuck } = sortPins(lockfile, input)
  const refused = movable.flatMap(({ name, pin }): MovedPin[] => {
    const error = findLocalRefusal(submissionOf(pin).observation, lockfile.logs[log.origin])
    return error === null ? [] : [{ name, ok: false, error }]
  })
  const taken = movable.filter(({ name }) => !refused.some((one) => one.name === name))
  if (taken.length === 0) return [...stuck, ...refused]
  await store.requireWritable([])
  const writer = await log.open()
  try {
    const recorded = await writer.append(taken.map(({ pin }) => submissionOf(pin)))
    const answers = taken.map((one, i) => ({ ...one, recorded: requireSame(one, recorded[i]) }))
    return [...stuck, ...refused, ...(await writeMoved(input, answers))]
  } finally {
    await writer.close()
  }
}

interface AnsweredPin extends NamedPin {
  readonly recorded: Recorded
}

/** Read the new log back as anybody would, and write the pins that are still what was recorded. */
async function writeMoved(input: MoveInput, answers: readonly AnsweredPin[]): Promise<readonly MovedPin[]> {
  const { lockfile: store, log, origin } = input
  const client = await log.read()
  let results: readonly MovedPin[] = []
  await store.update(async (current) => {
    if (current === null) throw new ToolsumError("NOT_PINNED", "the lockfile is gone")
    const still = answers.filter(({ name, pin }) => findPin(current, name)?.record === pin.record)
    const moved = still.map((one) => ({ ...one, pin: movePin(one, input) }))
    const next = moved.reduce((lockfile, { name, pin, recorded }) => {
      const update = { origin: log.origin, url: null, keyring: client.keyringNotes, checkpoint: recorded.checkpoint }
      return addHead(withPin(lockfile, name, pin), update)
    }, current)
    const linked = await linkHeads(withoutUnused(next, origin), log.origin, proverOf(client))
    const names = moved.map(({ name }) => name)
    if (names.length > 0) requireProven(linked, names, client)
    results = answers.map(({ name, recorded }) => {
      const pin = moved.find((one) => one.name === name)?.pin
      if (pin === undefined) return changedMeanwhile(name)
      const digest = pinDigestOf(pin)
      return { name, ok: true, index: recorded.index, pin: digest, approved: pin.approved?.pin === digest }
    })
    return { lockfile: linked }
  })
  return results
}

/** The pin in the new log. An approval goes with it only where it named exactly the old pin, and somebody says so. */
function movePin({ pin, recorded }: AnsweredPin, { log, approver }: MoveInput): Pin {
  const { record, index, proof, checkpoint } = recorded
  const head = headKey(headOf(checkpoint))
  const moved: Pin = { ...pin, log: log.origin, record, index, proof, head, observation: null }
  if (approver === null || pin.approved?.pin !== pinDigestOf(pin)) return moved
  return { ...moved, approved: approvalOf(pinDigestOf(moved), pin, approver) }
}

/** A log that no pin names any more leaves the lockfile: git has it, and its heads need no one's trust from here. */
function withoutUnused(lockfile: Lockfile, origin: string): Lockfile {
  if (Object.values(lockfile.servers).some((pin) => pin.log === origin)) return lockfile
  const { [origin]: _, ...logs } = lockfile.logs
  return { ...lockfile, logs }
}

const changedMeanwhile = (name: string): MovedPin => ({
  name,
  ok: false,
  error: new ToolsumError("NOT_PINNED", "the pin was changed meanwhile; it stays in the old log"),
})
