// Reads the server of a pin again, as it was read for the pin: the same sections, profile and protocol revision. Consent was asked before.
import type { AddressRule } from "../adapters/network-address.js"
import type { Pin } from "../core/lockfile.js"
import { requireTarget } from "../core/lockfile-pin.js"
import { sectionsOf } from "../core/section.js"
import { observationOf } from "../features/pins.js"
import { placeholdersOf, requireProfile } from "../features/profile.js"
import type { ServerReading } from "../ports.js"
import type { Checking } from "./checking.js"
import { openServer } from "./servers.js"
import { readLimits } from "./typed-target.js"

/** Read it once. `reach`: which addresses a URL may lead to. Throws as the source, and PROFILE errors where a variable is missing. */
export async function readPinned(
  pin: Pin,
  reach: AddressRule,
  { store, options, io }: Omit<Checking, "lockfile">,
): Promise<ServerReading> {
  const observed = observationOf(pin)
  const target = requireTarget(pin)
  requireProfile(observed.profile, target)
  const source = await openServer({
    target,
    placeholders: placeholdersOf(observed.profile),
    reach,
    lockfilePath: store.path,
    options,
    io,
  })
  const { protocol } = pin.read
  return source.read({
    sections: sectionsOf(observed.lines),
    limits: readLimits(options),
    signal: io.signal,
    ...(typeof protocol === "string" ? { protocol } : {}),
  })
}
