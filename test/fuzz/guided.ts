// The coverage-guided search: inputs are made by changing kept ones, and an input is kept when it runs code that nothing ran before. Coverage
// is asked for once a batch, since asking takes longer than most readers; a batch with news is halved until the inputs are found.
import type { BlockCoverage, Seen, Stretch } from "./coverage.js"
import { createSeen } from "./coverage.js"
import { collectTokens, type Material, mutate } from "./mutate.js"
import { pick, type Random } from "./random.js"
import { bytesOf, type Fuzzed, type Input } from "./subject.js"

/** Longest time for one input, far above what any needs: a reader that is slow by its nature misses it by orders of magnitude. */
const MAX_MS = 1000
/** A pause of the machine is not the reader's fault. */
const ATTEMPTS = 3
/** A batch grows until running it takes so many times as long as asking for coverage. */
const BATCH_SHARE = 3
const MAX_BATCH = 1000
/** Inputs that are not worth being made smaller. */
const SHORT_BYTES = 64
/** Tries to make a found input smaller. */
const SHRINK_TRIES = 60

/** How a search ends. */
export interface Search {
  /** Inputs made and run, the seeds included. */
  readonly inputs: number
  readonly seen: Seen
  /** The seeds, then the inputs that reached something new when they ran. */
  readonly kept: readonly Uint8Array[]
  /** The first input for which something does not hold; the search ends there. */
  readonly failure: Failure | null
}

interface Ran {
  readonly stretches: readonly Stretch[]
  readonly isLong: boolean
}

/** An input for which something does not hold, and what. */
export interface Failure {
  readonly input: Uint8Array
  readonly error: unknown
}

export interface SearchOptions {
  readonly fuzzed: Fuzzed
  readonly seeds: readonly Uint8Array[]
  /** The text of a script, whose string literals are words of the reader. */
  readonly readSource: (script: string) => string
  readonly coverage: BlockCoverage
  readonly random: Random
  /** True to go on, asked once a batch with the number of inputs so far. */
  readonly goOn: (inputs: number) => boolean
  /** False: coverage decides nothing and only the seeds are changed, to see what guidance brings. */
  readonly guided?: boolean
}

/** Search until `goOn` says no, or something does not hold. */
export function search(p: SearchOptions): Search {
  const { fuzzed, coverage, random, guided = true } = p
  const seen = createSeen()
  const kept: Uint8Array[] = []
  let inputs = 0
  let failure: Failure | null = null
  const run = (batch: readonly Uint8Array[]): Ran => {
    const start = performance.now()
    for (const input of batch) failure ??= failureOf(fuzzed, input)
    const asked = performance.now()
    const stretches = coverage.take()
    return { stretches, isLong: asked - start > BATCH_SHARE * (performance.now() - asked) }
  }
  // A change of a long input seldom hits what matters.
  const trim = (input: Uint8Array, news: readonly Stretch[]): Uint8Array =>
    input.length <= SHORT_BYTES ? input : shrink(input, (smaller) => covers(run([smaller]).stretches, news))
  const keepNews = (batch: readonly Uint8Array[], stretches: readonly Stretch[]): void => {
    const news = seen.news(stretches)
    if (news.length === 0) return
    if (batch.length === 1 && batch[0] !== undefined) kept.push(trim(batch[0], news))
    else for (const half of halves(batch)) keepNews(half, run(half).stretches)
    seen.add(stretches)
  }
  coverage.take()
  const started = run(p.seeds).stretches
  seen.add(started)
  kept.push(...p.seeds)
  inputs += p.seeds.length
  const scripts = new Set(started.map(({ script }) => script))
  const material = { random, corpus: kept, tokens: collectTokens(p.seeds, [...scripts].map(p.readSource)) }
  for (let size = 1; failure === null && p.goOn(inputs); ) {
    const batch = Array.from({ length: size }, () => makeInput(fuzzed, material))
    const { stretches, isLong } = run(batch)
    inputs += batch.length
    size = isLong || seen.news(stretches).length > 0 ? Math.max(1, size >> 1) : Math.min(MAX_BATCH, 2 * size)
    if (guided) keepNews(batch, stretches)
    else seen.add(stretches)
  }
  return { inputs, seen, kept, failure }
}

function covers(stretches: readonly Stretch[], wanted: readonly Stretch[]): boolean {
  const seen = createSeen()
  seen.add(stretches)
  return seen.news(wanted).length === 0
}

/** Why something does not hold for `input`; null when all holds. */
export function failureOf(fuzzed: Fuzzed, input: Uint8Array): Failure | null {
  try {
    checkInTime(fuzzed, input)
    return null
  } catch (error) {
    return { input, error }
  }
}

/** Check an input, three times when it takes long. */
export function checkInTime({ check }: Fuzzed, input: Input): void {
  let fastest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && fastest > MAX_MS; attempt++) {
    const start = performance.now()
    check(input)
    fastest = Math.min(fastest, performance.now() - start)
  }
  if (fastest > MAX_MS) throw new Error(`took ${Math.round(fastest)} ms for ${input.length} units`)
}

/** A smaller input that `keeps` says is as good, by leaving out parts, the large ones first. */
export function shrink(input: Uint8Array, keeps: (smaller: Uint8Array) => boolean): Uint8Array {
  let smallest = input
  let tries = 0
  for (let part = input.length >> 1; part > 0 && tries < SHRINK_TRIES; part >>= 1) {
    for (let at = 0; at < smallest.length && tries < SHRINK_TRIES; tries++) {
      const smaller = Uint8Array.from([...smallest.subarray(0, at), ...smallest.subarray(at + part)])
      if (keeps(smaller)) smallest = smaller
      else at += part
    }
  }
  return smallest
}

/** A new input, from one of the later finds as often as from any, rather from a short one: those are run and changed sooner. */
function makeInput({ repair }: Fuzzed, material: Material): Uint8Array {
  const { random, corpus } = material
  const candidates = random(2) === 0 ? corpus : corpus.slice(-1 - (corpus.length >> 2))
  const [one, other] = [pick(random, candidates, NOTHING), pick(random, candidates, NOTHING)]
  const shorter = one.length < other.length ? one : other
  const changed = mutate(random(4) === 0 ? one : shorter, material)
  return repair === null || random(2) === 0 ? changed : repair(changed)
}

const NOTHING = new Uint8Array(0)

function halves<T>(items: readonly T[]): readonly (readonly T[])[] {
  const middle = items.length >> 1
  return [items.slice(0, middle), items.slice(middle)]
}

/** The inputs of `valid` documents as bytes. */
export const seedsOf = (documents: readonly Input[]): readonly Uint8Array[] =>
  documents.map((one) => bytesOf(one).slice())
