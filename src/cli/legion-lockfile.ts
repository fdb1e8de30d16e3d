// A lockfile that LEGION's own tools wrote, `.mcp-tools.lock.json`: read and proven where it is, never written, in the report of ours.
import { resolve } from "node:path"
import { readRegularFile } from "../adapters/regular-file.js"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { type LegionLockfile, parseLegionLockfile } from "../core/legion/lockfile.js"
import { verifyLegionLockfile } from "../core/legion/verify-lockfile.js"
import type { LockfileReport } from "../core/lockfile-report.js"
import type { PinnedRoot } from "../core/root.js"
import { refuseWithoutWitnesses } from "../core/witness-policy.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { collectRoots, collectWitnessPolicy } from "./project.js"
import { withVendorRoots } from "./vendor-roots.js"

/** A LEGION lockfile and what it proves. */
export interface ProvenLegionLockfile {
  readonly lockfile: LegionLockfile
  readonly roots: readonly PinnedRoot[]
  readonly offline: LockfileReport
}

/** Read a LEGION lockfile, or what was read of it already. Throws FILE_MISSING, LOCKFILE_MALFORMED, IO_FAILED. */
function readLegionLockfile(path: string, read: Uint8Array | null): LegionLockfile {
  const bytes = read ?? readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "LOCKFILE_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quote(path, 400)}`)
  try {
    return parseLegionLockfile(bytes)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    throw new ToolsumError(error.code, `${quote(path, 400)}: ${error.message}`, { cause: error })
  }
}

/** Read a LEGION lockfile, unless `bytes` has it, and prove it under the user's roots or, where they have none for its log, that of vendor-keys.
 *  Throws FILE_MISSING, LOCKFILE_MALFORMED, NO_PINS, and QUORUM_NOT_MET under a `--witness-policy` with a quorum. */
export async function proveLegionLockfile(
  path: string,
  options: Options,
  io: Io,
  bytes: Uint8Array | null = null,
): Promise<ProvenLegionLockfile> {
  const lockfile = readLegionLockfile(resolve(io.cwd, path), bytes)
  const policy = await collectWitnessPolicy(options, io)
  if (policy !== null) refuseWithoutWitnesses(policy, lockfile.origin)
  const roots = await rootsFor(lockfile, path, options, io)
  return { lockfile, roots, offline: verifyLegionLockfile({ lockfile, roots, nowSec: BigInt(io.nowSec()) }) }
}

async function rootsFor(
  { origin }: LegionLockfile,
  path: string,
  options: Options,
  io: Io,
): Promise<readonly PinnedRoot[]> {
  const base = options.value("base")
  const own = await collectRoots(options, io)
  const atBase =
    base === null ? [] : await (await import("./open-base.js")).readBaseRoots(base, resolve(io.cwd, path), io)
  return withVendorRoots([...own, ...atBase], [origin])
}
