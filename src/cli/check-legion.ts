// What `check` does to pins whose records a LEGION log signed: those of our lockfile, and LEGION's own lockfile as a whole. Opens the log where
// somebody who is trusted says that it is, and keeps what shows that it lies.
import type { AddressRule } from "../adapters/network-address.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Pin } from "../core/lockfile.js"
import { requireTarget } from "../core/lockfile-pin.js"
import type { LockfileReport } from "../core/lockfile-report.js"
import type { ServerVerdict } from "../core/verdict.js"
import { checkLegionPins, type LegionPinToCheck, type LegionState } from "../features/legion-check.js"
import { checkLegionLockfile, lockedPinToCheck } from "../features/legion-check-lockfile.js"
import { requirePin } from "../features/pins.js"
import type { ServerReading } from "../ports.js"
import { admit, type Checking, interrupted } from "./checking.js"
import { withEvidence } from "./evidence.js"
import type { Io } from "./io.js"
import { proveLegionLockfile } from "./legion-lockfile.js"
import { type LockedLegionLog, tryToOpenLegion, unknownPlace } from "./legion-logs.js"
import type { CommandLine, Options } from "./options.js"
import { type Gate, openServer } from "./servers.js"
import { readLimits } from "./typed-target.js"

/** Check a LEGION lockfile, all of it or the servers that are named. Throws NOT_PINNED, and as `proveLegionLockfile`. */
export async function checkLegionFile(path: string, { words, options }: CommandLine, io: Io): Promise<LockfileReport> {
  const { lockfile, offline } = await proveLegionLockfile(path, options, io)
  const unknown = words.find((id) => !lockfile.servers.has(id))
  if (unknown !== undefined && options.values("lock").length < 2)
    throw new ToolsumError("NOT_PINNED", `no server is called ${quote(unknown)} in that lockfile`)
  const { origin, base: url } = lockfile
  const log = await openOrSay({ origin, url, root: pinnedRoot(offline, origin) }, options, io)
  const names = words.length === 0 ? null : [...new Set(words)]
  const [strict, exhaustive] = [options.flag("strict"), options.flag("exhaustive")]
  const report = await checkLegionLockfile(lockfile, { offline, names, log, strict, exhaustive, nowSec: io.nowSec() })
  return { ...report, refuted: await keepAll(report.refuted, io) }
}

/** Check pins of our lockfile whose logs are of dialect legion. All questions are asked before anything is read. */
export async function checkLegionPinsOf(
  servers: readonly ServerVerdict[],
  gate: Gate | null,
  checking: Checking & { readonly offline: LockfileReport },
): Promise<Pick<LockfileReport, "servers" | "refuted">> {
  const pins = await admitAll(servers, gate, checking)
  const origins = [...new Set(servers.map(({ name }) => requirePin(checking.lockfile, name).pin.log))]
  const checked = await Promise.all(
    origins.map((origin) =>
      checkOneLog(
        origin,
        pins.filter(({ log }) => log === origin),
        checking,
      ),
    ),
  )
  return {
    servers: checked.flatMap((one) => one.servers),
    refuted: checked.flatMap((one) => one.refuted),
  }
}

interface Admitted extends LegionPinToCheck {
  readonly log: string
}

async function admitAll(
  servers: readonly ServerVerdict[],
  gate: Gate | null,
  checking: Checking,
): Promise<readonly Admitted[]> {
  const pins: Admitted[] = []
  for (const offline of servers) {
    const { name } = offline
    const { lockfile, pin } = requirePin(checking.lockfile, name)
    // A pin that does not say how its server is reached is compared with its log only.
    const isAsked = gate !== null && pin.target !== null && offline.verdict !== "REJECTED"
    const read = (reach: AddressRule) => readTools(pin, reach, checking)
    const readLive = isAsked ? await admit({ name, pin, gate, read }) : null
    pins.push({ ...lockedPinToCheck({ lockfile, name, offline, readLive }), log: pin.log })
    if (checking.io.signal.aborted) throw interrupted()
  }
  return pins
}

/** The log reads servers without credentials, and tools only. */
async function readTools(pin: Pin, reach: AddressRule, { store, options, io }: Checking): Promise<ServerReading> {
  const target = requireTarget(pin)
  const source = await openServer({ target, placeholders: [], reach, lockfilePath: store.path, options, io })
  return source.read({ sections: ["tools"], limits: readLimits(options), signal: io.signal })
}

async function checkOneLog(
  origin: string,
  pins: readonly LegionPinToCheck[],
  { lockfile, offline, options, io }: Checking & { readonly offline: LockfileReport },
): Promise<Pick<LockfileReport, "servers" | "refuted">> {
  const { url = null, keyring } = lockfile.logs[origin] ?? {}
  const log = await openOrSay({ origin, url, root: pinnedRoot(offline, origin) }, options, io)
  const { servers, refuted } = await checkLegionPins({
    ...{ pins, log, storedKeyring: keyring?.[0] ?? null, strict: options.flag("strict") },
    ...{ exhaustive: options.flag("exhaustive"), needsLog: options.flag("log-only"), nowSec: io.nowSec() },
  })
  return { servers, refuted: await keepAll(refuted ? [{ origin, error: refuted }] : [], io) }
}

/** The root that is pinned for a log from outside of the lockfile; null where none is. */
const pinnedRoot = ({ roots }: LockfileReport, origin: string): string | null =>
  roots.find(({ log, source }) => log === origin && source !== null)?.fingerprint ?? null

async function openOrSay(log: LockedLegionLog, options: Options, io: Io): Promise<LegionState> {
  return (await tryToOpenLegion(log, options, io)) ?? unknownPlace(log.origin)
}

/** Logs that are caught lying, with the name of the file in which that is kept. */
function keepAll(refuted: LockfileReport["refuted"], io: Io): Promise<LockfileReport["refuted"]> {
  return Promise.all(
    refuted.map(async ({ origin, error }) => ({ origin, error: await withEvidence(error, origin, io) })),
  )
}
