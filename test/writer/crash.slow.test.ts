// Faults at every operation of a life that rewrites the subject index, and in the recovery from a fault.
import { expect, test } from "vitest"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { countOperations, type Life, liveAndDie, liveAndDieTwice, shortLife } from "../fakes/crash-scenario.js"
import type { Fault } from "../fakes/faulty-store.js"
import { newLog, rawEntry, submission } from "../fakes/writer-fixtures.js"

/** A log of 1020 entries with a few records. */
async function nearlyIndexed(): Promise<MemoryStore> {
  const store = createMemoryStore()
  const log = await newLog(store)
  for (const name of ["a", "b", "c"]) await log.append([submission([name], { subject: `local:${name}` })])
  await log.appendEntries(Array.from({ length: 1016 }, (_, i) => rawEntry(i)))
  return store
}

const crossing: Life = async (log, acknowledged) => {
  for (const name of ["a", "d"]) {
    for (const { index, record } of await log.append([submission([name, "x"], { subject: `local:${name}` })])) {
      acknowledged.entries.set(index, new TextEncoder().encode(record))
    }
  }
  for (const { index } of await log.appendEntries([rawEntry(0), rawEntry(1), rawEntry(2)])) {
    acknowledged.entries.set(index, rawEntry(Number(index - 1022n)))
  }
  acknowledged.head = { ...log.head(), from: "the test" }
}

test.each<Fault>(["before", "after"])("a failure %s any operation of a step that rewrites the index", async (fault) => {
  const base = await nearlyIndexed()
  let at = 0
  while (await liveAndDie(base, crossing, at, fault)) at++
  expect(at).toBeGreaterThan(500)
})

test("a failure at any operation of the recovery from a failure at any operation", async () => {
  const operations = await countOperations(shortLife)
  for (let at = 0; at < operations; at++) {
    let again = 0
    while (await liveAndDieTwice(createMemoryStore(), shortLife, at, again)) again++
    expect(again).toBeGreaterThan(3)
  }
})
