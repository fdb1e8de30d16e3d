// What a gate lets pass: changes that are all known and all less grave than a level. It lowers the exit code, never the word: the server
// is CHANGED still. Whatever is not graded, not approved, not comparable or not from a server's list is never lowered.
import { isAtLeast, type Severity } from "../core/severity.js"
import type { Lowered, ServerVerdict } from "../core/verdict.js"
import type { ChangeAnalysis } from "../surface/analysis.js"
import { gravestOf } from "../surface/meanings.js"
import type { TokenCost } from "../surface/token-cost.js"

/** From which severity on a change is a finding, and who said so. */
export type FailOn = Pick<Lowered, "failOn" | "source">

/** The answer for a server with what its changes mean. `analysis`: null where not all texts of both sides are at hand. */
export interface ReviewedServer extends ServerVerdict {
  readonly analysis?: ChangeAnalysis | null
  readonly tokens?: TokenCost | null
}

/** True where one of these is at `failOn` or graver. */
export const reaches = (severities: readonly Severity[], failOn: Severity): boolean =>
  severities.some((severity) => isAtLeast(severity, failOn))

/** The server as it is under a gate. */
export function applyGate(server: ReviewedServer, gate: FailOn | null): ReviewedServer {
  if (gate === null || server.verdict !== "CHANGED" || server.reason !== "surface") return server
  const gravest = gravestOf(server.changes)
  if (gravest === null || isAtLeast(gravest, gate.failOn)) return server
  return { ...server, lowered: { ...gate, gravest } }
}
