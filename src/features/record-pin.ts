// From what was observed to a proven pin: append to the log, read it back as anybody else would, and only then write the lockfile.
// `add` approves what it pins as a first baseline; `update` leaves the new pin unapproved.
import type { LogClient } from "../client/open-log.js"
import { proveConsistency } from "../client/prove.js"
import { createVerifiedTree } from "../client/tiles.js"
import { encodeUtf8 } from "../core/bytes.js"
import { headKey } from "../core/checkpoint.js"
import { formatDefinitions } from "../core/definitions.js"
import { ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { Approval, ItemDigests, LockedLog, Lockfile, Pin, PinOrigin } from "../core/lockfile.js"
import type { Mask } from "../core/mask.js"
import { computePinDigest } from "../core/pin.js"
import { formatObservation, type Observation, streamKey } from "../core/record.js"
import type { SectionName } from "../core/section.js"
import type { Target } from "../core/target.js"
import { verifyLockfile } from "../core/verify-lockfile.js"
import type { LockfileStore } from "../ports.js"
import type { LogWriter, Recorded } from "../writer/log.js"
import { addHead, headOf, isUnlinked, linkHeads, type ProveConsistency } from "./link-heads.js"
import { archivedTexts, type Observed } from "./observe.js"
import { EMPTY_LOCKFILE, findPin, observationOf, pinDigestOf, withPin } from "./pins.js"

/** What is pinned, under which name, and by whose approval. */
export interface PinRequest {
  readonly name: string
  readonly target: Target
  readonly from: readonly PinOrigin[]
  readonly masks: readonly Mask[]
  readonly sections: readonly SectionName[]
  readonly observed: Observed
  /** The approval of the new pin digest, from the pin that was there before. */
  readonly approve: (digest: Digest, before: Pin | null) => Approval | null
  /** True when a definitions file is written too; else one of another surface is removed. */
  readonly definitions: boolean
}

/** A pin that is in the lockfile now. */
export interface Pinned {
  readonly digest: Digest
  readonly pin: Pin
  /** Index of its record; null when no log has taken it yet. */
  readonly index: bigint | null
  /** False when the newest record of its stream said the same already. */
  readonly appended: boolean
  /** False when the lockfile, and its definitions, are byte for byte what they were. */
  readonly written: boolean
}

/** A log that can be appended to and read back, or only the origin of one whose key is elsewhere. */
export type TargetLog =
  | {
      readonly kind: "own"
      readonly origin: string
      readonly open: () => Promise<LogWriter>
      readonly read: () => Promise<LogClient>
    }
  | { readonly kind: "elsewhere"; readonly origin: string }

/** Record what was observed and pin it; without the log's key the pin waits for `lock complete`. Throws USAGE for a local subject in a log
 *  that others can read. */
export async function recordAndPin(store: LockfileStore, request: PinRequest, log: TargetLog): Promise<Pinned> {
  await store.requireWritable([request.name])
  if (log.kind === "elsewhere") return writeUnloggedPin(store, request, log.origin)
  const refusal = findLocalRefusal(request.observed.observation, (await store.read())?.logs[log.origin])
  if (refusal !== null) throw refusal
  const writer = await log.open()
  try {
    const recorded = await recordObservation(writer, request.observed)
    return await writeLoggedPin(store, request, { recorded, client: await log.read() })
  } finally {
    await writer.close()
  }
}

/** Why a record must not go into this log: its subject is a name that one account gave, and others can read the log (DESIGN 5). */
export const findLocalRefusal = (
  { subject }: Pick<Observation, "subject">,
  log: Pick<LockedLog, "url"> | undefined,
): ToolsumError | null =>
  subject.startsWith("local:") && (log?.url ?? null) !== null
    ? new ToolsumError("USAGE", `its subject ${subject} is local, and others can read its log`)
    : null

/** Append one observation and answer with its record, proven. Throws as `LogWriter.append`. */
async function recordObservation(log: LogWriter, observed: Observed): Promise<Recorded> {
  const [recorded] = await log.append([{ observation: observed.observation, objects: archivedTexts(observed) }])
  if (recorded === undefined) throw new ToolsumError("LOG_CLOSED", "the log answered nothing")
  return recorded
}

interface RecordedIn {
  readonly recorded: Recorded
  /** The same log, opened for reading after the append. */
  readonly client: LogClient
}

/** Write the pin of a recorded observation. */
async function writeLoggedPin(store: LockfileStore, request: PinRequest, log: RecordedIn): Promise<Pinned> {
  const { recorded, client } = log
  const evidence = {
    record: recorded.record,
    index: recorded.index,
    head: headKey(headOf(recorded.checkpoint)),
    proof: recorded.proof,
    observation: null,
  }
  const place = async (current: Lockfile | null, before: Pin | null, next: Pin): Promise<Placed> => {
    // A fresh proof alone is no change.
    const isKept = current !== null && before?.record === recorded.record && saysTheSame(before, next)
    return isKept
      ? { pin: before, lockfile: await linkAgain(current, request.name, client) }
      : { pin: next, lockfile: await placeLogged(current ?? EMPTY_LOCKFILE, request.name, next, log) }
  }
  const pinned = await writePin(store, { request, origin: client.origin, evidence, place })
  return { ...pinned, appended: !recorded.duplicate }
}

/** The lockfile with a pin and the head that it is proven under. */
async function placeLogged(
  lockfile: Lockfile,
  name: string,
  pin: Pin,
  { recorded, client }: RecordedIn,
): Promise<Lockfile> {
  const { origin, keyringNotes: keyring } = client
  const next = addHead(withPin(lockfile, name, pin), { origin, url: null, keyring, checkpoint: recorded.checkpoint })
  const linked = await linkHeads(next, origin, proverOf(client))
  requireProven(linked, [name], client)
  return linked
}

/** The lockfile with the links that its heads lack, as after a merge; the same lockfile when they lack none. */
async function linkAgain(lockfile: Lockfile, name: string, client: LogClient): Promise<Lockfile> {
  if (!isUnlinked(lockfile, client.origin)) return lockfile
  const linked = await linkHeads(lockfile, client.origin, proverOf(client))
  requireProven(linked, [name], client)
  return linked
}

/** Write the pin of an observation that no log has taken: UNKNOWN(not_logged) until `lock complete`. The log must be in the lockfile.
 *  A pin that says the same stays, with the proof that it may have. */
function writeUnloggedPin(store: LockfileStore, request: PinRequest, origin: string): Promise<Pinned> {
  const observation = formatObservation(request.observed.observation)
  const evidence = { record: null, index: null, head: null, proof: null, observation }
  const place = async (current: Lockfile | null, before: Pin | null, next: Pin): Promise<Placed> => {
    if (current?.logs[origin] === undefined)
      throw new ToolsumError("LOG_UNAVAILABLE", `expected the lockfile to know the log ${origin}`)
    return before !== null && saysTheSame(before, next)
      ? { pin: before, lockfile: current }
      : { pin: next, lockfile: withPin(current, request.name, next) }
  }
  return writePin(store, { request, origin, evidence, place })
}

interface Placed {
  readonly pin: Pin
  readonly lockfile: Lockfile
}

/** Write a pin with its definitions. `place`: the lockfile with `next`, or with the pin that was there `before` when that stays. */
async function writePin(
  store: LockfileStore,
  p: {
    readonly request: PinRequest
    readonly origin: string
    readonly evidence: Evidence
    readonly place: (current: Lockfile | null, before: Pin | null, next: Pin) => Promise<Placed>
  },
): Promise<Pinned> {
  const { request, origin, evidence } = p
  const digest = digestOf(request, origin)
  const build = (before: Pin | null) => buildPin(request, origin, digest, before, evidence)
  let pin: Pin | null = null
  const written = await store.update(async (current) => {
    const before = findPin(current, request.name)
    const placed = await p.place(current, before, build(before))
    pin = placed.pin
    return { lockfile: placed.lockfile, definitions: definitionsOf(request, before) }
  })
  const placed = pin ?? build(null)
  return { digest, pin: placed, index: placed.index, appended: false, written }
}

/** The definitions that go with the pin. When none are to be written, those of another surface go. */
function definitionsOf({ name, observed, sections, definitions }: PinRequest, before: Pin | null) {
  if (definitions) return { [name]: encodeUtf8(formatDefinitions(observed.reading.surface, sections)) }
  const [was, is] = [before && observationOf(before), observed.observation]
  return was?.surface === is.surface && was.mask === is.mask ? {} : { [name]: null }
}

/** Proves from the log that `client` reads: from the tree of its head, or of another head of that log. */
export const proverOf =
  (client: LogClient): ProveConsistency =>
  async (older, newer) => {
    const tree = newer.size === client.head.size ? client.tree : createVerifiedTree(client.source, newer)
    return (await proveConsistency(tree, older)).proof
  }

const digestOf = ({ observed, target }: PinRequest, log: string): Digest =>
  computePinDigest({ ...observed.observation, log, target })

type Evidence = Pick<Pin, "record" | "index" | "head" | "proof" | "observation">

function buildPin(request: PinRequest, log: string, digest: Digest, before: Pin | null, evidence: Evidence): Pin {
  const { observed, target, from, masks } = request
  const digests = (section: SectionName): ItemDigests =>
    Object.fromEntries(
      (observed.surface.sections[section]?.items ?? []).map(({ key, digest: item }) => [key ?? "", item]),
    )
  const recorded = (section: SectionName) => /^[0-9]/.test(observed.observation.lines[section])
  return {
    from,
    target,
    log,
    ...evidence,
    tools: digests("tools"),
    prompts: digests("prompts"),
    templates: digests("templates"),
    ...(recorded("resources") ? { resources: digests("resources") } : {}),
    masks,
    read: observed.reading.read,
    approved: request.approve(digest, before),
  }
}

/** Whether two pins pin the same: stream, surface, launch line, origin in files, and approval. When and on what it was observed, and what
 *  proves it, may differ. */
function saysTheSame(before: Pin, next: Pin): boolean {
  return (
    pinDigestOf(before) === pinDigestOf(next) &&
    streamKey(observationOf(before)) === streamKey(observationOf(next)) &&
    before.approved?.pin === next.approved?.pin &&
    JSON.stringify(before.from) === JSON.stringify(next.from)
  )
}

/** What a head in the lockfile lacks under the log's newest keyring, by the reason of the refusal. Under the lockfile's own it was in order. */
const OUTDATED: ReadonlyMap<string, string> = new Map([
  ["SIGNATURE_INVALID", "was signed by a key that the log's newest keyring has no more"],
  ["QUORUM_NOT_MET", "lacks the cosignatures that the log's newest keyring asks for"],
])

/** Never leave a lockfile behind in which these pins would not verify here and now. Throws RECORD_INVALID, and HEAD_UNPROVEN where older heads
 *  must be renewed first. */
export function requireProven(lockfile: Lockfile, names: readonly string[], client: LogClient): void {
  const { servers } = verifyLockfile({
    lockfile,
    roots: [client.root],
    nowSec: 0n,
    witnessPolicy: client.witnessPolicy,
  })
  for (const name of names) {
    const server = servers.find((one) => one.name === name)
    if (server?.verdict === "PROVEN" || server?.reason === "unapproved") continue
    const lack = OUTDATED.get(server?.reason ?? "")
    if (lack !== undefined)
      throw new ToolsumError("HEAD_UNPROVEN", `a head in the lockfile ${lack}: renew it with toolsum update --proofs`)
    throw new ToolsumError("RECORD_INVALID", `the new pin does not verify: ${server?.detail ?? "no verdict"}`)
  }
}
