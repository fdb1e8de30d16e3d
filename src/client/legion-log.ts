// Opens a LEGION log and asks it: keyring under a pinned root, every head held to everything seen before, every record proven (DESIGN 8).
// What comes out of here is proven; which questions make an answer is the features'.
import { decodeUtf8 } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Hash } from "../core/hash.js"
import type { JsonObject } from "../core/json.js"
import {
  joinBundle,
  parseHeadAnswer,
  parseHistoryAnswer,
  parseInclusionAnswer,
  parseLookupAnswer,
} from "../core/legion/answers.js"
import { type ProvenDefinitions, parseArchive, verifyArchive } from "../core/legion/archive.js"
import { type LegionBundle, parseBundle } from "../core/legion/bundle.js"
import { type ProvenRecord, provenRecord } from "../core/legion/check.js"
import { readCount } from "../core/legion/json.js"
import { type LegionKeyring, requireKeyringExtends, verifyLegionKeyring } from "../core/legion/keyring.js"
import type { LegionFingerprint } from "../core/legion/record.js"
import { type VerifiedTreeHead, verifyTreeHead } from "../core/legion/tree-head.js"
import { type ProvenEntry, verifyBundle } from "../core/legion/verify-bundle.js"
import { matchRoot, type PinnedRoot } from "../core/root.js"
import type { Clock, LegionLog, State } from "../ports.js"
import { trackLegionLog } from "./legion-track.js"

/** What opening a log takes. */
export interface OpenLegionLogOptions {
  readonly source: LegionLog
  /** Name of the log, which its answers do not say. */
  readonly origin: string
  /** Roots from outside the log and the project under test. */
  readonly roots: readonly PinnedRoot[]
  /** The root that a lockfile has for it: a log that starts from another one is another log. */
  readonly expectedRoot?: string
  readonly state: State
  readonly clock: Clock
}

/** A record with its proof, as the log served it and as it was proven. */
export interface ServedBundle extends ProvenRecord {
  readonly bundle: LegionBundle
}

/** A log whose keyring stands under a pinned root. Methods throw LOG_UNAVAILABLE, RESOURCE_MISSING for what the log says it does not have,
 *  what parsing and proving an answer throws, and for each new head as `LegionTracker.hold`. */
export interface LegionClient {
  readonly origin: string
  readonly source: LegionLog
  readonly root: PinnedRoot
  readonly keyring: LegionKeyring
  /** As served. */
  readonly keyringText: string
  /** `state_unavailable`. */
  readonly warnings: ReadonlySet<string>
  /** The newest head, held to everything that was seen of the log. Throws RESOURCE_MISSING without one, and as `LegionTracker.hold`. */
  newestHead(): Promise<VerifiedTreeHead>
  /** The newest record of a server; null where the log has none. */
  latest(serverId: string): Promise<ServedBundle | null>
  /** The record at `leafIndex` (null: the newest of the server), which must be about that server, under the head of `treeSize` (null: the
   *  newest). What the log has as newest is remembered all the same. */
  recordAt(p: { serverId: string; leafIndex: bigint | null; treeSize: bigint | null }): Promise<ServedBundle>
  /** A keyring from elsewhere, such as a lockfile's, that this log served: the one it serves now must extend it. Throws as
   *  `requireKeyringExtends`. */
  expectKeyring(stored: LegionKeyring): void
  /** A head from elsewhere, such as a pin's, that the log's newest must extend, see `LegionTracker.expect`. */
  expect(head: VerifiedTreeHead): void
  /** The consistency proof between two sizes; empty unless the second is larger. */
  growth(from: bigint, to: bigint): Promise<readonly Hash[]>
  /** Prove an entry of a server that came without proof under a proven head; null where the log gives none. */
  proveEntry(p: { record: JsonObject; serverId: string; head: VerifiedTreeHead }): Promise<ProvenEntry | null>
  /** Definitions behind a fingerprint; null where they are not archived, or do not come: they add words and prove nothing. Throws HASH_MISMATCH for others. */
  definitions(signed: LegionFingerprint): Promise<ProvenDefinitions | null>
  /** Ids of servers that are said to have had a list: a hint. */
  lookup(sha256: string): Promise<readonly string[]>
  /** Entries that are said to be of a server, in any order, not even read: a hint. */
  history(serverId: string): Promise<readonly JsonObject[]>
}

/** Open a log. Throws LOG_UNAVAILABLE, RESOURCE_MISSING without a keyring, ROOT_NOT_PINNED, ROOT_MISMATCH, and as `verifyLegionKeyring` and
 *  `trackLegionLog`. */
export async function openLegionLog(options: OpenLegionLogOptions): Promise<LegionClient> {
  const { source, origin, roots, state, clock } = options
  const keyringText = decodeUtf8(
    need(await source.keyring(), source, "keyring"),
    (why) => new ToolsumError("KEYRING_MALFORMED", why),
  )
  const { expectedRoot } = options
  const keyring = verifyLegionKeyring({
    text: keyringText,
    ...(expectedRoot === undefined ? {} : { rootPin: expectedRoot }),
  })
  const root = matchRoot({ origin, fingerprint: keyring.rootPin, requireFloor: () => {} }, roots)
  const log = { origin, root: keyring.rootPin }
  const tracker = await trackLegionLog({ source, log, keyring, keyringText, state, clock })
  const prove = (bundle: LegionBundle, serverId: string): ServedBundle => ({
    ...provenRecord(verifyBundle({ bundle, keyring, serverId })),
    bundle,
  })
  const latest = async (serverId: string) => {
    const answer = await source.latest(serverId)
    if (answer === null) return null
    const served = prove(parseBundle(answer), serverId)
    await tracker.hold(served.head)
    return served
  }
  return {
    ...{ origin, source, root, keyring, keyringText, latest },
    warnings: tracker.warnings,
    newestHead: async () => {
      const head = verifyTreeHead(keyring, parseHeadAnswer(need(await source.head(null), source, "head")))
      await tracker.hold(head)
      return head
    },
    expectKeyring: (stored) => requireKeyringExtends({ stored, served: keyring }),
    expect: (head) => tracker.expect(head),
    growth: async (from, to) => (from >= to ? [] : tracker.fetchProof(from, to)),
    recordAt: async ({ serverId, leafIndex, treeSize }) => {
      const newest = await latest(serverId)
      if (newest === null) throw noRecord(origin, serverId)
      const bundle = await fetchBundle(source, { leafIndex: leafIndex ?? newest.record.leafIndex, treeSize })
      const served = prove(bundle, serverId)
      await (treeSize === null ? tracker.hold(served.head) : tracker.tie(served.head))
      return served
    },
    proveEntry: async ({ record, serverId, head }) => {
      const leafIndex = readCount(record.leaf_index)
      const isThere = leafIndex !== null && leafIndex < head.size
      const answer = isThere ? await source.inclusion({ leafIndex, treeSize: head.size }) : null
      if (answer === null) return null
      return verifyBundle({ bundle: { record, inclusion: parseInclusionAnswer(answer), head }, keyring, serverId })
    },
    definitions: async (signed) => {
      const answer = await fetchArchive(source, signed)
      return answer && verifyArchive({ tools: parseArchive(answer), signed })
    },
    lookup: async (sha256) => {
      const answer = await source.lookup(sha256)
      return answer === null ? [] : parseLookupAnswer(answer)
    },
    history: async (serverId) => {
      const answer = await source.history(serverId)
      return answer === null ? [] : parseHistoryAnswer(answer)
    },
  }
}

/** The error for a server that a log has no record of. */
export const noRecord = (origin: string, serverId: string): ToolsumError =>
  new ToolsumError("RESOURCE_MISSING", `the log ${quote(origin)} has no record of ${quote(serverId)}`)

function need(answer: Uint8Array | null, { location }: LegionLog, what: string): Uint8Array {
  if (answer !== null) return answer
  throw new ToolsumError("RESOURCE_MISSING", `the log at ${quote(location, 200)} has no ${what}`)
}

async function fetchArchive(source: LegionLog, { sha256 }: LegionFingerprint): Promise<Uint8Array | null> {
  try {
    return await source.tools(sha256)
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "LOG_UNAVAILABLE") return null
    throw error
  }
}

/** A record, a head and the proof between them, asked for one by one. */
async function fetchBundle(
  source: LegionLog,
  { leafIndex, treeSize }: { leafIndex: bigint; treeSize: bigint | null },
): Promise<LegionBundle> {
  const record = need(await source.record(leafIndex), source, `record ${leafIndex}`)
  const head = need(await source.head(treeSize), source, treeSize === null ? "head" : `head of size ${treeSize}`)
  const { size } = parseHeadAnswer(head)
  if (treeSize !== null && size !== treeSize)
    throw new ToolsumError("PROOF_MALFORMED", `expected the head of size ${treeSize}, got that of size ${size}`)
  const what = `proof of leaf ${leafIndex} in the tree of size ${size}`
  const inclusion = need(await source.inclusion({ leafIndex, treeSize: size }), source, what)
  return joinBundle({ record, inclusion, head })
}
