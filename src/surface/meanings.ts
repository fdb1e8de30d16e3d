// The meanings of each change of a diff: what a report says below it, and the one rule that gives it its severity. Pure; the findings
// themselves are made by grade/ and by the analysis of the later surface.
import { compareSeverity, type Severity, worstSeverity } from "../core/severity.js"
import type { Change } from "../core/verdict.js"
import type { ChangeAnalysis } from "./analysis.js"
import { ancestors, placeKey } from "./change-severity.js"
import type { ChangeFinding, Finding } from "./finding.js"

/** What an analysis says of changes. */
export type Meanings = Pick<ChangeAnalysis, "meanings" | "appeared">

/** What one change means: the meanings that cover it and what appeared at or under its place, gravest first, and what is said of several
 *  items of one name once. */
export function meaningsOf(change: Change, { meanings, appeared }: Meanings): readonly (ChangeFinding | Finding)[] {
  const key = placeKey(change)
  return gravestFirst([...(byCovered(meanings).get(key) ?? []), ...(byPlace(appeared).get(key) ?? [])])
}

/** What appeared and stands under no change: the pair of a tool that differs, a name in another item. */
export function appearedElsewhere(changes: readonly Change[], { appeared }: Meanings): readonly Finding[] {
  const changed = new Set(changes.map(placeKey))
  return gravestFirst(appeared.filter((one) => !placesOf(one).some((place) => changed.has(place))))
}

/** By the places of the changes that they cover. */
const byCovered = index<ChangeFinding>((one) => one.covers.map((pointer) => placeKey({ ...one, pointer })))

/** By the place of each and all that hold it. */
const byPlace = index<Finding>((one) => placesOf(one))

const placesOf = (one: Finding): readonly string[] =>
  ancestors(one.pointer).map((pointer) => placeKey({ ...one, pointer }))

/** Findings by place, made once for a list: each change of thousands asks for its own. */
function index<T extends object>(places: (one: T) => readonly string[]) {
  const made = new WeakMap<readonly T[], ReadonlyMap<string, readonly T[]>>()
  return (findings: readonly T[]): ReadonlyMap<string, readonly T[]> => {
    const known = made.get(findings) ?? group(findings, places)
    made.set(findings, known)
    return known
  }
}

function group<T extends object>(findings: readonly T[], places: (one: T) => readonly string[]) {
  const groups = new Map<string, T[]>()
  const said = new Set<string>()
  for (const one of findings) {
    const text = JSON.stringify(one)
    if (said.has(text)) continue
    said.add(text)
    for (const place of places(one)) {
      const same = groups.get(place)
      if (same) same.push(one)
      else groups.set(place, [one])
    }
  }
  return groups
}

/** The changes of an analysis, each with its severity and the rule that says so. */
export const withRules = (analysis: ChangeAnalysis): readonly Change[] =>
  analysis.changes.map((change) => {
    const rule = meaningsOf(change, analysis).find(({ severity }) => severity === change.severity)?.rule
    return rule === undefined ? change : { ...change, rule }
  })

/** The gravest of changes; null where one of them is not graded, or there are none. */
export function gravestOf(changes: readonly Change[]): Severity | null {
  const severities = changes.flatMap(({ severity }) => severity ?? [])
  return severities.length === changes.length ? worstSeverity(severities) : null
}

/** Findings in order of severity, else as they were. */
export const gravestFirst = <T extends { readonly severity: Severity }>(findings: readonly T[]): readonly T[] =>
  [...findings].sort((a, b) => compareSeverity(a.severity, b.severity))
