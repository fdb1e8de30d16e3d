// Proves a LEGION lockfile with nothing but its own bytes and the roots that somebody trusts, in the verdicts of our own lockfile. Where
// LEGION's own verifier accepts what it should not, this refuses. FORMAT.md, "LEGION dialect".
import { attempt, ToolsumError } from "../errors.js"
import type { LockfileReport } from "../lockfile-report.js"
import type { PinnedRoot } from "../root.js"
import { exitCodeOfVerdicts, type ServerVerdict } from "../verdict.js"
import { coverageOfLegion, findFork, judgeLegionLog, type LegionOutcome, reasonOfFailure } from "./judge-log.js"
import type { LegionKeyring } from "./keyring.js"
import type { LegionLockfile, LegionPin } from "./lockfile.js"
import { noEvidence, verifyLegionPin } from "./verify-pin.js"

/** Prove every pin of a LEGION lockfile offline. `nowSec`: POSIX seconds, for the age of heads only. Throws NO_PINS when there is nothing to
 *  prove and nothing is refuted. */
export function verifyLegionLockfile(p: {
  lockfile: LegionLockfile
  roots: readonly PinnedRoot[]
  nowSec: bigint
}): LockfileReport {
  const { lockfile, roots, nowSec } = p
  const { origin, rootPin, servers } = lockfile
  const log = judgeLegionLog({ origin, keyring: lockfile.keyring, rootPin, roots })
  const judged = [...servers].map(([id, pin]) => ({ id, outcome: judgePin(id, pin, log.keyring) }))
  const fault =
    findFork(
      judged.map(({ outcome }) => outcome),
      lockfile.keyring,
    ) ?? log.fault
  const refuted = fault?.kind === "rejected" ? [{ origin, error: fault }] : []
  if (servers.size === 0)
    throw refuted[0]?.error ?? new ToolsumError("NO_PINS", "the lockfile has no pins: nothing to prove")
  const verdicts = judged.map(({ id, outcome }) => verdictOf({ serverId: id, origin, outcome, fault, nowSec }))
  return {
    servers: verdicts,
    roots: [{ log: origin, fingerprint: log.keyring?.rootPin ?? null, source: log.root?.source ?? null }],
    refuted,
    warnings: [],
    exitCode: refuted.length > 0 ? 3 : exitCodeOfVerdicts(verdicts.map(({ verdict }) => verdict)),
  }
}

function judgePin(serverId: string, pin: LegionPin, keyring: LegionKeyring | null): LegionOutcome {
  if (pin.evidence === null) return noEvidence()
  return keyring && attempt(() => verifyLegionPin({ serverId, pin, keyring }))
}

/** The answer for one pin. `fault`: what is wrong with its log. Formats 42: REJECTED, then UNKNOWN, then PROVEN. */
function verdictOf(p: {
  serverId: string
  origin: string
  outcome: LegionOutcome
  fault: ToolsumError | null
  nowSec: bigint
}): ServerVerdict {
  const { serverId, origin, outcome, fault, nowSec } = p
  const proven = outcome instanceof ToolsumError ? null : outcome
  return {
    name: serverId,
    subject: serverId,
    version: null,
    ...conclude(outcome, fault),
    compared: ["lock"],
    ...coverageOfLegion(proven, { origin, nowSec }),
    newest: null,
    pin: null,
    changes: [],
    warnings: [],
  }
}

function conclude(
  outcome: LegionOutcome,
  fault: ToolsumError | null,
): Pick<ServerVerdict, "verdict" | "reason" | "detail"> {
  const failure = outcome instanceof ToolsumError ? outcome : null
  const rejected = [fault, failure].find((error) => error?.kind === "rejected")
  if (rejected) return { verdict: "REJECTED", reason: rejected.code, detail: rejected.message }
  const unknown = failure ?? fault
  if (unknown) return { verdict: "UNKNOWN", reason: reasonOfFailure(unknown), detail: unknown.message }
  return { verdict: "PROVEN", reason: null, detail: null }
}
