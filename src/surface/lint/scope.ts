// Destructive tools whose text gives them everything to destroy. "The entire production database" names an object, not a boundary.
import { quote } from "../../core/errors.js"
import { isArray, isObject } from "../../core/json.js"
import type { Finding } from "../finding.js"
import { memberOf } from "../members.js"
import { MAX_COMPARED_PROPERTIES } from "./limits.js"
import { splitName } from "./name-words.js"
import {
  BOUNDARIES,
  BROAD_CONTAINERS,
  DISCLAIMERS,
  EXCEPTIONS,
  HARMLESS_OBJECTS,
  QUANTITIES,
  REACHES,
} from "./scope-words.js"
import { splitSentences } from "./sentences.js"
import { type ToolView, toolFinding } from "./tool-view.js"
import { DESTRUCTIVE_VERBS, inflect, PLAINLY_DESTRUCTIVE_VERBS } from "./verbs.js"

const anyOf = (words: readonly string[]): string => `(?:${words.join("|")})`
const wordOf = (words: readonly string[]): RegExp => new RegExp(String.raw`\b${anyOf(words)}\b`, "i")

const DESTROYS = anyOf(DESTRUCTIVE_VERBS.flatMap(inflect))
const DESTROYED = anyOf(PLAINLY_DESTRUCTIVE_VERBS.flatMap(inflect))
/** "permanently deletes absolutely everything …": verb, quantity and the rest. */
const ACTIVE = new RegExp(
  String.raw`\b(${DESTROYS})\s+(?:\w+ly\s+|out\s+|up\s+)?(?:absolutely\s+)?${anyOf(QUANTITIES)}\b([\s\S]*)`,
  "i",
)
/** "all data will be permanently deleted …": object, verb and the rest. */
const PASSIVE = new RegExp(
  String.raw`^${anyOf(QUANTITIES)}\b([^,]{0,80}?)\s(?:is|are|gets?|will\s+be)\s+(?:being\s+)?(?:\w+ly\s+)?(${DESTROYED})\b([\s\S]*)`,
  "i",
)
/** "deletes files anywhere …": verb and the rest, with what stands between. */
const ANYWHERE = new RegExp(String.raw`\b(${DESTROYS})\s([^,;:()]{1,80}?\b${anyOf(REACHES)}\b[\s\S]*)`, "i")
const PLAINLY = new RegExp(`^${DESTROYED}$`, "i")
const DISCLAIMER = wordOf(DISCLAIMERS)
const BOUNDARY = wordOf(BOUNDARIES)
const BROAD = wordOf(BROAD_CONTAINERS)
const EXCEPTION = wordOf(EXCEPTIONS)
/** One of them, with at most two words before it. */
const HARMLESS = new RegExp(String.raw`^\W*(?:\w+\W+){0,2}?${anyOf(HARMLESS_OBJECTS)}\b`, "i")

/** Tells the first sentence of a tool's description that takes away without a boundary: medium; low for verbs with a milder sense too, and
 *  for all that some smaller thing holds. */
export function lintScope(tool: ToolView): readonly Finding[] {
  for (const sentence of splitSentences(tool.description)) {
    const taken = readTaking(sentence)
    if (taken === null || isBounded(taken.what, tool)) continue
    return [
      toolFinding(tool.key, "/description", {
        rule: "scope.unbounded",
        severity: PLAINLY.test(taken.verb) && !isContained(taken.what) ? "medium" : "low",
        message: `takes away without a stated boundary: ${quote(sentence)}`,
      }),
    ]
  }
  return []
}

interface Taking {
  readonly verb: string
  /** What is said of all that is taken. */
  readonly what: string
}

/** What a sentence says that the tool takes away, where that is everything of a kind. */
function readTaking(sentence: string): Taking | null {
  const active = ACTIVE.exec(sentence) ?? ANYWHERE.exec(sentence)
  if (active !== null) {
    const [, verb = "", what = ""] = active
    return DISCLAIMER.test(sentence.slice(0, active.index)) ? null : { verb, what }
  }
  const [, object, verb = "", rest = ""] = PASSIVE.exec(sentence) ?? []
  return object === undefined ? null : { verb, what: `${object} ${rest}` }
}

function isBounded(what: string, tool: ToolView): boolean {
  const [object = ""] = what.split(/[,;(:]/, 1)
  return BOUNDARY.test(object) || HARMLESS.test(object) || EXCEPTION.test(what) || isBoundByParameter(object, tool)
}

/** "all shapes from the canvas": everything, but of one thing. "Every file on this machine" is of no such thing. */
const isContained = (what: string): boolean =>
  /\b(?:of|from|in|on|within|inside)\s+(?:the|this|that|your|its|an?)\s/i.test(what) && !BROAD.test(what)

/** "every row of a table" where a parameter is called `table`, or where one must be given: the caller says which. The quantified object
 *  itself ("every file", with a parameter `file`) is no such boundary. */
function isBoundByParameter(object: string, tool: ToolView): boolean {
  const [, article, where = ""] =
    /\b(?:of|from|in|on|for|with(?:in)?|inside|under|at|to)\s+(an?\s)?([\s\S]*)/i.exec(object) ?? []
  const schema = memberOf(tool.item, "inputSchema")
  const required = memberOf(schema, "required")
  if (article !== undefined && isArray(required) && required.length > 0) return true
  const properties = memberOf(schema, "properties")
  const names = isObject(properties) ? Object.keys(properties).slice(0, MAX_COMPARED_PROPERTIES) : []
  const said = new Set(splitName(where).flatMap((word) => [word, word.replace(/s$/, "")]))
  return names.some((name) => splitName(name).some((word) => said.has(word)))
}
