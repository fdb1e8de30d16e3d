// What it means that a limit on values came, went or moved: patterns, sizes, formats, types.
import { quote } from "../../core/errors.js"
import type { JsonValue } from "../../core/json.js"
import type { Severity } from "../../core/severity.js"
import { typesOf } from "../schema/effective.js"
import { type Comparison, type KeywordGrader, type KeywordPair, wayOfKeyword } from "./schema-comparison.js"
import { isGrave, isReach, rolesOf } from "./schema-names.js"

/** `pattern`. */
export function gradePattern(comparison: Comparison, keyword: KeywordPair): void {
  const { before, after, at } = keyword
  if (before === undefined) {
    comparison.add({
      kind: "constraint-added",
      severity: "low",
      message: "values have to match a pattern now",
      at,
    })
    return
  }
  const severity: Severity = isPinned(before) || isReach(rolesOf(keyword.pair.property)) ? "high" : "medium"
  if (after === undefined || matchesAnything(after)) {
    const kind = after === undefined ? "constraint-removed" : "constraint-loosened"
    comparison.add({ kind, severity, message: `values need not match ${quote(text(before))} any more`, at })
    return
  }
  const isLooser = isPinned(before) && !isPinned(after)
  const message = `the pattern is another: ${quote(text(after))}`
  comparison.add({ kind: isLooser ? "constraint-loosened" : "constraint-changed", severity, message, at })
}

const text = (value: JsonValue): string => (typeof value === "string" ? value : "")

/** Patterns of this many characters are read. */
const MAX_PATTERN_CHARS = 2_000

/** True where values must begin with something that is written out: a host, a folder, a scheme. Alternatives at the top make it none. */
function isPinned(pattern: JsonValue): boolean {
  if (typeof pattern !== "string" || pattern.length > MAX_PATTERN_CHARS || !pattern.startsWith("^")) return false
  const literal = /^\^(?:[\w\-/:@#~ ]|\\[^\w\s]|\(\?:)*/.exec(pattern)?.[0] ?? ""
  return /[\w]{2}/.test(literal) && /[/:@]|\\[./]/.test(literal) && !hasTopAlternative(pattern)
}

function hasTopAlternative(pattern: string): boolean {
  let depth = 0
  for (let i = 0; i < pattern.length; i++) {
    const unit = pattern[i]
    if (unit === "\\") i++
    else if (unit === "(" || unit === "[") depth++
    else if (unit === ")" || unit === "]") depth--
    else if (unit === "|" && depth === 0) return true
  }
  return false
}

const ANYTHING =
  /^(?:\(\?:|\()?\^?(?:\(\?:|\()?(?:\.|\[\\s\\S\]|\[\\S\\s\]|\[\\w\\W\]|\[\\d\\D\]|\[\^\])?(?:[*+]\??|\{[01],\})?\)?\$?\)?$/

/** True for a pattern that any text, or any but the empty one, matches; not for each that is such. */
const matchesAnything = (pattern: JsonValue): boolean =>
  typeof pattern !== "string" ||
  ANYTHING.test(pattern) ||
  /(?:^|\|)\^?\.[*+]\$?(?:$|\|)/.test(pattern.slice(0, MAX_PATTERN_CHARS))

/** Limits by the direction in which they are looser. */
const LOOSER: Readonly<Record<string, "more" | "less">> = {
  maximum: "more",
  exclusiveMaximum: "more",
  maxLength: "more",
  maxItems: "more",
  maxProperties: "more",
  maxContains: "more",
  minimum: "less",
  exclusiveMinimum: "less",
  minLength: "less",
  minItems: "less",
  minProperties: "less",
  minContains: "less",
}

/** Keywords that limit by a number. */
export const LIMIT_KEYWORDS: readonly string[] = [...Object.keys(LOOSER), "multipleOf", "uniqueItems"]

/** A limit: a matter of cost, not of reach. */
export const gradeLimit: KeywordGrader = (comparison, keyword) => {
  const kind = limitKind(keyword)
  const { before, after, at } = keyword
  const message =
    before === undefined
      ? `the limit ${keyword.keyword} came`
      : after === undefined
        ? `the limit ${keyword.keyword} is gone`
        : `the limit ${keyword.keyword} is another`
  comparison.add({ kind, severity: "low", message, at })
}

function limitKind({ keyword, before, after, ...rest }: KeywordPair): string {
  const way = wayOfKeyword({
    keyword,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...rest,
  })
  if (way !== "changed") return `constraint-${way}`
  const looser = Object.hasOwn(LOOSER, keyword) ? LOOSER[keyword] : undefined
  if (keyword === "uniqueItems") return after === true ? "constraint-tightened" : "constraint-loosened"
  if (looser === undefined || !isNumber(before) || !isNumber(after)) return "constraint-changed"
  return after > before === (looser === "more") ? "constraint-loosened" : "constraint-tightened"
}

const isNumber = (value: JsonValue | undefined): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint"

/** `format`, `contentEncoding`, `contentMediaType`. */
export const gradeFormat: KeywordGrader = (comparison, keyword) => {
  const way = wayOfKeyword(keyword)
  const what = `${keyword.keyword} ${quote(text(keyword.after ?? keyword.before ?? null))}`
  const message = way === "removed" ? `${what} is gone` : way === "added" ? `${what} came` : `now ${what}`
  comparison.add({ kind: `constraint-${way}`, severity: way === "added" ? "low" : "medium", message, at: keyword.at })
}

/** `type`. */
export function gradeType(comparison: Comparison, { pair, at }: KeywordPair): void {
  const [before, after] = [widen(typesOf(pair.before)), widen(typesOf(pair.after))]
  if (after.size === 0 && LEFT_TO.some((keyword) => Object.hasOwn(pair.after, keyword))) {
    comparison.add({ kind: "type-changed", severity: "medium", message: "the type is left to other keywords", at })
    return
  }
  const gained = [...after].filter((type) => before.size > 0 && !before.has(type))
  const isWider = before.size > 0 && (after.size === 0 || [...before].every((type) => after.has(type)))
  if (isWider) {
    const message = after.size === 0 ? "any type is accepted" : `${gained.join(", ")} is accepted too`
    comparison.add({
      kind: "type-widened",
      severity: gainSeverity(gained, after.size === 0, pair.property),
      message,
      at,
    })
    return
  }
  if (after.size > 0 && (before.size === 0 || gained.length === 0)) {
    comparison.add({
      kind: "type-narrowed",
      severity: "low",
      message: `only ${[...after].join(", ")} is accepted`,
      at,
    })
    return
  }
  const message = `${[...before].join(", ")} became ${[...after].join(", ")}`
  comparison.add({ kind: "type-changed", severity: gainSeverity(gained, false, pair.property), message, at })
}

/** Keywords that may say more of a value than its type. */
const LEFT_TO = ["anyOf", "oneOf", "allOf", "enum", "const"]

/** A number may be whole. Names of types that a reader does not know are types too. */
const widen = (types: readonly string[]): ReadonlySet<string> =>
  new Set(types.includes("number") ? [...types, "integer"] : types)

function gainSeverity(gained: readonly string[], isAny: boolean, property: string | null): Severity {
  if (!isAny && gained.every((type) => type === "null")) return "low"
  const takesText = isAny || gained.some((type) => type === "string" || type === "array" || type === "object")
  return takesText && isGrave(rolesOf(property)) ? "high" : "medium"
}
