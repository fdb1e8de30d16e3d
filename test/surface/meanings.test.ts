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

test("what thousands of twins mean is said once for each, and found in little time", () => {
  const analysis = analyse(600, 2_000)
  const unread = () => ({ ...analysis, meanings: [...analysis.meanings], appeared: [...analysis.appeared] })
  expectWork(() => withRules(unread()), { megabytes: 30 })
  expect(withRules(analysis).map(({ rule }) => rule)).toContain("tool.duplicated")
  const twin = analysis.changes.find(({ item }) => item === "twin")
  expect(twin && meaningsOf(twin, analysis).length).toBeLessThan(10)
})
