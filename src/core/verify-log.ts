// Judges one log of a lockfile: its keyring chain against the pinned roots, its heads and links. Whatever fails here holds for
// every pin of that log. Formats 25-31 and 41; DESIGN 8 (roots). The pins themselves are judged in verify-pin.ts.
import { parseBase64 } from "./bytes.js"
import { attempt, ToolsumError } from "./errors.js"
import { verifyKeyring } from "./keyring.js"
import { judgeLegionLog } from "./legion/judge-log.js"
import type { LegionKeyring } from "./legion/keyring.js"
import type { LockedLog } from "./lockfile.js"
import type { Policy } from "./policy.js"
import { matchRoot, type PinnedRoot } from "./root.js"
import { type VerifiedHead, verifyHeads } from "./tree-heads.js"
import { refuseWithoutWitnesses } from "./witness-policy.js"

/** What is known of one log after its keyring, heads and links were checked. */
export interface LogJudgement {
  readonly origin: string
  /** Fingerprint of the root keys that start the keyring; null when the keyring cannot be read. */
  readonly fingerprint: string | null
  /** The pinned root that matched; null when none did. */
  readonly root: PinnedRoot | null
  /** Keys of a log of dialect legion, whose heads are in its pins; null for other logs, and where they cannot be used. */
  readonly legion: LegionKeyring | null
  /** Heads by their key in the lockfile; empty when `fault` is set. */
  readonly heads: ReadonlyMap<string, VerifiedHead>
  /** Why no pin of this log can be proven: rejected evidence, or something unreadable, or no root from outside. */
  readonly fault: ToolsumError | null
  /** `unlinked:m-n`, keyring expiry. */
  readonly warnings: readonly string[]
}

/** Check keyring, heads and links of `log` under the roots that the caller trusts, and every head under a policy of the caller's own besides.
 *  Never throws a ToolsumError: see `fault`. */
export function judgeLog(p: {
  origin: string
  log: LockedLog
  roots: readonly PinnedRoot[]
  nowSec: bigint
  witnessPolicy?: Policy | null
}): LogJudgement {
  const { origin, log, roots, nowSec, witnessPolicy = null } = p
  const nothing = { origin, fingerprint: null, root: null, legion: null, heads: new Map(), warnings: [] }
  if (log.dialect === "legion") {
    const { keyring, ...judged } = judgeLegionLog({ origin, keyring: log.keyring[0] ?? null, rootPin: null, roots })
    const refusal = witnessPolicy && attempt(() => refuseWithoutWitnesses(witnessPolicy, origin))
    const fault = judged.fault?.kind === "rejected" ? judged.fault : (refusal ?? judged.fault)
    return { ...nothing, ...judged, fault, fingerprint: keyring?.rootPin ?? null, legion: keyring }
  }
  const keyring = attempt(() => verifyKeyring({ origin, notes: log.keyring, nowSec }))
  if (keyring instanceof ToolsumError) return { ...nothing, fault: keyring }
  const fingerprint = keyring.fingerprint
  const root = attempt(() => matchRoot(keyring, roots))
  if (root instanceof ToolsumError && root.kind === "rejected") return { ...nothing, fingerprint, fault: root }
  const links = Object.fromEntries(Object.entries(log.links).map(([key, text]) => [key, parseBase64(text, badLink)]))
  const heads = attempt(() => verifyHeads({ keyring, heads: log.heads, links, witnessPolicy }))
  if (heads instanceof ToolsumError)
    return { ...nothing, fingerprint, root: root instanceof ToolsumError ? null : root, fault: heads }
  const warnings = [...keyring.warnings, ...heads.warnings]
  if (root instanceof ToolsumError) return { ...nothing, fingerprint, heads: heads.heads, fault: root, warnings }
  return { ...nothing, fingerprint, root, heads: heads.heads, fault: null, warnings }
}

const badLink = (why: string) => new ToolsumError("LOCKFILE_MALFORMED", `link: ${why}`)
