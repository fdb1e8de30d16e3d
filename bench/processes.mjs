// Time of whole processes: of the processor, user and system, children included, or of the wall. The commands take turns, so that a
// slow spell hits all alike.
import { spawnSync } from "node:child_process"

/** Milliseconds of each command in each round, after one round to warm up: `{ name: [ms, …] }`. `commands`: argument lists by name.
 *  `clock`: "cpu" or "wall". Throws when a command fails. Needs bash, whose `time` knows the CPU time of a child to the millisecond. */
export function measureProcesses(commands, { rounds = 5, clock = "cpu", ...options } = {}) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, argv] of Object.entries(commands)) {
      const ms = measureProcess(argv, clock, options)
      if (round > 0) times[name].push(ms)
    }
  }
  return times
}

const FORMAT = { cpu: "%U %S", wall: "%R" }

function measureProcess(argv, clock, { env = process.env, cwd } = {}) {
  const script = `TIMEFORMAT="${FORMAT[clock]}"; { time "$@" >/dev/null 2>&1 </dev/null; } 2>&1`
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, "bash", ...argv], { env, cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`${argv.join(" ")}: exit ${status} ${stderr}`)
  return stdout
    .trim()
    .split(" ")
    .reduce((sum, seconds) => sum + 1000 * Number(seconds), 0)
}

/** The middle value. */
export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

/** How many times as long `ours` takes as `theirs`: round by round, then the median. */
export const medianRatio = (ours, theirs) => median(ours.map((value, i) => value / theirs[i]))
