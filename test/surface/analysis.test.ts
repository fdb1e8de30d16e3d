// What analysis promises beside single rules: what appeared is new, order decides nothing, rules of today on both sides, masks, one severity.
import { expect, test } from "vitest"
import { isArray, parseJson } from "../../src/core/json.js"
import { type Mask, parseMasks } from "../../src/core/mask.js"
import { parseSurface, type Surface } from "../../src/core/section.js"
import { isAtLeast, SEVERITIES, worstSeverity } from "../../src/core/severity.js"
import { analyseChanges, analyseSurface } from "../../src/surface/analysis.js"
import { findAppeared } from "../../src/surface/appeared.js"
import { gradeSeverity } from "../../src/surface/change-severity.js"
import type { ChangeFinding, Finding } from "../../src/surface/finding.js"
import { groupChanges } from "../../src/surface/groups.js"
import { RULES, RULESET_VERSION } from "../../src/surface/rules.js"
import { describeShared } from "../shared.js"
import { CAPTURES, PAIRS, readCapture } from "./captures.js"
import { CASES, judgeCase } from "./corpus.js"

const surface = (members: object): Surface => parseSurface(parseJson(JSON.stringify(members)))
const tools = (...items: readonly object[]): Surface =>
  surface({ tools: items.map((item) => ({ inputSchema: {}, ...item })) })

const finding = (members: Partial<Finding> = {}): Finding => ({
  section: "tools",
  item: "a",
  pointer: "/description",
  rule: "some.rule",
  severity: "high",
  message: "said",
  ...members,
})

const appeared = (before: readonly [Surface, readonly Finding[]], after: readonly [Surface, readonly Finding[]]) =>
  findAppeared({ surface: before[0], findings: before[1] }, { surface: after[0], findings: after[1] }, [])

test("a finding appears where its text, its place, its rule or its weight is new, and nowhere else", () => {
  const [old, other] = [tools({ name: "a", description: "x" }), tools({ name: "a", description: "y" })]
  const known = [finding()]
  expect(appeared([old, known], [old, known])).toEqual([])
  expect(appeared([old, known], [old, [finding({ message: "said otherwise" })]])).toEqual([])
  expect(appeared([old, known], [old, [finding({ severity: "low" })]])).toEqual([])
  expect(appeared([old, known], [other, known])).toEqual(known)
  for (const change of [
    { rule: "other" },
    { item: "b" },
    { pointer: "/title" },
    { severity: "critical" },
    { like: "b" },
  ] as const)
    expect(appeared([old, known], [old, [finding(change)]])).toHaveLength(1)
})

test("what is about a whole item does not appear again with another text in it", () => {
  const [old, other] = [tools({ name: "a", description: "x" }), tools({ name: "a", description: "y" })]
  const whole = [finding({ pointer: "", other: "b" })]
  expect(appeared([old, whole], [other, whole])).toEqual([])
  expect(appeared([old, whole], [other, [finding({ pointer: "", other: "c" })]])).toHaveLength(1)
})

test("a renamed item keeps what it showed", () => {
  const text = "Get the weather forecast of a city for some days."
  const schema = { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } }
  const [before, after] = ["get_forecast", "get-forecast"].map((name) =>
    tools({ name, description: text, inputSchema: schema }),
  )
  if (before === undefined || after === undefined) throw new Error("two")
  const analysis = analyseChanges({ before, after })
  expect(analysis.changes.map(({ kind }) => kind)).toEqual(["renamed"])
  expect(analysis.after.findings.map(({ rule }) => rule)).toContain("header-mirror")
  expect(analysis.appeared).toEqual([])
})

test("a change is as grave as the gravest of its meanings and of what appeared in it", () => {
  const change = { section: "tools", item: "a", kind: "changed", from: null, pointer: "/description" } as const
  const meant: ChangeFinding = { ...finding({ severity: "low" }), covers: ["/description"] }
  const grade = (meanings: readonly ChangeFinding[], found: readonly Finding[]) =>
    gradeSeverity([change], meanings, found)[0]?.severity
  expect(grade([meant], [])).toBe("low")
  expect(grade([meant, { ...meant, severity: "medium" }], [])).toBe("medium")
  expect(grade([meant], [finding({ severity: "critical" })])).toBe("critical")
  expect(grade([meant], [finding({ pointer: "/description/x" })])).toBe("high")
  expect(grade([meant], [finding({ pointer: "" })])).toBe("low")
  expect(grade([meant], [finding({ pointer: "/descriptions" })])).toBe("low")
  expect(grade([meant], [finding({ item: "b" })])).toBe("low")
})

test("another name is as grave as what is said of the name, not of what stands in the item", () => {
  const change = { section: "tools", item: "a", kind: "renamed", from: "b", pointer: "/name" } as const
  const meant: ChangeFinding = { ...finding({ severity: "medium", pointer: "/name" }), was: "b", covers: ["/name"] }
  const grade = (found: Finding) => gradeSeverity([change], [meant], [found])[0]?.severity
  expect(grade(finding({ severity: "critical", pointer: "" }))).toBe("critical")
  expect(grade(finding({ severity: "critical", pointer: "/name" }))).toBe("critical")
  expect(grade(finding({ severity: "critical" }))).toBe("medium")
})

test("what a mask covers neither differs nor appears", () => {
  const at = (time: string) => tools({ name: "a", description: `Tell the time. Answered at ${time}.` })
  const [before, after] = [at("2026-11-28T19:40:11Z"), at("2026-11-29T08:14:02Z")]
  const masks: readonly Mask[] = parseMasks(
    parseJson(
      JSON.stringify([
        {
          section: "tools",
          item: "a",
          pointer: "/description",
          prefix: "Answered at ",
          suffix: ".",
          class: "date",
          max: 40,
        },
      ]),
    ),
  )
  expect(analyseChanges({ before, after }).changes).toHaveLength(1)
  const masked = analyseChanges({ before, after }, { masks })
  expect([masked.changes, masked.meanings, masked.appeared]).toEqual([[], [], []])
})

test("what is not compared does not appear", () => {
  const before = surface({ tools: [], prompts: [], instructions: "Be brief." })
  const after = surface({ tools: [{}], prompts: [{}], instructions: "Be brief.\u202e" })
  const { appeared: found, changes } = analyseChanges({ before, after }, { sections: ["tools"], listsOnly: true })
  expect(new Set([...found, ...changes].map(({ section }) => section))).toEqual(new Set(["tools"]))
  expect(found.length).toBeGreaterThan(0)
})

test("findings come gravest first", () => {
  const { findings } = analyseSurface(
    surface({ tools: [{}, null, { name: "b", inputSchema: 1 }, { name: "a" }, { name: "a" }] }),
  )
  const severities = findings.map(({ severity }) => SEVERITIES.indexOf(severity))
  expect(severities.length).toBeGreaterThan(3)
  expect(severities).toEqual([...severities].sort((a, b) => a - b))
})

describeShared("analysis of captures and cases", () => {
  const reversed = (list: unknown) => (isArray(list as never) ? [...(list as never[])].reverse() : list)

  test("nothing appears on a surface that did not change, in whatever order it comes", () => {
    for (const file of CAPTURES.filter((_, i) => i % 12 === 0)) {
      const before = readCapture(file)
      const after = Object.fromEntries(Object.entries(before).map(([name, value]) => [name, reversed(value)]))
      const analysis = analyseChanges({ before, after: after as unknown as Surface }) // the same members
      expect([analysis.changes, analysis.meanings, analysis.appeared]).toEqual([[], [], []])
      expect(analysis.before.findings.map(toPlace)).toEqual(analysis.after.findings.map(toPlace))
    }
  })

  test("what is found on both sides is of one ruleset, and of rules that are described and no graver than they say", () => {
    for (const { before, after } of PAIRS.filter((_, i) => i % 11 === 0)) {
      const analysis = analyseChanges({ before: readCapture(before), after: readCapture(after) })
      expect(new Set([analysis.ruleset, analysis.before.ruleset, analysis.after.ruleset])).toEqual(
        new Set([RULESET_VERSION]),
      )
      expectDescribed([...analysis.meanings, ...analysis.before.findings, ...analysis.after.findings])
    }
  })

  test("in no case is a finding of a rule that is not described", async () => {
    const rules = (await Promise.all(CASES.map(judgeCase))).flatMap(({ changes = [], findings = [] }) => [
      ...changes.map(({ kind }) => kind),
      ...findings.map(({ rule }) => rule),
    ])
    expect([...new Set(rules)].filter((rule) => !(rule in RULES) && rule !== "duplicate-member")).toEqual([])
  })

  test("what a generator did to every tool is told once", () => {
    const [before, after] = ["2025.9.25", "2025.11.25"].map((version) =>
      readCapture(`@modelcontextprotocol__server-memory@${version}.json`),
    ) as [Surface, Surface] // two
    const { changes } = analyseChanges({ before, after })
    const execution = changes.filter(({ pointer }) => pointer === "/execution")
    expect(execution).toHaveLength(9)
    expect(worstSeverity(execution.map(({ severity }) => severity))).toBe("info")
    const groups = groupChanges(changes.filter(({ section }) => section === "tools"))
    expect(groups.filter((group) => group.changes.some(({ pointer }) => pointer === "/execution"))).toHaveLength(1)
  })
})

const toPlace = ({ section, item, pointer, rule, severity, other }: Finding) =>
  [section, item, pointer, rule, severity, other ?? ""].join(" ")

function expectDescribed(findings: readonly Finding[]): void {
  for (const { rule, severity } of findings) {
    expect(RULES[rule]?.title ?? rule).not.toBe(rule)
    expect(isAtLeast(RULES[rule]?.severity ?? "info", severity) ? "" : `${rule} ${severity}`).toBe("")
  }
}
