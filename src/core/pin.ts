// What an approval names (DESIGN 7, formats 33): the digest that binds a pin's log, subject, version, target, profile, masks and
// surface. Also the rule for a pin's name. The pin itself, as a lockfile holds it, is lockfile.ts's.
import { computeJsonDigest } from "./canonical.js"
import type { Digest } from "./hash.js"
import { formatTarget, type Target } from "./target.js"

const PIN_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** True for a pin name: 1 to 64 characters `a-z 0-9 . _ -`, the first a letter or digit. */
export const isPinName = (text: string): boolean => PIN_NAME.test(text)

/** What a pin digest covers. `log`: the origin. The rest is as in the record; neither root, index nor head is in it. `target` is null where
 *  nothing says how the server is reached, which only pins of dialect legion can be. */
export interface PinFields {
  readonly log: string
  readonly subject: string
  readonly version: string
  readonly target: Target | null
  readonly profile: string
  readonly mask: Digest | "-"
  readonly surface: Digest
}

/** Digest of a pin: SHA-256 over the canonical form of exactly those seven members (formats 33). */
export function computePinDigest(pin: PinFields): Digest {
  const { log, mask, profile, subject, surface, target, version } = pin
  return computeJsonDigest({ log, mask, profile, subject, surface, target: target && formatTarget(target), version }) // in canonical order
}
