// What the coverage-guided search has kept, run again by the reader that it was found for: every committed input, crashes of old included,
// still throws nothing but a refusal and is written back as it was.
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import fc from "fast-check"
import { expect, test } from "vitest"
import { allFuzzed } from "./all-subjects.js"
import { corpusFolder, fileName, MAX_KEPT_BYTES, readCorpus } from "./corpus.js"

const readers = await allFuzzed()

test("every folder is that of a reader, and every reader has one", () => {
  const folders = readers.map(({ name }) => corpusFolder(name))
  expect(new Set(folders).size).toBe(readers.length)
  const kept = fileURLToPath(new URL("corpus/", import.meta.url))
  expect(
    readdirSync(kept)
      .map((name) => `${kept}${name}/`)
      .toSorted(),
  ).toEqual(folders.toSorted())
})

test.each(readers)("$name", ({ name, valid, check }) => {
  const inputs = [...readCorpus(name)]
  expect(inputs.length).toBeGreaterThan(0)
  for (const [file, input] of inputs) {
    if (!file.startsWith("crash-")) expect(input.length, file).toBeLessThanOrEqual(MAX_KEPT_BYTES)
    expect(file.replace("crash-", "")).toBe(fileName(input))
    check(input)
  }
  expect(fc.sample(valid, { seed: 1, numRuns: 20 }).some(check), "a well-formed document is accepted").toBe(true)
})

/** Parsers of parts, which get their input from the parser of the whole. */
const INSIDE = ["parseHash", "parseLaunch", "parseLogs", "parsePin"]

test("no parser of src/core is left out", () => {
  const read = (folder: URL) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(new URL(file, folder), "utf8"))
      .join("")
  const listed = read(new URL("./", import.meta.url))
  const exported = [...read(new URL("../../src/core/", import.meta.url)).matchAll(EXPORTED)].map(
    ([, name = ""]) => name,
  )
  const isListed = (name: string) => listed.includes(`${name}(`) || listed.includes(`parse: ${name},`)
  expect(exported.filter((name) => !isListed(name) && !INSIDE.includes(name))).toEqual([])
})

const EXPORTED = /^export (?:const|function) (parse\w+)/gm
