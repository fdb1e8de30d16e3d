import { expect, test } from "vitest"
import { runInLanes } from "../../src/features/lanes.js"

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** What ran beside what, for items such as `a1` of lane `a`. */
async function trace(items: readonly string[], atOnce: number) {
  const now = new Set<string>()
  const seen: string[][] = []
  const order: string[] = []
  const results = await runInLanes(items, { atOnce, laneOf: (item) => item.slice(0, 1) }, async (item) => {
    now.add(item)
    seen.push([...now].sort())
    // The first ones take longest: answers come back in the order of the items all the same.
    for (let i = items.indexOf(item); i < items.length; i++) await tick()
    now.delete(item)
    order.push(item)
    return item.toUpperCase()
  })
  return { results, seen, order }
}

test("never more at once than allowed, and as many", async () => {
  const { results, seen } = await trace(["a", "b", "c", "d", "e"], 2)
  expect(results).toEqual(["A", "B", "C", "D", "E"])
  expect(Math.max(...seen.map((names) => names.length))).toBe(2)
})

test("one lane runs in order and by itself, and holds up no other", async () => {
  const { results, seen, order } = await trace(["a1", "a2", "a3", "b1"], 4)
  expect(results).toEqual(["A1", "A2", "A3", "B1"])
  for (const names of seen) expect(names.filter((name) => name.startsWith("a")).length).toBeLessThan(2)
  expect(seen).toContainEqual(["a1", "b1"])
  expect(order.filter((name) => name !== "b1")).toEqual(["a1", "a2", "a3"])
})

test("nothing to do", async () => {
  expect(await trace([], 4)).toMatchObject({ results: [] })
})

test("a rejection ends the batch, after what was begun", async () => {
  const ended: string[] = []
  const work = runInLanes(["a", "b", "c"], { atOnce: 2, laneOf: (item) => item }, async (item) => {
    if (item === "a") throw new Error("a")
    await tick()
    ended.push(item)
  })
  await expect(work).rejects.toThrow("a")
  expect(ended).toEqual(["b"])
})
