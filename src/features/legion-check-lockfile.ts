// Lockfiles with LEGION pins, theirs and ours, as what legion-check.ts checks: how a pin is proven, and the report of a whole lockfile.
import type { LegionKeyring } from "../core/legion/keyring.js"
import { verifyLockedPin } from "../core/legion/locked-pin.js"
import type { LegionLockfile } from "../core/legion/lockfile.js"
import { verifyLegionPin } from "../core/legion/verify-pin.js"
import type { Lockfile } from "../core/lockfile.js"
import type { LockfileReport } from "../core/lockfile-report.js"
import { exitCodeOfVerdicts, type ServerVerdict } from "../core/verdict.js"
import { checkLegionPins, type LegionChecked, type LegionCheckInput, type LegionPinToCheck } from "./legion-check.js"
import { requirePin } from "./pins.js"

/** What a check of a lockfile needs besides it. */
export interface LegionLockfileCheck extends Pick<LegionCheckInput, "log" | "strict" | "exhaustive" | "nowSec"> {
  /** What the lockfile proves by itself. */
  readonly offline: LockfileReport
  /** Ids of the servers to check; null: all. */
  readonly names: readonly string[] | null
}

/** Check a LEGION lockfile against its log: no server is asked. The report is in the order of the lockfile, or of the names. */
export async function checkLegionLockfile(lockfile: LegionLockfile, p: LegionLockfileCheck): Promise<LockfileReport> {
  const { offline, names, log, strict, exhaustive = false, nowSec } = p
  const wanted = names ?? offline.servers.map(({ name }) => name)
  const pins = wanted.flatMap((id): LegionPinToCheck[] => {
    const [server, pin] = [offline.servers.find(({ name }) => name === id), lockfile.servers.get(id)]
    if (!server || !pin) return []
    return [{ offline: server, prove: (keyring) => verifyLegionPin({ serverId: id, pin, keyring }), readLive: null }]
  })
  const input = { pins, storedKeyring: lockfile.keyring, log, strict, exhaustive, needsLog: true, nowSec }
  return reportOf(await checkLegionPins(input), { origin: lockfile.origin, offline })
}

/** The report of a lockfile after its pins were checked. */
function reportOf(
  { servers, refuted }: LegionChecked,
  { origin, offline }: { origin: string; offline: LockfileReport },
): LockfileReport {
  const all = [...offline.refuted, ...(refuted ? [{ origin, error: refuted }] : [])]
  const exitCode = all.length > 0 ? 3 : exitCodeOfVerdicts(servers.map(({ verdict }) => verdict))
  return { servers, roots: offline.roots, refuted: all, warnings: offline.warnings, exitCode }
}

/** A pin of dialect legion in our own lockfile, to check. */
export function lockedPinToCheck(p: {
  lockfile: Lockfile
  name: string
  offline: ServerVerdict
  readLive: LegionPinToCheck["readLive"]
}): LegionPinToCheck {
  const { offline, readLive } = p
  const { pin } = requirePin(p.lockfile, p.name)
  const evidence = pin.evidence ?? ""
  const prove = (keyring: LegionKeyring) => verifyLockedPin({ pin, evidence, keyring, definitions: null })
  return { offline, prove, readLive }
}
