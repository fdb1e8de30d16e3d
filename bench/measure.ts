// One figure as ../shared/bench/README.md wants it: warm up, time `ops` operations, print one JSON line.

const cpuNs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

/** How a figure is taken. */
export interface MeasureOptions {
  /** Operations that are timed. */
  readonly ops: number
  /** Operations before; half as many unless given. */
  readonly warm?: number
  /** Bytes of one operation, for a rate. */
  readonly bytes?: number
}

/** Time `ops` calls of `run` and print wall and CPU time (user and system, all threads) of one. */
export function measure(
  name: string,
  { ops, warm = Math.ceil(ops / 2), bytes }: MeasureOptions,
  run: (i: number) => void,
) {
  for (let i = 0; i < warm; i++) run(i)
  const start = begin()
  for (let i = 0; i < ops; i++) run(i)
  start.end(name, ops, bytes === undefined ? {} : { bytes })
}

/** Time one call of `run`, which does `ops` operations. */
export async function measureOnce(name: string, ops: number, run: () => Promise<void>): Promise<void> {
  const start = begin()
  await run()
  start.end(name, ops)
}

/** A figure that is not taken yet, and why. */
export const skip = (name: string, why: string): void => print({ name, impl: "ours", skipped: why })

function begin() {
  const wall = process.hrtime.bigint()
  const cpu = cpuNs()
  return {
    end: (name: string, ops: number, more: Readonly<Record<string, unknown>> = {}) => {
      const cpuTime = cpuNs() - cpu
      const wallTime = Number(process.hrtime.bigint() - wall)
      print({ name, impl: "ours", ops, ns_per_op: wallTime / ops, cpu_ns_per_op: cpuTime / ops, ...more })
    },
  }
}

const print = (line: Readonly<Record<string, unknown>>): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
