// Results to a descriptor: written at once, since opening Node's stream for it takes as long as checking a pin. What a full pipe does not
// take waits in the stream, and all that follows goes the same way, in order.
import { writeSync } from "node:fs"
import { errnoOf } from "../adapters/regular-file.js"
import { encodeUtf8 } from "../core/bytes.js"

/** A function that writes text to the descriptor `fd`; `openStream` opens Node's stream for it. A reader that goes away (`| head`) is no
 *  fault of ours and no error. Throws what the write throws otherwise. */
export function createOutput(fd: number, openStream: () => NodeJS.WritableStream): (text: string) => void {
  let stream: NodeJS.WritableStream | null = null
  return (text) => {
    const bytes = encodeUtf8(text)
    const rest = stream === null ? writeNow(fd, bytes) : bytes
    if (rest.length === 0) return
    stream ??= openStream().on("error", ignoreClosedPipe)
    stream.write(rest)
  }
}

/** Writes what the descriptor takes now and returns the rest. */
function writeNow(fd: number, bytes: Uint8Array): Uint8Array {
  let done = 0
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done)
  } catch (error) {
    if (errnoOf(error) !== "EAGAIN") ignoreClosedPipe(error)
    else return bytes.subarray(done)
  }
  return new Uint8Array(0)
}

function ignoreClosedPipe(error: unknown): void {
  if (errnoOf(error) !== "EPIPE") throw error
}
