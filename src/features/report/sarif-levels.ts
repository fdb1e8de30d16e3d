// How severities are said in SARIF and by GitHub: levels (§3.27.10), and the scores that code scanning sorts by.
import type { Severity } from "../../core/severity.js"

/** Level of a result. */
export const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
  info: "note",
}

/** `security-severity` of GitHub code scanning: critical from 9, high from 7, medium from 4, low above 0. What is only worth knowing has none. */
export const SCORES: Readonly<Record<Severity, string | null>> = {
  critical: "9.5",
  high: "8.0",
  medium: "5.5",
  low: "2.0",
  info: null,
}
