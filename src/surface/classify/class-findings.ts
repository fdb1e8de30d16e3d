// What the classes of a server say together, and which words of people on single tools do nothing any more.
import { quote } from "../../core/errors.js"
import type { Finding } from "../finding.js"
import type { SurfaceClasses } from "./classify.js"
import type { ClassOverride } from "./tool-class.js"

/** Tools named in a message; of more, the number is told. */
const MAX_NAMED = 3

/** Overrides by whether they count on the day of the analysis. */
export interface KnownOverrides {
  readonly overrides?: readonly ClassOverride[]
  readonly expiredOverrides?: readonly ClassOverride[]
}

/** Findings of classes: the chain, and overrides that ran out, name no tool or lower nothing. */
export function findInClasses(
  { tools, chain }: SurfaceClasses,
  { overrides = [], expiredOverrides = [] }: KnownOverrides,
): readonly Finding[] {
  const byName = new Map(tools.map((tool) => [tool.item, tool]))
  const idle = overrides.flatMap((override): readonly Finding[] => {
    const tool = byName.get(override.tool)
    if (tool === undefined) return [overrideFinding(override, "class.override-unknown", "low", "no tool has this name")]
    const message = `${tool.found} was found, ${override.tier} lowers nothing`
    return tool.override === null ? [overrideFinding(override, "class.override-idle", "info", message)] : []
  })
  const expired = expiredOverrides.map((override) =>
    overrideFinding(override, "class.override-expired", "low", `${override.tier} held until ${override.until}`),
  )
  return [...(chain === null ? [] : [chainFinding(chain)]), ...idle, ...expired]
}

const overrideFinding = (
  { tool }: ClassOverride,
  rule: string,
  severity: Finding["severity"],
  why: string,
): Finding => ({ section: "tools", item: tool, pointer: "", rule, severity, message: `override of a class: ${why}` })

/** About the list as a whole: no item is at fault alone. */
const chainFinding = ({ reads, sends }: NonNullable<SurfaceClasses["chain"]>): Finding => ({
  section: "tools",
  item: null,
  pointer: "",
  rule: "class.chain",
  severity: "medium",
  message: `what ${nameTools(reads)} can read, ${nameTools(sends)} can send out`,
})

function nameTools(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => quote(name))
  return names.length > MAX_NAMED ? `${named.join(", ")} and ${names.length - MAX_NAMED} more` : named.join(", ")
}
