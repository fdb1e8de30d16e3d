// `lock complete`: pins that were written without the log's key are recorded by whoever has it, and get record, head and proof. What a pin
// pins stays what it is, so its digest and its approval stay too. Nothing is read again: the log takes what was observed then.
import { headKey } from "../core/checkpoint.js"
import { ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { parseRecord, streamKey } from "../core/record.js"
import { computeSectionOfDigests, SECTION_NAMES } from "../core/section.js"
import { judgeLog } from "../core/verify-log.js"
import { judgePin } from "../core/verify-pin.js"
import type { LockfileStore } from "../ports.js"
import type { Recorded } from "../writer/log.js"
import type { Submission } from "../writer/submission.js"
import { addHead, headOf, linkHeads } from "./link-heads.js"
import { findPin, observationOf, pinDigestOf, requirePin, withPin } from "./pins.js"
import { findLocalRefusal, proverOf, requireProven, type TargetLog } from "./record-pin.js"

/** How it went with one pin. */
export type CompletedPin =
  | {
      readonly name: string
      readonly ok: true
      /** Index of its record; null on a dry run. */
      readonly index: bigint | null
      /** False when the newest record of its stream said the same already; on a dry run true, since only appending tells. */
      readonly appended: boolean
      readonly pin: Digest
    }
  | { readonly name: string; readonly ok: false; readonly error: ToolsumError }

/** What to complete. */
export interface CompleteInput {
  readonly lockfile: LockfileStore
  /** Names of pins; none: all that wait. */
  readonly names: readonly string[]
  /** The log of an origin; null or of kind `elsewhere` when it cannot be appended to from here. */
  readonly openLog: (origin: string) => Promise<TargetLog | null>
  /** True: find out what would be done, append and write nothing. */
  readonly dryRun?: boolean
}

type OwnLog = Extract<TargetLog, { kind: "own" }>

interface WaitingPin {
  readonly name: string
  readonly pin: Pin
}

/** Log the pins that wait for it, and answer for each. Pins that are logged already are left out. Throws NOT_PINNED for an unknown
 *  name, and what opening and appending throw: then the lockfile is as it was. */
export async function completePins(input: CompleteInput): Promise<readonly CompletedPin[]> {
  const lockfile = await input.lockfile.read()
  for (const name of input.names) requirePin(lockfile, name)
  if (lockfile === null) return []
  const waiting = Object.entries(lockfile.servers)
    .filter(([name, pin]) => pin.observation !== null && (input.names.length === 0 || input.names.includes(name)))
    .map(([name, pin]) => ({ name, pin }))
  const done: CompletedPin[] = []
  for (const origin of new Set(waiting.map(({ pin }) => pin.log))) {
    const pins = waiting.filter(({ pin }) => pin.log === origin)
    const log = await input.openLog(origin)
    done.push(...(log?.kind === "own" ? await completeIn(log, pins, lockfile, input) : pins.map(elsewhere)))
  }
  return done
}

const failed = (name: string, error: ToolsumError): CompletedPin => ({ name, ok: false, error })

const elsewhere = ({ name, pin }: WaitingPin): CompletedPin =>
  failed(name, new ToolsumError("LOG_UNAVAILABLE", `the key of its log ${pin.log} is not here; --log-dir names a log`))

async function completeIn(
  log: OwnLog,
  pins: readonly WaitingPin[],
  lockfile: Lockfile,
  { lockfile: store, dryRun = false }: CompleteInput,
): Promise<readonly CompletedPin[]> {
  const refused = pins.flatMap((one) => {
    const error = findRefusal(one, lockfile)
    return error === null ? [] : [failed(one.name, error)]
  })
  const taken = pins.filter(({ name }) => !refused.some((one) => one.name === name))
  if (taken.length === 0) return refused
  // Before anything is appended: is this the log that the user trusts, and is it in order?
  await log.read()
  if (dryRun) return [...refused, ...taken.map(planned)]
  const writer = await log.open()
  try {
    const recorded = await writer.append(taken.map(({ pin }) => submissionOf(pin)))
    const answers = taken.map((one, i) => ({ ...one, recorded: requireSame(one, recorded[i]) }))
    return [...refused, ...(await fillIn(store, log, answers))]
  } finally {
    await writer.close()
  }
}

/** Why a pin must not be signed: its own target, masks or lists contradict what it says was observed, or its subject is private. */
function findRefusal({ name, pin }: WaitingPin, lockfile: Lockfile): ToolsumError | null {
  const log = lockfile.logs[pin.log]
  if (log === undefined) return null
  const refusal = findLocalRefusal(observationOf(pin), log)
  if (refusal !== null) return refusal
  const judgement = judgeLog({ origin: pin.log, log, roots: [], nowSec: 0n })
  return judgePin({ name, pin, log: judgement, definitions: undefined, underBase: false }).rejected
}

/** What the writer takes: the observation, and the section texts, which the digests of a pin give back. */
export function submissionOf(pin: Pin): Submission {
  const objects = SECTION_NAMES.flatMap((section) => {
    const digests = pin[section]
    if (digests === undefined) return []
    return [computeSectionOfDigests(Object.entries(digests).map(([key, digest]) => ({ key, digest }))).text]
  })
  return { observation: observationOf(pin), objects }
}

/** The record that came back must say what was observed; an older one of the same stream may have been observed earlier. */
export function requireSame({ name, pin }: WaitingPin, recorded: Recorded | undefined): Recorded {
  if (recorded === undefined) throw new ToolsumError("LOG_CLOSED", "the log answered nothing")
  const [wanted, record] = [observationOf(pin), parseRecord(recorded.record)]
  if (streamKey(record) === streamKey(wanted) && record.surface === wanted.surface) return recorded
  throw new ToolsumError("RECORD_INVALID", `the log answered for ${name} with a record that says something else`)
}

interface AnsweredPin extends WaitingPin {
  readonly recorded: Recorded
}

/** Read the log back as anybody else would, and write the pins that are still what was logged. */
async function fillIn(
  store: LockfileStore,
  log: OwnLog,
  answers: readonly AnsweredPin[],
): Promise<readonly CompletedPin[]> {
  const client = await log.read()
  let results: readonly CompletedPin[] = []
  await store.update(async (current) => {
    const still = answers.filter(({ name, pin }) => findPin(current, name)?.observation === pin.observation)
    results = answers.map((one) => (still.includes(one) ? completed(one) : changedMeanwhile(one)))
    if (current === null || still.length === 0) return { lockfile: requireLockfile(current) }
    const next = still.reduce(
      (lockfile, one) => addHead(fillPin(lockfile, one), updateOf(client.keyringNotes, one)),
      current,
    )
    const linked = await linkHeads(next, log.origin, proverOf(client))
    requireProven(
      linked,
      still.map(({ name }) => name),
      client,
    )
    return { lockfile: linked }
  })
  return results
}

function requireLockfile(current: Lockfile | null): Lockfile {
  if (current === null) throw new ToolsumError("NOT_PINNED", "the lockfile is gone")
  return current
}

/** The pin as it is now with its evidence: somebody may have approved it meanwhile. */
function fillPin(lockfile: Lockfile, { name, recorded }: AnsweredPin): Lockfile {
  const { pin } = requirePin(lockfile, name)
  const { record, index, proof, checkpoint } = recorded
  return withPin(lockfile, name, { ...pin, record, index, proof, head: headKey(headOf(checkpoint)), observation: null })
}

const updateOf = (keyring: readonly string[], { pin, recorded }: AnsweredPin) => ({
  origin: pin.log,
  url: null,
  keyring,
  checkpoint: recorded.checkpoint,
})

const completed = ({ name, pin, recorded }: AnsweredPin): CompletedPin => ({
  name,
  ok: true,
  index: recorded.index,
  appended: !recorded.duplicate,
  pin: pinDigestOf(pin),
})

const planned = ({ name, pin }: WaitingPin): CompletedPin => ({
  name,
  ok: true,
  index: null,
  appended: true,
  pin: pinDigestOf(pin),
})

const changedMeanwhile = ({ name }: WaitingPin): CompletedPin =>
  failed(name, new ToolsumError("NOT_PINNED", "the pin was changed meanwhile; it is in the log, the pin still waits"))
