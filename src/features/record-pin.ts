// From what was observed to a proven pin: append to the log, read it back as anybody else would, and only then write the lockfile.
// `add` approves what it pins as a first baseline; `update` leaves the new pin unapproved.
import type { LogClient } from "../client/open-log.js"
import { proveConsistency } from "../client/prove.js"
import { createVerifiedTree } from "../client/tiles.js"
import { headKey } from "../core/checkpoint.js"
import { formatDefinitions } from "../core/definitions.js"
import { ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { Approval, ItemDigests, Lockfile, Pin, PinOrigin } from "../core/lockfile.js"
import type { Mask } from "../core/mask.js"
import { computePinDigest } from "../core/pin.js"
import { formatObservation } from "../core/record.js"
import type { SectionName } from "../core/section.js"
import type { Target } from "../core/target.js"
import { verifyLockfile } from "../core/verify-lockfile.js"
import type { LockfileStore } from "../ports.js"
import type { LogWriter, Recorded } from "../writer/log.js"
import { addHead, headOf, linkHeads, type ProveConsistency } from "./link-heads.js"
import type { Observed } from "./observe.js"
import { EMPTY_LOCKFILE, findPin, withPin } from "./pins.js"

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
  /** True when a definitions file is written too. */
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
  /** False when the lockfile is byte for byte what it was. */
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

/** Record what was observed and pin it; without the log's key the pin waits for `lock complete`. */
export async function recordAndPin(store: LockfileStore, request: PinRequest, log: TargetLog): Promise<Pinned> {
  if (log.kind === "elsewhere") return writeUnloggedPin(store, request, log.origin)
  const writer = await log.open()
  try {
    const recorded = await recordObservation(writer, request.observed)
    return await writePin(store, request, { recorded, client: await log.read(), url: null })
  } finally {
    await writer.close()
  }
}

/** Append one observation and answer with its record, proven. Throws as `LogWriter.append`. */
async function recordObservation(log: LogWriter, observed: Observed): Promise<Recorded> {
  const [recorded] = await log.append([{ observation: observed.observation, objects: observed.surface.archive }])
  if (recorded === undefined) throw new ToolsumError("LOG_CLOSED", "the log answered nothing")
  return recorded
}

/** Write the pin of a recorded observation. `client`: the same log, opened for reading after the append. */
async function writePin(
  store: LockfileStore,
  request: PinRequest,
  log: { readonly recorded: Recorded; readonly client: LogClient; readonly url: string | null },
): Promise<Pinned> {
  const { recorded, client, url } = log
  const { origin, keyringNotes: keyring } = client
  const digest = digestOf(request, origin)
  const logged = {
    record: recorded.record,
    index: recorded.index,
    head: headKey(headOf(recorded.checkpoint)),
    proof: recorded.proof,
    observation: null,
  }
  let pin: Pin | null = null
  const written = await store.update(async (current) => {
    const before = findPin(current, request.name)
    pin = keepIfSame(before, buildPin(request, origin, digest, before, logged), logged.record)
    if (pin === before && current !== null) return current
    const next = addHead(withPin(current ?? EMPTY_LOCKFILE, request.name, pin), {
      origin,
      url,
      keyring,
      checkpoint: recorded.checkpoint,
    })
    const linked = await linkHeads(next, origin, proverOf(client))
    requireProven(linked, [request.name], client)
    return linked
  })
  if (request.definitions)
    await store.writeDefinitions(request.name, formatDefinitions(request.observed.reading.surface, request.sections))
  return {
    digest,
    pin: pin ?? buildPin(request, origin, digest, null, logged),
    index: recorded.index,
    appended: !recorded.duplicate,
    written,
  }
}

/** Write the pin of an observation that no log has taken: UNKNOWN(not_logged) until `lock complete`. The log must be in the lockfile. */
async function writeUnloggedPin(store: LockfileStore, request: PinRequest, origin: string): Promise<Pinned> {
  const digest = digestOf(request, origin)
  const observation = formatObservation(request.observed.observation)
  const unlogged = { record: null, index: null, head: null, proof: null, observation }
  let pin: Pin | null = null
  const written = await store.update((current) => {
    if (current?.logs[origin] === undefined)
      throw new ToolsumError("LOG_UNAVAILABLE", `expected the lockfile to know the log ${origin}`)
    pin = buildPin(request, origin, digest, findPin(current, request.name), unlogged)
    return withPin(current, request.name, pin)
  })
  if (request.definitions)
    await store.writeDefinitions(request.name, formatDefinitions(request.observed.reading.surface, request.sections))
  return {
    digest,
    pin: pin ?? buildPin(request, origin, digest, null, unlogged),
    index: null,
    appended: false,
    written,
  }
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

/** The pin that was there, when it has the same record, target and approval: a fresh proof alone is no change. */
function keepIfSame(before: Pin | null, next: Pin, record: string): Pin {
  if (before === null || before.record !== record || before.approved?.pin !== next.approved?.pin) return next
  return JSON.stringify([before.target, before.from, before.masks]) ===
    JSON.stringify([next.target, next.from, next.masks])
    ? before
    : next
}

/** Never leave a lockfile behind in which these pins would not verify here and now. Throws RECORD_INVALID. */
export function requireProven(lockfile: Lockfile, names: readonly string[], client: LogClient): void {
  const { servers } = verifyLockfile({ lockfile, roots: [client.root], nowSec: 0n })
  for (const name of names) {
    const server = servers.find((one) => one.name === name)
    if (server?.verdict === "PROVEN" || server?.reason === "unapproved") continue
    throw new ToolsumError("RECORD_INVALID", `the new pin does not verify: ${server?.detail ?? "no verdict"}`)
  }
}
