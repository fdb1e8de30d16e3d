// `add ID --log L` and `update` of such a pin: one record of a LEGION log, held to all that the lockfile has of that log, proven, and pinned in
// our lockfile or in LEGION's own.
import type { LegionClient, ServedBundle } from "../client/legion-log.js"
import { noRecord } from "../client/legion-log.js"
import { attempt, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { ProvenDefinitions } from "../core/legion/archive.js"
import { verifyLegionKeyring } from "../core/legion/keyring.js"
import { verifyLockedPin } from "../core/legion/locked-pin.js"
import { type LegionLockfile, pinInLegionLockfile } from "../core/legion/lockfile.js"
import { verifyLegionPin } from "../core/legion/verify-pin.js"
import type { Approval, Lockfile, Pin } from "../core/lockfile.js"
import type { Target } from "../core/target.js"
import type { LockfileStore } from "../ports.js"
import { buildLegionPin, formatLegionDefinitions, placeLegionPins } from "./legion-pins.js"
import { findPin, formatInstant, legionRecordOf, pinDigestOf } from "./pins.js"

/** Which record. `leafIndex`, `treeSize`: null for the newest. */
export interface WantedRecord {
  readonly serverId: string
  readonly leafIndex: bigint | null
  readonly treeSize: bigint | null
}

/** Hold a log to what our lockfile has of it: its keyring and the heads of its pins. What is not in order there is `verify`'s to say. Throws as
 *  `LegionClient.expectKeyring`. */
export function expectLocked(client: LegionClient, lockfile: Lockfile | null): void {
  const log = lockfile?.logs[client.origin]
  if (log?.dialect !== "legion") return
  expectKeyring(client, log.keyring[0] ?? null)
  for (const pin of Object.values(lockfile?.servers ?? {})) {
    const { evidence } = pin
    if (pin.log !== client.origin || evidence === undefined) continue
    const { keyring } = client
    const proven = attempt(() => verifyLockedPin({ pin, evidence, keyring, definitions: null }))
    if (!(proven instanceof ToolsumError)) client.expect(proven.head)
  }
}

/** The same for a LEGION lockfile. */
export function expectLegionLocked(client: LegionClient, lockfile: LegionLockfile): void {
  expectKeyring(client, lockfile.keyring)
  for (const [serverId, pin] of lockfile.servers) {
    const proven = attempt(() => verifyLegionPin({ serverId, pin, keyring: client.keyring }))
    if (!(proven instanceof ToolsumError)) client.expect(proven.head)
  }
}

function expectKeyring(client: LegionClient, text: string | null): void {
  const stored = text === null ? null : attempt(() => verifyLegionKeyring({ text }))
  if (stored !== null && !(stored instanceof ToolsumError)) client.expectKeyring(stored)
}

/** Fetch and prove a record. Throws RESOURCE_MISSING where the log has none, and as `LegionClient`. */
export async function fetchLegionRecord(client: LegionClient, wanted: WantedRecord): Promise<ServedBundle> {
  if (wanted.leafIndex !== null || wanted.treeSize !== null) return client.recordAt(wanted)
  const served = await client.latest(wanted.serverId)
  if (served === null) throw noRecord(client.origin, wanted.serverId)
  return served
}

/** What the log's archive has of a record, for a diff in words; null where it cannot be had. Throws HASH_MISMATCH for something else. */
export async function fetchLegionTexts(
  client: LegionClient,
  { record }: Pick<ServedBundle, "record">,
): Promise<ProvenDefinitions | null> {
  try {
    return await client.definitions(record.fingerprint)
  } catch (error) {
    if (error instanceof ToolsumError && error.kind === "unavailable") return null
    throw error
  }
}

/** What to pin, and how. */
export interface RecordToPin {
  readonly name: string
  readonly served: ServedBundle
  readonly definitions: ProvenDefinitions | null
  /** https URL for the lockfile; null where it shall not say. */
  readonly url: string | null
  readonly target: Target | null
  readonly approve: (digest: Digest, before: Pin | null) => Approval | null
}

/** A pin that is in the lockfile now. */
export interface PinnedRecord {
  readonly digest: Digest
  /** False when the lockfile is byte for byte what it was. */
  readonly written: boolean
}

/** Write the pin. One of the same record stays, whatever head it is under. Throws what `approve` throws and as `placeLegionPins`. */
export async function pinLegionRecord(
  store: LockfileStore,
  client: LegionClient,
  request: RecordToPin,
): Promise<PinnedRecord> {
  const { name, served, definitions, url, target, approve } = request
  let digest: Digest | null = null
  const written = await store.update((current) => {
    const before = findPin(current, name)
    const from = before?.from ?? []
    const proven = { record: served.record, head: served.head }
    const made = buildLegionPin(
      { name, proven, evidence: served.bundle.document, target, from, approve: (to) => approve(to, before) },
      client.origin,
    )
    digest = made.digest
    const log = { origin: client.origin, url, keyring: client.keyringText }
    const isKept = before !== null && isSameRecord(before, served) && saysTheSame(before, made)
    const pins = isKept ? [] : [{ name, pin: made.pin }]
    const lockfile = placeLegionPins(current, pins, { log, roots: [client.root] })
    return { lockfile, definitions: { [name]: formatLegionDefinitions(served.record, definitions) } }
  })
  if (digest === null) throw new ToolsumError("IO_FAILED", "the lockfile was not changed")
  return { digest, written }
}

/** True when the pin has that record, whatever head it is under. */
const isSameRecord = (pin: Pin, { record }: ServedBundle): boolean =>
  legionRecordOf(pin)?.leafIndex === record.leafIndex

const saysTheSame = (before: Pin, { pin, digest }: { pin: Pin; digest: Digest }): boolean =>
  pinDigestOf(before) === digest && before.approved?.pin === pin.approved?.pin

/** LEGION's own lockfile with the record in it, as `legion-lock add` would have written it. `nowSec`: POSIX seconds. */
export const pinInTheirs = (
  lockfile: LegionLockfile,
  client: LegionClient,
  { served, nowSec }: { served: ServedBundle; nowSec: number },
): LegionLockfile =>
  pinInLegionLockfile(lockfile, {
    record: served.record,
    treeSize: served.head.size,
    evidence: served.bundle.document,
    keyring: client.keyringText,
    pinnedAt: formatInstant(nowSec),
  })
