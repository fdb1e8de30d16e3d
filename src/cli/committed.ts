// What was committed last of a project: where an approved state usually is, while the working tree has an update that waits.
import { definitionsPath } from "../adapters/definitions-fs.js"
import { readAtRevision } from "../adapters/git.js"
import { ToolsumError } from "../core/errors.js"
import type { Committed } from "../features/approved-surface.js"
import type { Io } from "./io.js"

/** The lockfile and the definitions of a pin at git's HEAD; nothing outside git and before the first commit. */
export async function readCommitted(lockfilePath: string, pin: string, { env }: Io): Promise<Committed> {
  try {
    const lockfile = await readAtRevision("HEAD", lockfilePath, env)
    const definitions = lockfile && (await readAtRevision("HEAD", definitionsPath(lockfilePath, pin), env))
    return { lockfile, definitions }
  } catch (error) {
    if (error instanceof ToolsumError) return { lockfile: null, definitions: null }
    throw error
  }
}
