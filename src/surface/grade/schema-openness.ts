// What it means that a subschema for all that is not named otherwise (further properties or elements, their names), or for part of the
// values, came, went or changed.
import type { JsonValue } from "../../core/json.js"
import { isObject } from "../../core/json.js"
import { type Severity, worstSeverity } from "../../core/severity.js"
import { type Comparison, type KeywordPair, wayOfKeyword } from "./schema-comparison.js"
import { rolesOf } from "./schema-names.js"
import { isFreeText, weighAdded } from "./schema-weight.js"

/** `additionalProperties` and the like: false lets nothing in, true and absence anything. */
export function gradeOpenness(comparison: Comparison, keyword: KeywordPair): void {
  const { before, after, at, pair } = keyword
  if (isObject(before) && isObject(after)) {
    comparison.compare({ at, before, after, property: null, depth: pair.depth + 1 })
    return
  }
  // A model gives what is named: a schema that names properties says the same with or without that word.
  const isNoise =
    (before === undefined && after === false) ||
    (before === false && after === undefined && isObject(pair.after.properties))
  if (isNoise) {
    comparison.addRepresentation(at)
    return
  }
  if (opennessOf(after) > opennessOf(before)) {
    comparison.add({
      kind: "opened",
      severity: openedSeverity(comparison, after),
      message: `${keyword.keyword}: more is accepted than is named`,
      at,
    })
    return
  }
  if (opennessOf(after) === opennessOf(before)) {
    comparison.add({ kind: "changed", severity: "medium", message: `${keyword.keyword} is no schema`, at })
    return
  }
  const severity = isObject(after) ? weighAdded(comparison.roots.after, after, null) : "low"
  comparison.add({ kind: "closed", severity, message: `${keyword.keyword}: less is accepted`, at })
}

const opennessOf = (value: JsonValue | undefined): number => (value === false ? 0 : isObject(value) ? 1 : 2)

function openedSeverity(comparison: Comparison, after: JsonValue | undefined): Severity {
  const weight = isObject(after) ? weighAdded(comparison.roots.after, after, null) : "medium"
  return worstSeverity([weight, "medium"]) ?? "medium"
}

/** `items`, `contains`, `propertyNames`, `contentSchema`, `then`, `else`: one subschema. */
export function gradeSubschema(comparison: Comparison, keyword: KeywordPair): void {
  const { before, after, at, pair } = keyword
  const way = wayOfKeyword(keyword)
  const property = SAME_VALUE.has(keyword.keyword) ? pair.property : null
  if (before !== undefined && after !== undefined) {
    comparison.compare({ at, before, after, property, depth: pair.depth + 1 })
    return
  }
  const message = way === "added" ? `${keyword.keyword} came` : `${keyword.keyword} is gone`
  comparison.add({ kind: `constraint-${way}`, severity: subschemaSeverity(comparison, keyword, property), message, at })
}

const SAME_VALUE: ReadonlySet<string> = new Set(["items", "contains", "then", "else", "contentSchema"])

function subschemaSeverity({ roots }: Comparison, { before, after }: KeywordPair, property: string | null): Severity {
  return after === undefined ? partGoneSeverity(roots.before, before) : weighAdded(roots.after, after, property)
}

/** How grave it is that a part which a value had to meet holds no more. */
export const partGoneSeverity = (root: JsonValue, part: JsonValue | undefined): Severity =>
  holdsGuard(part) || !isFreeText(root, part ?? true) ? "high" : "medium"

/** True where a part demands or names something that holds a call back. */
const holdsGuard = (schema: JsonValue | undefined): boolean =>
  isObject(schema) &&
  ["required", "properties"].some((keyword) => {
    const value = schema[keyword]
    const names = Array.isArray(value)
      ? value.filter((name) => typeof name === "string")
      : isObject(value)
        ? Object.keys(value)
        : []
    return names.some((name) => rolesOf(name).has("guard"))
  })
