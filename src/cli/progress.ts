// Progress on stderr while something takes long, on a terminal only: one line that goes away again.
import type { Io } from "./io.js"

const CLEAR_LINE = "\r\u001b[2K"

/** Show `text` until `work` has ended. Throws what `work` throws. */
export async function showProgress<T>(io: Io, text: string, work: Promise<T>): Promise<T> {
  if (!io.progress) return work
  io.stderr(`${text} …`)
  try {
    return await work
  } finally {
    io.stderr(CLEAR_LINE)
  }
}

/** Progress of several things at once. */
export interface Progress {
  begin(name: string): void
  finish(name: string): void
  /** Take the line away. */
  end(): void
}

/** Columns of the line: one that wraps could not be taken away. */
const MAX_LINE_CHARS = 72

/** Show `doing 2 of 9: notes, search …` while things begin and finish. */
export function startProgress(io: Io, doing: string, total: number): Progress {
  const running = new Set<string>()
  let finished = 0
  const show = () => {
    if (!io.progress) return
    const line = `${doing} ${Math.min(finished + 1, total)} of ${total}: ${[...running].join(", ")}`
    io.stderr(`${CLEAR_LINE}${line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS) : line} …`)
  }
  return {
    begin: (name) => {
      running.add(name)
      show()
    },
    finish: (name) => {
      finished += 1
      running.delete(name)
      if (running.size > 0) show()
    },
    end: () => {
      if (io.progress && total > 0) io.stderr(CLEAR_LINE)
    },
  }
}

/** Progress of one thing that is counted. */
export interface Counting {
  reach(done: number, total: number): void
  /** Take the line away. */
  end(): void
}

/** Show `doing 4096 of 70000 …` now and then. */
export function startCounting(io: Io, doing: string): Counting {
  let shown = Number.NEGATIVE_INFINITY
  return {
    reach: (done, total) => {
      if (!io.progress || done - shown < total / 200) return
      shown = done
      io.stderr(`${CLEAR_LINE}${doing} ${done} of ${total} …`)
    },
    end: () => {
      if (io.progress && shown >= 0) io.stderr(CLEAR_LINE)
    },
  }
}
