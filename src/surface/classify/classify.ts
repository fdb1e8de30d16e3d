// What a tool can do, read from its schema, name, text and annotations: a class from R0 to R5 and kinds, with reasons.
//
// The ladder. A tool has the highest class that anything about it asks for; what it says of itself can raise it, never lower it.
// R0 inert: takes nothing, or only true, false and a fixed few values.
// R1 reads: takes anything else. A search is R1: its words reach the server, which the caller does not choose.
// R2 reads what is sensitive: name or first sentence speak of mail, calendars, people, secrets, or a flag adds them to the answer.
// R3 writes: a verb of its name or the first of its text changes something, it writes a file where the caller says, it removes what can be made
//    again, or it admits by `destructiveHint` that it may destroy.
// R4 sends out: the caller chooses where to connect (an address that no pattern keeps to one host) or who gets something, or the name says that
//    something is sent. What cannot be read counts here: no schema, too large, a reference that leads out, nowhere or back to itself. Recursion
//    through properties can be read and counts as what it is.
// R5 cannot be undone, or runs what it is given: code, commands and database languages; deletion; flags that make it final; whole contents
//    written to a path without a token that what is replaced is what was read. Editing a part, appending and moving are R3.
import { quote } from "../../core/errors.js"
import { isObject, type JsonValue } from "../../core/json.js"
import { itemKey, type Surface } from "../../core/section.js"
import { TIERS, type Tier } from "../../core/tier.js"
import { listItems } from "../lint/tool-view.js"
import { applyOverrides } from "./overrides.js"
import { parameterSignals } from "./parameter-signals.js"
import { readInput } from "./parameters.js"
import { judgeReversibility } from "./reversibility.js"
import type { ClassOverride, ClassReason, Kind, Reversibility, Signal, ToolClass } from "./tool-class.js"
import { readDeed, toolSignals } from "./tool-signals.js"

export { TIERS, type Tier } from "../../core/tier.js"
export type { ClassOverride, ClassReason, Kind, ToolClass } from "./tool-class.js"

/** The classes of a surface. */
export interface SurfaceClasses {
  /** In the order of the list. */
  readonly tools: readonly ToolClass[]
  /** Tools by which something sensitive could be read and sent out; null where one of both is missing. */
  readonly chain: { readonly reads: readonly string[]; readonly sends: readonly string[] } | null
}

/** Classify every tool of a surface. `overrides`: those that count today, one of a tool. Total. */
export function classifySurface(surface: Surface, overrides: readonly ClassOverride[]): SurfaceClasses {
  const tools = applyOverrides(listItems(surface, "tools").map(classifyTool), overrides)
  const namesOf = (kind: Kind) => tools.filter(({ kinds }) => kinds.includes(kind)).map(({ item }) => item ?? "")
  const [reads, sends] = [namesOf("read_sensitive"), namesOf("egress")]
  return { tools, chain: reads.length > 0 && sends.length > 0 ? { reads, sends } : null }
}

function classifyTool(tool: JsonValue): ToolClass {
  const item = itemKey("tools", tool)
  if (!isObject(tool)) return toClass(item, [UNREADABLE], "unverifiable")
  const input = readInput(tool)
  const deed = readDeed(tool)
  const signals = [
    ...toolSignals(tool, deed, input),
    ...input.parameters.flatMap((parameter) => parameterSignals(parameter, deed)),
  ]
  return toClass(item, signals, judgeReversibility(deed.text, input))
}

const UNREADABLE: Signal = {
  rule: "class.unread",
  tier: "R4",
  kinds: ["egress"],
  pointer: "",
  message: `expected an object with a ${quote("name")}`,
}

const KINDS: readonly Kind[] = ["read_sensitive", "egress", "write", "destructive", "code_exec"]

function toClass(item: string | null, signals: readonly Signal[], reversibility: Reversibility): ToolClass {
  const rank = (tier: Tier) => TIERS.indexOf(tier)
  const reasons = signals
    .map((signal): ClassReason => ({ section: "tools", item, ...signal }))
    .sort((a, b) => rank(b.tier) - rank(a.tier))
  const tier = reasons[0]?.tier ?? "R0"
  const seen = new Set(reasons.flatMap(({ kinds }) => kinds))
  return {
    item,
    tier,
    found: tier,
    kinds: KINDS.filter((kind) => seen.has(kind)),
    reasons,
    reversibility: rank(tier) >= rank("R3") ? reversibility : null,
    override: null,
  }
}
