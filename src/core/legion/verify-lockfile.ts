// Proves a LEGION lockfile with nothing but its own bytes and the roots that somebody trusts, in the verdicts of our own lockfile. Where
// LEGION's own verifier accepts what it should not, this refuses. FORMAT.md, "LEGION dialect".
import { ToolsumError } from "../errors.js"
import type { PinnedRoot } from "../root.js"
import { exitCodeOfVerdicts, type ServerVerdict, type UnknownReason } from "../verdict.js"
import type { LockfileReport } from "../verify-lockfile.js"
import { attempt, matchRoot } from "../verify-log.js"
import type { ProvenRecord } from "./check.js"
import { COVERED_MEMBERS } from "./fingerprint.js"
import { type LegionKeyring, verifyLegionKeyring } from "./keyring.js"
import type { LegionLockfile, LegionPin } from "./lockfile.js"
import { parseTime } from "./time.js"
import { requireOneRootPerSize } from "./tree-head.js"
import { noEvidence, verifyLegionPin } from "./verify-pin.js"

/** What a LEGION record says of a server, and what it does not. */
export const LEGION_COVERAGE: Pick<ServerVerdict, "covered" | "notCovered"> = {
  covered: [{ section: "tools", fields: COVERED_MEMBERS }],
  notCovered: [
    ...["title", "annotations", "outputSchema", "icons", "execution", "_meta"].map((member) => `tools.${member}`),
    ...["prompts", "templates", "resources", "instructions", "server"],
  ],
}

/** What is known of the log of a lockfile. `keyring` is null where it cannot be used; `fault`: why no pin can be proven. */
export interface LegionLogJudgement {
  readonly keyring: LegionKeyring | null
  readonly root: PinnedRoot | null
  readonly fault: ToolsumError | null
}

/** Check keyring and root of a log. `rootPin`: what the file claims; null: nothing. Never throws a ToolsumError: see `fault`. */
export function judgeLegionLog(p: {
  origin: string
  keyring: string | null
  rootPin: string | null
  roots: readonly PinnedRoot[]
}): LegionLogJudgement {
  const { origin, rootPin, roots } = p
  const nothing = { keyring: null, root: null }
  if (p.keyring === null)
    return { ...nothing, fault: new ToolsumError("KEYRING_MALFORMED", "the lockfile has no keyring") }
  const text = p.keyring
  const keyring = attempt(() => verifyLegionKeyring({ text, ...(rootPin === null ? {} : { rootPin }) }))
  if (keyring instanceof ToolsumError) return { ...nothing, fault: keyring }
  const root = attempt(() => matchRoot({ origin, fingerprint: keyring.rootPin, requireFloor: () => {} }, roots))
  if (!(root instanceof ToolsumError)) return { keyring, root, fault: null }
  return root.kind === "rejected" ? { ...nothing, fault: root } : { keyring, root: null, fault: root }
}

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
  const fault = findFork(judged.map(({ outcome }) => outcome)) ?? log.fault
  const refuted = fault?.kind === "rejected" ? [{ origin, error: fault }] : []
  if (servers.size === 0)
    throw refuted[0]?.error ?? new ToolsumError("NO_PINS", "the lockfile has no pins: nothing to prove")
  const verdicts = judged.map(({ id, outcome }) =>
    legionVerdict({ name: id, serverId: id, origin, outcome, fault, nowSec }),
  )
  return {
    servers: verdicts,
    roots: [{ log: origin, fingerprint: log.keyring?.rootPin ?? null, source: log.root?.source ?? null }],
    refuted,
    warnings: [],
    exitCode: refuted.length > 0 ? 3 : exitCodeOfVerdicts(verdicts.map(({ verdict }) => verdict)),
  }
}

/** A proven record, why it is none, or null where there is no keyring to prove it with. */
export type LegionOutcome = ProvenRecord | ToolsumError | null

function judgePin(serverId: string, pin: LegionPin, keyring: LegionKeyring | null): LegionOutcome {
  if (pin.evidence === null) return noEvidence()
  return keyring && attempt(() => verifyLegionPin({ serverId, pin, keyring }))
}

/** Two pins under different signed roots of one size: proof of a split view, which refutes the log for all of them. */
export function findFork(outcomes: readonly LegionOutcome[]): ToolsumError | null {
  const heads = outcomes.flatMap((outcome) => (outcome && !(outcome instanceof ToolsumError) ? [outcome.head] : []))
  const fork = attempt(() => requireOneRootPerSize(heads))
  return fork instanceof ToolsumError ? fork : null
}

/** The answer for one pin. `fault`: what is wrong with its log. Formats 42: REJECTED, then UNKNOWN, then PROVEN. */
export function legionVerdict(p: {
  name: string
  serverId: string
  origin: string
  outcome: LegionOutcome
  fault: ToolsumError | null
  nowSec: bigint
}): ServerVerdict {
  const { name, serverId, origin, outcome, fault, nowSec } = p
  const proven = outcome instanceof ToolsumError ? null : outcome
  return {
    name,
    subject: serverId,
    version: null,
    ...conclude(outcome, fault),
    compared: ["lock"],
    ...LEGION_COVERAGE,
    head: proven && { origin, size: proven.head.size, cosigners: 0, ageSec: ageOf(proven.head.timestamp, nowSec) },
    record: proven && { index: proven.record.leafIndex, observedSec: proven.record.observedSec },
    newest: null,
    pin: null,
    items: proven && proven.record.fingerprint.tools.size > 0 ? { tools: proven.record.fingerprint.tools.size } : {},
    changes: [],
    warnings: [],
  }
}

/** Seconds since the time that the log wrote into its head: its own claim. */
function ageOf(timestamp: string, nowSec: bigint): number | null {
  const time = parseTime(timestamp)
  return time === null ? null : Math.max(0, Number(nowSec - time))
}

function conclude(
  outcome: LegionOutcome,
  fault: ToolsumError | null,
): Pick<ServerVerdict, "verdict" | "reason" | "detail"> {
  const failure = outcome instanceof ToolsumError ? outcome : null
  const rejected = [fault, failure].find((error) => error?.kind === "rejected")
  if (rejected) return { verdict: "REJECTED", reason: rejected.code, detail: rejected.message }
  const unknown = failure ?? fault
  if (unknown) return { verdict: "UNKNOWN", reason: reasonOf(unknown), detail: unknown.message }
  return { verdict: "PROVEN", reason: null, detail: null }
}

/** Only what was proven to be in the log can be of a newer format. */
function reasonOf({ code }: ToolsumError): UnknownReason {
  if (code === "ROOT_NOT_PINNED") return "root_not_pinned"
  if (code === "RECORD_MALFORMED") return "newer_format"
  return code === "RESOURCE_MISSING" ? "not_logged" : "malformed"
}
