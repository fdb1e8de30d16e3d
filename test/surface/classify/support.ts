// Tools in as few words as a test needs.
import { parseJson } from "../../../src/core/json.js"
import { parseSurface } from "../../../src/core/section.js"
import {
  type ClassOverride,
  classifySurface,
  type SurfaceClasses,
  type ToolClass,
} from "../../../src/surface/classify/classify.js"

export interface ToolText {
  readonly name: string
  readonly description?: string
  readonly annotations?: object
  /** Properties of the input schema. */
  readonly takes?: object
  /** The whole schema instead. */
  readonly inputSchema?: unknown
}

export const surfaceOf = (...tools: readonly ToolText[]) =>
  parseSurface(
    parseJson(
      JSON.stringify({
        tools: tools.map(({ takes, ...tool }) => ({
          inputSchema: { type: "object", properties: takes ?? {} },
          ...tool,
        })),
      }),
    ),
  )

export const classify = (tools: readonly ToolText[], overrides: readonly ClassOverride[] = []): SurfaceClasses =>
  classifySurface(surfaceOf(...tools), overrides)

export function classOf(tool: ToolText): ToolClass {
  const [found] = classify([tool]).tools
  if (found === undefined) throw new Error("no class")
  return found
}
