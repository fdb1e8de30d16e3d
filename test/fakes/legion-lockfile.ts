// LEGION lockfiles of a simulated log, as `legion-lock add` would write them.

import type { JsonObject } from "../../src/core/json.js"
import { readBundle } from "../../src/core/legion/bundle.js"
import { parseLegionJson } from "../../src/core/legion/json.js"
import { verifyLegionKeyring } from "../../src/core/legion/keyring.js"
import { createLegionLockfile, formatLegionLockfile, pinInLegionLockfile } from "../../src/core/legion/lockfile.js"
import { requireRecord } from "../../src/core/legion/record.js"
import { verifyBundle } from "../../src/core/legion/verify-bundle.js"
import { type LegionTestLog, makeLegionLog, type RecordPlan, ROOT, toolOf } from "./legion-log.js"

/** Where the simulated log says it is; never asked. */
export const LEGION_BASE = "https://tlog.example.com/tlog/v1"
/** Its name: that of the public log, as LEGION's tools write it whatever the log. */
export const LEGION_ORIGIN = "tlog.legion-api.com/mcp/v0"

/** What `parseLegionJson` gives for an object made here: integers as bigints. */
export const asLegionJson = (value: JsonObject): JsonObject => parseLegionJson(JSON.stringify(value)) as JsonObject

/** A log with one record for each server, in this order. */
export const makeServersLog = (ids: readonly string[], more: readonly RecordPlan[] = []): LegionTestLog =>
  makeLegionLog([...ids.map((serverId, i) => ({ serverId, tools: [toolOf("search"), toolOf(`tool_${i}`)] })), ...more])

/** The text of a lockfile that pins these leaves. */
export function formatPinnedLeaves(log: LegionTestLog, leaves: readonly number[], size?: number): string {
  const keyring = verifyLegionKeyring({ text: log.keyring })
  const empty = createLegionLockfile({ base: LEGION_BASE, origin: LEGION_ORIGIN, rootPin: ROOT.pin })
  const pinned = leaves.reduce((lockfile, leaf) => {
    const bundle = readBundle(asLegionJson(log.bundle(leaf, size)))
    const record = requireRecord(verifyBundle({ bundle, keyring, serverId: String(bundle.record.server_id) }).entry)
    const pin = { record, treeSize: bundle.head.size, evidence: bundle.document, keyring: log.keyring }
    return pinInLegionLockfile(lockfile, { ...pin, pinnedAt: "2026-05-01T00:00:00Z" })
  }, empty)
  return formatLegionLockfile(pinned)
}
