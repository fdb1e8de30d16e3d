// What a server does everywhere and one tool leaves out. A gap in the documentation, not a fault of the tool.
import { isObject, type JsonValue } from "../../core/json.js"
import type { Finding } from "../finding.js"
import { memberOf, stringMember } from "../members.js"
import { MAX_COMPARED_PROPERTIES, MAX_TEXT_CHARS } from "./limits.js"
import { type ToolView, toolFinding } from "./tool-view.js"
import { DESTRUCTIVE_VERBS, inflect, WRITING_VERBS } from "./verbs.js"

/** Tools from which on a habit can be told from chance. */
const MIN_TOOLS = 8
/** Share of tools that makes a habit, 0 to 1. */
const MIN_SHARE = 0.8

/** A habit: which tools it concerns, whether one keeps it, what is said of one that does not. */
interface Convention {
  readonly concerns: (tool: ToolView) => boolean
  readonly keeps: (tool: ToolView) => boolean
  readonly pointer: string
  readonly severity: "low" | "info"
  readonly what: string
}

/** Where a tool says that it stays inside something. */
const STATED_BOUND =
  /\b(?:(?:only|just)\s+(?:work|operate|act|apply|look|search|read|write|function)\w*\s+(?:with)?in|(?:with)?in (?:the )?(?:allowed|permitted|configured|current|selected) \w+|limited to|restricted to|confined to|scoped to)\b/i

const ACTING = new RegExp(
  String.raw`\b(?:${[...DESTRUCTIVE_VERBS, ...WRITING_VERBS, "create"].flatMap(inflect).join("|")})\b`,
  "i",
)

const textOf = (tool: ToolView): string => tool.description.slice(0, MAX_TEXT_CHARS)

const propertiesOf = (tool: ToolView): readonly JsonValue[] => {
  const properties = memberOf(memberOf(tool.item, "inputSchema"), "properties")
  return isObject(properties) ? Object.values(properties).slice(0, MAX_COMPARED_PROPERTIES) : []
}

const CONVENTIONS: readonly Convention[] = [
  {
    concerns: (tool) => ACTING.test(textOf(tool).slice(0, 200)) && propertiesOf(tool).length > 0,
    keeps: (tool) => STATED_BOUND.test(textOf(tool)),
    pointer: "/description",
    severity: "low",
    what: "say what they are bounded to",
  },
  {
    concerns: () => true,
    keeps: (tool) => isObject(memberOf(tool.item, "annotations")),
    pointer: "",
    severity: "low",
    what: "have annotations",
  },
  {
    concerns: (tool) => propertiesOf(tool).length > 0,
    keeps: (tool) => propertiesOf(tool).some(isDescribed),
    pointer: "/inputSchema",
    severity: "info",
    what: "describe their parameters",
  },
]

/** A reference is described where it leads. */
const isDescribed = (schema: JsonValue): boolean =>
  stringMember(schema, "description") !== "" || memberOf(schema, "$ref") !== undefined

/** Tells tools that depart from what most tools of the list do. */
export function lintConventions(tools: readonly ToolView[]): readonly Finding[] {
  return CONVENTIONS.flatMap(({ concerns, keeps, pointer, severity, what }) => {
    const concerned = tools.filter(concerns)
    const departing = concerned.filter((tool) => !keeps(tool))
    const kept = concerned.length - departing.length
    if (concerned.length < MIN_TOOLS || kept / concerned.length < MIN_SHARE) return []
    const message = `documentation gap: ${kept} of ${concerned.length} comparable tools ${what}, this one does not`
    return departing.map((tool) => toolFinding(tool.key, pointer, { rule: "convention", severity, message }))
  })
}

/** Tells a tool that says nothing of itself: no description, an empty one, or one that is no text. */
export const lintDescription = (tool: ToolView): readonly Finding[] =>
  tool.description.trim() === ""
    ? [toolFinding(tool.key, "", { rule: "no-description", severity: "low", message: "has no description" })]
    : []
