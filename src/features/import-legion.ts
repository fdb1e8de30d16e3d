// `import`: pins of a LEGION lockfile as pins of ours. Each was proven before; theirs stays as it is. Offline, starts nothing.
import { type ErrorCode, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import { verifyLegionKeyring } from "../core/legion/keyring.js"
import type { LegionLockfile } from "../core/legion/lockfile.js"
import { verifyLegionPin } from "../core/legion/verify-pin.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import type { LockfileReport } from "../core/lockfile-report.js"
import type { PinnedRoot } from "../core/root.js"
import type { LockfileStore } from "../ports.js"
import { approvalOf } from "./approve.js"
import { buildLegionPin, findLegionPin, type LegionLogPlace, nameLegionPin, placeLegionPins } from "./legion-pins.js"
import { type Actor, pinDigestOf } from "./pins.js"

/** What to import. */
export interface ImportInput {
  readonly theirs: LegionLockfile
  /** What their lockfile proves. */
  readonly offline: LockfileReport
  readonly roots: readonly PinnedRoot[]
  readonly lockfile: LockfileStore
  readonly actor: Actor
  /** How their lockfile is called, for the reason of an approval. */
  readonly file: string
  readonly dryRun: boolean
}

/** What became of one of their pins. `kept`: ours has a later record of that server. */
export interface ImportedPin {
  readonly name: string
  readonly serverId: string
  readonly leafIndex: bigint
  readonly digest: Digest
  readonly change: "added" | "updated" | "unchanged" | "kept"
}

/** All of them, and those that have nothing to prove. */
export interface Imported {
  readonly pins: readonly ImportedPin[]
  readonly skipped: readonly { readonly serverId: string; readonly reason: string; readonly detail: string }[]
  readonly written: boolean
}

/** Name of the pin that has of a server what a LEGION record does not cover. */
export const liveNameOf = (name: string): string => `${name.slice(0, MAX_LIVE_NAME_CHARS)}-live`
const MAX_LIVE_NAME_CHARS = 59 // a pin name has 64

/** Import all pins that are proven. Throws what refutes any of them, ROOT_NOT_PINNED, and as `placeLegionPins`; then nothing is written. */
export async function importLegion(input: ImportInput): Promise<Imported> {
  const { theirs, offline, lockfile, dryRun } = input
  refuseUnproven(offline)
  const taken = offline.servers.filter(({ verdict }) => verdict === "PROVEN")
  const skipped = offline.servers
    .filter(({ verdict }) => verdict !== "PROVEN")
    .map(({ name, reason, detail }) => ({ serverId: name, reason: reason ?? "", detail: detail ?? "" }))
  if (taken.length === 0) return { pins: [], skipped, written: false }
  const log = { origin: theirs.origin, url: urlOf(theirs), keyring: theirs.keyring ?? "" }
  let pins: readonly ImportedPin[] = []
  const change = (current: Lockfile | null) => {
    const made = makePins(
      current,
      taken.map(({ name }) => name),
      { ...input, log },
    )
    pins = made.map(({ imported }) => imported)
    const changed = made.flatMap(({ imported: { name }, pin }) => (pin === null ? [] : [{ name, pin }]))
    return { lockfile: placeLegionPins(current, changed, { log, roots: input.roots }) }
  }
  if (!dryRun) return { written: await lockfile.update(change), pins, skipped }
  change(await lockfile.read())
  return { written: false, pins, skipped }
}

/** Evidence that fails, or a log that nobody vouches for, is not taken over in part. */
function refuseUnproven({ servers, refuted }: LockfileReport): void {
  const [log] = refuted
  if (log) throw log.error
  const rejected = servers.find(({ verdict }) => verdict === "REJECTED")
  if (rejected) throw new ToolsumError(rejected.reason as ErrorCode, `${rejected.name}: ${rejected.detail}`) // a code, with REJECTED
  const unpinned = servers.find(({ reason }) => reason === "root_not_pinned")
  if (unpinned) throw new ToolsumError("ROOT_NOT_PINNED", unpinned.detail ?? "no root is pinned for this log")
}

const urlOf = ({ base }: LegionLockfile): string | null => (/^https:\/\/[!-~]+$/.test(base) ? base : null)

interface MadePin {
  readonly imported: ImportedPin
  /** Null where ours stays as it is. */
  readonly pin: Pin | null
}

function makePins(
  current: Lockfile | null,
  ids: readonly string[],
  p: ImportInput & { log: LegionLogPlace },
): readonly MadePin[] {
  const { log, theirs } = p
  const keyring = verifyLegionKeyring({ text: log.keyring })
  const taken = new Set([...Object.keys(current?.servers ?? {})])
  return ids.flatMap((serverId) => {
    const pin = theirs.servers.get(serverId)
    if (!pin?.evidence) return []
    const proven = verifyLegionPin({ serverId, pin, keyring })
    const before = findLegionPin(current, { origin: log.origin, serverId })
    const name = before?.name ?? nameLegionPin(serverId, taken)
    taken.add(name)
    const request = {
      ...{ name, proven, evidence: pin.evidence },
      target: before?.pin.target ?? null,
      from: before?.pin.from ?? [],
      approve: (digest: Digest) => approvalOf(digest, before?.pin ?? null, actorOf(p)),
    }
    const made = buildLegionPin(request, log.origin)
    const change = changeOf(before, { ...made, leafIndex: proven.record.leafIndex })
    const isKept = change === "unchanged" || change === "kept"
    const digest = isKept && before ? pinDigestOf(before.pin) : made.digest
    const leafIndex = isKept && before ? before.record.leafIndex : proven.record.leafIndex
    return [{ imported: { name, serverId, leafIndex, digest, change }, pin: isKept ? null : made.pin }]
  })
}

const actorOf = ({ actor, file }: ImportInput): Actor => ({
  ...actor,
  reason: actor.reason ?? `approved in ${file}`,
})

/** A record that ours has already is not written again, whatever head it is under. */
function changeOf(
  before: ReturnType<typeof findLegionPin>,
  next: { readonly pin: Pin; readonly digest: Digest; readonly leafIndex: bigint },
): ImportedPin["change"] {
  if (before === null) return "added"
  if (before.record.leafIndex > next.leafIndex) return "kept"
  const isSame = before.record.leafIndex === next.leafIndex && before.pin.approved?.pin === next.digest
  return isSame ? "unchanged" : "updated"
}
