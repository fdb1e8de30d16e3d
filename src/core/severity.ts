// How much a difference or an observation asks of a reader. The order is fixed and names are promises: gates are set by them.

/** Gravest first. critical: somebody is being deceived. high: reach grows or the model is steered. medium: a person has to read it.
 *  low: worth a line. info: bytes moved, meaning did not. */
export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const
/** One of them. */
export type Severity = (typeof SEVERITIES)[number]

/** For sorting: below zero where `a` is graver. */
export const compareSeverity = (a: Severity, b: Severity): number => SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b)

/** True where `severity` is `floor` or graver. */
export const isAtLeast = (severity: Severity, floor: Severity): boolean => compareSeverity(severity, floor) <= 0

/** The gravest of some, null of none. */
export const worstSeverity = (severities: readonly Severity[]): Severity | null =>
  SEVERITIES.find((severity) => severities.includes(severity)) ?? null
