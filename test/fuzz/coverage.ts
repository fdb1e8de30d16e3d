// Which stretches of our sources have run: V8's precise block coverage, read through the inspector of this process. V8 names only blocks
// whose count differs from what is around them, so that what ran is kept by character: the innermost range decides. Functions count
// their blocks only when they were compiled after the start, so that the sources must be loaded later.
import { type Profiler, Session } from "node:inspector"

/** A stretch of a script that has run; `end` is exclusive. */
export interface Stretch {
  readonly script: string
  readonly start: number
  readonly end: number
}

/** Coverage of this process. */
export interface BlockCoverage {
  /** What has run since the last call. */
  take(): readonly Stretch[]
  /** How many blocks there are in `seen`, as far as blocks have been told apart by now. */
  countBlocks(seen: Seen): number
  stop(): void
}

/** What has ever run. */
export interface Seen {
  /** True when some of it is new; it is no longer then. */
  add(stretches: readonly Stretch[]): boolean
  /** Those that are new, in whole or in part. */
  news(stretches: readonly Stretch[]): readonly Stretch[]
  has(script: string, at: number): boolean
}

/** Start to count, in scripts whose URL passes. */
export function startBlockCoverage(isOurs: (url: string) => boolean): BlockCoverage {
  const session = new Session()
  session.connect()
  const edges = new Map<string, Set<number>>()
  const post = <T>(send: (done: (error: Error | null, result: T) => void) => void): T => call(send)
  post((done) => session.post("Profiler.enable", done as () => void))
  post((done) => session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true }, done as () => void))
  return {
    take() {
      const { result } = post<Profiler.TakePreciseCoverageReturnType>((done) =>
        session.post("Profiler.takePreciseCoverage", done),
      )
      return result.filter(({ url }) => isOurs(url)).flatMap((script) => executed(script, edgesOf(edges, script.url)))
    },
    countBlocks: (seen) =>
      [...edges].reduce((sum, [script, places]) => sum + [...places].filter((at) => seen.has(script, at)).length, 0),
    stop() {
      post((done) => session.post("Profiler.stopPreciseCoverage", done as () => void))
      session.disconnect()
    },
  }
}

/** An empty record of what has run. */
export function createSeen(): Seen {
  const scripts = new Map<string, Uint8Array>()
  const isNew = ({ script, start, end }: Stretch): boolean => {
    const first = scripts.get(script)?.subarray(0, end).indexOf(0, start)
    return first !== -1 || (scripts.get(script)?.length ?? 0) < end
  }
  return {
    news: (stretches) => stretches.filter(isNew),
    add(stretches) {
      const fresh = stretches.filter(isNew)
      for (const { script, start, end } of fresh) {
        const grown = grow(scripts.get(script), end)
        scripts.set(script, grown.fill(1, start, end))
      }
      return fresh.length > 0
    },
    has: (script, at) => scripts.get(script)?.[at] === 1,
  }
}

function grow(old: Uint8Array | undefined, length: number): Uint8Array {
  if (old && old.length >= length) return old
  const grown = new Uint8Array(2 * length)
  if (old) grown.set(old)
  return grown
}

/** The inspector of the own thread answers before `post` returns. */
function call<T>(send: (done: (error: Error | null, result: T) => void) => void): T {
  let answer: { readonly error: Error | null; readonly result: T } | undefined
  send((error, result) => {
    answer = { error, result }
  })
  if (answer === undefined) throw new Error("the inspector did not answer at once")
  if (answer.error !== null) throw new Error("the inspector refused", { cause: answer.error })
  return answer.result
}

function edgesOf(edges: Map<string, Set<number>>, script: string): Set<number> {
  const known = edges.get(script) ?? new Set()
  edges.set(script, known)
  return known
}

/** The stretches of a script that ran, in order. Ranges nest; a gap belongs to the range around it. */
function executed({ url, functions }: Profiler.ScriptCoverage, edges: Set<number>): readonly Stretch[] {
  const ranges = functions
    .flatMap((one) => one.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  const stretches: Stretch[] = []
  const open: Profiler.CoverageRange[] = []
  let at = 0
  const reach = (to: number) => {
    if (to > at && (open.at(-1)?.count ?? 0) > 0) stretches.push({ script: url, start: at, end: to })
    at = Math.max(at, to)
  }
  const close = (before: number) => {
    for (let top = open.at(-1); top && top.endOffset <= before; top = open.at(-1)) {
      reach(top.endOffset)
      open.pop()
    }
  }
  for (const range of ranges) {
    close(range.startOffset)
    reach(range.startOffset)
    open.push(range)
    edges.add(range.startOffset).add(range.endOffset)
  }
  close(Number.POSITIVE_INFINITY)
  return stretches
}
