// Several servers at once, bounded: the time of a batch is mostly waiting. What must not run beside itself shares a lane.

/** Servers that are read at a time: most of it is waiting, but a start may unpack a package. */
export const SERVERS_AT_ONCE = 4

/** Run `work` on every item, at most `atOnce` at a time; items of one lane one after the other, in their order. Answers in the order of
 *  the items. The first rejection is passed on once all that was begun has ended; nothing further begins then. */
export async function runInLanes<T, R>(
  items: readonly T[],
  { atOnce, laneOf }: { readonly atOnce: number; readonly laneOf: (item: T) => string },
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const waiting = items.map((item, index) => ({ item, index, lane: laneOf(item) }))
  const busy = new Set<string>()
  const results = new Map<number, R>()
  const failures: unknown[] = []
  const running = new Set<Promise<void>>()
  const begin = (next: (typeof waiting)[number]): void => {
    busy.add(next.lane)
    const task = work(next.item)
      .then(
        (result) => void results.set(next.index, result),
        (error: unknown) => void failures.push(error),
      )
      .finally(() => {
        busy.delete(next.lane)
        running.delete(task)
      })
    running.add(task)
  }
  while (waiting.length > 0 && failures.length === 0) {
    const free = running.size < atOnce ? waiting.findIndex(({ lane }) => !busy.has(lane)) : -1
    const [next] = free < 0 ? [] : waiting.splice(free, 1)
    if (next) begin(next)
    else await Promise.race(running)
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result)
}
