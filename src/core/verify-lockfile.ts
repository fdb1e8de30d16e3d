// Proves a lockfile with nothing but its own bytes and the roots that somebody trusts: the one entry point of offline verification.
// Pure: no clock, no files, no network. DESIGN 8 and 9; formats 28-45. What an answer means is in verdict.ts.
import { ToolsumError } from "./errors.js"
import { coverageOfLegion, findFork } from "./legion/judge-log.js"
import type { Lockfile, Pin } from "./lockfile.js"
import type { LockfileReport } from "./lockfile-report.js"
import type { Policy } from "./policy.js"
import type { PinnedRoot } from "./root.js"
import { SECTION_NAMES, type SurfaceLines } from "./section.js"
import { computeHeadAge } from "./tree-heads.js"
import { exitCodeOfVerdicts, type ServerVerdict, type Verdict } from "./verdict.js"
import { judgeLog, type LogJudgement } from "./verify-log.js"
import { judgePin, type PinJudgement } from "./verify-pin.js"

export type { LockfileReport } from "./lockfile-report.js"

/** What to verify and under which trust. */
export interface VerifyLockfileInput {
  readonly lockfile: Lockfile
  /** Roots from outside the tree under test. None for a log: its pins are UNKNOWN(root_not_pinned). */
  readonly roots: readonly PinnedRoot[]
  /** Definitions files by pin name, null where missing; leave out to skip the check. */
  readonly definitions?: Readonly<Record<string, Uint8Array | null>>
  /** True when a missing definitions file is a failure (`--base`). */
  readonly underBase?: boolean
  /** Pins of which it may be missing nevertheless. */
  readonly mayLackDefinitions?: ReadonlySet<string>
  /** POSIX seconds, for the keyring's expiry warning only. */
  readonly nowSec: bigint
  /** A quorum of cosignatures that every head must have, beyond its keyring's. */
  readonly witnessPolicy?: Policy | null
}

/** Prove every pin of a lockfile offline. Throws NO_PINS when there is nothing to prove and nothing is refuted. */
export function verifyLockfile(input: VerifyLockfileInput): LockfileReport {
  const { lockfile, roots, nowSec, witnessPolicy = null } = input
  const logs = new Map(
    Object.entries(lockfile.logs).map(([origin, log]) => [
      origin,
      judgeLog({ origin, log, roots, nowSec, witnessPolicy }),
    ]),
  )
  const pins = Object.entries(lockfile.servers).map(([name, pin]) => judge(name, pin, requireLog(logs, pin), input))
  const forks = findForks(pins, lockfile)
  const refuted = [...logs.values()].flatMap(({ origin, fault }) => {
    const error = fault?.kind === "rejected" ? fault : forks.get(origin)
    return error ? [{ origin, error }] : []
  })
  if (pins.length === 0)
    throw refuted[0]?.error ?? new ToolsumError("NO_PINS", "the lockfile has no pins: nothing to prove")
  const servers = pins.map((one) => verdictOf(one, forks.get(one.log.origin) ?? null, input))
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

interface JudgedPin {
  readonly name: string
  readonly pin: Pin
  readonly log: LogJudgement
  readonly judged: PinJudgement
}

function judge(name: string, pin: Pin, log: LogJudgement, input: VerifyLockfileInput): JudgedPin {
  const definitions = input.definitions === undefined ? undefined : ownMember(input.definitions, name)
  const underBase = input.underBase === true && input.mayLackDefinitions?.has(name) !== true
  return { name, pin, log, judged: judgePin({ name, pin, log, definitions, underBase }) }
}

/** Logs of dialect legion have their heads in the pins, so that two of them show a fork only together. */
function findForks(pins: readonly JudgedPin[], { logs }: Lockfile): ReadonlyMap<string, ToolsumError> {
  const forks = new Map<string, ToolsumError>()
  for (const origin of new Set(pins.flatMap(({ log, judged }) => (judged.legion ? [log.origin] : [])))) {
    const outcomes = pins.flatMap(({ log, judged }) => (log.origin === origin ? [judged.legion] : []))
    const fork = findFork(outcomes, logs[origin]?.keyring[0] ?? null)
    if (fork) forks.set(origin, fork)
  }
  return forks
}

function verdictOf(one: JudgedPin, fork: ToolsumError | null, input: VerifyLockfileInput): ServerVerdict {
  const { name, pin, log, judged } = one
  const { observed } = judged
  const { verdict, reason, detail } = conclude(fork ? { ...judged, rejected: fork } : judged)
  return {
    name,
    subject: observed?.subject ?? judged.legion?.record.serverId ?? null,
    version: observed && observed.version !== "-" ? observed.version : null,
    verdict,
    reason,
    detail,
    compared: ["lock"],
    ...(pin.evidence === undefined
      ? coverageOfRecord(one, input.nowSec)
      : coverageOfLegion(judged.legion, { origin: log.origin, nowSec: input.nowSec })),
    newest: null,
    pin: judged.pinDigest,
    changes: [],
    warnings: judged.warnings,
  }
}

function coverageOfRecord(
  { pin, log, judged: { observed } }: JudgedPin,
  nowSec: bigint,
): Pick<ServerVerdict, "covered" | "notCovered" | "head" | "record" | "items"> {
  const head = pin.head === null ? undefined : log.heads.get(pin.head)
  return {
    covered: observed ? coverageOf(observed.lines) : [],
    notCovered: observed ? SECTION_NAMES.filter((section) => observed.lines[section] === "-") : [],
    head: head
      ? { origin: log.origin, size: head.size, cosigners: head.cosigners, ageSec: computeHeadAge(head, nowSec) }
      : null,
    record: pin.index !== null && observed ? { index: pin.index, observedSec: observed.observed } : null,
    items: countItems(pin),
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
