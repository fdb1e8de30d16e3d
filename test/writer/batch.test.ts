import { expect, test, vi } from "vitest"
import { BATCH_WAIT_MS, createBatcher, MAX_BATCH_BYTES, MAX_QUEUED_ITEMS } from "../../src/writer/batch.js"

const items = (from: number, count: number, bytes = 1) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, bytes }))
type Item = { id: number; bytes: number }

/** A `run` that records its batches and finishes each when told. */
function controlled() {
  const batches: number[][] = []
  const finish: (() => void)[] = []
  const run = async (batch: readonly Item[]): Promise<readonly string[]> => {
    batches.push(batch.map(({ id }) => id))
    await new Promise<void>((resolve) => finish.push(resolve))
    return batch.map(({ id }) => `done ${id}`)
  }
  return { batches, finish, run }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test("a full batch starts at once, a small one after its time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    const { batches, finish, run } = controlled()
    const batcher = createBatcher<Item, string>({ run })
    const first = batcher.submit(items(0, 1))
    await settled()
    expect(batches).toEqual([])
    vi.advanceTimersByTime(BATCH_WAIT_MS - 1)
    expect(batches).toEqual([])
    const second = batcher.submit(items(1, 2))
    vi.advanceTimersByTime(1)
    expect(batches).toEqual([[0, 1, 2]])
    finish.shift()?.()
    expect(await first).toEqual(["done 0"])
    expect(await second).toEqual(["done 1", "done 2"])
    const full = batcher.submit(items(0, 256))
    expect(batches).toHaveLength(2)
    finish.shift()?.()
    expect(await full).toHaveLength(256)
  } finally {
    vi.useRealTimers()
  }
})

test("one batch is in flight; what comes meanwhile is the next one", async () => {
  const { batches, finish, run } = controlled()
  const batcher = createBatcher<Item, string>({ run, waitMs: 0 })
  const all = [batcher.submit(items(0, 256)), batcher.submit(items(300, 1)), batcher.submit(items(400, 2))]
  await settled()
  expect(batches).toHaveLength(1)
  finish.shift()?.()
  await settled()
  expect(batches[1]).toEqual([300, 400, 401])
  finish.shift()?.()
  await Promise.all(all)
})

test("many items are done in order in batches of 256", async () => {
  const seen: number[][] = []
  const batcher = createBatcher<Item, number>({
    run: async (batch) => {
      seen.push(batch.map(({ id }) => id))
      return batch.map(({ id }) => id)
    },
    waitMs: 0,
  })
  const all = items(0, 10_000)
  expect(await batcher.submit(all)).toEqual(all.map(({ id }) => id))
  expect(Math.max(...seen.map((batch) => batch.length))).toBe(256)
  expect(seen).toHaveLength(40)
})

test("a full queue fills the last tile first, a short one goes as it is", async () => {
  const sizes: number[] = []
  let size = 1
  const run = async (batch: readonly Item[]) => {
    sizes.push(batch.length)
    size += batch.length
    return batch.map(() => 0)
  }
  const batcher = createBatcher<Item, number>({ run, room: () => 256 - (size % 256), waitMs: 0 })
  await batcher.submit(items(0, 1000))
  await batcher.submit(items(0, 200))
  expect(sizes).toEqual([256, 255, 256, 233, 200])
})

test("a batch is cut before it has too many bytes, and a huge item goes alone", async () => {
  const sizes: number[] = []
  const run = async (batch: readonly Item[]) => {
    sizes.push(batch.length)
    return batch.map(() => 0)
  }
  const batcher = createBatcher<Item, number>({ run, waitMs: 0 })
  await batcher.submit([...items(0, 1, 2 * MAX_BATCH_BYTES), ...items(1, 3, MAX_BATCH_BYTES / 2), ...items(4, 1, 1)])
  expect(sizes).toEqual([1, 2, 2])
})

test("a full queue answers LOG_BUSY and loses nothing", async () => {
  const { finish, run } = controlled()
  const batcher = createBatcher<Item, string>({ run, waitMs: 0 })
  const waiting = Array.from({ length: MAX_QUEUED_ITEMS / 256 + 1 }, (_, i) => batcher.submit(items(256 * i, 256)))
  await expect(batcher.submit(items(0, 1))).rejects.toEqual(expect.objectContaining({ code: "LOG_BUSY" }))
  for (const _ of waiting) {
    await settled()
    finish.shift()?.()
  }
  expect((await Promise.all(waiting)).flat()).toHaveLength(MAX_QUEUED_ITEMS + 256)
})

test("a failed batch fails its items only", async () => {
  let calls = 0
  const run = async (batch: readonly Item[]) => {
    if (calls++ === 0) throw new Error("first")
    return batch.map(({ id }) => id)
  }
  const batcher = createBatcher<Item, number>({ run, waitMs: 0 })
  const [first, second] = [batcher.submit(items(0, 256)), batcher.submit(items(1, 1))]
  await expect(first).rejects.toThrow("first")
  expect(await second).toEqual([1])
})

test("close takes nothing more and waits for what was taken", async () => {
  const { batches, finish, run } = controlled()
  const batcher = createBatcher<Item, string>({ run })
  const waiting = batcher.submit(items(0, 3))
  const closing = batcher.close()
  await expect(batcher.submit(items(9, 1))).rejects.toEqual(expect.objectContaining({ code: "LOG_CLOSED" }))
  expect(batches).toEqual([[0, 1, 2]])
  finish.shift()?.()
  await closing
  expect(await waiting).toHaveLength(3)
})
