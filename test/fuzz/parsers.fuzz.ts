// Every parser gets arbitrary and mangled input for its share of the time: it throws nothing but ToolsumError, what it accepts is written
// back as it was, and no input takes long. Run by run.mjs; a failure prints seed and path, which replay it.
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { expect, test } from "vitest"
import { makeCompleteLog } from "../fakes/complete-log.js"
import { evidenceOf } from "../fakes/evidence-world.js"
import type { Fuzzed, Input } from "./subject.js"
import { listFuzzed } from "./subjects.js"

const seed = Number(process.env.TOOLSUM_FUZZ_SEED)
const seconds = Number(process.env.TOOLSUM_FUZZ_SECONDS)
const path = process.env.TOOLSUM_FUZZ_PATH || undefined
const only = process.env.TOOLSUM_FUZZ_ONLY || null

/** Longest time for one input, far above what any needs: a reader that is slow by its nature misses it by orders of magnitude. */
const MAX_MS = 1000
/** A pause of the machine is not the reader's fault. */
const ATTEMPTS = 3

/** Parsers of parts, which get their input from the parser of the whole. */
const INSIDE = ["parseHash", "parseLaunch", "parseLogs", "parsePin"]

const { evidence } = await evidenceOf({})
const all = listFuzzed(await makeCompleteLog(), evidence)
const chosen = all.filter(({ name }) => only === null || name === only)

test("there is something to fuzz, each under its own name", () => {
  expect(chosen.length, `--only takes one of: ${all.map(({ name }) => name).join(", ")}`).toBeGreaterThan(0)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
})

test("no parser of src/core is left out", () => {
  const folder = new URL("../../src/core/", import.meta.url)
  const listed = ["subjects.ts", "legion-subjects.ts"]
    .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
    .join("")
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  const exported = files.flatMap((file) =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/^export (?:const|function) (parse\w+)/gm)].map(
      ([, name = ""]) => name,
    ),
  )
  expect(
    exported.filter(
      (name) => !listed.includes(`${name}(`) && !listed.includes(`parse: ${name},`) && !INSIDE.includes(name),
    ),
  ).toEqual([])
})

test.each(chosen)(`$name (seed ${seed})`, (fuzzed) => {
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

function checkInTime({ check }: Fuzzed, input: Input): void {
  let fastest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && fastest > MAX_MS; attempt++) {
    const start = performance.now()
    check(input)
    fastest = Math.min(fastest, performance.now() - start)
  }
  if (fastest > MAX_MS) throw new Error(`took ${Math.round(fastest)} ms for ${input.length} units`)
}
