// What a reviewer would remark on in a tool list.
import type { Surface } from "../../core/section.js"
import type { AnalysisOptions } from "../analysis.js"
import type { SurfaceClasses } from "../classify/classify.js"
import type { Finding } from "../finding.js"

/** Lint a surface. Total. */
export function lintSurface(surface: Surface, classes: SurfaceClasses, options: AnalysisOptions): readonly Finding[] {
  void surface
  void classes
  void options
  return []
}
