// `update` of a pin whose record a LEGION log signed: the newest record of its server, proven to follow the pinned one, with the diff from that.
// The approval stays what it was, so that a changed list waits for one.
import type { LegionClient } from "../client/legion-log.js"
import { ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import { checkLatest, compareLists, type ProvenRecord } from "../core/legion/check.js"
import { verifyLockedPin } from "../core/legion/locked-pin.js"
import type { LegionRecord } from "../core/legion/record.js"
import type { Pin } from "../core/lockfile.js"
import type { Target } from "../core/target.js"
import type { Change } from "../core/verdict.js"
import type { LockfileStore } from "../ports.js"
import { changesOfLists } from "./legion-changes.js"
import { expectLocked, fetchLegionRecord, fetchLegionTexts, pinLegionRecord } from "./legion-record.js"
import { requirePin } from "./pins.js"

/** What to update. */
export interface LegionUpdateInput {
  readonly name: string
  readonly lockfile: LockfileStore
  readonly client: LegionClient
  /** https URL of the log for the lockfile; null where it shall not say. */
  readonly url: string | null
  /** How the server is reached now; null: as before. */
  readonly target: Target | null
  readonly definitions: boolean
}

/** What became of the pin. */
export interface LegionUpdated {
  readonly before: Pin
  readonly old: LegionRecord
  readonly now: LegionRecord
  readonly digest: Digest
  readonly written: boolean
  /** True when the pin stands as somebody approved it. */
  readonly approved: boolean
  readonly changes: readonly Change[]
}

/** Update one pin. Throws NOT_PINNED, RESOURCE_MISSING, LOG_ROLLBACK for an older record, and what proving and reading throw. */
export async function updateLegionPin(input: LegionUpdateInput): Promise<LegionUpdated> {
  const { name, lockfile: store, client, url, target } = input
  const { lockfile, pin: before } = requirePin(await store.read(), name)
  expectLocked(client, lockfile)
  const pinned = provePinned(before, client)
  const { serverId } = pinned.record
  const served = await fetchLegionRecord(client, { serverId, leafIndex: null, treeSize: null })
  const proof = await client.growth(pinned.head.size, served.head.size)
  checkLatest({ pinned, latest: served.bundle, keyring: client.keyring, proof })
  const changes = await findChanges(client, pinned, served)
  const definitions = input.definitions ? await fetchLegionTexts(client, served) : null
  const request = { name, served, definitions, url, target: target ?? before.target }
  const approve = (_digest: Digest, pin: Pin | null) => pin?.approved ?? null
  const { digest, written } = await pinLegionRecord(store, client, { ...request, approve })
  return {
    ...{ before, digest, written, changes },
    ...{ old: pinned.record, now: served.record },
    approved: before.approved?.pin === digest,
  }
}

function provePinned(pin: Pin, { keyring }: LegionClient): ProvenRecord {
  const { evidence } = pin
  if (evidence === undefined) throw new ToolsumError("USAGE", "this pin is of another dialect")
  return verifyLockedPin({ pin, evidence, keyring, definitions: null })
}

async function findChanges(
  client: LegionClient,
  pinned: ProvenRecord,
  served: ProvenRecord,
): Promise<readonly Change[]> {
  if (pinned.record.fingerprint.sha256 === served.record.fingerprint.sha256) return []
  const before = await fetchLegionTexts(client, pinned)
  const after = await fetchLegionTexts(client, served)
  const texts = before && after && { before, after }
  const definitions = before && after && { pinned: before, served: after }
  const lists = compareLists({
    ...{ pinned: pinned.record.fingerprint, served: served.record.fingerprint },
    definitions,
  })
  return changesOfLists(lists, texts)
}
