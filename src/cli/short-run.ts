// A process that ends after a fifth of a second gains little from optimized code, and making it takes a third of that time.

/** Let V8 optimize only functions that have run fifteen times longer than it usually waits for. Only the V8 of Node 20 is told: later ones
 *  have a cheaper compiler in between. While it holds, Node loads its own modules without their compiled code. */
export function expectShortRun(): void {
  if (process.versions.v8.startsWith("11."))
    process.getBuiltinModule("node:v8").setFlagsFromString("--interrupt-budget=1000000")
}
