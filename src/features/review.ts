// What changes mean, where the texts of both sides are at hand. The analysis loads only here and only for something that changed: what
// proves a lockfile offline needs none of it.

import type { SecretSpelling } from "../core/secret-values.js"
import type { Change } from "../core/verdict.js"
import type { AnalysisOptions, ChangeAnalysis, ComparedSides } from "../surface/analysis.js"
import { type DiffOptions, diffSurfaces, type SurfaceDiff } from "../surface/diff.js"
import { withRules } from "../surface/meanings.js"
import type { TokenCost } from "../surface/token-cost.js"
import { redactChanges, redactSurface } from "./echoed-values.js"

/** What was compared: two surfaces, and how. */
export interface Compared {
  readonly sides: ComparedSides
  readonly options: DiffOptions
}

/** What is known beside the two surfaces. `given`: values that no report may repeat. */
export interface ReviewContext extends AnalysisOptions {
  readonly given: readonly SecretSpelling[]
}

/** Changes as a report shows them. `analysis`: null where they cannot be graded. */
export interface Reviewed {
  readonly changes: readonly Change[]
  readonly analysis: ChangeAnalysis | null
  /** What the change costs in a model's context; null where the analysis is. */
  readonly tokens: TokenCost | null
}

/** A diff with what its changes mean. */
export type ReviewedDiff = Reviewed & Pick<SurfaceDiff, "unchanged">

/** Compare, and review what differs. Throws SURFACE_MALFORMED. */
export async function reviewCompared(compared: Compared, context: ReviewContext): Promise<ReviewedDiff> {
  const { before, after } = compared.sides
  const { changes, unchanged } = diffSurfaces(before, after, compared.options)
  return { ...(await reviewChanges(changes, compared, context)), unchanged }
}

/** Redact changes and say what each means. Values are redacted before anything is analysed, so that no finding quotes one; where that hides a
 *  difference, the changes stay and have no severity. `compared`: null where not all texts are at hand. */
export async function reviewChanges(
  changes: readonly Change[],
  compared: Compared | null,
  { given, ...context }: ReviewContext,
): Promise<Reviewed> {
  const shown = redactChanges(changes, given)
  const nothing = { changes: shown, analysis: null, tokens: null }
  if (compared === null || changes.length === 0) return nothing
  const [{ analyseChanges }, { computeTokenCost }] = await Promise.all([
    import("../surface/analysis.js"),
    import("../surface/token-cost.js"),
  ])
  const { before, after, ...facts } = compared.sides
  const sides = { ...facts, before: redactSurface(before, given), after: redactSurface(after, given) }
  const analysis = analyseChanges(sides, { ...compared.options, ...context })
  if (analysis.changes.length !== changes.length) return nothing
  return { changes: withRules(analysis), analysis, tokens: computeTokenCost(sides.before, sides.after) }
}
