// Every parser gets arbitrary and mangled input for its share of the time: it throws nothing but ToolsumError, what it accepts is written
// back as it was, and no input takes long. Run by run.mjs; a failure prints seed and path, which replay it.
import fc from "fast-check"
import { expect, test } from "vitest"
import { allFuzzed } from "./all-subjects.js"
import { checkInTime } from "./guided.js"
import { only, path, replay, seconds, seed } from "./settings.js"

const all = await allFuzzed()
const chosen = all.filter(({ name }) => only === null || name === only)

test("there is something to fuzz, each under its own name", () => {
  expect(chosen.length, `--only takes one of: ${all.map(({ name }) => name).join(", ")}`).toBeGreaterThan(0)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
})

test.skipIf(replay !== null).each(chosen)(`$name (seed ${seed})`, (fuzzed) => {
  const property = fc.property(fuzzed.inputs, (input) => checkInTime(fuzzed, input))
  const result = fc.check(property, {
    seed,
    numRuns: 1_000_000_000,
    interruptAfterTimeLimit: (1000 * seconds) / chosen.length,
    ...(path === undefined ? {} : { path }),
  })
  if (result.failed && result.counterexample !== null) throw new Error(fc.defaultReportMessage(result))
  console.log(`${fuzzed.name}: ${result.numRuns} inputs`)
  expect(result.numRuns).toBeGreaterThan(0)
})
