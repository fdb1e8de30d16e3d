// `approve`: accept exactly the pin that was reviewed. Offline, starts nothing: the digest typed must be the digest pinned.
import { ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { Approval, Pin } from "../core/lockfile.js"
import type { LockfileStore } from "../ports.js"
import { type Actor, formatInstant, pinDigestOf, requirePin, withPin } from "./pins.js"

/** Approve the pin `name` at exactly the digest `to`. False when just this was approved before.
 *  Throws NOT_PINNED, and USAGE when the pin has another digest than the one reviewed. */
export async function approvePin(p: {
  lockfile: LockfileStore
  name: string
  to: Digest
  actor: Actor
}): Promise<boolean> {
  return p.lockfile.update((current) => {
    const { lockfile, pin } = requirePin(current, p.name)
    return { lockfile: withPin(lockfile, p.name, approveAt(p.name, pin, p.to, p.actor)) }
  })
}

function approveAt(name: string, pin: Pin, to: Digest, actor: Actor): Pin {
  const digest = pinDigestOf(pin)
  if (digest !== to)
    throw new ToolsumError(
      "USAGE",
      `${name} is pinned at ${digest}, not at ${to}: review what changed, then approve that`,
    )
  return pin.approved?.pin === digest ? pin : { ...pin, approved: approvalOf(digest, pin, actor) }
}

/** An approval of `digest` by `actor`, naming what was approved before. */
export function approvalOf(digest: Digest, before: Pin | null, actor: Actor): Approval {
  const { by, reason } = actor
  return { pin: digest, from: before?.approved?.pin ?? null, at: formatInstant(actor.nowSec), by, reason, only: null }
}
