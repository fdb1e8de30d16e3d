// What it means that a text inside a schema differs, or a keyword that says nothing about what is accepted, or one that nobody knows.
import { isArray, isObject, type JsonValue } from "../../core/json.js"
import type { Severity } from "../../core/severity.js"
import { splitName } from "../lint/name-words.js"
import { type Comparison, type KeywordGrader, type KeywordPair, wayOfKeyword } from "./schema-comparison.js"
import { judgeTextEdit } from "./text-edit.js"

const EDIT_SEVERITY = { whitespace: "info", volatile: "low", spelling: "low", wording: "medium" } as const

/** `title`, `description`, `$comment` and the like. A title is a label, and one that repeats the name of the property says nothing. */
export function gradeSchemaText(comparison: Comparison, keyword: KeywordPair): void {
  const way = wayOfKeyword(keyword)
  const message =
    way === "added"
      ? `${keyword.keyword} came`
      : way === "removed"
        ? `${keyword.keyword} is gone`
        : `${keyword.keyword} is another`
  comparison.add({ kind: "text-changed", severity: textSeverity(keyword), message, at: keyword.at })
}

function textSeverity({ keyword, before, after, pair }: KeywordPair): Severity {
  if (keyword === "title" && [before, after].every((title) => title === undefined || repeatsName(title, pair.property)))
    return "info"
  const edit = typeof before === "string" && typeof after === "string" ? judgeTextEdit(before, after) : "wording"
  const severity = EDIT_SEVERITY[edit]
  return keyword === "title" && severity === "medium" ? "low" : severity
}

const repeatsName = (title: JsonValue, name: string | null): boolean =>
  name !== null && typeof title === "string" && splitName(title).join(" ") === splitName(name).join(" ")

/** `readOnly`, `writeOnly`, `deprecated`. */
export const gradeFlag: KeywordGrader = (comparison, { keyword, at }) =>
  comparison.add({ kind: "annotation-changed", severity: "low", message: `${keyword} is another`, at })

/** `x-mcp-header`: clients copy the argument into a header, where others see it. */
export const gradeHeaderMirror: KeywordGrader = (comparison, keyword) => {
  const way = wayOfKeyword(keyword)
  const message =
    way === "removed"
      ? "the argument is no longer copied into a request header"
      : "the argument is copied into a request header"
  comparison.add({
    kind: `header-mirror-${way}`,
    severity: way === "removed" ? "low" : "high",
    message,
    at: keyword.at,
  })
}

/** Whatever has no grader of its own. Words in it may be read by a model. */
export const gradeUnknown: KeywordGrader = (comparison, keyword) => {
  const way = wayOfKeyword(keyword)
  const values = [keyword.before, keyword.after]
  const severity = values.some((value) => typeof value === "string" || isObject(value) || isArray(value))
    ? "medium"
    : "low"
  const message =
    way === "added" ? "a keyword came" : way === "removed" ? "a keyword is gone" : "a keyword says something else"
  comparison.add({ kind: `keyword-${way}`, severity, message, at: keyword.at })
}
