// Severities in text: their colour, how many there are of each, and what a finding says, as words of our own around a server's.
import { SEVERITIES, type Severity } from "../core/severity.js"
import type { ChangeFinding, Finding } from "../surface/finding.js"
import { showFinding } from "../surface/shown-finding.js"
import type { Look, Run } from "../surface/shown-lines.js"

const LOOKS: Readonly<Record<Severity, Look>> = {
  critical: "removed",
  high: "removed",
  medium: "changed",
  low: "plain",
  info: "dim",
}

/** Columns of the widest severity. */
export const SEVERITY_WIDTH = Math.max(...SEVERITIES.map((severity) => severity.length))

/** A severity in its colour. */
export const markSeverity = (severity: Severity): Run => ({ text: severity, look: LOOKS[severity] })

/** The same, as wide as the widest and two spaces more. */
export const padSeverity = (severity: Severity): Run => ({
  text: severity.padEnd(SEVERITY_WIDTH + 2),
  look: LOOKS[severity],
})

/** What a finding says, with its rule and what stands beside the message. */
export function describeFinding(finding: Finding | ChangeFinding): readonly Run[] {
  return [
    { text: `${showFinding(finding)} `, look: "plain" },
    { text: `(${finding.rule})`, look: "dim" },
  ]
}
