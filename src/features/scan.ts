// What `scan` says of one server, and how several add up: findings are told; they end a run with 1 only from the level that was asked for.
// A list that could not be read, or not to its end, is never a clean one.
import type { ToolsumError } from "../core/errors.js"
import type { SectionName, Surface } from "../core/section.js"
import type { Severity } from "../core/severity.js"
import { analyseSurface, type SurfaceAnalysis } from "../surface/analysis.js"
import type { AnalysisOptions } from "../surface/options.js"
import { countTokens } from "../surface/token-cost.js"
import { reaches } from "./gate.js"

/** Where a list comes from: the server, the texts that a pin has, or a file. */
export type ScanSource = "live" | "pinned" | "file"

/** Which list. */
export interface ScanSubject {
  /** Name of the pin, the launch line or URL, or the file. */
  readonly name: string
  readonly source: ScanSource
  /** Null where it has none. */
  readonly subject: string | null
  readonly version: string | null
  /** The pin that it is of; null where there is none. */
  readonly pin: string | null
}

/** A list as it was read. `unread`: sections that were not read to their end, and why. */
export interface ScannedList {
  readonly surface: Surface
  readonly unread: Readonly<Partial<Record<SectionName, string>>>
}

/** What is said of one server. */
export type Scanned =
  | (ScanSubject & ScannedList & { readonly ok: true; readonly analysis: SurfaceAnalysis; readonly tokens: number })
  | (ScanSubject & { readonly ok: false; readonly error: ToolsumError })

/** Analyse a list beside the other servers of its lockfile. */
export function scanList(of: ScanSubject, list: ScannedList, known: AnalysisOptions): Scanned {
  return { ...of, ...list, ok: true, analysis: analyseSurface(list.surface, known), tokens: countTokens(list.surface) }
}

/** The exit code of a list that was read: 1 for findings from `failOn` on, 2 where something was not read, else 0. */
export function exitCodeOfScan(
  { analysis, unread }: Extract<Scanned, { ok: true }>,
  failOn: Severity | null,
): 0 | 1 | 2 {
  const severities = analysis.findings.map(({ severity }) => severity)
  if (failOn !== null && reaches(severities, failOn)) return 1
  return Object.keys(unread).length > 0 ? 2 : 0
}
