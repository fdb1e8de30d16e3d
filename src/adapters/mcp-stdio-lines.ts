// Cuts a stream of bytes into lines (MCP stdio: one JSON-RPC message per line). Works on bytes, so that a character split over two
// chunks stays whole; what a line means is mcp-messages.ts's.
import { createByteBuffer } from "./byte-buffer.js"

const LINE_FEED = 0x0a
const RETURN = 0x0d

/** What comes out of a splitter. */
export interface LineEvents {
  /** A whole line without its end (LF or CRLF). */
  readonly line: (bytes: Uint8Array) => void
  /** A line of more than `maxBytes` has begun, once per line: its first bytes. The rest of it is dropped. */
  readonly overlong: (start: Uint8Array) => void
}

/** A splitter fed with chunks. `end` passes on a last line without a line feed. */
export interface LineSplitter {
  push(chunk: Uint8Array): void
  end(): void
}

/** How much of an overlong line is shown. */
const SHOWN_BYTES = 200

/** Cut chunks into lines of at most `maxBytes`. */
export function createLineSplitter(maxBytes: number, events: LineEvents): LineSplitter {
  const begun = createByteBuffer()
  let dropping = false
  const take = (part: Uint8Array) => {
    if (dropping) return
    const isOverlong = begun.length() + part.length > maxBytes
    begun.push(part)
    if (!isOverlong) return
    dropping = true
    events.overlong(begun.take().subarray(0, SHOWN_BYTES))
  }
  const finish = (rest: Uint8Array) => {
    const isWhole = begun.length() === 0 && !dropping && rest.length <= maxBytes // then nothing need be copied
    if (!isWhole) take(rest)
    const bytes = isWhole ? rest : begun.take()
    const complete = !dropping
    dropping = false
    if (complete) events.line(bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes)
  }
  return {
    push(chunk) {
      let start = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
        finish(chunk.subarray(start, at))
        start = at + 1
      }
      if (start < chunk.length) take(chunk.subarray(start))
    },
    end() {
      if (begun.length() > 0) finish(NOTHING)
    },
  }
}

const NOTHING = new Uint8Array(0)
