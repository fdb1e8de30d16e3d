// What a lockfile proves, for somebody who believes neither it nor whoever approved it: every fact with what it rests on, how to come to the
// same, and what none of it shows. Pure; the proving is verifyLockfile's, under roots that were given from outside.
import { encodeUtf8, formatBase64, formatHex } from "../core/bytes.js"
import { attempt, ToolsumError } from "../core/errors.js"
import { type Digest, hashLeaf, sha256 } from "../core/hash.js"
import { parseKeyring } from "../core/keyring.js"
import type { ItemDigests, LockedLog, Lockfile, LogDialect, Pin } from "../core/lockfile.js"
import type { Policy } from "../core/policy.js"
import type { Observation } from "../core/record.js"
import type { PinnedRoot } from "../core/root.js"
import { SECTION_NAMES, type SectionName } from "../core/section.js"
import { computeHeadAge, type VerifiedHead } from "../core/tree-heads.js"
import type { ServerVerdict, Verdict } from "../core/verdict.js"
import type { LockfileReport } from "../core/verify-lockfile.js"
import { judgeLog } from "../core/verify-log.js"
import { legionRecordOf, observationOf } from "./pins.js"

/** One head of a log as the lockfile has it. */
export interface StatedHead {
  readonly size: bigint
  /** Base64. */
  readonly rootHash: string
  readonly cosigners: number
  /** POSIX seconds at which its witnesses had seen it; null: no outside time. */
  readonly outsideSec: bigint | null
}

/** One log. */
export interface StatedLog {
  readonly log: string
  readonly dialect: LogDialect
  readonly fingerprint: string | null
  readonly source: PinnedRoot["source"] | null
  /** Versions of its keyrings, oldest first. */
  readonly keyrings: readonly string[]
  /** Which cosignatures its newest keyring asks for; null: none. */
  readonly quorum: string | null
  readonly heads: readonly StatedHead[]
}

/** One pin. What is null is not there, or cannot be read. */
export interface StatedPin {
  readonly name: string
  readonly verdict: Verdict
  readonly reason: string | null
  readonly detail: string | null
  readonly subject: string | null
  readonly version: string | null
  readonly surface: Digest | null
  readonly pin: Digest | null
  readonly log: string
  readonly leaf: bigint | null
  /** Base64. */
  readonly leafHash: string | null
  /** Size of the head that it is proven in. */
  readonly head: bigint | null
  /** POSIX seconds, as the observer claims. */
  readonly observedSec: bigint | null
  readonly observer: string | null
  /** POSIX seconds at which witnesses had seen its head; null: no outside time. */
  readonly outsideSec: bigint | null
  readonly items: Readonly<Partial<Record<SectionName, ItemDigests>>>
  readonly approval: {
    readonly pin: Digest
    readonly at: string
    readonly claimedBy: string
    readonly reason: string | null
  } | null
}

/** All of it. */
export interface Statement {
  readonly toolVersion: string
  readonly madeAtSec: bigint
  readonly lockfile: { readonly file: string; readonly digest: Digest }
  readonly logs: readonly StatedLog[]
  readonly pins: readonly StatedPin[]
  readonly notShown: readonly string[]
}

/** What is stated. `bytes`: the lockfile as it lies there; `roots`: those from outside, and no others. */
export interface StatementInput {
  readonly file: string
  readonly bytes: Uint8Array
  readonly lockfile: Lockfile
  readonly report: LockfileReport
  readonly roots: readonly PinnedRoot[]
  readonly nowSec: bigint
  readonly toolVersion: string
}

/** What no lockfile shows, whatever is in it. */
export const NOT_SHOWN: readonly string[] = [
  "that the servers say now what is pinned: no server was asked; toolsum check does that",
  "that no later record is in a log: no log was asked; toolsum check --exhaustive does that",
  "that the log showed everybody the same: that takes witnesses, or toolsum log compare",
  "who approved: names and times in the lockfile are plain text; its history in git says who wrote them",
  "when a list was read: the observer's word; an outside time only says that a head was there by then",
  "what the servers' code does, what calls answer, and what lies behind the URLs in their texts",
]

/** State it. Total for a lockfile that parses. */
export function stateLockfile(input: StatementInput): Statement {
  const { file, bytes, lockfile, report, nowSec, toolVersion } = input
  const logs = Object.entries(lockfile.logs).map(([origin, log]) => judge(origin, log, input))
  return {
    toolVersion,
    madeAtSec: nowSec,
    lockfile: { file, digest: `sha256:${formatHex(sha256(bytes))}` },
    logs: logs.map(({ stated }) => stated),
    pins: report.servers.flatMap((server) => {
      const pin = lockfile.servers[server.name]
      const heads = logs.find(({ stated }) => stated.log === pin?.log)?.heads
      return pin === undefined ? [] : [statePin(server, pin, heads ?? new Map(), nowSec)]
    }),
    notShown: NOT_SHOWN,
  }
}

interface JudgedLog {
  readonly stated: StatedLog
  readonly heads: ReadonlyMap<string, VerifiedHead>
}

function judge(origin: string, log: LockedLog, { roots, nowSec }: StatementInput): JudgedLog {
  const { heads, root, fingerprint } = judgeLog({ origin, log, roots, nowSec })
  const keyrings = log.dialect === "legion" ? [] : log.keyring.map((note) => attempt(() => parseKeyring(note)))
  const read = keyrings.flatMap((keyring) => (keyring instanceof ToolsumError ? [] : [keyring]))
  const stated: StatedLog = {
    ...{ log: origin, dialect: log.dialect, fingerprint, source: root?.source ?? null },
    keyrings: read.map(({ version }) => String(version)),
    quorum: describeQuorum(read.at(-1)?.policy ?? null),
    heads: [...heads.values()].sort((a, b) => (a.size < b.size ? -1 : 1)).map((head) => stateHead(head, nowSec)),
  }
  return { stated, heads }
}

const stateHead = (head: VerifiedHead, nowSec: bigint): StatedHead => ({
  size: head.size,
  rootHash: formatBase64(head.rootHash),
  cosigners: head.cosigners,
  outsideSec: outsideTime(head, nowSec),
})

function outsideTime(head: VerifiedHead, nowSec: bigint): bigint | null {
  const age = computeHeadAge(head, nowSec)
  return age === null ? null : nowSec - BigInt(age)
}

/** `2 of ada, bob, eve`; null where no cosignature is asked for. */
function describeQuorum(policy: Policy | null): string | null {
  if (policy === null || policy.quorum === null) return null
  const group = policy.groups.get(policy.quorum)
  return group === undefined ? policy.quorum : `${group.threshold} of ${group.members.join(", ")}`
}

function statePin(
  server: ServerVerdict,
  pin: Pin,
  heads: ReadonlyMap<string, VerifiedHead>,
  nowSec: bigint,
): StatedPin {
  const { name, verdict, reason, detail, subject, version } = server
  const head = pin.head === null ? undefined : heads.get(pin.head)
  return {
    ...{ name, verdict, reason, detail, subject, version, pin: server.pin, log: pin.log },
    ...factsOf(pin),
    head: head?.size ?? server.head?.size ?? null,
    outsideSec: head === undefined ? null : outsideTime(head, nowSec),
    items: Object.fromEntries(SECTION_NAMES.flatMap((name) => (pin[name] ? [[name, pin[name]] as const] : []))),
    approval: pin.approved && {
      ...{ pin: pin.approved.pin, at: pin.approved.at },
      ...{ claimedBy: pin.approved.by, reason: pin.approved.reason },
    },
  }
}

type PinFacts = Pick<StatedPin, "surface" | "leaf" | "leafHash" | "observedSec" | "observer">

/** What the record of a pin says; nothing for one that cannot be read. */
function factsOf(pin: Pin): PinFacts {
  const nothing: PinFacts = { surface: null, leaf: pin.index, leafHash: null, observedSec: null, observer: null }
  const facts = attempt((): PinFacts => {
    const theirs = legionRecordOf(pin)
    if (theirs !== null) return { ...nothing, leaf: theirs.leafIndex, observedSec: theirs.observedSec }
    const { surface, observed, observer }: Observation = observationOf(pin)
    const leafHash = pin.record === null ? null : formatBase64(hashLeaf(encodeUtf8(pin.record)))
    return { ...nothing, surface, leafHash, observedSec: observed, observer }
  })
  return facts instanceof ToolsumError ? nothing : facts
}
