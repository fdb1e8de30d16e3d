// Surfaces for tests of lint, written short, and findings as lines.
import { parseJson } from "../../../src/core/json.js"
import { parseSurface, type Surface } from "../../../src/core/section.js"
import type { OtherServer } from "../../../src/surface/analysis.js"
import { classifySurface, type ToolClass } from "../../../src/surface/classify/classify.js"
import type { Finding } from "../../../src/surface/finding.js"
import { lintSurface } from "../../../src/surface/lint/lint.js"

/** A surface from what JSON.stringify makes of its members. */
export const toSurface = (members: Readonly<Record<string, unknown>>): Surface =>
  parseSurface(parseJson(JSON.stringify(members)))

export const toolSurface = (...tools: readonly unknown[]): Surface => toSurface({ tools })

/** A tool with a schema that gives no finding. */
export const tool = (name: string, description: string, rest: Readonly<Record<string, unknown>> = {}) => ({
  name,
  description,
  inputSchema: { type: "object", properties: {} },
  ...rest,
})

/** An input schema with these properties, all or some of them required. */
export const input = (properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)) => ({
  inputSchema: { type: "object", properties, required },
})

export const lint = (surface: Surface, others: readonly OtherServer[] = []): readonly Finding[] =>
  lintSurface(surface, classifySurface(surface, []), { others })

/** Findings as `rule severity item pointer`. */
export const lines = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ rule, severity, item, pointer }) => `${rule} ${severity} ${item ?? "-"} ${pointer}`.trim())

export const lintTools = (...tools: readonly unknown[]): readonly string[] => lines(lint(toolSurface(...tools)))

/** A tool's class with nothing to it but what is given. */
export const toolClass = (item: string, { tier, kinds }: Pick<ToolClass, "tier" | "kinds">): ToolClass => ({
  item,
  tier,
  found: tier,
  kinds,
  reasons: [],
  reversibility: null,
  override: null,
})
