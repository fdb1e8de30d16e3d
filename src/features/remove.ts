// `remove` and `rename`: the end of a pin, and another name for one. Offline, start nothing.
import { quote, ToolsumError } from "../core/errors.js"
import { isPinName } from "../core/pin.js"
import type { LockfileStore } from "../ports.js"
import { type Actor, findPin, formatInstant, requirePin, subjectOf } from "./pins.js"

/** Remove a pin; the lockfile keeps who did it, when and why. Throws NOT_PINNED. */
export async function removePin(p: { lockfile: LockfileStore; name: string; actor: Actor }): Promise<void> {
  await p.lockfile.update((current) => {
    const { lockfile } = requirePin(current, p.name)
    const { [p.name]: _gone, ...servers } = lockfile.servers
    const removal = { at: formatInstant(p.actor.nowSec), by: p.actor.by, reason: p.actor.reason }
    const removed = { ...lockfile.removed, [p.name]: removal }
    return { lockfile: { ...lockfile, servers, removed }, definitions: { [p.name]: null } }
  })
}

/** Give a pin another name; its definitions move along. A `local:` pin carries its name inside its record, so it needs a new one: `remove` and `add`.
 *  Throws NOT_PINNED; USAGE for a bad or taken name, and for a local pin. */
export async function renamePin(p: { lockfile: LockfileStore; from: string; to: string }): Promise<void> {
  const { lockfile: store, from, to } = p
  if (!isPinName(to))
    throw new ToolsumError("USAGE", `expected a name like my-server (a-z, 0-9, . _ -), got ${quote(to)}`)
  await store.update(async (current) => {
    const { lockfile, pin } = requirePin(current, from)
    if (findPin(lockfile, to)) throw new ToolsumError("USAGE", `${to} is pinned already`)
    if (subjectOf(pin) === `local:${from}`) {
      throw new ToolsumError("USAGE", `the record of ${from} carries that name: remove it and add it as ${to}`)
    }
    const { [from]: _moved, ...servers } = lockfile.servers
    const { [to]: _takenBack, ...removed } = lockfile.removed
    // What lies under the new name without a pin is nobody's: it goes.
    const definitions = { [from]: null, [to]: await store.readDefinitions(from) }
    return { lockfile: { ...lockfile, servers: { ...servers, [to]: pin }, removed }, definitions }
  })
}
