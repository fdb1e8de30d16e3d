// Which LEGION log, where it is, and opening it: the wiring of its adapter for every command that asks one (DESIGN 8). A log is contacted only
// where the user, this package or a lockfile whose root is pinned says that it is.
import { isVendorLogName, readVendorLog, VENDOR_LOGS } from "../adapters/vendor-keys.js"
import { type LegionClient, openLegionLog } from "../client/legion-log.js"
import { attemptAsync, quote, ToolsumError } from "../core/errors.js"
import type { PinnedRoot } from "../core/root.js"
import { refuseWithoutWitnesses } from "../core/witness-policy.js"
import { keepEvidence } from "./evidence.js"
import type { Io } from "./io.js"
import { openState, requireFresh } from "./logs.js"
import type { OptionSpec, Options } from "./options.js"
import { collectRoots, collectWitnessPolicy, openTrustStore } from "./project.js"
import { isUrl } from "./typed-target.js"
import { withVendorRoots } from "./vendor-roots.js"

/** Option of commands that ask a LEGION log. */
export const LEGION_LOG_OPTION: OptionSpec = ["--log <place>", "A LEGION log: legion, its https URL, or its origin"]

/** A LEGION log, not opened yet. */
export interface LegionPlace {
  /** Its answers do not say how it is called: the name that a lockfile or the trust store has for it, else that of the public log, as LEGION's
   *  own tools have it wherever they read. */
  readonly origin: string
  /** Base of its API. */
  readonly url: string
  /** True for a place that the user named, which may then be private or on this machine. */
  readonly isNamed: boolean
}

const [PUBLIC] = VENDOR_LOGS

/** The log that was typed: `legion`, a URL, or the origin of one in the trust store. Throws USAGE. */
export async function readLegionPlace(text: string, io: Io): Promise<LegionPlace> {
  const trusted = await trustedLogs(io)
  if (isVendorLogName(text)) {
    const { origin, base } = readVendorLog(text)
    const own = trusted.find((log) => log.origin === origin.value)
    return own ?? { origin: origin.value, url: base.value, isNamed: false }
  }
  if (isUrl(text)) {
    const url = text.replace(/\/+$/, "")
    const known = trusted.find((log) => log.url.replace(/\/+$/, "") === url)
    return { origin: known?.origin ?? readVendorLog(PUBLIC).origin.value, url, isNamed: true }
  }
  const known = trusted.find((log) => log.origin === text)
  if (known) return known
  throw new ToolsumError(
    "USAGE",
    `--log: expected legion, an https URL or the origin of a trusted log, got ${quote(text)}`,
  )
}

/** True for a word that names a LEGION log: the name of one, or the origin or place of one in the trust store. */
export async function isLegionLog(text: string, io: Io): Promise<boolean> {
  if (isVendorLogName(text)) return true
  const plain = text.replace(/\/+$/, "")
  return (await trustedLogs(io)).some(({ origin, url }) => origin === text || url.replace(/\/+$/, "") === plain)
}

async function trustedLogs(io: Io): Promise<readonly LegionPlace[]> {
  const roots = await openTrustStore(io).list()
  return roots.flatMap(({ dialect, name, log }) =>
    dialect === "legion" && name !== null && log !== null && isUrl(log)
      ? [{ origin: name, url: log, isNamed: true }]
      : [],
  )
}

/** A log as a lockfile has it. */
export interface LockedLegionLog {
  readonly origin: string
  readonly url: string | null
  /** Its root, where one of the user's or of this package is pinned for it; null: then nobody is contacted. */
  readonly root: string | null
}

/** Where the log of a lockfile is: what `--log` names, the trust store, this package for the root that it has, the lockfile. Null: nowhere. */
export async function findLegionPlace(log: LockedLegionLog, options: Options, io: Io): Promise<LegionPlace | null> {
  const { origin, url, root } = log
  const typed = options.value("log")
  if (typed !== null) return { ...(await readLegionPlace(typed, io)), origin }
  if (root === null) return null
  const trusted = (await trustedLogs(io)).find((one) => one.origin === origin)
  if (trusted) return trusted
  const known = VENDOR_LOGS.map(readVendorLog).find((one) => one.origin.value === origin && one.root.value === root)
  if (known) return { origin, url: known.base.value, isNamed: false }
  return url === null ? null : { origin, url, isNamed: false }
}

/** The error for a log that is nowhere. */
export const unknownPlace = (origin: string): ToolsumError =>
  new ToolsumError(
    "LOG_UNAVAILABLE",
    `nothing says where the log ${quote(origin)} is: --log, or toolsum trust add with --log`,
  )

/** The place as a lockfile has it: one on this machine or in a private network means nothing to others. */
export const lockedUrl = ({ url }: LegionPlace): string | null => (/^https:/i.test(url) ? url : null)

/** Open a log. `expectedRoot`: the root that a lockfile has for it. Evidence of a fork or rollback is kept before the error leaves. */
export async function openLegion(
  place: LegionPlace,
  p: { expectedRoot?: string; options: Options; io: Io },
): Promise<LegionClient> {
  const { options, io } = p
  const { origin, url, isNamed } = place
  await refuseUnwitnessed(origin, options, io)
  const { createHttpLegionLog } = await import("../adapters/legion-http.js")
  const source = createHttpLegionLog(url, {
    ...{ env: io.env, signal: io.signal },
    ...{ allowPrivate: isNamed, allowLoopbackHttp: isNamed },
  })
  io.atEnd(() => source.close())
  const expected = p.expectedRoot === undefined ? {} : { expectedRoot: p.expectedRoot }
  const roots = await rootsOfLegion(origin, options, io)
  return keepEvidence(origin, io, () =>
    openLegionLog({ source, origin, roots, ...expected, state: openState(io), clock: io.nowSec }),
  )
}

/** Nobody can cosign a log of this dialect, so that it meets no `--witness-policy` with a quorum and no `--max-age`. Throws QUORUM_NOT_MET,
 *  LOG_BEHIND, and as `collectWitnessPolicy`. */
async function refuseUnwitnessed(origin: string, options: Options, io: Io): Promise<void> {
  const policy = await collectWitnessPolicy(options, io)
  if (policy !== null) refuseWithoutWitnesses(policy, origin)
  requireFresh({ origin, ageSec: null }, options)
}

/** The roots that count for a log of that name. */
export const rootsOfLegion = async (origin: string, options: Options, io: Io): Promise<readonly PinnedRoot[]> =>
  withVendorRoots(await collectRoots(options, io), [origin])

/** The log, or why it could not be opened; null where nothing says where it is. Only faults of ours are thrown. */
export async function tryToOpenLegion(
  log: LockedLegionLog,
  options: Options,
  io: Io,
): Promise<LegionClient | ToolsumError | null> {
  return attemptAsync(async () => {
    const place = await findLegionPlace(log, options, io)
    const expected = log.root === null ? {} : { expectedRoot: log.root }
    return place && (await openLegion(place, { ...expected, options, io }))
  })
}
