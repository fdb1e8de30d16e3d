// Keeps what shows a log's fork or rollback to others, and names the file in the error (DESIGN 8).
import { join } from "node:path"
import { saveEvidence } from "../adapters/evidence-fs.js"
import { findUserDirs } from "../adapters/user-dirs.js"
import { ToolsumError } from "../core/errors.js"
import { forkEvidenceOf, formatForkEvidence, nameForkEvidence } from "../core/fork-evidence.js"
import type { Io } from "./io.js"

/** Do `work` on the log `origin`. Throws what it throws; with evidence in it, after that was written, and with the file's path. */
export async function keepEvidence<T>(origin: string, io: Io, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ToolsumError ? await withEvidence(error, origin, io) : error
  }
}

/** Keep what an error shows to others: the path of the file, or null where it shows nothing. Throws IO_FAILED. */
export async function keepErrorEvidence(error: ToolsumError, origin: string, io: Io): Promise<string | null> {
  const evidence = forkEvidenceOf(error, origin)
  if (evidence === null) return null
  const file = { name: nameForkEvidence(evidence), text: formatForkEvidence(evidence) }
  return saveEvidence(join(findUserDirs(io.env, io.platform).state, "evidence"), file)
}

/** The error with the path of the file in which its evidence is kept now, or with why it could not be kept; as it is where it has none. */
export async function withEvidence(error: ToolsumError, origin: string, io: Io): Promise<ToolsumError> {
  const said = await keepErrorEvidence(error, origin, io).then(
    (path) => path && `evidence: ${path}`,
    (failure: unknown) => `the evidence could not be kept: ${failure instanceof Error ? failure.message : failure}`,
  )
  if (said === null) return error
  return new ToolsumError(error.code, `${error.message}; ${said}`, {
    cause: error,
    ...(error.evidence ? { evidence: error.evidence } : {}),
  })
}
