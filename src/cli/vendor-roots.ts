// Roots of public logs that this package brings along, for logs that the user has pinned no root of their own for (DESIGN 8).
import { readVendorLog, VENDOR_LOGS } from "../adapters/vendor-keys.js"
import type { PinnedRoot } from "../core/root.js"

/** `roots`, and those of known logs of dialect legion among `origins`; null: of all known ones, where a file does not say which log it is of.
 *  A root of the user's own for that log, or for any of this dialect, takes its place. Throws CONFIG_INVALID. */
export function withVendorRoots(
  roots: readonly PinnedRoot[],
  origins: readonly string[] | null,
): readonly PinnedRoot[] {
  const own = roots.filter(({ dialect }) => dialect === "legion")
  // The file is read only where it can matter.
  if (origins?.length === 0 || own.some(({ name }) => name === null)) return roots
  const known = VENDOR_LOGS.map(readVendorLog)
  const wanted = known.filter(({ origin }) => origins === null || origins.includes(origin.value))
  const missing = wanted.filter(({ origin }) => !own.some(({ name }) => name === origin.value))
  return [...roots, ...missing.map(({ pinned }) => pinned)]
}
