// The one entry point of analysis: what a surface shows by itself, and what a difference between two means. Pure, and always with the
// rules of RULESET_VERSION on both sides, so that new rules never make a difference where nothing differs.
import type { Surface } from "../core/section.js"
import type { Severity } from "../core/severity.js"
import type { Change } from "../core/verdict.js"
import { type ClassOverride, classifySurface, type SurfaceClasses } from "./classify/classify.js"
import { type DiffOptions, diffSurfaces, type SurfaceDiff } from "./diff.js"
import type { ChangeFinding, Finding } from "./finding.js"
import { gradeChanges } from "./grade/grade.js"
import { lintSurface } from "./lint/lint.js"
import { diffNotes, type Note, type ServerFacts } from "./notes.js"
import { RULESET_VERSION } from "./rules.js"
import { findInTexts } from "./text/find-in-texts.js"

/** Another server whose tools are offered beside this one's. */
export interface OtherServer {
  readonly name: string
  readonly surface: Surface
}

/** What is known beside the surface. */
export interface AnalysisOptions {
  /** The servers of the same lockfile, for shadowing and look-alike names. */
  readonly others?: readonly OtherServer[]
  readonly overrides?: readonly ClassOverride[]
}

/** What a surface shows by itself. */
export interface SurfaceAnalysis {
  readonly ruleset: string
  /** Gravest first, then by section, item and pointer. */
  readonly findings: readonly Finding[]
  readonly classes: SurfaceClasses
}

/** Analyse one surface. Total: whatever the surface holds, there is an answer. */
export function analyseSurface(surface: Surface, options: AnalysisOptions = {}): SurfaceAnalysis {
  const classes = classifySurface(surface, options.overrides ?? [])
  const findings = [...findInTexts(surface, options), ...lintSurface(surface, classes, options)]
  return { ruleset: RULESET_VERSION, findings: sortFindings(findings), classes }
}

const sortFindings = (findings: readonly Finding[]): readonly Finding[] => findings

/** A difference with what it means. `severity`: the gravest of its findings. */
export interface GradedChange extends Change {
  readonly severity: Severity
}

/** What a difference between two surfaces means. */
export interface ChangeAnalysis {
  readonly ruleset: string
  readonly diff: SurfaceDiff
  /** The changes of the diff, in its order, each with its severity. */
  readonly changes: readonly GradedChange[]
  /** What each of them means; every change has at least one. */
  readonly meanings: readonly ChangeFinding[]
  /** What the later surface shows that the earlier did not. */
  readonly appeared: readonly Finding[]
  readonly notes: readonly Note[]
  readonly before: SurfaceAnalysis
  readonly after: SurfaceAnalysis
}

/** Two sides of a comparison. */
export interface ComparedSides {
  readonly before: Surface
  readonly after: Surface
  readonly facts?: { readonly before: ServerFacts; readonly after: ServerFacts }
}

/** Analyse the difference of two surfaces. A change with a finding of its own takes that one's severity. */
export function analyseChanges(
  { before, after, facts }: ComparedSides,
  options: AnalysisOptions & DiffOptions = {},
): ChangeAnalysis {
  const diff = diffSurfaces(before, after, options)
  const sides = { before: analyseSurface(before, options), after: analyseSurface(after, options) }
  const notes = facts ? diffNotes(facts) : []
  const meanings = gradeChanges({ before, after, diff, notes, sides })
  return { ruleset: RULESET_VERSION, diff, changes: [], meanings, appeared: [], notes, ...sides }
}
