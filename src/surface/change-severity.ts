// How grave a change is: the gravest of what it means and of what came with it. What appeared counts for the change or meaning that it stands
// at or under; for another name, only what is about the item as a whole or about the name. Linear in changes, meanings and findings.
import { type Severity, worstSeverity } from "../core/severity.js"
import type { Change } from "../core/verdict.js"
import type { ChangeFinding, Finding, Place } from "./finding.js"

/** A difference with how much it asks of a reader: the gravest of its meanings, each with what appeared in it, and of what appeared at or
 *  under its pointer. */
export interface GradedChange extends Change {
  readonly severity: Severity
}

/** The changes, each with its severity. */
export function gradeSeverity(
  changes: readonly Change[],
  meanings: readonly ChangeFinding[],
  appeared: readonly Finding[],
): readonly GradedChange[] {
  const shown = readAppeared(appeared)
  const meant = new Map<string, Severity>()
  for (const one of meanings)
    for (const pointer of one.covers) keepWorse(meant, placeKey({ ...one, pointer }), severityOfMeaning(one, shown))
  return changes.map((change) => {
    const severities = [meant.get(placeKey(change)), worstOf(change, shown)]
    return { ...change, severity: worstSeverity(severities.flatMap((severity) => severity ?? [])) ?? "medium" }
  })
}

/** The gravest of what appeared, exactly at each place and at or under it. */
export interface Appeared {
  readonly at: ReadonlyMap<string, Severity>
  readonly under: ReadonlyMap<string, Severity>
}

/** Findings by their places. */
export function readAppeared(findings: readonly Finding[]): Appeared {
  const [at, under] = [new Map<string, Severity>(), new Map<string, Severity>()]
  for (const finding of findings) {
    keepWorse(at, placeKey(finding), finding.severity)
    for (const pointer of ancestors(finding.pointer))
      keepWorse(under, placeKey({ ...finding, pointer }), finding.severity)
  }
  return { at, under }
}

/** The severity of a meaning with what appeared at or under its place. */
export function severityOfMeaning(one: ChangeFinding, appeared: Appeared): Severity {
  const found = isItemName(one) ? worstOfName(one, appeared) : appeared.under.get(placeKey(one))
  return worstSeverity([one.severity, ...(found === undefined ? [] : [found])]) ?? one.severity
}

/** True for another name of an item: it stands at one of its own members. A property that has another name stands deeper. */
export const isItemName = ({ was, pointer }: ChangeFinding): boolean =>
  was !== undefined && pointer.lastIndexOf("/") === 0

function worstOf(change: Change, appeared: Appeared): Severity | undefined {
  return change.kind === "renamed" ? worstOfName(change, appeared) : appeared.under.get(placeKey(change))
}

/** What appeared about an item as a whole, or about its name. */
function worstOfName(place: Place, { at, under }: Appeared): Severity | undefined {
  const severities = [at.get(placeKey({ ...place, pointer: "" })), under.get(placeKey(place))]
  return worstSeverity(severities.flatMap((severity) => severity ?? [])) ?? undefined
}

/** A pointer and all that hold it, the innermost first. */
export function ancestors(pointer: string): readonly string[] {
  const found = [pointer]
  for (let at = pointer; at !== ""; ) {
    at = at.slice(0, at.lastIndexOf("/"))
    found.push(at)
  }
  return found
}

function keepWorse(into: Map<string, Severity>, key: string, severity: Severity): void {
  const known = into.get(key)
  into.set(key, known === undefined ? severity : (worstSeverity([known, severity]) ?? severity))
}

/** A place as text: equal where section, item and pointer are. */
export const placeKey = ({ section, item, pointer }: Place): string => JSON.stringify([section, item, pointer])
