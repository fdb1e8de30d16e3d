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
