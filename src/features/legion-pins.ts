// Pins of dialect legion in our own lockfile: made from a record that was proven, with its evidence as text, and never written where they
// would not verify. What is approved, and on whose word, is the caller's.
import { encodeUtf8 } from "../core/bytes.js"
import { formatDefinitions } from "../core/definitions.js"
import { attempt, quote, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { JsonObject } from "../core/json.js"
import { type ProvenDefinitions, verifyArchive } from "../core/legion/archive.js"
import type { ProvenRecord } from "../core/legion/check.js"
import { parseLegionJson } from "../core/legion/json.js"
import { requireKeyringExtends, verifyLegionKeyring } from "../core/legion/keyring.js"
import { computeLockedPinDigest, digestsOf } from "../core/legion/locked-pin.js"
import { formatPythonJson } from "../core/legion/python-json.js"
import type { LegionRecord } from "../core/legion/record.js"
import type { Approval, LockedLog, Lockfile, Pin } from "../core/lockfile.js"
import type { PinnedRoot } from "../core/root.js"
import type { Target } from "../core/target.js"
import { verifyLockfile } from "../core/verify-lockfile.js"
import { EMPTY_LOCKFILE, legionRecordOf, withPin } from "./pins.js"

/** A log of dialect legion as a lockfile names it. `url`: https, or null where the lockfile shall not say. */
export interface LegionLogPlace {
  readonly origin: string
  readonly url: string | null
  /** As served. */
  readonly keyring: string
}

/** A record to pin. `evidence`: members inclusion, record and sth. */
export interface LegionPinRequest {
  readonly name: string
  readonly proven: ProvenRecord
  readonly evidence: JsonObject
  /** How the server is reached, where that is known. */
  readonly target: Target | null
  readonly from: Pin["from"]
  /** The approval of the new pin digest. */
  readonly approve: (digest: Digest) => Approval | null
}

/** The pin and its digest. */
export function buildLegionPin(
  { proven, evidence, target, from, approve }: LegionPinRequest,
  origin: string,
): { pin: Pin; digest: Digest } {
  const { record } = proven
  const digest = computeLockedPinDigest({ log: origin, target }, record)
  const pin: Pin = {
    ...{ from, target, log: origin },
    ...{ record: null, index: null, head: null, proof: null, observation: null },
    // Numbers keep the spelling that tells an integer from a float; the order of members is the same whoever served them.
    evidence: formatPythonJson(evidence, { sort: true, indent: false }),
    ...{ tools: digestsOf(record), prompts: {}, templates: {}, masks: [], read: {} },
    approved: approve(digest),
  }
  return { pin, digest }
}

/** The lockfile with the pins, and with the longer of the keyrings that it has and that the log has now. `roots`: under which it must verify
 *  then. Throws LOG_INCONSISTENT for keyrings of which none continues the other and for two heads of one size, and what refutes a pin. */
export function placeLegionPins(
  current: Lockfile | null,
  pins: readonly { readonly name: string; readonly pin: Pin }[],
  p: { log: LegionLogPlace; roots: readonly PinnedRoot[] },
): Lockfile {
  const { log, roots } = p
  const before = current ?? EMPTY_LOCKFILE
  const logs = { ...before.logs, [log.origin]: mergeLog(before.logs[log.origin], log) }
  const lockfile = pins.reduce((next, { name, pin }) => withPin(next, name, pin), { ...before, logs })
  requireProven(
    lockfile,
    pins.map(({ name }) => name),
    { origin: log.origin, roots },
  )
  return lockfile
}

function mergeLog(stored: LockedLog | undefined, { origin, url, keyring }: LegionLogPlace): LockedLog {
  const empty = { dialect: "legion", heads: {}, links: {} } as const
  if (stored === undefined) return { ...empty, url, keyring: [keyring] }
  if (stored.dialect !== "legion")
    throw new ToolsumError("LOG_INCONSISTENT", `the lockfile has ${quote(origin)} as a log of another dialect`)
  return { ...empty, url: stored.url ?? url, keyring: [longerKeyring(stored.keyring[0] ?? "", keyring)] }
}

/** Of two keyrings the one that continues the other. Throws as `requireKeyringExtends`. */
function longerKeyring(stored: string, served: string): string {
  const [a, b] = [verifyLegionKeyring({ text: stored }), verifyLegionKeyring({ text: served })]
  const isLonger = b.hashes.length > a.hashes.length
  requireKeyringExtends(isLonger ? { stored: a, served: b } : { stored: b, served: a })
  return isLonger ? served : stored
}

/** Never leave a lockfile behind in which these pins would not verify here and now, or in which they refute their log. */
function requireProven(
  lockfile: Lockfile,
  names: readonly string[],
  { origin, roots }: { origin: string; roots: readonly PinnedRoot[] },
): void {
  const { servers, refuted } = verifyLockfile({ lockfile, roots, nowSec: 0n })
  const fault = refuted.find((log) => log.origin === origin)
  if (fault) throw fault.error
  for (const name of names) {
    const server = servers.find((one) => one.name === name)
    if (server?.verdict === "PROVEN" || server?.reason === "unapproved") continue
    throw new ToolsumError("RECORD_INVALID", `the new pin does not verify: ${server?.detail ?? "no verdict"}`)
  }
}

/** The definitions file of a record: archived tools, for a diff in words. Null where the archive has none, and where the file could not say
 *  them exactly: version 1 of the fingerprint hashes how a number is spelled. */
export function formatLegionDefinitions(
  { fingerprint }: LegionRecord,
  definitions: ProvenDefinitions | null,
): Uint8Array | null {
  if (definitions === null) return null
  const nothing = { instructions: null, prompts: null, resourceTemplates: null, resources: null, serverInfo: null }
  const text = formatDefinitions({ ...nothing, tools: [...definitions.values()] }, ["tools"])
  const { tools } = parseLegionJson(text) as { tools: readonly JsonObject[] } // written just now
  const same = attempt(() => verifyArchive({ tools, signed: fingerprint }))
  return same instanceof ToolsumError ? null : encodeUtf8(text)
}

/** Name of the pin of this server in this log, or null. */
export function findLegionPin(
  lockfile: Lockfile | null,
  { origin, serverId }: { origin: string; serverId: string },
): { readonly name: string; readonly pin: Pin; readonly record: LegionRecord } | null {
  for (const [name, pin] of Object.entries(lockfile?.servers ?? {})) {
    if (pin.log !== origin || pin.evidence === undefined) continue
    const record = attempt(() => legionRecordOf(pin))
    if (record === null || record instanceof ToolsumError || record.serverId !== serverId) continue
    return { name, pin, record }
  }
  return null
}

const MAX_NAME_CHARS = 64

/** A pin name for the id of a server that is not in `taken`: its last part, else all of it, else with a number. */
export function nameLegionPin(serverId: string, taken: ReadonlySet<string>): string {
  const spell = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, "-")
      .replace(/^[._-]+/, "")
      .slice(0, MAX_NAME_CHARS)
  const names = [serverId.slice(serverId.lastIndexOf("/") + 1), serverId].map(spell)
  const base = names.find((name) => name !== "") ?? "server"
  const free = names.find((name) => name !== "" && !taken.has(name))
  if (free !== undefined) return free
  for (let i = 2; ; i++) {
    const suffix = `-${i}`
    const name = `${base.slice(0, MAX_NAME_CHARS - suffix.length)}${suffix}`
    if (!taken.has(name)) return name
  }
}
