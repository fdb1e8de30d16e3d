// Findings for people: what one says on one line, and how many there are of each severity. Escaped as shown-text.ts does it.
import { SEVERITIES, type Severity } from "../core/severity.js"
import type { ChangeFinding, Finding } from "./finding.js"
import { showName, showText } from "./shown-text.js"

/** `1 high, 2 low`, gravest first; "" for none. */
export const countSeverities = (severities: readonly Severity[]): string =>
  tallySeverities(severities)
    .map(({ severity, count }) => `${count} ${severity}`)
    .join(", ")

/** How many there are of each severity that occurs, gravest first. */
export const tallySeverities = (
  severities: readonly Severity[],
): readonly { readonly severity: Severity; readonly count: number }[] =>
  SEVERITIES.map((severity) => ({ severity, count: severities.filter((one) => one === severity).length })).filter(
    ({ count }) => count > 0,
  )

/** Characters of a decoded text and of a name that are shown. */
const MAX_DECODED_CHARS = 300

/** What a finding says, on one line, with what stands beside its message. */
export function showFinding({ message, decoded, like, target, other }: Finding | ChangeFinding): string {
  const named = [
    ...(decoded === undefined ? [] : [`it reads: ${showName(decoded, MAX_DECODED_CHARS)}`]),
    ...(like === undefined ? [] : [`like ${showName(like)}`]),
    ...(other === undefined ? [] : [`beside ${showName(other)}`]),
    ...(target === undefined ? [] : [`of ${showName(target)}`]),
  ]
  return [showText(message).replaceAll("\n", " "), ...named].join("; ")
}
