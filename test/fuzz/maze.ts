// A reader behind four doors, one after the other: what a search finds only when it keeps the inputs that open one more.
import fc from "fast-check"
import { bytesOf, type Fuzzed, fuzzed } from "./subject.js"

/** Fails for four bytes, each of them one bit away from zero. */
export const MAZE: Fuzzed = fuzzed({
  name: "maze",
  valid: fc.constant(new Uint8Array(4)),
  parse: (input) => bytesOf(input).slice(0, 4),
  holds: (bytes) => {
    if (isThrough(bytes)) throw new Error("through")
  },
})

function isThrough([a, b, c, d]: Uint8Array): boolean {
  if (a !== 1) return false
  if (b !== 2) return false
  if (c !== 4) return false
  return d === 8
}
