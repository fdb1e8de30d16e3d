// Batching of submissions (brief 5.5): up to 256 items or 50 ms, one batch in flight, a bounded queue. Everything about the log is
// left to `run`, which gets a batch and answers per item, or with the error of that item.
import { ToolsumError } from "../core/errors.js"

/** Most items of one batch: the width of a tile. */
export const MAX_BATCH_ITEMS = 256
/** Most bytes of one batch, unless its only item is larger. */
export const MAX_BATCH_BYTES = 32 * 1024 * 1024
/** How long the first item of a batch waits for others. */
export const BATCH_WAIT_MS = 50
/** Most items that may wait. */
export const MAX_QUEUED_ITEMS = 4096

/** What waits for a batch. `bytes`: its share of MAX_BATCH_BYTES. */
export interface Batchable {
  readonly bytes: number
}

/** Collects items to batches. */
export interface Batcher<T extends Batchable, R> {
  /** Answers in the order of `items`, when all are done. They are done in this order, perhaps in several batches.
   *  Throws what `run` throws, LOG_BUSY when too many wait, LOG_CLOSED after `close`. */
  submit(items: readonly T[]): Promise<readonly R[]>
  /** Take nothing more; returns when all that was taken is done. */
  close(): Promise<void>
}

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/** A batcher that calls `run` with one batch at a time. `room`: how many the next batch takes when more wait than one takes, at most
 *  MAX_BATCH_ITEMS; a log fills its last tile, so that the batches after it write whole tiles. `waitMs`: in place of BATCH_WAIT_MS. */
export function createBatcher<T extends Batchable, R>(p: {
  readonly run: (batch: readonly T[]) => Promise<readonly (R | ToolsumError)[]>
  readonly room?: () => number
  readonly waitMs?: number | undefined
}): Batcher<T, R> {
  const queue: Waiting<T, R>[] = []
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let closed = false

  const start = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (running !== null || queue.length === 0) return
    // What came while a batch was in flight has waited long enough.
    const most = queue.length <= MAX_BATCH_ITEMS ? queue.length : (p.room?.() ?? MAX_BATCH_ITEMS)
    running = runBatch(p.run, takeBatch(queue, most)).then(() => {
      running = null
      start()
    })
  }
  const enqueue = (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
    })
  const schedule = (): void => {
    if (running !== null) return
    if (queue.length >= MAX_BATCH_ITEMS || closed) start()
    else timer ??= setTimeout(start, p.waitMs ?? BATCH_WAIT_MS)
  }
  const enqueueAll = (items: readonly T[]): readonly Promise<R>[] => {
    if (closed) throw new ToolsumError("LOG_CLOSED", "the log is closed")
    if (queue.length + items.length > MAX_QUEUED_ITEMS) {
      throw new ToolsumError("LOG_BUSY", `more than ${MAX_QUEUED_ITEMS} entries wait; try again in a second`)
    }
    const answers = items.map(enqueue)
    // Whoever submits more than a slice awaits these later.
    for (const answer of answers) answer.catch(() => undefined)
    schedule()
    return answers
  }
  return {
    async submit(items) {
      const answers: Promise<R>[] = []
      for (let at = 0; at < items.length; at += MAX_BATCH_ITEMS) {
        // Two batches ahead are enough to keep batches full, and leave room in the queue for others.
        while (at > 0 && queue.length >= 2 * MAX_BATCH_ITEMS && running !== null) await running
        answers.push(...enqueueAll(items.slice(at, at + MAX_BATCH_ITEMS)))
      }
      return Promise.all(answers)
    },
    async close() {
      closed = true
      start()
      while (running !== null) await running
    },
  }
}

/** The next batch: `most` from the front of the queue, fewer when they have too many bytes, at least one. */
function takeBatch<T extends Batchable, R>(queue: Waiting<T, R>[], most: number): readonly Waiting<T, R>[] {
  let count = 0
  let bytes = 0
  for (const { item } of queue.slice(0, most)) {
    bytes += item.bytes
    if (count > 0 && bytes > MAX_BATCH_BYTES) break
    count++
  }
  return queue.splice(0, count)
}

async function runBatch<T, R>(
  run: (batch: readonly T[]) => Promise<readonly (R | ToolsumError)[]>,
  batch: readonly Waiting<T, R>[],
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    for (const [i, { resolve, reject }] of batch.entries()) {
      const result = results[i]
      if (result === undefined) reject(new Error("a batch left an item without an answer"))
      else if (result instanceof ToolsumError) reject(result)
      else resolve(result)
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
