// Proves a lockfile with nothing but its own bytes and the roots that somebody trusts: the one entry point of offline verification.
// Pure: no clock, no files, no network. DESIGN 8 and 9; formats 28-45. What an answer means is in verdict.ts.
import { ToolsumError } from "./errors.js"
import type { Lockfile, Pin } from "./lockfile.js"
import type { PinnedRoot } from "./root.js"
import { SECTION_NAMES, type SurfaceLines } from "./section.js"
import { computeHeadAge } from "./tree-heads.js"
import { exitCodeOfVerdicts, type ServerVerdict, type Verdict } from "./verdict.js"
import { judgeLog, type LogJudgement } from "./verify-log.js"
import { judgePin, type PinJudgement } from "./verify-pin.js"

/** What to verify and under which trust. */
export interface VerifyLockfileInput {
  readonly lockfile: Lockfile
  /** Roots from outside the tree under test. None for a log: its pins are UNKNOWN(root_not_pinned). */
  readonly roots: readonly PinnedRoot[]
  /** Definitions files by pin name, null where missing; leave out to skip the check. */
  readonly definitions?: Readonly<Record<string, Uint8Array | null>>
  /** True when a missing definitions file is a failure (`--base`). */
  readonly underBase?: boolean
  /** POSIX seconds, for the keyring's expiry warning only. */
  readonly nowSec: bigint
}

/** The answer for every pin, and what it rests on. */
export interface LockfileReport {
  readonly servers: readonly ServerVerdict[]
  readonly roots: readonly {
    readonly log: string
    readonly fingerprint: string | null
    readonly source: PinnedRoot["source"] | null
  }[]
  /** Logs with evidence that fails, whether or not a pin rests on them. */
  readonly refuted: readonly { readonly origin: string; readonly error: ToolsumError }[]
  readonly warnings: readonly string[]
  readonly exitCode: 0 | 1 | 2 | 3
}

/** Prove every pin of a lockfile offline. Throws NO_PINS when there is nothing to prove and nothing is refuted. */
export function verifyLockfile(input: VerifyLockfileInput): LockfileReport {
  const { lockfile } = input
  const logs = new Map(
    Object.entries(lockfile.logs).map(([origin, log]) => [
      origin,
      judgeLog({ origin, log, roots: input.roots, nowSec: input.nowSec }),
    ]),
  )
  const refuted = [...logs.values()].flatMap(({ origin, fault }) =>
    fault?.kind === "rejected" ? [{ origin, error: fault }] : [],
  )
  const pins = Object.entries(lockfile.servers)
  if (pins.length === 0)
    throw refuted[0]?.error ?? new ToolsumError("NO_PINS", "the lockfile has no pins: nothing to prove")
  const servers = pins.map(([name, pin]) => verdictOf(name, pin, requireLog(logs, pin), input))
  return {
    servers,
    roots: [...logs.values()].map((log) => ({
      log: log.origin,
      fingerprint: log.fingerprint,
      source: log.root?.source ?? null,
    })),
    refuted,
    warnings: [
      ...new Set([
        ...[...logs.values()].flatMap((log) => log.warnings),
        ...servers.flatMap((server) => server.warnings),
      ]),
    ],
    exitCode: refuted.length > 0 ? 3 : exitCodeOfVerdicts(servers.map((server) => server.verdict)),
  }
}

function requireLog(logs: ReadonlyMap<string, LogJudgement>, pin: Pin): LogJudgement {
  const log = logs.get(pin.log)
  if (!log) throw new ToolsumError("LOCKFILE_MALFORMED", `expected the log ${pin.log} among logs`)
  return log
}

function verdictOf(name: string, pin: Pin, log: LogJudgement, input: VerifyLockfileInput): ServerVerdict {
  const definitions = input.definitions === undefined ? undefined : ownMember(input.definitions, name)
  const judged = judgePin({ name, pin, log, definitions, underBase: input.underBase ?? false })
  const head = pin.head === null ? undefined : log.heads.get(pin.head)
  const { observed } = judged
  const { verdict, reason, detail } = conclude(judged)
  return {
    name,
    subject: observed?.subject ?? null,
    version: observed && observed.version !== "-" ? observed.version : null,
    verdict,
    reason,
    detail,
    compared: ["lock"],
    covered: observed ? coverageOf(observed.lines) : [],
    notCovered: observed ? SECTION_NAMES.filter((section) => observed.lines[section] === "-") : [],
    head: head
      ? { origin: log.origin, size: head.size, cosigners: head.cosigners, ageSec: computeHeadAge(head, input.nowSec) }
      : null,
    record: pin.index !== null && observed ? { index: pin.index, observedSec: observed.observed } : null,
    newest: null,
    pin: judged.pinDigest,
    items: countItems(pin),
    changes: [],
    warnings: judged.warnings,
  }
}

/** A pin may be called like a member that every object has. */
const ownMember = (files: Readonly<Record<string, Uint8Array | null>>, name: string): Uint8Array | null =>
  Object.hasOwn(files, name) ? (files[name] ?? null) : null

/** REJECTED, then CHANGED(unapproved), then UNKNOWN, then PROVEN. Formats 42. */
function conclude(judged: PinJudgement): { verdict: Verdict; reason: string | null; detail: string | null } {
  if (judged.rejected) return { verdict: "REJECTED", reason: judged.rejected.code, detail: judged.rejected.message }
  if (judged.unapproved) return { verdict: "CHANGED", reason: "unapproved", detail: "nobody has approved this pin yet" }
  if (judged.unknown) return { verdict: "UNKNOWN", reason: judged.unknown.reason, detail: judged.unknown.detail }
  return { verdict: "PROVEN", reason: null, detail: null }
}

function coverageOf(lines: SurfaceLines): ServerVerdict["covered"] {
  const names = [...SECTION_NAMES, "instructions", "server"] as const
  return names.filter((name) => lines[name] !== "-").map((section) => ({ section, fields: "all" as const }))
}

/** Pinned items of each list that has any. */
function countItems(pin: Pin): ServerVerdict["items"] {
  const counts = SECTION_NAMES.map((section) => [section, Object.keys(pin[section] ?? {}).length] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}
