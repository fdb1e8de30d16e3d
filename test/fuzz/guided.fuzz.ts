// Every reader is searched with coverage as a guide for its share of the time, from the committed corpus and well-formed documents. What
// fails is written to the corpus as crash-…, which the fast tests run from then on. Run by run.mjs.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import fc from "fast-check"
import { expect, test } from "vitest"
import { startBlockCoverage } from "./coverage.js"
import { compare, only, replay, save, seconds, seed } from "./settings.js"

// The readers and all that they import are loaded later, so that their blocks are counted.
const coverage = startBlockCoverage((url) => url.includes("/src/") || url.endsWith("/fuzz/maze.ts"))
const { allFuzzed } = await import("./all-subjects.js")
const { failureOf, search, seedsOf, shrink } = await import("./guided.js")
const { minimise, readCorpus, saveCorpus, saveCrash } = await import("./corpus.js")
const { createRandom } = await import("./random.js")
const { MAZE } = await import("./maze.js")
type Fuzzed = Awaited<ReturnType<typeof allFuzzed>>[number]
type Failure = NonNullable<ReturnType<typeof failureOf>>

/** Well-formed documents that a search starts with, besides the corpus. */
const DOCUMENTS = 12

const readers = (await allFuzzed()).filter(({ name }) => only === null || name === only)

test("guidance finds what chance does not", () => {
  const seeds = [new Uint8Array(4)]
  const find = (most: number, guided: boolean) =>
    search({
      ...{ fuzzed: MAZE, seeds, coverage, readSource: () => "", random: createRandom(seed), guided },
      goOn: (inputs) => inputs < most,
    }).failure
  expect(find(5_000, false)).toBeNull()
  expect([...(find(2_000_000, true)?.input.subarray(0, 4) ?? [])]).toEqual([1, 2, 4, 8])
})

test.skipIf(replay === null)("the given input", () => {
  const input = new Uint8Array(readFileSync(replay ?? ""))
  for (const reader of readers) {
    const failure = failureOf(reader, input)
    if (failure !== null) throw new Error(`${reader.name}: something does not hold`, { cause: failure.error })
  }
})

test.skipIf(replay !== null).each(readers)(`$name (seed ${seed})`, (reader) => {
  const seeds = [...readCorpus(reader.name).values(), ...seedsOf(fc.sample(reader.valid, { seed, numRuns: DOCUMENTS }))]
  let end = Number.POSITIVE_INFINITY
  const hasTime = (inputs: number): boolean => {
    if (inputs === seeds.length) end = performance.now() + (1000 * seconds) / readers.length
    return performance.now() < end
  }
  const options = { fuzzed: reader, seeds, coverage, readSource }
  const found = search({ ...options, random: createRandom(seed), goOn: hasTime })
  const unguided = compare
    ? search({ ...options, random: createRandom(seed), goOn: (inputs) => inputs < found.inputs, guided: false })
    : null
  const blocks = coverage.countBlocks(found.seen)
  const than = unguided === null ? "" : `, ${coverage.countBlocks(unguided.seen)} without guidance`
  console.log(`${reader.name}: ${found.inputs} inputs, ${found.kept.length} kept, ${blocks} blocks${than}`)
  const failure = found.failure ?? unguided?.failure ?? null
  if (failure !== null) throw report(reader, failure)
  if (save)
    saveCorpus(
      reader.name,
      minimise(found.kept, coverage, (input) => reader.check(input)),
    )
  expect(found.inputs).toBeGreaterThan(seeds.length)
})

const readSource = (script: string): string => readFileSync(fileURLToPath(script), "utf8")

function report(reader: Fuzzed, { input, error }: Failure): Error {
  const smallest = shrink(input, (smaller) => failureOf(reader, smaller) !== null)
  const file = saveCrash(reader.name, smallest)
  const lines = [
    `${reader.name}: something does not hold for this input, kept as ${file}`,
    `base64: ${Buffer.from(smallest).toString("base64")}`,
    `replay: npm run fuzz -- --only "${reader.name}" --replay ${file}`,
  ]
  return new Error(lines.join("\n"), { cause: failureOf(reader, smallest)?.error ?? error })
}
