// A process that ends after a tenth of a second gains nothing from optimized code: V8's optimizing compiler would take a third of it.

/** Let V8 optimize functions that have run sixteen times longer than it usually waits for. Not earlier than needed: while it holds, Node
 *  loads its own modules without their compiled code. */
export function expectShortRun(): void {
  process.getBuiltinModule("node:v8").setFlagsFromString("--interrupt-budget=1000000")
}
