// What several commands ask of a pin in a lockfile: find it, read what it observed, compute its digest.
import { quote, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
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

/** What was observed: from the record, or from the observation of a pin that is not logged yet. Throws RECORD_MALFORMED. */
export const observationOf = (pin: Pin): Observation =>
  pin.record === null ? parseObservation(pin.observation ?? "") : parseRecord(pin.record)

/** The digest that an approval of this pin names. Throws RECORD_MALFORMED when its record cannot be read. */
export const pinDigestOf = (pin: Pin): Digest =>
  computePinDigest({ ...observationOf(pin), log: pin.log, target: pin.target })

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
