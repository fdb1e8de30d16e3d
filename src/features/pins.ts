// What several commands ask of a pin in a lockfile: find it, read what it observed, compute its digest.
import { quote, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import { parseBundle } from "../core/legion/bundle.js"
import { computeLockedPinDigest } from "../core/legion/locked-pin.js"
import { type LegionRecord, parseLegionEntry, requireRecord } from "../core/legion/record.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { computePinDigest, isPinName } from "../core/pin.js"
import { type Observation, parseObservation, parseRecord } from "../core/record.js"

/** A lockfile without anything in it. */
export const EMPTY_LOCKFILE: Lockfile = { format: "toolsum-lock/v1", logs: {}, servers: {}, removed: {} }

/** Refuse a name that no pin can have. Throws USAGE. */
export function requirePinName(name: string): void {
  if (!isPinName(name))
    throw new ToolsumError("USAGE", `expected a name such as my-server (a-z, 0-9, . _ -), got ${quote(name)}`)
}

/** The pin called `name`, or null. */
export const findPin = (lockfile: Lockfile | null, name: string): Pin | null =>
  lockfile !== null && Object.hasOwn(lockfile.servers, name) ? (lockfile.servers[name] ?? null) : null

/** The pin called `name` and its lockfile. Throws NOT_PINNED. */
export function requirePin(lockfile: Lockfile | null, name: string): { lockfile: Lockfile; pin: Pin } {
  if (lockfile === null) throw new ToolsumError("NOT_PINNED", "there is no lockfile yet; toolsum add makes one")
  const pin = findPin(lockfile, name)
  if (pin) return { lockfile, pin }
  const known = Object.keys(lockfile.servers)
  throw new ToolsumError(
    "NOT_PINNED",
    `no pin is called ${quote(name)}${known.length > 0 ? `; pinned: ${known.join(", ")}` : ""}`,
  )
}

/** What was observed: from the record, or from the observation of a pin that is not logged yet. Throws RECORD_MALFORMED, also for a pin of
 *  dialect legion, which has another kind of record. */
export function observationOf(pin: Pin): Observation {
  if (pin.evidence !== undefined)
    throw new ToolsumError(
      "RECORD_MALFORMED",
      "its record is one of LEGION's, which covers name, text and schema of tools only",
    )
  return pin.record === null ? parseObservation(pin.observation ?? "") : parseRecord(pin.record)
}

/** The record of a pin of dialect legion, as its evidence has it; null for other pins. Nothing is proven here. Throws JSON_MALFORMED,
 *  PROOF_MALFORMED, CHECKPOINT_MALFORMED, RECORD_MALFORMED, RECORD_INVALID. */
export const legionRecordOf = ({ evidence }: Pin): LegionRecord | null =>
  evidence === undefined ? null : requireRecord(parseLegionEntry(parseBundle(evidence).record))

/** What a pin is about: the subject of its record, or the id under which LEGION has its server. Throws as the two above. */
export const subjectOf = (pin: Pin): string => legionRecordOf(pin)?.serverId ?? observationOf(pin).subject

/** The digest that an approval of this pin names. Throws as the two above when its record cannot be read. */
export function pinDigestOf(pin: Pin): Digest {
  const record = legionRecordOf(pin)
  if (record !== null) return computeLockedPinDigest(pin, record)
  return computePinDigest({ ...observationOf(pin), log: pin.log, target: pin.target })
}

/** `YYYY-MM-DDTHH:MM:SSZ`, the one spelling of an instant in a lockfile. */
export const formatInstant = (sec: number): string => `${new Date(sec * 1000).toISOString().slice(0, 19)}Z`

/** Who did something in a lockfile, when and why. */
export interface Actor {
  readonly by: string
  readonly reason: string | null
  readonly nowSec: number
}

/** The lockfile with `pin` under `name`; a name is not removed and pinned at once. */
export function withPin(lockfile: Lockfile, name: string, pin: Pin): Lockfile {
  const { [name]: _pinnedAgain, ...removed } = lockfile.removed
  return { ...lockfile, servers: { ...lockfile.servers, [name]: pin }, removed }
}
