// What it means that a property demands others: `dependentRequired`, `dependentSchemas`, and `dependencies`, which was both.
import { quote } from "../../core/errors.js"
import { isArray, isObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import type { Severity } from "../../core/severity.js"
import { type Comparison, type KeywordPair, keywordIn } from "./schema-comparison.js"
import { rolesOf } from "./schema-names.js"
import { partGoneSeverity } from "./schema-openness.js"
import { weighAdded } from "./schema-weight.js"

/** Grade each property that demands others. */
export function gradeDependencies(
  comparison: Comparison,
  { keyword, before = {}, after = {}, at, pair }: KeywordPair,
): void {
  if (!isObject(before) || !isObject(after)) {
    comparison.add({ kind: "changed", severity: "medium", message: `${keyword} is no object`, at })
    return
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [earlier, later] = [keywordIn(before, name), keywordIn(after, name)]
    const place = at + formatPointer([name])
    if (comparison.same(earlier, later)) continue
    if (earlier !== undefined && later !== undefined && !isArray(earlier) && !isArray(later)) {
      comparison.compare({ at: place, before: earlier, after: later, property: pair.property, depth: pair.depth + 1 })
    } else addDemand(comparison, { name, earlier, later, at: place, property: pair.property })
  }
}

interface Demand {
  readonly name: string
  readonly earlier: JsonValue | undefined
  readonly later: JsonValue | undefined
  readonly at: string
  /** Name of the property that the whole describes. */
  readonly property: string | null
}

function addDemand(comparison: Comparison, demand: Demand): void {
  const { name, earlier, later, at } = demand
  const gone = namesOf(earlier).filter((demanded) => !namesOf(later).includes(demanded))
  const kind =
    earlier === undefined
      ? "constraint-added"
      : gone.length > 0 || later === undefined
        ? "constraint-removed"
        : "constraint-changed"
  const isGuarded = gone.some((demanded) => rolesOf(demanded).has("guard"))
  const severity = isGuarded ? "high" : demandSeverity(comparison, demand)
  comparison.add({ kind, severity, message: `what has to come with ${quote(name)} is another`, at })
}

/** A schema weighs as it does anywhere else; names alone bring nothing, and take no more than a demand away. */
function demandSeverity({ roots }: Comparison, { earlier, later, property }: Demand): Severity {
  if (earlier === undefined) return isArray(later) ? "low" : weighAdded(roots.after, later ?? true, property)
  return isArray(earlier) ? "medium" : partGoneSeverity(roots.before, earlier)
}

/** The names that are demanded, by a list or by a schema's `required`. */
function namesOf(value: JsonValue | undefined): readonly string[] {
  const list = isObject(value) ? keywordIn(value, "required") : value
  return isArray(list) ? list.filter((name) => typeof name === "string") : []
}
