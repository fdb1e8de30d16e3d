// A person's word that a tool's class is lower, with a reason and a last day. It lowers the tier alone: kinds, reasons and the tier that was found
// stay, so that nobody who reads a report is told less than was seen. Two words on one tool are refused where settings are read.
import { TIERS } from "../../core/tier.js"
import type { ClassOverride, ToolClass } from "./tool-class.js"

/** Put the word of people on classes. An override that is not below what was found changes nothing. */
export function applyOverrides(tools: readonly ToolClass[], overrides: readonly ClassOverride[]): readonly ToolClass[] {
  if (overrides.length === 0) return tools
  const byTool = new Map(overrides.map((override) => [override.tool, override]))
  return tools.map((tool) => {
    const override = tool.item === null ? undefined : byTool.get(tool.item)
    if (override === undefined || TIERS.indexOf(override.tier) >= TIERS.indexOf(tool.found)) return tool
    return { ...tool, tier: override.tier, override }
  })
}
