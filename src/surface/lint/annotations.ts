// Annotations against what a tool says and takes. A client that believes them asks nobody before it calls.

import { quote } from "../../core/errors.js"
import { isObject } from "../../core/json.js"
import type { ToolClass } from "../classify/classify.js"
import type { Finding } from "../finding.js"
import { memberOf } from "../members.js"
import { MAX_SENTENCE_CHARS } from "./limits.js"
import { splitName, splitText } from "./name-words.js"
import { type ToolView, toolFinding } from "./tool-view.js"
import { inflect, PLAINLY_DESTRUCTIVE_VERBS, WRITING_VERBS } from "./verbs.js"

const forms = (verbs: readonly string[]): ReadonlyMap<string, string> =>
  new Map(verbs.flatMap((verb) => inflect(verb).map((form) => [form, verb] as const)))

/** "Remove" is said of backgrounds and duplicates too, and what is given back without them: it counts with the writing verbs. */
const DESTRUCTIVE = forms([...PLAINLY_DESTRUCTIVE_VERBS.filter((verb) => verb !== "remove"), "drop"])
const WRITING = forms(["remove", ...WRITING_VERBS])

/** Tells hints that a tool belies: by what it says of itself (critical where it takes away) or by what it takes (high). More than one
 *  false hint is one finding on all annotations. */
export function lintAnnotations(tool: ToolView, found: ToolClass | undefined): readonly Finding[] {
  const annotations = memberOf(tool.item, "annotations")
  if (!isObject(annotations)) return []
  const readsOnly = memberOf(annotations, "readOnlyHint") === true
  const spares = memberOf(annotations, "destructiveHint") === false
  const taken = readsOnly || spares ? statedVerb(tool, DESTRUCTIVE) : null
  if (taken !== null) {
    const hints = [...(readsOnly ? ["readOnlyHint"] : []), ...(spares ? ["destructiveHint"] : [])]
    return [contradiction(tool, hints, taken.isSure ? "critical" : "high", `it says ${quote(taken.verb)}`)]
  }
  const why = readsOnly ? whyNotReadOnly(tool, found) : null
  return why === null ? [] : [contradiction(tool, ["readOnlyHint"], "high", why)]
}

/** Milder words count only where the class of the tool agrees: "edit" and "remove" may give back what was edited. */
function whyNotReadOnly(tool: ToolView, found: ToolClass | undefined): string | null {
  if (found?.kinds.includes("code_exec")) {
    const reason = found.reasons.find(({ kinds }) => kinds.includes("code_exec"))
    return reason === undefined ? "the caller supplies what it runs" : `${reason.message} (${quote(reason.pointer)})`
  }
  const stated = statedVerb(tool, WRITING)
  const agrees = found?.kinds.some((kind) => kind === "write" || kind === "destructive" || kind === "egress")
  return stated?.isSure && agrees ? `it says ${quote(stated.verb)}` : null
}

const CLAIMS: Readonly<Record<string, string>> = { readOnlyHint: "only to read", destructiveHint: "to destroy nothing" }

function contradiction(tool: ToolView, hints: readonly string[], severity: "critical" | "high", why: string): Finding {
  const claims = hints.map((hint) => CLAIMS[hint]).join(" and ")
  return toolFinding(tool.key, hints.length === 1 ? `/annotations/${hints[0]}` : "/annotations", {
    rule: "annotation-contradiction",
    severity,
    message: `claims ${claims}, but ${why}`,
  })
}

/** Words that may stand before the verb of a description: "This tool permanently deletes …". */
const LEADING = /^(?:this|the|a|tool|it|will|can|permanently|irreversibly|completely|quickly|safely|\p{N}+)$/u

/** The verb of a list that a tool is about. Sure where its text starts with it, or its name does and there is no text; where only the
 *  name says so, the text may know better. */
function statedVerb(
  tool: ToolView,
  verbs: ReadonlyMap<string, string>,
): { readonly verb: string; readonly isSure: boolean } | null {
  const inName = verbs.get(splitName(tool.key ?? "")[0] ?? "")
  const words = splitText(tool.description.slice(0, MAX_SENTENCE_CHARS))
  const inText = verbs.get(words.find((word) => !LEADING.test(word)) ?? "")
  if (inText !== undefined) return { verb: inText, isSure: true }
  return inName === undefined ? null : { verb: inName, isSure: words.length === 0 }
}
