// Real versions one after the other: nothing differs without a meaning, what is high is what a person would want to be stopped for, and
// everything that is counted in pairs.json, which is what a tool that looks at single fields can report, is told by ours.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { JsonValue } from "../../src/core/json.js"
import { isAtLeast } from "../../src/core/severity.js"
import { analyseChanges, analyseSurface, type ChangeAnalysis } from "../../src/surface/analysis.js"
import { isItemName, readAppeared, severityOfMeaning } from "../../src/surface/change-severity.js"
import type { ChangeFinding, Finding } from "../../src/surface/finding.js"
import { claimedVersion } from "../../src/surface/notes.js"
import { describeShared } from "../shared.js"
import { CAPTURES, PAIRS, type Pair, parseCapture, readCapture } from "./captures.js"
import { JUDGEMENTS } from "./pair-judgements.js"

/** What the documents say of these numbers. */
const RULES_MD = readFileSync(new URL("../../RULES.md", import.meta.url), "utf8")

/** "package earlier -> later". */
const nameOf = ({ package: name, before, after }: Pair): string =>
  `${name} ${[before, after].map((file) => file.slice(file.lastIndexOf("@") + 1, -".json".length)).join(" -> ")}`

function analysePair({ before, after }: Pair): ChangeAnalysis {
  const facts = (file: string) => {
    const { protocolVersion = null, capabilities = null } = parseCapture(file) as Record<string, JsonValue>
    return { version: claimedVersion(readCapture(file).serverInfo), protocol: protocolVersion, capabilities }
  }
  return analyseChanges({
    before: readCapture(before),
    after: readCapture(after),
    facts: { before: facts(before), after: facts(after) },
  })
}

/** What is high or above in an analysis, as judgements are written. */
function gravesOf(pair: Pair, { meanings, appeared }: ChangeAnalysis) {
  const shown = readAppeared(appeared)
  const graded = meanings.map((one) => ({ ...one, severity: severityOfMeaning(one, shown) }))
  return [...graded, ...appeared]
    .filter(({ severity }) => isAtLeast(severity, "high"))
    .map(({ item, pointer, rule, severity }: Finding) => ({ pair: nameOf(pair), item, pointer, rule, severity }))
}

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** The areas and fields of pairs.json that a meaning tells of; what is about a whole item tells of its coming and going. */
function fieldsOf(one: ChangeFinding): readonly string[] {
  const { section, pointer, rule } = one
  const area = section === "templates" ? "resourceTemplates" : section
  if (section === "instructions" || section === "capabilities") return [`server.${section}`]
  if (section === "protocol") return ["server.protocolVersion"]
  if (section === "server" || section === "version") return ["server.serverInfo"]
  if (isItemName(one)) return [`${area}.added`, `${area}.removed`]
  if (rule.endsWith(".duplicated")) return [`${area}.added`]
  return [`${area}.${pointer === "" ? rule.slice(rule.lastIndexOf(".") + 1) : (pointer.split("/")[1] ?? "")}`]
}

/** How many items each field differs in, by our meanings; a renamed item is one that came and one that went, as pairs.json counts. */
function countFields(meanings: readonly ChangeFinding[]): ReadonlyMap<string, number> {
  const items = new Map<string, Set<string>>()
  const renamed = new Set(meanings.filter(isItemName).map(({ section, item }) => `${section} ${item}`))
  for (const one of meanings.filter((one) => isItemName(one) || !renamed.has(`${one.section} ${one.item}`)))
    for (const field of fieldsOf(one)) items.set(field, (items.get(field) ?? new Set()).add(one.item ?? ""))
  return new Map([...items].map(([field, names]) => [field, names.size]))
}

describeShared("captured pairs", () => {
  const analyses = PAIRS.map((pair) => ({ pair, analysis: analysePair(pair) }))

  test("no change and no note is without a meaning", () => {
    for (const { pair, analysis } of analyses) {
      const { changes, notes, meanings } = analysis
      const covered = new Set(
        meanings.flatMap((one) => one.covers.map((at) => JSON.stringify([one.section, one.item, at]))),
      )
      const places = [
        ...changes.map(({ section, item, pointer }) => JSON.stringify([section, item, pointer])),
        ...notes.map(({ fact, pointer }) => JSON.stringify([fact, null, pointer])),
      ]
      expect({ pair: nameOf(pair), places: places.filter((place) => !covered.has(place)) }).toEqual({
        pair: nameOf(pair),
        places: [],
      })
      expect(new Set(places)).toEqual(covered)
    }
  })

  test("every field that differs is told, in as many items", () => {
    for (const { pair, analysis } of analyses) {
      const counts = countFields(analysis.meanings)
      const wanted = Object.entries(pair.changes).filter(([field]) => !field.endsWith(".order"))
      const told = wanted.map(([field]) => [
        field,
        field.startsWith("server.") ? Number(counts.has(field)) : counts.get(field),
      ])
      expect({ pair: nameOf(pair), told }).toEqual({ pair: nameOf(pair), told: wanted })
    }
  })

  test("what is high or above is what is judged, and nothing is critical", () => {
    const found = analyses.flatMap(({ pair, analysis }) => gravesOf(pair, analysis))
    const judged = JUDGEMENTS.map(({ agrees: _, why: __, ...place }) => place)
    expect(found.sort(byText)).toEqual([...judged].sort(byText))
  })

  test("the rate of false alarms at --fail-on high", () => {
    const alarms = JUDGEMENTS.filter(({ agrees }) => !agrees)
    const stopped = new Set(JUDGEMENTS.map(({ pair }) => pair))
    const changed = analyses.filter(({ analysis }) => analysis.changes.length > 0)
    const idle = [...stopped].filter((pair) => JUDGEMENTS.every((one) => one.pair !== pair || !one.agrees))
    console.log(
      `--fail-on high: ${stopped.size} of ${PAIRS.length} pairs (${changed.length} with changes) stop; of ${JUDGEMENTS.length} reasons ` +
        `${alarms.length} are false alarms; ${idle.length} of ${PAIRS.length} pairs stop for false alarms alone`,
    )
    expect(RULES_MD).toContain(
      `\`--fail-on high\` stops ${stopped.size} of ${PAIRS.length} pairs (${changed.length} with changes), for ${JUDGEMENTS.length} reasons, ` +
        `of which ${alarms.length} are false alarms; ${idle.length} of ${PAIRS.length} pairs stops for false alarms alone.`,
    )
    expect(alarms.length / JUDGEMENTS.length).toBeLessThanOrEqual(0.15)
    expect(idle.length).toBeLessThanOrEqual(1)
  })

  test("texts of real servers show nothing that is hidden and no wording above info", () => {
    const shown = CAPTURES.flatMap((file) => analyseSurface(readCapture(file)).findings)
    const found = shown.filter(({ rule }) => /^(?:injection\.|hidden-text\.|exfil-)/.test(rule))
    const grave = found.filter(({ severity }) => severity !== "info")
    expect(grave).toEqual([])
    expect(RULES_MD).toContain(
      `${grave.length} findings above info and ${found.length} of info (${[...new Set(found.map(({ rule }) => rule))].join(", ")}) in ${CAPTURES.length} lists.`,
    )
  })
})
