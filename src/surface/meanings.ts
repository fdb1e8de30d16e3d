// The meanings of each change of a diff: what a report says below it, and the one rule that gives it its severity. Pure; the findings
// themselves are made by grade/ and by the analysis of the later surface.
import { compareSeverity, type Severity, worstSeverity } from "../core/severity.js"
import type { Change } from "../core/verdict.js"
import type { ChangeAnalysis } from "./analysis.js"
import type { ChangeFinding, Finding, Place } from "./finding.js"

/** What an analysis says of changes. */
export type Meanings = Pick<ChangeAnalysis, "meanings" | "appeared">

/** What one change means: the meanings that cover it and what appeared at or under its place, gravest first. */
export function meaningsOf(change: Change, { meanings, appeared }: Meanings): readonly (ChangeFinding | Finding)[] {
  const covering = meanings.filter((one) => isSameItem(one, change) && one.covers.includes(change.pointer))
  const found = appeared.filter((one) => isSameItem(one, change) && isUnder(one.pointer, change.pointer))
  return gravestFirst([...covering, ...found])
}

/** What appeared and stands under no change: the pair of a tool that differs, a name in another item. */
export const appearedElsewhere = (changes: readonly Change[], { appeared }: Meanings): readonly Finding[] =>
  gravestFirst(
    appeared.filter(
      (one) => !changes.some((change) => isSameItem(one, change) && isUnder(one.pointer, change.pointer)),
    ),
  )

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

const isSameItem = (place: Place, { section, item }: Change): boolean =>
  place.section === section && place.item === item

const isUnder = (pointer: string, parent: string): boolean => pointer === parent || pointer.startsWith(`${parent}/`)
