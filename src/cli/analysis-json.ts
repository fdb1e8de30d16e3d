// What an analysis says, as members of documents: findings, meanings of changes, classes.
import type { JsonObject, JsonValue } from "../core/json.js"
import type { ChangeAnalysis, SurfaceAnalysis } from "../surface/analysis.js"
import type { SurfaceClasses, ToolClass } from "../surface/classify/classify.js"
import type { ChangeFinding, Finding } from "../surface/finding.js"
import type { TokenCost } from "../surface/token-cost.js"

/** What changes mean; left out where they could not be graded. */
export const analysisMembers = (p: {
  readonly analysis?: ChangeAnalysis | null
  readonly tokens?: TokenCost | null
}): { readonly analysis?: JsonObject } =>
  p.analysis ? { analysis: { ...meaningMembers(p.analysis), ...(p.tokens ? { tokens: { ...p.tokens } } : {}) } } : {}

const meaningMembers = ({ ruleset, meanings, appeared }: ChangeAnalysis): JsonObject => ({
  ruleset,
  meanings: meanings.map(findingMember),
  appeared: appeared.map(findingMember),
})

/** One finding, or one meaning of a change. */
export const findingMember = (finding: Finding | ChangeFinding): JsonValue =>
  "covers" in finding ? { ...finding, covers: [...finding.covers] } : { ...finding }

/** What a surface shows by itself. */
export const surfaceMembers = ({ ruleset, findings, classes }: SurfaceAnalysis): JsonObject => ({
  ruleset,
  findings: findings.map(findingMember),
  ...classesMembers(classes),
})

const classesMembers = ({ tools, chain }: SurfaceClasses): JsonObject => ({
  classes: tools.map(classMember),
  chain: chain && { reads: [...chain.reads], sends: [...chain.sends] },
})

const classMember = ({ item, tier, found, kinds, reasons, reversibility, override }: ToolClass): JsonValue => ({
  ...{ item, tier, found, kinds: [...kinds], reversibility },
  reasons: reasons.map((reason) => ({ ...reason, kinds: [...reason.kinds] })),
  override: override && { ...override },
})
