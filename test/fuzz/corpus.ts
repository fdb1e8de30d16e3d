// The committed corpus: a folder for each reader with small inputs that between them run what we know how to run. A file's name is the start
// of its digest, so that the same inputs give the same folder; `crash-…` is an input for which something did not hold, and stays.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { formatHex } from "../../src/core/bytes.js"
import { sha256 } from "../../src/core/hash.js"
import type { BlockCoverage, Seen, Stretch } from "./coverage.js"
import { createSeen } from "./coverage.js"

/** Largest input that is kept in the repository. */
export const MAX_KEPT_BYTES = 8 * 1024
/** Most bytes of one reader's inputs together. */
export const MAX_FOLDER_BYTES = 24 * 1024
/** What a file costs besides its bytes. */
const FILE_BYTES = 64

const FOLDER = fileURLToPath(new URL("corpus/", import.meta.url))
const CRASH = "crash-"

/** Folder of a reader, ending in a slash. */
export const corpusFolder = (name: string): string => `${FOLDER}${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}/`

/** The kept inputs of a reader by file name, in the order of their names. */
export const readCorpus = (name: string): ReadonlyMap<string, Uint8Array> =>
  new Map(namesIn(corpusFolder(name)).map((file) => [file, new Uint8Array(readFileSync(corpusFolder(name) + file))]))

/** Keep an input for which something did not hold; returns the file's path. */
export function saveCrash(name: string, input: Uint8Array): string {
  return write(corpusFolder(name), CRASH + fileName(input), input)
}

/** Make `inputs` all that is kept of a reader, besides crashes. */
export function saveCorpus(name: string, inputs: readonly Uint8Array[]): void {
  const folder = corpusFolder(name)
  const wanted = new Set(inputs.map(fileName))
  for (const file of namesIn(folder)) if (!file.startsWith(CRASH) && !wanted.has(file)) rmSync(folder + file)
  for (const input of inputs) write(folder, fileName(input), input)
}

/** A small choice of `inputs` that runs what they run together, as far as there is room: the shortest that is accepted, then again and
 *  again the one that adds most for its length. `run` runs one; true: accepted. */
export function minimise(
  inputs: readonly Uint8Array[],
  coverage: BlockCoverage,
  run: (input: Uint8Array) => boolean,
): readonly Uint8Array[] {
  let left = inputs.map((input) => traceOf(input, coverage, run)).filter(({ input }) => input.length <= MAX_KEPT_BYTES)
  const chosen: Uint8Array[] = []
  const seen = createSeen()
  const accepted = left.filter(({ isAccepted }) => isAccepted).toSorted((a, b) => a.input.length - b.input.length)
  for (let best = accepted[0] ?? bestOf(left, seen); best !== null; best = bestOf(left, seen)) {
    chosen.push(best.input)
    seen.add(best.stretches)
    const room = MAX_FOLDER_BYTES - chosen.reduce((sum, { length }) => sum + length, 0)
    left = left.filter(({ input }) => input.length <= Math.min(room, MAX_KEPT_BYTES))
  }
  return chosen
}

interface Trace {
  readonly input: Uint8Array
  readonly isAccepted: boolean
  readonly stretches: readonly Stretch[]
}

function traceOf(input: Uint8Array, coverage: BlockCoverage, run: (input: Uint8Array) => boolean): Trace {
  coverage.take()
  return { input, isAccepted: run(input), stretches: coverage.take() }
}

/** The one that adds most for its length; null where none adds anything. */
function bestOf(traces: readonly Trace[], seen: Seen): Trace | null {
  const gains = traces.map(({ input, stretches }) => newCharacters(stretches, seen) / (input.length + FILE_BYTES))
  const most = Math.max(0, ...gains)
  return most === 0 ? null : (traces[gains.indexOf(most)] ?? null)
}

function newCharacters(stretches: readonly Stretch[], seen: Seen): number {
  let count = 0
  for (const { script, start, end } of stretches)
    for (let at = start; at < end; at++) if (!seen.has(script, at)) count++
  return count
}

/** Name of the file of an input that is no crash. */
export const fileName = (input: Uint8Array): string => formatHex(sha256(input)).slice(0, 16)

function write(folder: string, file: string, input: Uint8Array): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(folder + file, input)
  return folder + file
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
    throw error
  }
}
