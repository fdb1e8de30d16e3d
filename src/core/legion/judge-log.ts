// What LEGION pins have in common, whether they are in LEGION's lockfile or in ours: the log's keyring and root, heads that contradict one
// another, and what a record covers. FORMAT.md, "LEGION dialect".
import { attempt, ToolsumError } from "../errors.js"
import { matchRoot, type PinnedRoot } from "../root.js"
import type { ServerVerdict, UnknownReason } from "../verdict.js"
import type { ProvenRecord } from "./check.js"
import { COVERED_MEMBERS } from "./fingerprint.js"
import { type LegionKeyring, verifyLegionKeyring } from "./keyring.js"
import { parseTime } from "./time.js"
import { requireOneRootPerSize } from "./tree-head.js"

/** What is known of a log by its keyring. `keyring` is null where it cannot be used; `fault`: why no pin can be proven. */
export interface LegionLogJudgement {
  readonly keyring: LegionKeyring | null
  readonly root: PinnedRoot | null
  readonly fault: ToolsumError | null
}

/** A proven record, why it is none, or null where there is no keyring to prove it with. */
export type LegionOutcome = ProvenRecord | ToolsumError | null

/** Check keyring and root of a log. `rootPin`: what the file claims; null: nothing. Never throws a ToolsumError: see `fault`. */
export function judgeLegionLog(p: {
  origin: string
  keyring: string | null
  rootPin: string | null
  roots: readonly PinnedRoot[]
}): LegionLogJudgement {
  const { origin, keyring: text, rootPin, roots } = p
  const unusable = (fault: ToolsumError) => ({ keyring: null, root: null, fault })
  if (text === null) return unusable(new ToolsumError("KEYRING_MALFORMED", "the lockfile has no keyring"))
  const keyring = attempt(() => verifyLegionKeyring({ text, ...(rootPin === null ? {} : { rootPin }) }))
  if (keyring instanceof ToolsumError) return unusable(keyring)
  // A root of this dialect has no floor: it is the hash of one key.
  const root = attempt(() => matchRoot({ origin, fingerprint: keyring.rootPin, requireFloor: () => {} }, roots))
  return root instanceof ToolsumError ? { keyring, root: null, fault: root } : { keyring, root, fault: null }
}

/** Two pins under different signed roots of one size: proof of a split view, which refutes the log for all of them. `keyring`: its text, which
 *  evidence needs. */
export function findFork(outcomes: readonly LegionOutcome[], keyring: string | null): ToolsumError | null {
  const heads = outcomes.flatMap((outcome) => (outcome && !(outcome instanceof ToolsumError) ? [outcome.head] : []))
  const fork = attempt(() => requireOneRootPerSize(heads))
  if (!(fork instanceof ToolsumError)) return null
  const evidence = { ...fork.evidence, keyrings: JSON.stringify(keyring === null ? [] : [keyring]) }
  return new ToolsumError(fork.code, fork.message, { cause: fork.cause, evidence })
}

/** Why a pin is UNKNOWN. Only what was proven to be in the log can be of a newer format. */
export function reasonOfFailure({ code }: ToolsumError): UnknownReason {
  if (code === "ROOT_NOT_PINNED") return "root_not_pinned"
  if (code === "RECORD_MALFORMED") return "newer_format"
  return code === "RESOURCE_MISSING" ? "not_logged" : "malformed"
}

const UNCOVERED_MEMBERS = ["title", "annotations", "outputSchema", "icons", "execution", "_meta"]

/** What a LEGION record says of a server, where it is, and what it does not say. The age of a head is by the log's own clock. `nowSec`: POSIX
 *  seconds. */
export function coverageOfLegion(
  proven: ProvenRecord | null,
  { origin, nowSec }: { origin: string; nowSec: bigint },
): Pick<ServerVerdict, "covered" | "notCovered" | "head" | "record" | "items"> {
  const uncovered = ["prompts", "templates", "resources", "instructions", "server"]
  const coverage = {
    covered: [{ section: "tools" as const, fields: COVERED_MEMBERS }],
    notCovered: [...UNCOVERED_MEMBERS.map((member) => `tools.${member}`), ...uncovered],
  }
  if (!proven) return { ...coverage, head: null, record: null, items: {} }
  const { record, head } = proven
  const count = record.fingerprint.tools.size
  return {
    ...coverage,
    head: { origin, size: head.size, cosigners: 0, ageSec: ageOf(head.timestamp, nowSec) },
    record: { index: record.leafIndex, observedSec: record.observedSec },
    items: count === 0 ? {} : { tools: count },
  }
}

function ageOf(timestamp: string, nowSec: bigint): number | null {
  const time = parseTime(timestamp)
  return time === null ? null : Math.max(0, Number(nowSec - time))
}
