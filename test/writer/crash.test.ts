// Faults at every operation of the storage, in one process. Killed processes: crash-child.slow.test.ts; failing calls of the file
// system: ../adapters/store-fs.test.ts.
import { expect, test } from "vitest"
import { createMemoryStore } from "../../src/writer/memory-store.js"
import { liveAndDie, shortLife } from "../fakes/crash-scenario.js"
import type { Fault } from "../fakes/faulty-store.js"

test.each<Fault>(["before", "after"])(
  "a failure %s any operation loses nothing that was acknowledged",
  async (fault) => {
    let at = 0
    while (await liveAndDie(createMemoryStore(), shortLife, at, fault)) at++
    expect(at).toBeGreaterThan(80)
  },
)
