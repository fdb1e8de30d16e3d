// Cuts a stream of bytes into lines (MCP stdio: one JSON-RPC message per line). Works on bytes, so that a character split over two
// chunks stays whole; what a line means is mcp-messages.ts's.

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
  let parts: Uint8Array[] = []
  let length = 0
  let dropping = false
  const take = (part: Uint8Array) => {
    if (dropping) return
    parts.push(part)
    length += part.length
    if (length <= maxBytes) return
    dropping = true
    events.overlong(join(parts, length).subarray(0, SHOWN_BYTES))
  }
  const finish = () => {
    const bytes = join(parts, length)
    const complete = !dropping
    parts = []
    length = 0
    dropping = false
    if (complete) events.line(bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes)
  }
  return {
    push(chunk) {
      let start = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
        take(chunk.subarray(start, at))
        finish()
        start = at + 1
      }
      if (start < chunk.length) take(chunk.subarray(start))
    },
    end() {
      if (length > 0) finish()
    },
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only) return only
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
