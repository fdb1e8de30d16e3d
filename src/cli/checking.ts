// What `check` has in hand for one lockfile, whichever logs its pins are in: the lockfile and what was typed, and the consent that a server needs
// before it is read.
import type { AddressRule } from "../adapters/network-address.js"
import { ToolsumError } from "../core/errors.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { requireTarget } from "../core/lockfile-pin.js"
import type { LockfileStore, ServerReading } from "../ports.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { type Gate, notAccepted } from "./servers.js"

/** The error for a command that was interrupted. */
export const interrupted = () => new ToolsumError("READING_INCOMPLETE", "interrupted")

/** A lockfile to check, and what was typed. */
export interface Checking {
  readonly lockfile: Lockfile
  readonly store: LockfileStore
  readonly options: Options
  readonly io: Io
}

/** How the server of a pin is read; where it may not be started, that says so. */
export async function admit(p: {
  name: string
  pin: Pin
  gate: Gate
  read: (reach: AddressRule) => Promise<ServerReading>
}): Promise<() => Promise<ServerReading>> {
  const { name, pin, gate, read } = p
  try {
    const target = requireTarget(pin)
    if (!(await gate.mayStart(name, target))) throw notAccepted(target)
    const reach = await gate.reachOf(target)
    return () => read(reach)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    return () => Promise.reject(error)
  }
}
