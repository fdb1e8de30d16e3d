// The decision table of verify-server by exhaustion, and the comparison that it rests on.
import { describe, expect, test } from "vitest"
import { findDifferences } from "../../src/core/compare-record.js"
import { parseJson } from "../../src/core/json.js"
import { computeSurface, parseSurface, SECTION_NAMES } from "../../src/core/section.js"
import { concludeServer, LIVE_FACTS, LOG_FACTS } from "../../src/core/server-verdict.js"

const conclude = (live: (typeof LIVE_FACTS)[number], log: (typeof LOG_FACTS)[number]) => {
  const { verdict, reason } = concludeServer({ live, log }, { live: "timeout", log: "log_behind" })
  return reason === null ? verdict : `${verdict}(${reason})`
}

test("every combination of facts", () => {
  const rows = LOG_FACTS.map((log) => [log, LIVE_FACTS.map((live) => conclude(live, log)).join(" ")])
  expect(Object.fromEntries(rows)).toEqual({
    none: "AUTH(timeout) UNKNOWN(timeout) UNKNOWN(not_in_log) UNKNOWN(not_in_log)",
    failed: "AUTH(timeout) UNKNOWN(timeout) UNKNOWN(log_behind) UNKNOWN(log_behind)",
    ambiguous: "AUTH(timeout) UNKNOWN(timeout) UNKNOWN(ambiguous_subject) UNKNOWN(ambiguous_subject)",
    never: "AUTH(timeout) UNKNOWN(timeout) UNKNOWN(never_signed) UNKNOWN(never_signed)",
    absent: "AUTH(timeout) UNKNOWN(timeout) UNKNOWN(not_in_log) UNKNOWN(not_in_log)",
    equal: "AUTH(timeout) UNKNOWN(timeout) UNCHANGED UNKNOWN(incomplete)",
    different: "AUTH(timeout) UNKNOWN(timeout) CHANGED(surface) CHANGED(surface)",
  })
})

describe("what differs from a record", () => {
  const tool = (name: string) => ({ name, inputSchema: {} })
  const compute = (lists: object) => computeSurface(parseSurface(parseJson(JSON.stringify(lists))), SECTION_NAMES)
  const recorded = (lists: object) => {
    const { lines, sections } = compute(lists)
    return { lines, lists: Object.fromEntries(Object.entries(sections).map(([name, { text }]) => [name, text])) }
  }
  const A = { tools: [tool("a"), tool("b")], prompts: [], instructions: "x", serverInfo: { name: "s", version: "1" } }

  test.each<{ name: string; now: object; incomplete?: readonly "tools"[]; without?: true; says: readonly string[] }>([
    { name: "the same in another order", now: { ...A, tools: [tool("b"), tool("a")] }, says: [] },
    { name: "another version of the server", now: { ...A, serverInfo: { name: "s", version: "2" } }, says: [] },
    {
      name: "every part",
      now: { resources: [], prompts: [1] },
      says: ["instructions", "tools", "prompts", "resources", "server"],
    },
    { name: "a part of the list", now: { ...A, tools: [tool("b")] }, incomplete: ["tools"], says: [] },
    { name: "a part with something new", now: { ...A, tools: [tool("c")] }, incomplete: ["tools"], says: ["tools"] },
    {
      name: "the same, without the section text",
      now: { ...A, tools: [tool("c")] },
      incomplete: ["tools"],
      without: true,
      says: [],
    },
    {
      name: "a part, and another list that differs",
      now: { ...A, tools: [], prompts: null },
      incomplete: ["tools"],
      says: ["prompts"],
    },
  ])("$name", ({ now, incomplete = [], without, says }) => {
    const known = recorded(A)
    expect(findDifferences({ ...compute(now), incomplete }, without ? { ...known, lists: {} } : known)).toEqual(says)
  })

  test("a part of a list where none was declared, or an empty one was", () => {
    const read = { ...compute({ ...A, tools: [tool("a")] }), incomplete: ["tools"] as const }
    expect(findDifferences(read, { ...recorded({ ...A, tools: null }), lists: {} })).toEqual(["tools"])
    expect(findDifferences(read, { ...recorded({ ...A, tools: [] }), lists: {} })).toEqual(["tools"])
  })
})
