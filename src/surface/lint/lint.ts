// What a reviewer would remark on in a tool list: what a model cannot tell apart, what is destroyed without a boundary, what contradicts
// itself, what cannot be read and what leads elsewhere. Structure first; words only where two of them agree.
import type { Surface } from "../../core/section.js"
import type { SurfaceClasses } from "../classify/classify.js"
import type { Finding } from "../finding.js"
import type { AnalysisOptions } from "../options.js"
import { lintAmbiguity } from "./ambiguous.js"
import { lintAnnotations } from "./annotations.js"
import { lintConventions, lintDescription } from "./conventions.js"
import { lintValues } from "./item-values.js"
import { MAX_FINDINGS_PER_ITEM } from "./limits.js"
import { lintNames } from "./names.js"
import { lintSchemas } from "./schemas.js"
import { lintScope } from "./scope.js"
import { lintShadowing } from "./shadowing.js"
import { lintTemplates } from "./templates.js"
import { viewTools } from "./tool-view.js"

/** Lint a surface. `classes`: those of the same surface, in the order of its list; `options.others`: the servers beside it. Total, and in
 *  time proportional to the size of the surface; where a limit left something out, `lint.cut` and `schema-cut` say so. */
export function lintSurface(surface: Surface, classes: SurfaceClasses, options: AnalysisOptions): readonly Finding[] {
  const tools = viewTools(surface)
  const others = options.others ?? []
  const classOf = new Map(classes.tools.map((found) => [found.item, found]))
  return limitPerItem([
    ...lintNames(surface, others),
    ...tools.flatMap((tool) => [
      ...lintDescription(tool),
      ...lintScope(tool),
      ...lintSchemas(tool),
      ...lintAnnotations(tool, classOf.get(tool.key)),
    ]),
    ...lintAmbiguity(tools),
    ...lintConventions(tools),
    ...lintTemplates(surface),
    ...lintValues(surface),
    ...lintShadowing(surface, others),
  ])
}

/** The first of each rule on each item; of the others, how many there are. */
function limitPerItem(findings: readonly Finding[]): readonly Finding[] {
  const counts = new Map<string, { readonly first: Finding; count: number }>()
  const kept = findings.filter((finding) => {
    const key = JSON.stringify([finding.section, finding.item, finding.rule])
    const seen = counts.get(key) ?? { first: finding, count: 0 }
    seen.count++
    counts.set(key, seen)
    return seen.count <= MAX_FINDINGS_PER_ITEM
  })
  const cut = [...counts.values()].filter(({ count }) => count > MAX_FINDINGS_PER_ITEM)
  return [...kept, ...cut.map(({ first, count }) => moreOf(first, count - MAX_FINDINGS_PER_ITEM))]
}

const moreOf = ({ section, item, rule, severity }: Finding, count: number): Finding => ({
  section,
  item,
  pointer: "",
  rule: "lint.cut",
  severity,
  message: `${count} more of ${rule} on this item`,
})
