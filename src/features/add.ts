// `add`: read a server that a person named, record what it said, pin it with that person's approval as the first baseline.
import { ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { Approval, Lockfile, Pin, PinOrigin } from "../core/lockfile.js"
import type { LockfileStore } from "../ports.js"
import { approvalOf } from "./approve.js"
import { type Observed, type ObserveInput, observeServer, requirePinnable } from "./observe.js"
import { type Actor, findPin, requirePinName } from "./pins.js"
import { type Pinned, recordAndPin, type TargetLog } from "./record-pin.js"

/** What `add` needs. */
export interface AddInput extends ObserveInput {
  /** Client configurations that the launch line was taken from; none when it was typed. */
  readonly from: readonly PinOrigin[]
  readonly lockfile: LockfileStore
  readonly log: TargetLog
  readonly actor: Actor
  readonly definitions: boolean
  /** True: read and show, write nothing. */
  readonly dryRun: boolean
}

/** What was read, and what is pinned now; `pinned` is null on a dry run. */
export interface Added {
  readonly observed: Observed
  readonly pinned: Pinned | null
}

/** Add a pin. Throws USAGE for a bad or taken name, SURFACE_MALFORMED for a list that cannot be pinned, and what reading and recording throw. */
export const addServer = async (input: AddInput): Promise<Added> => pinServer(input, await readServer(input))

/** The first half: the server is read. Several may be at once. Throws as `addServer`. */
export async function readServer(input: AddInput): Promise<Observed> {
  requireNewName(await input.lockfile.read(), input.name)
  const observed = await observeServer(input)
  requirePinnable(observed)
  return observed
}

/** The second half: what was read is recorded and pinned, one server after the other. Throws as `addServer`. */
export const pinServer = async (input: AddInput, observed: Observed): Promise<Added> => ({
  observed,
  pinned: input.dryRun ? null : await record(input, observed),
})

/** Refuse a name that no pin can have, and one that is taken. Throws USAGE. */
export function requireNewName(lockfile: Lockfile | null, name: string): void {
  requirePinName(name)
  requireFree(findPin(lockfile, name) !== null, name)
}

const requireFree = (taken: boolean, name: string): void => {
  if (taken) throw new ToolsumError("USAGE", `${name} is pinned already; toolsum update ${name} reads it again`)
}

function record(input: AddInput, observed: Observed): Promise<Pinned> {
  const { name, target, from, masks, sections, lockfile, log, definitions, actor } = input
  const approve = (digest: Digest, before: Pin | null): Approval => {
    requireFree(before !== null, name)
    return approvalOf(digest, before, { ...actor, reason: actor.reason ?? "first baseline" })
  }
  return recordAndPin(lockfile, { name, target, from, masks, sections, observed, definitions, approve }, log)
}
