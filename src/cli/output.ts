// Text to a descriptor: written at once, since opening Node's stream for it takes as long as checking a pin. What a full pipe does not
// take waits in the stream, and all that follows goes the same way, in order.
import { writeSync } from "node:fs"
import { errnoOf } from "../adapters/regular-file.js"
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"

/** How text leaves. */
export interface OutputOptions {
  /** False: through the stream from the start. The console of Windows takes text in no other way. */
  readonly direct?: boolean
  /** What to do about a failed write, at once or later; unless given, `failResult`. */
  readonly onError?: (error: unknown) => void
}

/** A function that writes text to the descriptor `fd`; `openStream` opens Node's stream for it. Throws what `onError` throws; where the
 *  stream failed later, that is thrown from the event loop. */
export function createOutput(
  fd: number,
  openStream: () => NodeJS.WritableStream,
  { direct = true, onError = failResult }: OutputOptions = {},
): (text: string) => void {
  let stream: NodeJS.WritableStream | null = null
  return (text) => {
    try {
      const bytes = encodeUtf8(text)
      const rest = stream === null && direct ? writeNow(fd, bytes) : bytes
      if (rest.length === 0) return
      stream ??= openStream().on("error", onError)
      stream.write(rest)
    } catch (error) {
      onError(error)
    }
  }
}

/** Writes what the descriptor takes now and returns the rest. */
function writeNow(fd: number, bytes: Uint8Array): Uint8Array {
  let done = 0
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done)
  } catch (error) {
    if (errnoOf(error) !== "EAGAIN") throw error
  }
  return bytes.subarray(done)
}

/** A result that nobody can have is a failure, unless its reader went away (`| head`). Throws IO_FAILED. */
export function failResult(error: unknown): void {
  const errno = errnoOf(error)
  if (errno === "EPIPE") return
  throw new ToolsumError("IO_FAILED", `could not write the result: ${errno ?? String(error)}`, { cause: error })
}
