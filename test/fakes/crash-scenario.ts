// One life of a log that may end at any operation, and what must hold afterwards: it opens, it has all that was acknowledged, it is
// whole, it goes on, and no two checkpoints of one size were ever made.
import { expect } from "vitest"
import { equalBytes } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import type { TileStore } from "../../src/ports.js"
import { createLog } from "../../src/writer/create.js"
import type { LogWriter } from "../../src/writer/log.js"
import { openLog } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import type { KnownHead } from "../../src/writer/state.js"
import { createFaultyStore, createRecordingStore, type Fault } from "./faulty-store.js"
import { checkPublic, LOG_KEY, newLogOptions, rawEntry, submission } from "./writer-fixtures.js"

/** What the outside world was told. */
export interface Acknowledged {
  readonly entries: Map<bigint, Uint8Array>
  head: KnownHead | null
}

/** What a life does; it tells what was acknowledged. */
export type Life = (log: LogWriter, acknowledged: Acknowledged) => Promise<void>

/** Observations, a duplicate, raw entries over a tile's end. */
export const shortLife: Life = async (log, acknowledged) => {
  await record(log, acknowledged, ["a"])
  await addRaw(log, acknowledged, 3)
  await record(log, acknowledged, ["a"])
  await record(log, acknowledged, ["b", "c"])
  await addRaw(log, acknowledged, 256)
  await record(log, acknowledged, ["a"])
}

async function record(log: LogWriter, acknowledged: Acknowledged, tools: readonly string[]): Promise<void> {
  for (const { index, record } of await log.append([submission(tools)])) {
    acknowledged.entries.set(index, new TextEncoder().encode(record))
  }
  acknowledged.head = { ...log.head(), from: "the test" }
}

async function addRaw(log: LogWriter, acknowledged: Acknowledged, count: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, i) => rawEntry(i))
  const placed = await log.appendEntries(entries)
  for (const [i, { index }] of placed.entries()) acknowledged.entries.set(index, entries[i] ?? new Uint8Array())
  acknowledged.head = { ...log.head(), from: "the test" }
}

/** Make the log in an empty store, or open the one that is there. */
export const openOrCreate = (store: TileStore, isNew: boolean, knownHeads: readonly KnownHead[] = []) =>
  isNew ? createLog(newLogOptions(store)) : openLog({ store, signers: [LOG_KEY], waitMs: 0, knownHeads })

/** How many operations a new log and `life` take. */
export async function countOperations(life: Life): Promise<number> {
  const store = createFaultyStore(createMemoryStore(), -1, "before")
  await life(await openOrCreate(store, true), { entries: new Map(), head: null })
  return store.operations()
}

/** Live through `life` on a copy of `base` and fail at operation `at`; false when the life was over before that. */
export async function liveAndDie(base: MemoryStore, life: Life, at: number, fault: Fault): Promise<boolean> {
  const memory = createMemoryStore(base.files)
  const store = createRecordingStore(memory)
  const faulty = createFaultyStore(store, at, fault)
  const acknowledged: Acknowledged = { entries: new Map(), head: null }
  await tolerate(async () => life(await openOrCreate(faulty, base.files.size === 0), acknowledged))
  await checkRecovery(memory, store, acknowledged, life)
  return faulty.failed()
}

/** The same, and the recovery dies at its operation `again`. False when the recovery was over before that. */
export async function liveAndDieTwice(base: MemoryStore, life: Life, at: number, again: number): Promise<boolean> {
  const memory = createMemoryStore(base.files)
  const store = createRecordingStore(memory)
  const acknowledged: Acknowledged = { entries: new Map(), head: null }
  await tolerate(async () =>
    life(await openOrCreate(createFaultyStore(store, at, "after"), base.files.size === 0), acknowledged),
  )
  const second = createFaultyStore(store, again, "after")
  await tolerate(async () => {
    await openOrCreate(second, !hasCommit(memory))
  })
  await checkRecovery(memory, store, acknowledged, life)
  return second.failed()
}

const hasCommit = (memory: MemoryStore) => [...memory.files.keys()].some((key) => key.startsWith("private/commits/"))

/** Only the injected failure, and what follows from it, may come out. */
async function tolerate(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ToolsumError && ["IO_FAILED", "LOG_CLOSED"].includes(error.code))) throw error
  }
}

async function checkRecovery(
  memory: MemoryStore,
  store: TileStore & { heads: Map<string, Set<string>> },
  acknowledged: Acknowledged,
  life: Life,
): Promise<void> {
  const known = acknowledged.head === null ? [] : [acknowledged.head]
  const log = await openOrCreate(store, !hasCommit(memory), known)
  const { head, entries } = await checkPublic(memory)
  expect(head.size).toBe(log.head().size)
  for (const [index, entry] of acknowledged.entries) {
    expect(equalBytes(entries[Number(index)] ?? new Uint8Array(), entry), `entry ${index}`).toBe(true)
  }
  await life(log, { entries: new Map(), head: null })
  await checkPublic(memory)
  await log.close()
  // A file that was staged for the step after the newest may be a live writer's; once that step is over it goes.
  await openOrCreate(store, false)
  expect(await memory.list("private/staging")).toEqual([])
  for (const [size, roots] of store.heads) expect(roots.size, `checkpoints of size ${size}`).toBe(1)
}
