// What each difference means: kind and severity, from structure first.
import type { Surface } from "../../core/section.js"
import type { SurfaceAnalysis } from "../analysis.js"
import type { SurfaceDiff } from "../diff.js"
import type { ChangeFinding } from "../finding.js"
import type { Note } from "../notes.js"

/** What is graded. */
export interface GradeInput {
  readonly before: Surface
  readonly after: Surface
  readonly diff: SurfaceDiff
  readonly notes: readonly Note[]
  readonly sides: { readonly before: SurfaceAnalysis; readonly after: SurfaceAnalysis }
}

/** The meaning of every change and note: at least one finding for each. */
export function gradeChanges(input: GradeInput): readonly ChangeFinding[] {
  void input
  return []
}
