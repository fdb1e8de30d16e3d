// What texts of a surface hold that a reader does not see, or that governs more than the item it belongs to.
import type { Surface } from "../../core/section.js"
import type { Finding } from "../finding.js"
import type { AnalysisOptions } from "../options.js"

/** Findings in every text of a surface. Total. */
export function findInTexts(surface: Surface, options: AnalysisOptions): readonly Finding[] {
  void surface
  void options
  return []
}
