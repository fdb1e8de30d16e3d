// What one flipped bit in an evidence file does. Its sum covers all that it says, so that the only harmless flip is another spelling of the
// same: a white space, the case of a digit in an escape, `e` and `E`. FORMAT.md says so.
import { ToolsumError } from "../../src/core/errors.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { formatServerEvidence, parseServerEvidence, type ServerEvidence } from "../../src/core/server-evidence.js"
import { verifyServerEvidence } from "../../src/core/verify-server-evidence.js"
import { flipped } from "./flips.js"

/** `malformed`: cannot be read. `rejected`: evidence that fails. `spelling`: read as the same evidence, and proven as it was. `accepted`: it
 *  should not have been. */
export type EvidenceOutcome = "malformed" | "rejected" | "spelling" | "accepted"

/** The bytes of an evidence file, and what a flipped bit makes of it. */
export function flipEvidence(
  evidence: ServerEvidence,
  roots: readonly PinnedRoot[],
): { bytes: Uint8Array; outcome: (at: number, bit: number) => EvidenceOutcome } {
  const text = formatServerEvidence(evidence)
  const bytes = new TextEncoder().encode(text)
  const outcome = (at: number, bit: number): EvidenceOutcome => {
    try {
      const read = parseServerEvidence(flipped(bytes, { at, bit }))
      verifyServerEvidence({ evidence: read, roots, nowSec: 0n })
      return formatServerEvidence(read) === text ? "spelling" : "accepted"
    } catch (error) {
      if (!(error instanceof ToolsumError)) throw error
      return error.kind === "rejected" ? "rejected" : "malformed"
    }
  }
  return { bytes, outcome }
}
