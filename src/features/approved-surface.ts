// The approved texts of a pin, for showing a change in words: the definitions beside the lockfile, or else the log's archive. Either counts
// only if it hashes to what is pinned.
import { fetchArchivedSurface } from "../client/objects.js"
import { parseDefinitions } from "../core/definitions.js"
import { ToolsumError } from "../core/errors.js"
import type { Pin } from "../core/lockfile.js"
import { computeSurface, computeSurfaceDigest, type Surface, sectionsOf } from "../core/section.js"
import type { LockfileStore, LogSource } from "../ports.js"
import { observationOf } from "./pins.js"

/** The surface that `pin` pins, or null when its texts are not at hand. Texts that do not hash to it are not used. */
export async function loadApproved(p: {
  store: LockfileStore
  name: string
  pin: Pin
  log: LogSource | null
}): Promise<Surface | null> {
  const { store, name, pin, log } = p
  const fromFile = await readDefinitions(store, name)
  if (fromFile && isPinned(fromFile, pin)) return fromFile
  if (log === null || pin.masks.length > 0) return null
  try {
    const { surface, missing } = await fetchArchivedSurface(log, observationOf(pin).lines)
    return missing.length === 0 ? surface : null
  } catch (error) {
    if (error instanceof ToolsumError) return null // a damaged archive only costs the words of the diff
    throw error
  }
}

async function readDefinitions(store: LockfileStore, name: string): Promise<Surface | null> {
  const bytes = await store.readDefinitions(name)
  if (bytes === null) return null
  try {
    return parseDefinitions(bytes).surface
  } catch (error) {
    if (error instanceof ToolsumError) return null // `verify` rejects such a file; here it is only not used
    throw error
  }
}

function isPinned(surface: Surface, pin: Pin): boolean {
  const { lines, surface: digest, state } = observationOf(pin)
  return computeSurfaceDigest(state, computeSurface(surface, sectionsOf(lines), pin.masks).lines) === digest
}
