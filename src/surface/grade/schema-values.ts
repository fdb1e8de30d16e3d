// What it means that listed values, the one value, the value that stands in for none, or an example is another.
import { quote } from "../../core/errors.js"
import { isArray, isObject, type JsonValue } from "../../core/json.js"
import type { Severity } from "../../core/severity.js"
import { type Comparison, type KeywordPair, wayOfKeyword } from "./schema-comparison.js"
import { isReach, isRiskyValue, type Role, rolesOf } from "./schema-names.js"
import { isClosed, isFreeText } from "./schema-weight.js"

/** Most characters of a value that a meaning is named by. */
const MAX_MEMBER_CHARS = 200

/** A value as text, strings without quotes. */
const textOf = (value: JsonValue): string =>
  typeof value === "string"
    ? value.slice(0, MAX_MEMBER_CHARS)
    : isArray(value) || isObject(value)
      ? isArray(value)
        ? "a list"
        : "an object"
      : String(value)

/** `enum`: each value that came or went, or the choice as a whole. */
export function gradeEnum(comparison: Comparison, keyword: KeywordPair): void {
  const { before, after, at } = keyword
  if (before === undefined) {
    comparison.add({ kind: "enum-added", severity: "low", message: "only listed values are accepted now", at })
  } else if (after === undefined) gradeEnumGone(comparison, keyword)
  else if (!isArray(before) || !isArray(after)) {
    comparison.add({ kind: "changed", severity: "medium", message: "enum is no list", at })
  } else gradeEnumMembers(comparison, keyword, { before, after })
}

function gradeEnumGone(comparison: Comparison, { pair, at }: KeywordPair): void {
  const isOpen = isFreeText(comparison.roots.after, pair.after)
  const roles = rolesOf(pair.property)
  const isHeld = roles.has("guard") || (isOpen && (isReach(roles) || !roles.has("format")))
  const severity: Severity = isHeld ? "high" : "medium"
  const message = isOpen ? "any text is accepted where values were listed" : "values are no longer listed"
  if (isClosed(pair.after) && Object.hasOwn(pair.after, "const")) {
    comparison.add({
      kind: "enum-value-removed",
      severity: "low",
      message: "only one of the listed values is left",
      at,
    })
  } else comparison.add({ kind: "enum-removed", severity, message, at })
}

function gradeEnumMembers(
  comparison: Comparison,
  { at, pair }: KeywordPair,
  { before, after }: { readonly before: readonly JsonValue[]; readonly after: readonly JsonValue[] },
): void {
  const [earlier, later] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))]
  const added = after.filter((value) => !earlier.has(keyOf(value)))
  const removed = before.filter((value) => !later.has(keyOf(value)))
  for (const value of added) {
    const isRisky = typeof value === "string" && isRiskyValue(value)
    const message = `${quote(textOf(value))} is accepted too${isRisky ? ", which names more power" : ""}`
    const severity: Severity = isRisky || isHeld(pair.property) ? "high" : "medium"
    comparison.add({ kind: "enum-value-added", severity, message, at, member: textOf(value) })
  }
  for (const value of removed) {
    const message = `${quote(textOf(value))} is no longer accepted`
    comparison.add({ kind: "enum-value-removed", severity: "low", message, at, member: textOf(value) })
  }
  if (added.length + removed.length === 0) comparison.addRepresentation(at)
}

const keyOf = (value: JsonValue): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? `${inner}n` : inner)) ?? ""

/** True where the accepted values say where data goes, or that somebody agreed. */
function isHeld(property: string | null): boolean {
  const roles = rolesOf(property)
  return roles.has("destination") || roles.has("guard")
}

/** `const`. */
export function gradeConst(comparison: Comparison, keyword: KeywordPair): void {
  const { pair, at } = keyword
  const way = wayOfKeyword(keyword)
  if (way === "added") {
    comparison.add({
      kind: "const-added",
      severity: constSeverity(keyword.after, pair.property),
      message: "one value alone is accepted now",
      at,
    })
  } else if (way === "removed") {
    const isOpen = isFreeText(comparison.roots.after, pair.after)
    const severity = isOpen || rolesOf(pair.property).has("guard") ? "high" : "medium"
    comparison.add({ kind: "const-removed", severity, message: "more than the one value is accepted", at })
  } else {
    const message = `the only accepted value is another: ${quote(textOf(keyword.after ?? null))}`
    const isPlain = isVersion(keyword.after) && !rolesOf(pair.property).has("guard")
    comparison.add({ kind: "const-changed", severity: isPlain ? "medium" : "high", message, at })
  }
}

/** Callers send it without a thought. */
const constSeverity = (value: JsonValue | undefined, property: string | null): Severity =>
  typeof value === "string" && isReach(rolesOf(property)) ? "high" : "low"

const isVersion = (value: JsonValue | undefined): boolean =>
  typeof value !== "string" || /^v?\d[\d.]{0,20}$/.test(value)

/** `default`: what a call does that leaves the property out. */
export function gradeDefault(comparison: Comparison, keyword: KeywordPair): void {
  const way = wayOfKeyword(keyword)
  const message =
    way === "removed"
      ? "nothing stands in any more where the property is left out"
      : `a call that leaves the property out now means ${quote(textOf(keyword.after ?? null))}`
  const severity = defaultSeverity(keyword, rolesOf(keyword.pair.property))
  comparison.add({ kind: `default-${way}`, severity, message, at: keyword.at })
}

function defaultSeverity({ before, after }: KeywordPair, roles: ReadonlySet<Role>): Severity {
  if (roles.has("guard")) return isOn(after) === isOn(before) ? "low" : "high"
  if (roles.has("bypass") && isOn(after)) return "high"
  if (after === undefined || after === null || after === "") return "low"
  const isSaying = typeof after === "string" || isArray(after) || isObject(after)
  if (isSaying && isReach(roles)) return "high"
  return typeof after === "string" && !roles.has("format") ? "medium" : "low"
}

const isOn = (value: JsonValue | undefined): boolean =>
  value !== undefined && value !== false && value !== null && value !== ""

/** `examples` and `example`: each that differs, as models imitate them. */
export function gradeExamples(comparison: Comparison, { before, after, at, pair }: KeywordPair): void {
  const severity = isReach(rolesOf(pair.property)) ? "medium" : "low"
  const message = "an example is another"
  if (isArray(before) && isArray(after) && before.length === after.length) {
    after.forEach((value, i) => {
      if (!comparison.same(before[i], value))
        comparison.add({ kind: "examples-changed", severity, message, at: `${at}/${i}`, touches: [`${at}/${i}`] })
    })
  } else comparison.add({ kind: "examples-changed", severity, message: "the examples are others", at })
}
