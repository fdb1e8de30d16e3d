// Differences of two values: what is named one by one and what as a whole, and that no shape of a value costs more than its size.
import { expect, test } from "vitest"
import type { JsonValue } from "../../src/core/json.js"
import { diffValues, MAX_CHANGES_WITHIN } from "../../src/surface/values.js"

const members = (count: number, value: JsonValue, prefix = "m"): JsonValue =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]))

test("as many changes as are named one by one", () => {
  const [before, after] = [{ p: members(MAX_CHANGES_WITHIN, 1) }, { p: members(MAX_CHANGES_WITHIN, 2) }]
  const changes = diffValues(before, after)
  expect(changes).toHaveLength(MAX_CHANGES_WITHIN)
  expect(changes[0]).toEqual({ pointer: "/p/m0", before: 1, after: 2 })
})

test.each([
  { name: "members", make: (value: number): JsonValue => members(MAX_CHANGES_WITHIN + 1, value) },
  {
    name: "elements",
    make: (value: number) => Array.from({ length: MAX_CHANGES_WITHIN + 1 }, (_, i) => ({ i, value })),
  },
  { name: "members of members", make: (value: number) => members(30, members(30, value)) },
  { name: "long names", make: (value: number) => members(2, value, "n".repeat(60_000)) },
])("more than that, as $name: the whole, beside what else differs", ({ make }) => {
  expect(diffValues({ p: make(1), q: 1 }, { p: make(2), q: 2 })).toEqual([
    { pointer: "/p", before: make(1), after: make(2) },
    { pointer: "/q", before: 1, after: 2 },
  ])
})

test("too much in many objects: each of them, then what holds them", () => {
  const many = (count: number, value: number) => members(count, members(MAX_CHANGES_WITHIN + 1, value))
  expect(diffValues(many(3, 1), many(3, 2)).map(({ pointer }) => pointer)).toEqual(["/m0", "/m1", "/m2"])
  expect(diffValues(many(501, 1), many(501, 2)).map(({ pointer }) => pointer)).toEqual([""])
})

/** Arrays in arrays, two elements that trade places at each level around one that differs. */
const nested = (depth: number, core: JsonValue, filler: JsonValue): JsonValue =>
  depth === 0 ? core : [nested(depth - 1, core, filler), [depth, filler], filler]

test.each([
  {
    name: "2 MB under 110 arrays",
    before: nested(110, [{ a: "x".repeat(2_000_000) }, 1], [1]),
    after: nested(110, [{ a: "y".repeat(2_000_000) }, 2], [2]),
  },
  { name: "100,000 members that were added", before: {}, after: members(100_000, 1) },
  {
    name: "100,000 members under a long name",
    before: { ["n".repeat(100_000)]: {} },
    after: { ["n".repeat(100_000)]: members(100_000, 1) },
  },
  { name: "100,000 elements, turned round", before: turned(1), after: turned(-1) },
])("$name do not take long", ({ before, after }) => {
  const startMs = performance.now()
  expect(diffValues(before, after).length).toBeGreaterThan(0)
  expect(performance.now() - startMs).toBeLessThan(4000)
})

function turned(direction: number): JsonValue {
  const elements = Array.from({ length: 100_000 }, (_, i) => [i])
  return direction > 0 ? elements : elements.reverse()
}
