// The one entry point of analysis: what a surface shows by itself, and what a difference between two means. Pure, and always with the
// rules of RULESET_VERSION on both sides, so that new rules never make a difference where nothing differs.
import { compareUtf8 } from "../core/bytes.js"
import { SECTION_NAMES, type SectionName, type Surface } from "../core/section.js"
import { compareSeverity } from "../core/severity.js"
import { findAppeared } from "./appeared.js"
import { type GradedChange, gradeSeverity } from "./change-severity.js"
import { findInClasses } from "./classify/class-findings.js"
import { classifySurface, type SurfaceClasses } from "./classify/classify.js"
import { type DiffOptions, diffSurfaces, type SurfaceDiff } from "./diff.js"
import type { ChangeFinding, Finding, Place } from "./finding.js"
import { gradeChanges } from "./grade/grade.js"
import { lintSurface } from "./lint/lint.js"
import { maskSurface } from "./masked.js"
import { diffNotes, type Note, type ServerFacts } from "./notes.js"
import type { AnalysisOptions } from "./options.js"
import { RULESET_VERSION } from "./rules.js"
import { findInTexts } from "./text/find-in-texts.js"

export type { GradedChange } from "./change-severity.js"
export type { AnalysisOptions, OtherServer } from "./options.js"

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
  const findings = [
    ...findInTexts(surface, options),
    ...lintSurface(surface, classes, options),
    ...findInClasses(classes, options),
  ]
  return { ruleset: RULESET_VERSION, findings: sortFindings(findings), classes }
}

const SECTIONS: readonly Place["section"][] = [
  "instructions",
  ...SECTION_NAMES,
  "server",
  "capabilities",
  "protocol",
  "version",
]

/** Gravest first, then by section, item (nameless last) and pointer, then by rule; what is equal in all of these as it was found. */
const sortFindings = (findings: readonly Finding[]): readonly Finding[] =>
  [...findings].sort(
    (a, b) =>
      compareSeverity(a.severity, b.severity) ||
      SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) ||
      compareItems(a.item, b.item) ||
      compareUtf8(a.pointer, b.pointer) ||
      compareUtf8(a.rule, b.rule),
  )

function compareItems(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return compareUtf8(a, b)
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

/** Analyse the difference of two surfaces, each with the rules of today. A change with a finding of its own takes that one's severity.
 *  Throws SURFACE_MALFORMED as `diffSurfaces`. */
export function analyseChanges(
  { before, after, facts }: ComparedSides,
  { masks = [], ...options }: AnalysisOptions & DiffOptions = {},
): ChangeAnalysis {
  const masked = { before: maskSurface(before, masks), after: maskSurface(after, masks) }
  const diff = diffSurfaces(masked.before, masked.after, options)
  const sides = { before: analyseSurface(before, options), after: analyseSurface(after, options) }
  const notes = facts ? diffNotes(facts) : []
  const meanings = gradeChanges({ ...masked, diff, notes, sides })
  const appeared = findAppeared(
    { surface: masked.before, findings: comparedOnly(sides.before.findings, options) },
    { surface: masked.after, findings: comparedOnly(sides.after.findings, options) },
    diff.changes,
  )
  return {
    ruleset: RULESET_VERSION,
    diff,
    changes: gradeSeverity(diff.changes, meanings, appeared),
    meanings,
    appeared,
    notes,
    ...sides,
  }
}

/** What was found in sections that are compared. */
function comparedOnly(findings: readonly Finding[], { sections, listsOnly = false }: DiffOptions): readonly Finding[] {
  return findings.filter(({ section }) => {
    if (!isListed(section)) return !listsOnly
    return sections?.includes(section) ?? true
  })
}

const isListed = (section: Place["section"]): section is SectionName =>
  (SECTION_NAMES as readonly string[]).includes(section)
