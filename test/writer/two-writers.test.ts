// Two writers over one storage, in every order of their operations that fast-check thinks of, also with one of them dying.
import fc from "fast-check"
import { expect, test } from "vitest"
import { equalBytes } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseRecord, streamKey, type ToolRecord } from "../../src/core/record.js"
import { parseSubjectBucket, SUBJECT_BUCKET_NAMES } from "../../src/core/subject-index.js"
import type { TileStore } from "../../src/ports.js"
import type { LogWriter } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { createRecordingStore } from "../fakes/faulty-store.js"
import { checkPublic, newLog, rawEntry, reopen, submission } from "../fakes/writer-fixtures.js"

/** `inner`, each operation waiting for its turn; after `life` operations none returns any more. */
function createScheduledStore(inner: TileStore, scheduler: fc.Scheduler, life = Number.POSITIVE_INFINITY): TileStore {
  let count = 0
  const turn = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (count++ >= life) return new Promise(() => undefined)
    return scheduler.schedule(Promise.resolve(), name).then(work)
  }
  return {
    read: (key, maxBytes) => turn(`read ${key}`, () => inner.read(key, maxBytes)),
    create: (key, bytes) => turn(`create ${key}`, () => inner.create(key, bytes)),
    replace: (key, bytes) => turn(`replace ${key}`, () => inner.replace(key, bytes)),
    remove: (key) => turn(`remove ${key}`, () => inner.remove(key)),
    list: (prefix) => turn(`list ${prefix}`, () => inner.list(prefix)),
  }
}

type Acknowledged = Map<bigint, Uint8Array>

/** Append the lists one after another; a log that is busy is tried again. */
async function appendAll(
  log: LogWriter,
  lists: readonly (readonly string[])[],
  acknowledged: Acknowledged,
): Promise<void> {
  for (const tools of lists) {
    for (const { index, record } of await untilDone(() => log.append([submission(tools)]))) {
      acknowledged.set(index, new TextEncoder().encode(record))
    }
    for (const { index } of await untilDone(() => log.appendEntries([rawEntry(tools.length)]))) {
      acknowledged.set(index, rawEntry(tools.length))
    }
  }
}

async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ToolsumError && error.code === "LOG_BUSY")) throw error
    }
  }
}

/** Each stream counts without gaps, names its predecessor, and never has one surface twice in a row. */
function checkStreams(entries: readonly Uint8Array[]): void {
  const newest = new Map<string, { index: bigint; record: ToolRecord }>()
  for (const [i, entry] of entries.entries()) {
    if (!new TextDecoder().decode(entry).startsWith("toolsum-record/")) continue
    const record = parseRecord(entry)
    const before = newest.get(streamKey(record))
    expect(record.seq).toBe(before === undefined ? 0n : before.record.seq + 1n)
    expect(record.prev?.index).toBe(before?.index)
    expect(record.surface).not.toBe(before?.record.surface)
    newest.set(streamKey(record), { index: BigInt(i), record })
  }
}

async function checkAll(store: ReturnType<typeof createRecordingStore>, acknowledged: readonly Acknowledged[]) {
  const log = await reopen(store)
  const { head, entries } = await checkPublic(store)
  expect(head.size).toBe(log.head().size)
  for (const [index, entry] of acknowledged.flatMap((own) => [...own])) {
    expect(equalBytes(entries[Number(index)] ?? new Uint8Array(), entry), `entry ${index}`).toBe(true)
  }
  checkStreams(entries)
  for (const [size, roots] of store.heads) expect(roots.size, `checkpoints of size ${size}`).toBe(1)
}

const lists = fc.array(fc.subarray(["a", "b", "c"], { minLength: 1 }), { minLength: 1, maxLength: 3 })

test("two writers at once lose nothing and never fork", () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), lists, lists, async (scheduler, first, second) => {
      const store = createRecordingStore(createMemoryStore())
      await newLog(store)
      const acknowledged: Acknowledged[] = [new Map(), new Map()]
      const work = [first, second].map(async (own, i) => {
        const log = await reopen(createScheduledStore(store, scheduler))
        await appendAll(log, own, acknowledged[i] ?? new Map())
      })
      await scheduler.waitFor(Promise.all(work))
      await checkAll(store, acknowledged)
    }),
    { numRuns: 60 },
  ))

test("a writer that dies does not disturb the other", () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), lists, lists, fc.nat(60), async (scheduler, first, second, life) => {
      const store = createRecordingStore(createMemoryStore())
      await newLog(store)
      const acknowledged: Acknowledged[] = [new Map(), new Map()]
      const dying = reopen(createScheduledStore(store, scheduler, life)).then((log) =>
        appendAll(log, first, acknowledged[0] ?? new Map()),
      )
      const living = reopen(createScheduledStore(store, scheduler)).then((log) =>
        appendAll(log, second, acknowledged[1] ?? new Map()),
      )
      await scheduler.waitFor(living)
      dying.catch(() => undefined)
      await checkAll(store, acknowledged)
    }),
    { numRuns: 60 },
  ))

test("who loses twice in a row is told that the log is busy, and may try again", async () => {
  const memory = createMemoryStore()
  await newLog(memory)
  const rival = await reopen(memory)
  let losses = 2
  const log = await reopen({
    ...memory,
    create: async (key, bytes) => {
      if (key.startsWith("private/commits/") && losses-- > 0) await rival.appendEntries([rawEntry(losses)])
      return memory.create(key, bytes)
    },
  })
  await expect(log.append([submission(["a"])])).rejects.toEqual(expect.objectContaining({ code: "LOG_BUSY" }))
  const [recorded] = await log.append([submission(["a"])])
  expect(recorded).toMatchObject({ index: 3n, duplicate: false })
  await checkPublic(memory)
})

test("a writer that others have overtaken answers for the newest record of the stream", async () => {
  const memory = createMemoryStore()
  await newLog(memory)
  const [one, other] = [await reopen(memory), await reopen(memory)]
  await one.append([submission(["a"])])
  await other.append([submission(["b"])])
  const [again] = await one.append([submission(["a"])])
  expect(again).toMatchObject({ index: 3n, duplicate: false })
  const [same] = await other.append([submission(["a"])])
  expect(same).toMatchObject({ index: 3n, duplicate: true })
})

test("who opens the log while another writer has staged a step leaves that step to it", async () => {
  const memory = createMemoryStore()
  await newLog(memory)
  const log = await reopen({
    ...memory,
    create: async (key, bytes) => {
      if (!key.startsWith("private/commits/")) return memory.create(key, bytes)
      await reopen(memory)
      await memory.create(key, bytes)
      throw new ToolsumError("IO_FAILED", "died after the commit")
    },
  })
  await expect(log.appendEntries([rawEntry(1)])).rejects.toEqual(expect.objectContaining({ code: "IO_FAILED" }))
  const again = await reopen(memory)
  expect(again.head().size).toBe(2n)
  expect((await checkPublic(memory)).entries[1]).toEqual(rawEntry(1))
})

test("a late, older checkpoint of a rival does not stay, and is not taken for a rollback", async () => {
  const memory = createMemoryStore()
  const rival = await newLog(memory)
  const older = memory.files.get("public/checkpoint") ?? new Uint8Array()
  await rival.appendEntries([rawEntry(1)])
  let late = 1
  const log = await reopen({
    ...memory,
    replace: async (key, bytes) => {
      await memory.replace(key, bytes)
      if (late-- > 0) await memory.replace(key, older)
    },
  })
  await log.appendEntries([rawEntry(2)])
  expect((await checkPublic(memory)).head.size).toBe(3n)
  memory.files.set("public/checkpoint", older)
  expect((await reopen(memory)).head().size).toBe(3n)
  expect((await checkPublic(memory)).head.size).toBe(3n)
})

/** `memory`, whose first replacing of a key that begins so waits until `meanwhile` is done. */
function createStallingStore(memory: MemoryStore, prefix: string, meanwhile: () => Promise<unknown>): TileStore {
  let stalled = false
  return {
    ...memory,
    replace: async (key, bytes) => {
      if (!stalled && key.startsWith(prefix)) {
        stalled = true
        await meanwhile()
      }
      await memory.replace(key, bytes)
    },
  }
}

const publishedSize = async (store: TileStore) => (await checkPublic(store)).head.size

test.each([
  { name: "an appending", count: 1 },
  { name: "an appending that is overtaken by several steps", count: 3 },
])("the checkpoint does not stay behind after $name writer stalled before publishing", async ({ count }) => {
  const memory = createMemoryStore()
  await newLog(memory)
  const rival = await reopen(memory)
  const stalling = createStallingStore(memory, "public/checkpoint", async () => {
    for (let i = 0; i < count; i++) await rival.appendEntries([rawEntry(10 + i)])
  })
  const log = await reopen(stalling)
  const [placed] = await log.appendEntries([rawEntry(1)])
  expect(placed?.index).toBe(1n)
  expect(await publishedSize(memory)).toBe(rival.head().size)
  expect(log.head().size).toBe(rival.head().size)
})

test("the checkpoint does not stay behind after a writer stalled while it opened the log, or made it", async () => {
  const memory = createMemoryStore()
  const made = createStallingStore(memory, "public/checkpoint", async () => {
    await (await reopen(memory)).appendEntries([rawEntry(1)])
  })
  expect((await newLog(made)).head().size).toBe(2n)
  expect(await publishedSize(memory)).toBe(2n)
  const dying = await reopen({ ...memory, replace: () => Promise.reject(new Error("died")) })
  await expect(dying.appendEntries([rawEntry(2)])).rejects.toThrow("died")
  const opened = createStallingStore(memory, "public/checkpoint", async () => {
    await (await reopen(memory)).appendEntries([rawEntry(3)])
  })
  expect((await reopen(opened)).head().size).toBe(4n)
  expect(await publishedSize(memory)).toBe(4n)
})

test("the subject index does not stay behind after a writer stalled while it wrote it", async () => {
  const memory = createMemoryStore()
  await newLog(memory)
  const rival = await reopen(memory)
  const many = (count: number) => Array.from({ length: count }, (_, i) => rawEntry(i))
  const log = await reopen(
    createStallingStore(memory, "public/subjects/", async () => {
      await rival.append([submission(["b"])])
      await rival.appendEntries(many(1100))
    }),
  )
  await log.append([submission(["a"])])
  await log.appendEntries(many(1030))
  const sizes = SUBJECT_BUCKET_NAMES.map((name) => {
    const bytes = memory.files.get(`public/subjects/${name}`)
    return bytes === undefined ? 0n : parseSubjectBucket(bytes, name).size
  })
  expect(rival.head().size - (sizes.toSorted()[0] ?? 0n)).toBeLessThan(1024n)
  await checkPublic(memory)
})
