// How much work something is, told as a multiple of reading a megabyte of JSON in the same run: what is quadratic or worse is far above any
// bound, on a slow machine as on a fast one.
import { expect } from "vitest"
import { parseJson } from "../src/core/json.js"

const MEGABYTE = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ name: `tool_${i}`, text: "Get a thing." })))

const timeMs = (run: () => unknown): number => {
  const start = performance.now()
  run()
  return performance.now() - start
}

/** Milliseconds of the baseline, the median of five. */
function baseMs(): number {
  const rounds = Array.from({ length: 5 }, () => timeMs(() => parseJson(MEGABYTE))).sort((a, b) => a - b)
  return rounds[2] ?? Number.NaN
}

/** Expects `run` to take at most `megabytes` times as long as reading a megabyte; one repeat is allowed, machines are noisy. */
export function expectWork(run: () => unknown, { megabytes }: { megabytes: number }): void {
  const base = baseMs()
  const first = timeMs(run) / base
  const ratio = first <= megabytes ? first : Math.min(first, timeMs(run) / baseMs())
  expect(ratio, "times reading a megabyte of JSON").toBeLessThanOrEqual(megabytes)
}
