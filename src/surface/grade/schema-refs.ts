// What it means that a reference leads elsewhere, and that definitions came or went. Where it leads is compared, not how it is called.
import { quote } from "../../core/errors.js"
import { isObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import { type Severity, worstSeverity } from "../../core/severity.js"
import { type ResolvedRef, resolveRef, walkSchema } from "../schema/walk.js"
import {
  type Comparison,
  type KeywordGrader,
  type KeywordPair,
  keywordIn,
  type ObjectPair,
  type SchemaMeaning,
} from "./schema-comparison.js"

/** True where one side alone has a `$ref`: then the schemas are compared by what they say, as one. */
export const isRefOneSided = ({ before, after }: ObjectPair): boolean =>
  Object.hasOwn(before, "$ref") !== Object.hasOwn(after, "$ref")

/** `$ref` on both sides, each leading elsewhere. */
export function gradeRef(comparison: Comparison, keyword: KeywordPair): void {
  addRefMeaning(comparison, keyword.pair, keyword.at)
}

/** A subschema that became a reference, or a reference that became a subschema. */
export function gradeRefOfSchema(comparison: Comparison, pair: ObjectPair): void {
  addRefMeaning(comparison, pair, pair.at)
}

function addRefMeaning(comparison: Comparison, pair: ObjectPair, at: string): void {
  const [before, after] = [targetOf(comparison.roots.before, pair.before), targetOf(comparison.roots.after, pair.after)]
  const ref = keywordIn(pair.after, "$ref")
  const leads = typeof ref === "string" ? `leads to ${quote(ref)} now` : "is written out now"
  if (!after.found || !before.found) {
    const lost = before.found ? comparison.preview({ ...pair, before: before.schema, after: true }) : []
    const floor: Severity = !after.found && after.why === "remote" ? "high" : "medium"
    const severity = worstSeverity([floor, ...lost.filter(isLoosening).map((one) => one.severity)]) ?? floor
    const why = after.found ? "what it was led nowhere in this schema" : `which is ${after.why}`
    comparison.add({ kind: "ref-changed", severity, message: `${leads}, ${why}`, at })
    return
  }
  const inside = comparison.preview({
    ...pair,
    before: before.schema,
    after: after.schema,
    depth: pair.depth + 1,
  })
  const message = `${leads}${inside.some(isLoosening) ? ", and accepts more" : ""}`
  if (inside.length === 0) {
    comparison.addRepresentation(at)
    return
  }
  comparison.add({ kind: "ref-changed", severity: severityOf(inside, !isRefOneSided(pair)), message, at })
}

const targetOf = (root: JsonValue, schema: JsonValue): ResolvedRef => {
  const ref = isObject(schema) ? keywordIn(schema, "$ref") : undefined
  return typeof ref === "string" ? resolveRef(root, ref, "") : { found: true, pointer: "", schema }
}

/** Kinds after which more is accepted than before. */
const LOOSENING =
  /(?:-removed|-loosened|-widened|-renamed|^opened|^alternative-added|^enum-value-added|^property-added|^type-changed)$/
const NARROWING: ReadonlySet<string> = new Set([
  "property-removed",
  "alternative-removed",
  "enum-value-removed",
  "default-removed",
])

const isLoosening = ({ kind }: SchemaMeaning): boolean => LOOSENING.test(kind) && !NARROWING.has(kind)

/** A reference that is led elsewhere looks as it did: that more is accepted there has to be seen. What was written out is weighed as if it
 *  still were. */
function severityOf(inside: readonly SchemaMeaning[], isRetargeted: boolean): Severity {
  const severities = inside.map(({ severity }) => severity)
  const floor = !inside.some(isLoosening) ? "info" : isRetargeted ? "high" : "medium"
  return worstSeverity([...severities, floor]) ?? floor
}

/** `$dynamicRef`, `$recursiveRef`: where they lead depends on the way there, which is not followed. */
export const gradeDynamicRef: KeywordGrader = (comparison, { keyword, at }) =>
  comparison.add({ kind: "ref-changed", severity: "high", message: `${keyword} is another`, at })

/** `$anchor`, `$id`: what references by name lead to. */
export function gradeNamedPlace(comparison: Comparison, { at, keyword }: KeywordPair): void {
  const { before, after } = comparison.roots
  if (comparison.saysSame(before, after) || (!usesNames(before) && !usesNames(after))) comparison.addRepresentation(at)
  else {
    const message = `${keyword} is another: references by name lead elsewhere`
    comparison.add({ kind: "ref-changed", severity: "high", message, at })
  }
}

const refsIn = (root: JsonValue): readonly string[] =>
  walkSchema(root, "").places.flatMap(({ schema }) =>
    isObject(schema) && typeof schema.$ref === "string" ? [schema.$ref] : [],
  )

const usesNames = (root: JsonValue): boolean => refsIn(root).some((ref) => ref !== "#" && !ref.startsWith("#/"))

/** `$defs` and `definitions`: what stands on both sides is compared where it stands; what came or went says nothing by itself, unless a
 *  reference now leads nowhere, or somewhere at last. */
export function gradeDefinitions(comparison: Comparison, { before = {}, after = {}, at, pair }: KeywordPair): void {
  if (!isObject(before) || !isObject(after)) {
    comparison.add({ kind: "changed", severity: "medium", message: "the definitions are no object", at })
    return
  }
  const isRewritten = comparison.saysSame(comparison.roots.before, comparison.roots.after)
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [a, b] = [keywordIn(before, name), keywordIn(after, name)]
    const place = at + formatPointer([name])
    if (a !== undefined && b !== undefined) {
      comparison.compare({ at: place, before: a, after: b, property: null, depth: pair.depth + 1 })
    } else if (isRewritten) comparison.addRepresentation(place)
    else addDefinition(comparison, place, { name, way: a === undefined ? "added" : "removed" })
  }
}

function addDefinition(
  comparison: Comparison,
  at: string,
  { name, way }: { name: string; way: "added" | "removed" },
): void {
  const { before, after } = comparison.roots
  const leadsNowhere = way === "removed" && hasDangling(after) && !hasDangling(before)
  const message = `the definition ${quote(name)} ${way === "added" ? "came" : "is gone"}${leadsNowhere ? ", and a reference leads nowhere" : ""}`
  comparison.add({ kind: `definition-${way}`, severity: leadsNowhere ? "medium" : "low", message, at })
}

const hasDangling = (root: JsonValue): boolean =>
  [...new Set(refsIn(root))].some((ref) => !resolveRef(root, ref, "").found)
