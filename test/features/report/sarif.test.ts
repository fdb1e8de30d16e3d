// SARIF by its official schema, and what code scanning makes of it: levels, scores, fingerprints that stay.
import { expect, test } from "vitest"
import { formatDefinitions } from "../../../src/core/definitions.js"
import { SECTION_NAMES } from "../../../src/core/section.js"
import { describeAnswer } from "../../../src/features/report/model.js"
import { formatUri, renderSarif } from "../../../src/features/report/sarif.js"
import { checkSarif, type SarifResult } from "./sarif-schema.js"
import { AFTER, BEFORE, changedServer, reportOf, sampleReport, surfaceOf, verdictOf } from "./world.js"

const runOf = (report = sampleReport()) => checkSarif(renderSarif(report)).runs[0]

const prints = (results: readonly SarifResult[]): readonly string[] =>
  results.flatMap(({ partialFingerprints }) => Object.values(partialFingerprints)).sort()

test("is SARIF 2.1.0, and each level has its score", () => {
  const { results, tool, invocations } = runOf()
  const scores = new Map(results.map(({ level, ruleIndex }) => [tool.driver.rules[ruleIndex]?.properties, level]))
  for (const [properties, level] of scores) {
    const score = Number(properties?.["security-severity"] ?? 0)
    expect(level).toBe(score >= 7 ? "error" : score >= 4 ? "warning" : "note")
  }
  expect(new Set(results.map(({ level }) => level))).toEqual(new Set(["error", "warning", "note"]))
  expect(invocations[0]).toMatchObject({ executionSuccessful: true, exitCode: 1 })
  expect(invocations[0].toolExecutionNotifications).toHaveLength(1)
})

test("every fingerprint is its own", () => {
  const all = prints(runOf().results)
  expect(new Set(all).size).toBe(all.length)
})

test("fingerprints stay where lines and other items move", () => {
  const first = runOf().results
  const more = { name: "another", description: "Count words.", inputSchema: { type: "object" } }
  const grown = (surface: typeof BEFORE) =>
    surfaceOf({ ...surface, tools: [more, ...(Array.isArray(surface.tools) ? surface.tools : [])] })
  const moved = runOf(reportOf([changedServer(grown(BEFORE), grown(AFTER))])).results
  const line = (results: readonly SarifResult[]) => results[0]?.locations[0].physicalLocation.region.startLine
  expect(line(moved)).not.toBe(line(first))
  expect(prints(moved)).toEqual(expect.arrayContaining([...prints(first)]))
})

test("fingerprints move with the text", () => {
  const other = JSON.parse(JSON.stringify(AFTER).replace("id_rsa", "id_ed25519"))
  const [first, second] = [runOf().results, runOf(reportOf([changedServer(BEFORE, surfaceOf(other))])).results]
  const changed = (results: readonly SarifResult[]) =>
    results.filter(({ ruleId }) => ruleId.startsWith("description.changed"))
  expect(prints(changed(second))).not.toEqual(prints(changed(first)))
})

test("points at the definitions, and at the pin where they do not have it", () => {
  const uris = runOf().results.map(({ locations }) => locations[0].physicalLocation.artifactLocation.uri)
  expect(new Set(uris)).toEqual(new Set([".mcp-tools/files.json", "toolsum.lock.json"]))
})

test.each([
  { name: "refuted", verdict: "REJECTED", rule: "verdict.rejected", level: "error" },
  { name: "changed and not graded", verdict: "CHANGED", rule: "verdict.changed", level: "error" },
] as const)("what is $name is a result of its own", ({ verdict, rule, level }) => {
  const server = describeAnswer(verdictOf({ verdict }), { lockfile: { path: "toolsum.lock.json", line: 9 } })
  const [result] = runOf(reportOf([server])).results
  expect(result).toMatchObject({ ruleId: rule, level })
  expect(result?.locations[0].physicalLocation.region.startLine).toBe(9)
})

test("what could not be checked is no result, and says so", () => {
  const server = describeAnswer(verdictOf({ verdict: "UNKNOWN", reason: "timeout" }))
  const { results, invocations } = runOf(reportOf([server], { exitCode: 2 }))
  expect(results).toEqual([])
  expect(invocations[0].executionSuccessful).toBe(false)
  expect(invocations[0].toolExecutionNotifications).toHaveLength(1)
})

test("a list that shows something by itself has results without a comparison", () => {
  const changed = changedServer(BEFORE, AFTER)
  const text = formatDefinitions(AFTER, [...SECTION_NAMES])
  const scanned = { ...changed, verdict: null, changes: null, definitions: { path: "lists/a b.json", text } }
  const { results } = runOf(reportOf([scanned], { command: "scan" }))
  expect(results.map(({ ruleId }) => ruleId)).toContain("hidden-text.tags")
  expect(results[0]?.locations[0].physicalLocation.artifactLocation.uri).toBe("lists/a%20b.json")
})

test.each([
  { path: "a/b.json", uri: "a/b.json" },
  { path: "a\\b.json", uri: "a/b.json" },
  { path: "./a//b#?.json", uri: "a/b%23%3F.json" },
])("$path as an address", ({ path, uri }) => {
  expect(formatUri(path)).toBe(uri)
})
