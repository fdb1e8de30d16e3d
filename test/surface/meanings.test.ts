// Which meanings a report shows below a change, against the plain definition, and for lists where every tool differs.
import { expect, test } from "vitest"
import { parseJson } from "../../src/core/json.js"
import { parseSurface } from "../../src/core/section.js"
import { analyseChanges, type ChangeAnalysis } from "../../src/surface/analysis.js"
import { appearedElsewhere, meaningsOf, withRules } from "../../src/surface/meanings.js"
import { expectWork } from "../work.js"

/** Tools, each with a hidden character in a parameter and a choice, and one that is there several times. */
function analyse(tools: number, twins: number): ChangeAnalysis {
  const list = (word: string, count: number) =>
    Array.from({ length: tools }, (_, i) => ({
      name: `get_${i}`,
      description: `Get the ${word} number ${i}.`,
      inputSchema: { type: "object", properties: { path: word === "file" ? { enum: ["a"] } : { title: "a\u200bb" } } },
    })).concat(
      Array.from({ length: count }, () => ({ name: "twin", description: "One of several.", inputSchema: {} as never })),
    )
  const read = (word: string, count: number) => parseSurface(parseJson(JSON.stringify({ tools: list(word, count) })))
  return analyseChanges({ before: read("file", 1), after: read("page", twins) })
}

test("a change has the meanings that cover it and what appeared in it; nothing that appeared is left out", () => {
  const analysis = analyse(4, 1)
  const seen = new Set(appearedElsewhere(analysis.changes, analysis).map((one) => JSON.stringify(one)))
  for (const change of analysis.changes) {
    const isHere = (one: { section: string; item: string | null }) =>
      one.section === change.section && one.item === change.item
    const isIn = (pointer: string) => pointer === change.pointer || pointer.startsWith(`${change.pointer}/`)
    const wanted = [
      ...analysis.meanings.filter((one) => isHere(one) && one.covers.includes(change.pointer)),
      ...analysis.appeared.filter((one) => isHere(one) && isIn(one.pointer)),
    ]
    const found = meaningsOf(change, analysis)
    expect(new Set(found)).toEqual(new Set(wanted))
    for (const one of found) seen.add(JSON.stringify(one))
  }
  for (const one of analysis.appeared) expect(seen).toContain(JSON.stringify(one))
})

test("of what tens of thousands of items mean, each change finds its own in little time", () => {
  const place = (i: number) => ({ section: "tools", item: `t${i}`, pointer: "/description" }) as const
  const said = { rule: "description.changed", severity: "medium", message: "it says something else" } as const
  const numbers = Array.from({ length: 20_000 }, (_, i) => i)
  const changes = numbers.map((i) => ({ ...place(i), kind: "changed", from: null }) as const)
  const read = () => {
    const meanings = numbers.map((i) => ({ ...place(i), ...said, covers: ["/description"] }))
    const appeared = numbers.map((i) => ({ ...place(i), ...said, rule: "hidden-text.tags" }))
    return changes.map((change) => meaningsOf(change, { meanings, appeared }).length)
  }
  expectWork(() => expect(new Set(read())).toEqual(new Set([2])), { megabytes: 200 })
})

test("what befalls many of one name is said once for each", () => {
  const analysis = analyse(1, 300)
  expect(withRules(analysis).map(({ rule }) => rule)).toContain("tool.duplicated")
  const twin = analysis.changes.find(({ item }) => item === "twin")
  expect(twin && meaningsOf(twin, analysis).length).toBeLessThan(10)
})
