// What a lockfile proves by itself, as `verify` says it and `check` starts from it: lockfile, definitions and roots read and held together.
import { readDefinitions } from "../adapters/definitions-fs.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Lockfile } from "../core/lockfile.js"
import { type LockfileReport, verifyLockfile } from "../core/verify-lockfile.js"
import type { LockfileStore } from "../ports.js"
import { readBaseRoots } from "./base.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { collectRoots, collectWitnessPolicy } from "./project.js"
import { withVendorRoots } from "./vendor-roots.js"

/** A lockfile and what it proves. */
export interface ProvenLockfile {
  readonly lockfile: Lockfile
  readonly offline: LockfileReport
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
  if (lockfile === null)
    throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quote(path, 400)}; toolsum add makes one`)
  const definitions = options.flag("no-definitions")
    ? undefined
    : await readDefinitions(path, Object.keys(lockfile.servers))
  const base = options.value("base")
  const own = [...(await collectRoots(options, io)), ...(base === null ? [] : await readBaseRoots(base, path))]
  const offline = verifyLockfile({
    lockfile,
    roots: withVendorRoots(own, legionLogsOf(lockfile)),
    nowSec: BigInt(io.nowSec()),
    underBase: base !== null,
    witnessPolicy: await collectWitnessPolicy(options, io),
    ...(definitions ? { definitions } : {}),
  })
  return { lockfile, offline }
}

/** Origins of the logs that this package may have a root of. */
const legionLogsOf = ({ logs }: Lockfile): readonly string[] =>
  Object.entries(logs).flatMap(([origin, { dialect }]) => (dialect === "legion" ? [origin] : []))
