// What is known beside the list that is analysed: the other pins of its lockfile, whose tools a model sees beside it. Only definitions in
// the project are read: no log is asked for this.
import type { Lockfile } from "../core/lockfile.js"
import { expiredOverridesOf, overridesOf, type Settings } from "../core/settings.js"
import { loadPinned } from "../features/approved-surface.js"
import type { LockfileStore } from "../ports.js"
import type { OtherServer } from "../surface/analysis.js"
import type { KnownOverrides } from "../surface/classify/class-findings.js"
import type { Io } from "./io.js"

/** The pinned surfaces of a lockfile, as far as their texts are at hand. */
export async function loadOthers(store: LockfileStore, lockfile: Lockfile | null): Promise<readonly OtherServer[]> {
  const pins = Object.entries(lockfile?.servers ?? {}).filter(([, { evidence }]) => evidence === undefined)
  const loaded = pins.map(async ([name, pin]) => {
    const surface = await loadPinned({ store, name, pin, log: null })
    return surface === null ? [] : [{ name, surface }]
  })
  return (await Promise.all(loaded)).flat()
}

/** The same without one of them: no server stands beside itself. */
export const besides = (name: string, servers: readonly OtherServer[]): readonly OtherServer[] =>
  servers.filter((server) => server.name !== name)

/** Tells the others beside any of them. Texts are read once, when they are first asked for. */
export function createNeighbours(
  store: LockfileStore,
  lockfile: Lockfile | null,
): (name: string) => Promise<readonly OtherServer[]> {
  let loading: Promise<readonly OtherServer[]> | null = null
  return async (name) => {
    loading ??= loadOthers(store, lockfile)
    return besides(name, await loading)
  }
}

/** The overrides of a pin's classes, by whether they count today. */
export function overridesToday(settings: Settings, name: string, { nowSec }: Pick<Io, "nowSec">): KnownOverrides {
  const today = new Date(nowSec() * 1000).toISOString().slice(0, 10)
  return {
    overrides: overridesOf(settings, name, today),
    expiredOverrides: expiredOverridesOf(settings, name, today),
  }
}
