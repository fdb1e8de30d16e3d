// What a lockfile proves by itself, as `verify` says it and `check` starts from it: lockfile, definitions and roots read and held together.
import { readDefinitions } from "../adapters/definitions-fs.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Lockfile } from "../core/lockfile.js"
import { exitCodeOfReport, type LockfileReport } from "../core/lockfile-report.js"
import { verifyLockfile } from "../core/verify-lockfile.js"
import { EMPTY_LOCKFILE } from "../features/pins.js"
import type { LockfileStore } from "../ports.js"
import { readAccepted } from "./base.js"
import type { Io } from "./io.js"
import type { OpenedBase, TreeFiles } from "./open-base.js"
import type { Options } from "./options.js"
import { collectRoots, collectWitnessPolicy } from "./project.js"
import { withVendorRoots } from "./vendor-roots.js"

/** A lockfile and what it proves. */
export interface ProvenLockfile {
  readonly lockfile: Lockfile
  readonly offline: LockfileReport
  /** What `--base` vouches for; null without it. */
  readonly base: OpenedBase | null
}

/** Read a lockfile and prove it, under `--base`, `--witness-policy` and `--no-definitions` where the command has them. Lockfile and definitions are two files:
 *  what was refuted while somebody may have been writing them is read once more. Throws FILE_MISSING, NO_PINS, and what reading throws. */
export async function proveOffline(store: LockfileStore, options: Options, io: Io): Promise<ProvenLockfile> {
  const first = await proveOnce(store, options, io)
  return first.offline.exitCode === 3 ? proveOnce(store, options, io) : first
}

async function proveOnce(store: LockfileStore, options: Options, io: Io): Promise<ProvenLockfile> {
  const { path } = store
  const lockfile = await store.read()
  const definitions = options.flag("no-definitions")
    ? undefined
    : await readDefinitions(path, Object.keys(lockfile?.servers ?? {}))
  const base = await holdToBase(path, { lockfile, definitions }, options, io)
  if (lockfile === null) {
    if (base?.hadLockfile) return { lockfile: EMPTY_LOCKFILE, offline: heldTo(base, NOTHING_PROVEN), base }
    throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quote(path, 400)}; toolsum add makes one`)
  }
  const own = [...(await collectRoots(options, io)), ...(base?.ownRoots ?? [])]
  const isEmptied = base?.hadLockfile && Object.keys(lockfile.servers).length === 0
  if (isEmptied && base.report([]).findings.length > 0) return { lockfile, offline: heldTo(base, NOTHING_PROVEN), base }
  const report = verifyLockfile({
    lockfile,
    roots: withVendorRoots(own, legionLogsOf(lockfile)),
    nowSec: BigInt(io.nowSec()),
    underBase: base !== null,
    ...(base ? { mayLackDefinitions: base.mayLackDefinitions } : {}),
    witnessPolicy: await collectWitnessPolicy(options, io),
    ...(definitions ? { definitions } : {}),
  })
  return { lockfile, offline: base === null ? report : heldTo(base, report), base }
}

/** What `--base` vouches for; null without it. Its part loads only where it is asked for. */
async function holdToBase(path: string, tree: TreeFiles, options: Options, io: Io): Promise<OpenedBase | null> {
  const accepted = readAccepted(options)
  const ref = options.value("base")
  return ref === null ? null : (await import("./open-base.js")).openBase({ path, ref, accepted, io }, tree)
}

const NOTHING_PROVEN: LockfileReport = { servers: [], roots: [], refuted: [], warnings: [], exitCode: 0 }

/** A report with what differs from the base, and with the logs that contradict it. */
function heldTo(opened: OpenedBase, report: LockfileReport): LockfileReport {
  const base = opened.report(report.servers)
  const found = opened.contradictions.filter(({ origin }) => report.refuted.every((log) => log.origin !== origin))
  const held = { ...report, refuted: [...report.refuted, ...found], base }
  return { ...held, exitCode: exitCodeOfReport(held) }
}

/** Origins of the logs that this package may have a root of. */
const legionLogsOf = ({ logs }: Lockfile): readonly string[] =>
  Object.entries(logs).flatMap(([origin, { dialect }]) => (dialect === "legion" ? [origin] : []))
