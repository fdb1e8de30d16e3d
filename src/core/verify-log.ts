// Judges one log of a lockfile: its keyring chain against the pinned roots, its heads and links. Whatever fails here holds for
// every pin of that log. Formats 25-31 and 41; DESIGN 8 (roots). The pins themselves are judged in verify-pin.ts.
import { parseBase64 } from "./bytes.js"
import { ToolsumError } from "./errors.js"
import { type VerifiedKeyring, verifyKeyring } from "./keyring.js"
import type { LockedLog } from "./lockfile.js"
import type { PinnedRoot } from "./root.js"
import { type VerifiedHead, verifyHeads } from "./tree-heads.js"

/** What is known of one log after its keyring, heads and links were checked. */
export interface LogJudgement {
  readonly origin: string
  /** Fingerprint of the root keys that start the keyring; null when the keyring cannot be read. */
  readonly fingerprint: string | null
  /** The pinned root that matched; null when none did. */
  readonly root: PinnedRoot | null
  /** Heads by their key in the lockfile; empty when `fault` is set. */
  readonly heads: ReadonlyMap<string, VerifiedHead>
  /** Why no pin of this log can be proven: rejected evidence, or something unreadable, or no root from outside. */
  readonly fault: ToolsumError | null
  /** `unlinked:m-n`, keyring expiry. */
  readonly warnings: readonly string[]
}

/** Check keyring, heads and links of `log` under the roots that the caller trusts. Never throws a ToolsumError: see `fault`. */
export function judgeLog(p: {
  origin: string
  log: LockedLog
  roots: readonly PinnedRoot[]
  nowSec: bigint
}): LogJudgement {
  const { origin, log, roots, nowSec } = p
  const nothing = { origin, fingerprint: null, root: null, heads: new Map(), warnings: [] }
  const keyring = attempt(() => verifyKeyring({ origin, notes: log.keyring, nowSec }))
  if (keyring instanceof ToolsumError) return { ...nothing, fault: keyring }
  const fingerprint = keyring.fingerprint
  const root = attempt(() => matchRoot(keyring, roots))
  if (root instanceof ToolsumError && root.kind === "rejected") return { ...nothing, fingerprint, fault: root }
  const links = Object.fromEntries(Object.entries(log.links).map(([key, text]) => [key, parseBase64(text, badLink)]))
  const heads = attempt(() => verifyHeads({ keyring, heads: log.heads, links }))
  if (heads instanceof ToolsumError) return { ...nothing, fingerprint, fault: heads }
  const warnings = [...keyring.warnings, ...heads.warnings]
  if (root instanceof ToolsumError) return { ...nothing, fingerprint, heads: heads.heads, fault: root, warnings }
  return { origin, fingerprint, root, heads: heads.heads, fault: null, warnings }
}

const badLink = (why: string) => new ToolsumError("LOCKFILE_MALFORMED", `link: ${why}`)

/** The root that this keyring starts from, among those pinned. A root named for this log must fit; an unnamed one may.
 *  Throws ROOT_MISMATCH, KEYRING_INVALID (floor) or ROOT_NOT_PINNED. Formats 26, 41. */
export function matchRoot(
  keyring: Pick<VerifiedKeyring, "origin" | "fingerprint" | "requireFloor">,
  roots: readonly PinnedRoot[],
): PinnedRoot {
  const named = roots.filter((root) => root.name === keyring.origin)
  const foreign = named.find((root) => root.fingerprint !== keyring.fingerprint)
  if (foreign) {
    throw new ToolsumError(
      "ROOT_MISMATCH",
      `the log's root is ${keyring.fingerprint}, but ${foreign.fingerprint} is pinned for it (${foreign.source})`,
    )
  }
  const fitting = roots.filter(
    (root) => (root.name ?? keyring.origin) === keyring.origin && root.fingerprint === keyring.fingerprint,
  )
  for (const root of fitting) keyring.requireFloor(root.floor)
  const [first] = fitting
  if (!first)
    throw new ToolsumError(
      "ROOT_NOT_PINNED",
      `no root is pinned for this log; its keyring starts from ${keyring.fingerprint}`,
    )
  return first
}

/** The value, or the ToolsumError thrown instead of it: only for judging many logs or pins side by side. */
export function attempt<T>(work: () => T): T | ToolsumError {
  try {
    return work()
  } catch (error) {
    if (error instanceof ToolsumError) return error
    throw error
  }
}
