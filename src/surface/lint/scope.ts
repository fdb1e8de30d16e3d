// Destructive tools whose text gives them everything to destroy. "The entire production database" names an object, not a boundary.

import { quote } from "../../core/errors.js"
import { isObject } from "../../core/json.js"
import type { Finding } from "../finding.js"
import { splitName } from "./name-words.js"
import { splitSentences } from "./sentences.js"
import { member, type ToolView, toolFinding } from "./tool-view.js"
import { DESTRUCTIVE_VERBS, inflect, PLAINLY_DESTRUCTIVE_VERBS } from "./verbs.js"

const alternatives = (verbs: readonly string[]): string => verbs.flatMap(inflect).join("|")

/** How far a quantity may stand behind its verb, and what it is called. */
const QUANTITY = String.raw`(?:(?:completely|permanently|irreversibly|immediately|out|up)\s+)?(?:(?:absolutely\s+)?(?:every|all|any|everything|anything)|(?:the|an?|your|this|its)?\s*(?:entire|whole|complete|full))\b`
const ACTIVE = new RegExp(String.raw`\b(${alternatives(DESTRUCTIVE_VERBS)})\s+(?:the\s+)?(${QUANTITY})([\s\S]*)`, "i")
const PASSIVE = new RegExp(
  String.raw`^((?:every|all|everything|the (?:entire|whole))\b)([^,]{0,80}?)\s(?:is|are|gets?|will be|(?:is|are) being)\s+(?:\w+ly\s+)?(?:${alternatives(PLAINLY_DESTRUCTIVE_VERBS)}|overwritten)\b([\s\S]*)`,
  "i",
)

/** What says that the tool does not, or only under a condition, or that somebody else does. */
const NOT_ITS_DOING =
  /\b(?:not|never|no|without|cannot|can't|don't|doesn't|won't|avoid|prevents?|if|unless|when|before|after|instead of|rather than|undo|restores?|recovers?|lists?|shows?|returns?|finds?|warns?|set to|omit|pass|use)\b/i

/** Words that bound what they stand with. */
const BOUNDARY =
  /\b(?:given|specified|selected|provided|supplied|chosen|listed|named|passed|matching|matche[sd]|match|filtered|current|currently|own|whose|where|with(?: the)? (?:id|name|tag|label|prefix|key|status)s?|by (?:id|name|key|prefix|tag|user|default)|older than|newer than|created by|belonging to|associated|related|between|expired|stale|unused|orphaned|temporary|temp|cached?|caches|selection|inside the (?:allowed|working)|allowed|configured|sandbox|workspace|session|draft|that (?:match|are|were|have|has)|from (?:an?|the) \w+ by)\b/i

/** Objects that are a whole but belong to the caller or come back by themselves. */
const HARMLESS_OBJECT =
  /^\W*(?:\w+\s+){0,2}?(?:caches?|filters?|breakpoints?|highlights?|selections?|forms?|fields?|inputs?|logs? view|output|canvas|screen|console|markers?|overrides?|stack|whitespace|spaces?|formatting|text|duplicates?|accents|punctuation|tags from|html|comments from)\b/i

/** Tells the first sentence of a tool's description that takes away without a boundary. */
export function lintScope(tool: ToolView): readonly Finding[] {
  const parameters = parameterWords(tool)
  const sentence = splitSentences(tool.description).find((text) => isUnbounded(text, parameters))
  if (sentence === undefined) return []
  return [
    toolFinding(tool.key, "/description", {
      rule: "scope.unbounded",
      severity: "medium",
      message: `takes away without a stated boundary: ${quote(sentence)}`,
    }),
  ]
}

function isUnbounded(sentence: string, parameters: ReadonlySet<string>): boolean {
  const active = ACTIVE.exec(sentence)
  const passive = active === null ? PASSIVE.exec(sentence) : null
  const lead = active ? sentence.slice(0, active.index) : ""
  const rest = active ? (active[3] ?? "") : passive ? `${passive[2] ?? ""} ${passive[3] ?? ""}` : null
  if (rest === null || NOT_ITS_DOING.test(lead)) return false
  return !BOUNDARY.test(rest) && !HARMLESS_OBJECT.test(rest) && !isBoundByParameter(rest, parameters)
}

/** "every row of a table" with a parameter `table`: the caller says which. The quantified object itself is no such boundary. */
const isBoundByParameter = (rest: string, parameters: ReadonlySet<string>): boolean => {
  const [, where = ""] = /\b(?:of|from|in|on|for|within|inside|under|at|to)\b([\s\S]*)/i.exec(rest) ?? []
  return splitName(where).some((word) => parameters.has(word) || parameters.has(word.replace(/s$/, "")))
}

function parameterWords(tool: ToolView): ReadonlySet<string> {
  const properties = member(member(tool.item, "inputSchema"), "properties")
  const names = isObject(properties) ? Object.keys(properties).slice(0, 100) : []
  return new Set(names.flatMap(splitName))
}
