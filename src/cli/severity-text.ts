// Severities in text: their colour, how many there are of each, and what a finding says, as words of our own around a server's.
import { SEVERITIES, type Severity } from "../core/severity.js"
import type { ChangeFinding, Finding } from "../surface/finding.js"
import type { Look, Run } from "../surface/shown-lines.js"
import { showName, showText } from "../surface/shown-text.js"

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

/** `1 high, 2 low`, gravest first; "" for none. */
export const countSeverities = (severities: readonly Severity[]): string =>
  SEVERITIES.flatMap((severity) => {
    const count = severities.filter((one) => one === severity).length
    return count === 0 ? [] : [`${count} ${severity}`]
  }).join(", ")

/** Characters of a decoded text and of a name that are shown. */
const MAX_DECODED_CHARS = 300

/** What a finding says, with its rule and what stands beside the message. */
export function describeFinding(finding: Finding | ChangeFinding): readonly Run[] {
  const { message, decoded, like, target, other, rule } = finding
  const named = [
    ...(decoded === undefined ? [] : [`it reads: ${showName(decoded, MAX_DECODED_CHARS)}`]),
    ...(like === undefined ? [] : [`like ${showName(like)}`]),
    ...(other === undefined ? [] : [`beside ${showName(other)}`]),
    ...(target === undefined ? [] : [`of ${showName(target)}`]),
  ]
  const text = [showText(message).replaceAll("\n", " "), ...named].join("; ")
  return [
    { text: `${text} `, look: "plain" },
    { text: `(${rule})`, look: "dim" },
  ]
}
