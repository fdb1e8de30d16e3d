import { expect, test } from "vitest"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { checkPublic, newLog, rawEntry, reopen } from "../fakes/writer-fixtures.js"

const partials = (store: MemoryStore) => [...store.files.keys()].filter((key) => key.includes(".p/")).sort()

test("partial tiles go once the full one is published; those of the newest checkpoints stay", async () => {
  const store = createMemoryStore()
  const log = await newLog(store)
  for (let i = 0; i < 258; i++) await log.appendEntries([rawEntry(i)])
  const before = partials(store)
  expect(before).toHaveLength(2 * 255 + 2 * 3 + 1) // sizes 1 to 255, 257 to 259, one level above
  const removed = await log.collect()
  // Kept: sizes 252 to 259 are the newest eight checkpoints; nothing of the second tile is full.
  expect(partials(store)).toEqual(
    [0, "entries"]
      .flatMap((level) => [
        ...[252, 253, 254, 255].map((width) => `public/tile/${level}/000.p/${width}`),
        ...[1, 2, 3].map((width) => `public/tile/${level}/001.p/${width}`),
      ])
      .concat("public/tile/1/000.p/1")
      .sort(),
  )
  expect(removed).toBe(before.length - partials(store).length)
  expect(await log.collect()).toBe(0)
  await checkPublic(store)
  expect((await (await reopen(store)).appendEntries([rawEntry(0)]))[0]?.index).toBe(259n)
})

test("a log with nothing to collect", async () => {
  const store = createMemoryStore()
  const log = await newLog(store)
  expect(await log.collect()).toBe(0)
  expect(partials(store)).toHaveLength(2)
})

test("indexes above 1000 are read from their folders", async () => {
  const store = createMemoryStore()
  const log = await newLog(store)
  await log.appendEntries([rawEntry(0)])
  for (const key of ["public/tile/0/x001/000.p/7", "public/tile/entries/x001/x234/567.p/1"]) {
    store.files.set(key, new Uint8Array(1)) // beyond the tree: a rival's step that is not published yet
  }
  expect(await log.collect()).toBe(0)
})

test("what is not a log's file is left alone, wherever it lies", async () => {
  const store = createMemoryStore()
  const log = await newLog(store)
  await log.appendEntries(Array.from({ length: 300 }, (_, i) => rawEntry(i)))
  store.files.set("public/tile/0/000.p/7", new Uint8Array(7 * 32))
  const foreign = [
    "public/tile/backup/000.p/1",
    "public/tile/00/000.p/1",
    "public/tile/1.5/000.p/1",
    "public/tile/0/xyz/000.p/1",
    "public/tile/0/copy.p/1",
    "public/tile/0/000.p/notes.txt",
    "public/tile/0/00.p/1",
    "public/tile/readme",
  ]
  for (const key of foreign) store.files.set(key, new Uint8Array(1))
  await log.collect()
  expect(foreign.filter((key) => !store.files.has(key))).toEqual([])
  expect(store.files.has("public/tile/0/000.p/7")).toBe(false)
})
