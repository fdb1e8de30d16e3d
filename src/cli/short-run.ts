// A process that ends after a fifth of a second gains little from optimized code, and making it takes a third of that time.
import { statSync } from "node:fs"

/** Fewer bytes are read and checked before V8 begins to optimize. */
const LARGE_BYTES = 128 * 1024

/** Where the file at `path` is large: let V8 optimize only functions that have run fifteen times longer than it usually waits for. Only the
 *  V8 of Node 20 is told: later ones have a cheaper compiler in between. While it holds, Node loads its own modules without their
 *  compiled code. */
export function expectShortRun(path: string): void {
  if (sizeOf(path) >= LARGE_BYTES && process.versions.v8.startsWith("11."))
    process.getBuiltinModule("node:v8").setFlagsFromString("--interrupt-budget=1000000")
}

/** 0 for what cannot be looked at: whoever reads it says so. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
