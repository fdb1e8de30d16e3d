import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { parseJson } from "../../src/core/json.js"
import { parseMasks } from "../../src/core/mask.js"
import { compareLive } from "../../src/features/compare-live.js"
import type { ServerReading } from "../../src/ports.js"
import { observedOf, pinOf, readingOf } from "../fakes/readings.js"

const tool = (name: string, description = `Does ${name}.`) => ({ name, description, inputSchema: { type: "object" } })
const A = { tools: [tool("a"), tool("b")], instructions: "Use it.", serverInfo: { name: "notes", version: "1" } }
const cut = (section: "tools" | "prompts" = "tools"): Partial<ServerReading> => ({
  failures: { [section]: new ToolsumError("READING_INCOMPLETE", "page 2 is missing") },
})

/** Compare a reading with the pin of `before`; with or without the approved texts. */
function compare(before: object, reading: ServerReading, { texts = true } = {}) {
  const approved = readingOf(before)
  const observed = observedOf(approved)
  const input = { pin: pinOf(observed), observed: observed.observation, reading }
  return compareLive({ ...input, approved: texts ? approved.surface : null })
}

const named = (changes: ReturnType<typeof compare>["changes"]) => changes.map(({ item, kind }) => `${kind} ${item}`)

describe("a whole reading", () => {
  test("the same list in another order, and another version of the server, are no change", () => {
    const now = { ...A, tools: [tool("b"), tool("a")], serverInfo: { name: "notes", version: "2" } }
    expect(compare(A, readingOf(now))).toEqual({ differs: false, incomplete: [], changes: [], compared: null })
  })

  test.each([
    { name: "an item added", now: { ...A, tools: [...A.tools, tool("c")] }, says: ["added c"] },
    { name: "an item gone", now: { ...A, tools: [tool("a")] }, says: ["removed b"] },
    { name: "an item changed", now: { ...A, tools: [tool("a", "Other."), tool("b")] }, says: ["changed a"] },
    { name: "other instructions", now: { ...A, instructions: "Do." }, says: ["changed null"] },
    { name: "another server name", now: { ...A, serverInfo: { name: "x" } }, says: ["changed null"] },
  ])("$name differs, with the texts and without", ({ now, says }) => {
    for (const texts of [true, false]) {
      const { differs, changes } = compare(A, readingOf(now), { texts })
      expect([differs, named(changes)]).toEqual([true, says])
    }
  })

  test("a list that appears, and one that is no longer declared", () => {
    expect(compare(A, readingOf({ ...A, prompts: [] })).differs).toBe(true)
    expect(compare({ ...A, prompts: [] }, readingOf(A)).differs).toBe(true)
    expect(compare({ ...A, prompts: [{ name: "p" }] }, readingOf(A), { texts: false }).changes).toMatchObject([
      { section: "prompts", item: "p", kind: "removed" },
    ])
  })

  test("a nameless item is no pinned one", () => {
    const now = { ...A, tools: [...A.tools, { description: "nameless" }] }
    expect(named(compare(A, readingOf(now), { texts: false }).changes)).toEqual(["added null"])
  })

  test.each(["constructor", "toString", "__proto__"])("an item called %s is only a name", (name) => {
    const before = { tools: [tool("a"), { ...tool("x"), name }] }
    for (const texts of [true, false]) {
      expect(compare(before, readingOf(before), { texts }).differs).toBe(false)
      expect(
        named(compare(A, readingOf({ ...A, tools: [...A.tools, { ...tool("x"), name }] }), { texts }).changes),
      ).toEqual([`added ${name}`])
    }
  })

  test("what masks cover is no change, what is beside it is", () => {
    const masks = parseMasks(
      parseJson(
        '[{"section":"tools","item":"a","pointer":"/description","prefix":"built ","suffix":".","class":"date","max":10}]',
      ),
    )
    const at = (date: string) => readingOf({ tools: [tool("a", `It was built ${date}.`)] })
    const observed = observedOf(at("2026-11-30"), { masks })
    const input = { pin: pinOf(observed, { masks }), observed: observed.observation, approved: null }
    expect(compareLive({ ...input, reading: at("2026-12-24") }).differs).toBe(false)
    expect(compareLive({ ...input, reading: at("yesterday") }).differs).toBe(true)
  })
})

describe("a list that was not read to its end", () => {
  test("what came is as pinned: nothing differs, and the list is named", () => {
    const { differs, incomplete, changes } = compare(A, readingOf({ ...A, tools: [tool("a")] }, cut()))
    expect([differs, incomplete, changes]).toEqual([false, ["tools"], []])
  })

  test("nothing came: nothing differs", () => {
    expect(compare(A, readingOf({ ...A, tools: null }, cut()))).toMatchObject({ differs: false, incomplete: ["tools"] })
  })

  test("what came and is new or different is said; what did not come is not said to be gone", () => {
    for (const texts of [true, false]) {
      const changed = compare(A, readingOf({ ...A, tools: [tool("a", "Other.")] }, cut()), { texts })
      expect([changed.differs, named(changed.changes)]).toEqual([true, ["changed a"]])
      const added = compare(A, readingOf({ ...A, tools: [tool("c")] }, cut()), { texts })
      expect([added.differs, named(added.changes)]).toEqual([true, ["added c"]])
    }
  })

  test("an item under a new name is added, not renamed: the old one may be on the page that is missing", () => {
    const text = "Searches the notes of this project and returns the matching lines in their order."
    const before = { tools: [tool("old_name", text), tool("b")] }
    const whole = compare(before, readingOf({ tools: [tool("new_name", text), tool("b")] }))
    expect(named(whole.changes)).toContain("renamed new_name")
    const part = compare(before, readingOf({ tools: [tool("new_name", text)] }, cut()))
    expect(named(part.changes)).toEqual(["added new_name"])
  })

  test("other parts are compared as ever", () => {
    const { differs, changes } = compare(A, readingOf({ ...A, instructions: "Other.", tools: [tool("a")] }, cut()))
    expect([differs, changes.map(({ section }) => section)]).toEqual([true, ["instructions"]])
  })
})
