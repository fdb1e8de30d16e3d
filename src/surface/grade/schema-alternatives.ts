// What it means that a schema gains or loses an alternative, a condition, or a part that holds for all.
import { isArray, isObject, type JsonValue } from "../../core/json.js"
import { type Severity, worstSeverity } from "../../core/severity.js"
import { typesOf } from "../schema/effective.js"
import { type Comparison, type KeywordPair, keywordIn, wayOfKeyword } from "./schema-comparison.js"
import { isGrave, isReach, rolesOf } from "./schema-names.js"
import { partGoneSeverity } from "./schema-openness.js"
import { isClosed, isFreeText, resolved, weighAdded } from "./schema-weight.js"

/** Most alternatives that are matched with each other. */
const MAX_MATCHED = 200

/** One element of a list, at its index. */
interface Element {
  readonly index: number
  readonly schema: JsonValue
}

/** `anyOf`, `oneOf`, `allOf`, `prefixItems`, and `items` as a list. */
export function gradeList(comparison: Comparison, keyword: KeywordPair): void {
  const { before = [], after = [], at, pair } = keyword
  if (!isArray(before) || !isArray(after)) {
    comparison.add({ kind: "changed", severity: "medium", message: `${keyword.keyword} is another`, at })
    return
  }
  const { pairs, gone, come } = matchElements(comparison, before, after)
  if (gone.length + come.length + pairs.length === 0) {
    comparison.addRepresentation(at)
    return
  }
  for (const { earlier, later } of pairs) {
    const place = `${at}/${later.index}`
    comparison.compare({
      at: place,
      before: earlier.schema,
      after: later.schema,
      property: pair.property,
      depth: pair.depth + 1,
    })
  }
  for (const { index, schema } of come) addAlternative(comparison, keyword, index, schema)
  for (const { index, schema } of gone) removeAlternative(comparison, keyword, index, schema)
}

/** Equal elements stand for each other wherever they are; of the others those of one type, then those in turn. */
function matchElements(comparison: Comparison, before: readonly JsonValue[], after: readonly JsonValue[]) {
  const rest = [...before.entries()].map(([index, schema]): Element => ({ index, schema }))
  const left: Element[] = []
  for (const [index, schema] of after.entries()) {
    const equal = after.length > MAX_MATCHED ? -1 : rest.findIndex((one) => comparison.saysSame(one.schema, schema))
    if (equal >= 0) rest.splice(equal, 1)
    else left.push({ index, schema })
  }
  const pairs: { earlier: Element; later: Element }[] = []
  const come: Element[] = []
  for (const later of left) {
    const like = rest.findIndex((one) => typeText(one.schema) === typeText(later.schema))
    const [earlier] = like < 0 ? [] : rest.splice(like, 1)
    if (earlier === undefined) come.push(later)
    else pairs.push({ earlier, later })
  }
  return { pairs, gone: rest, come }
}

const typeText = (schema: JsonValue): string => (isObject(schema) ? typesOf(schema).join() : typeof schema)

function addAlternative(
  comparison: Comparison,
  { keyword, at, pair }: KeywordPair,
  index: number,
  schema: JsonValue,
): void {
  const place = `${at}/${index}`
  if (keyword !== "anyOf" && keyword !== "oneOf") {
    const severity = weighAdded(comparison.roots.after, schema, pair.property)
    const message = `a part came that every value has to meet`
    comparison.add({ kind: "constraint-added", severity, message, at: place })
    return
  }
  comparison.add({
    kind: "alternative-added",
    severity: alternativeSeverity(comparison, pair, schema),
    message: "another kind of value is accepted too",
    at: place,
  })
}

/** Free text beside a closed choice opens it. */
function alternativeSeverity(comparison: Comparison, pair: KeywordPair["pair"], schema: JsonValue): Severity {
  const { before, after } = comparison.roots
  if (typeText(schema) === "null") return "low"
  const opens = isFreeText(after, schema) && !isFreeText(before, pair.before)
  const closedBefore = alternativesOf(pair.before).every((one) => isClosedIn(before, one))
  if (opens && closedBefore) return "high"
  const weight = weighAdded(after, schema, pair.property)
  return worstSeverity([opens && isGrave(rolesOf(pair.property)) ? "high" : "medium", weight]) ?? "medium"
}

const alternativesOf = (schema: JsonValue): readonly JsonValue[] =>
  isObject(schema) ? ["anyOf", "oneOf"].flatMap((keyword) => (isArray(schema[keyword]) ? schema[keyword] : [])) : []

const isClosedIn = (root: JsonValue, schema: JsonValue): boolean => {
  const own = resolved(root, schema)
  return isObject(own) && (isClosed(own) || typeText(own) === "null" || typeText(own) === "boolean")
}

function removeAlternative(
  comparison: Comparison,
  { keyword, at, pair }: KeywordPair,
  index: number,
  schema: JsonValue,
): void {
  const place = `${at}/${index}`
  if (keyword === "anyOf" || keyword === "oneOf") {
    comparison.add({
      kind: "alternative-removed",
      severity: "low",
      message: "a kind of value is no longer accepted",
      at: place,
    })
    return
  }
  const wasClosed = isClosedIn(comparison.roots.before, schema) && isFreeText(comparison.roots.after, pair.after)
  const severity: Severity = wasClosed || isReach(rolesOf(pair.property)) ? "high" : "medium"
  comparison.add({
    kind: "constraint-removed",
    severity,
    message: "a part is gone that every value had to meet",
    at: place,
  })
}

/** A list of alternatives that came or went as a whole. */
export function gradeWholeList(comparison: Comparison, keyword: KeywordPair): void {
  const { pair, at } = keyword
  const way = wayOfKeyword(keyword)
  if (way === "changed" || keyword.keyword === "allOf") {
    gradeList(comparison, keyword)
    return
  }
  if (way === "added") {
    const severity = weighAdded(comparison.roots.after, { [keyword.keyword]: keyword.after ?? [] }, pair.property)
    comparison.add({ kind: "constraint-added", severity, message: `${keyword.keyword} came`, at })
    return
  }
  const opens = isFreeText(comparison.roots.after, pair.after) && !isFreeText(comparison.roots.before, pair.before)
  const severity: Severity = opens || isGrave(rolesOf(pair.property)) ? "high" : "medium"
  comparison.add({ kind: "constraint-removed", severity, message: `${keyword.keyword} is gone`, at })
}

/** `not` and `if`: what is looser inside is stricter outside, so what changed inside is told as one. */
export function gradeCondition(comparison: Comparison, keyword: KeywordPair): void {
  const { at, keyword: name } = keyword
  const way = wayOfKeyword(keyword)
  const kind = name === "not" ? `constraint-${way}` : `condition-${way}`
  const severity = way === "added" ? "low" : conditionSeverity(comparison, keyword)
  const message = way === "added" ? `${name} came` : way === "removed" ? `${name} is gone` : `${name} is another`
  comparison.add({ kind, severity, message, at })
}

/** What `then` and `else` demanded, another condition may demand of no value any more. */
function conditionSeverity({ roots }: Comparison, { keyword, pair }: KeywordPair): Severity {
  if (keyword === "not") return isReach(rolesOf(pair.property)) ? "high" : "medium"
  const parts = [keywordIn(pair.before, "then"), keywordIn(pair.before, "else")].filter((part) => part !== undefined)
  return worstSeverity(parts.map((part) => partGoneSeverity(roots.before, part))) ?? "medium"
}
