// Reads an event stream from its bytes (WHATWG HTML §9.2, server-sent events): what is in `data` stays bytes, so that the strict reader
// sees exactly what the server sent. Bounded per event.
import { createByteBuffer } from "./byte-buffer.js"
import { overlong } from "./mcp-http-body.js"

/** One event. */
export interface StreamEvent {
  /** `message` unless the stream names another. */
  readonly type: string
  readonly data: Uint8Array
}

/** What a stream says besides its events. */
export interface StreamState {
  /** The newest id of an event. */
  lastId: string | null
  /** How long to wait before asking again, when the stream says so. */
  retryMs: number | null
}

const CR = 0x0d
const LF = 0x0a
const COLON = 0x3a
const SPACE = 0x20
const BOM = [0xef, 0xbb, 0xbf] as const
/** Longest id of an event that is remembered. */
const MAX_ID_CHARS = 1024

/** The events of a stream, each with at most `maxBytes` of data, as soon as they are complete; what the stream says of itself goes into
 *  `state`. Throws PROTOCOL_MALFORMED for more, and what reading `body` throws. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  state: StreamState,
): AsyncGenerator<StreamEvent> {
  const block = createBlock(maxBytes, state)
  const lines = createLines(maxBytes)
  for await (const chunk of body) {
    for (const line of lines.split(chunk)) {
      const event = block.push(line)
      if (event !== null) yield event
    }
  }
}

/** Cuts chunks into lines without their ends, which are CR LF, LF or CR. A line is good until the next one is asked for. */
function createLines(maxBytes: number) {
  const begun = createByteBuffer()
  let endedWithCr = false
  let isFirst = true
  const finish = (rest: Uint8Array): Uint8Array => {
    if (begun.length() === 0) return rest
    begun.push(rest)
    return begun.take()
  }
  return {
    *split(chunk: Uint8Array): Generator<Uint8Array> {
      let start = 0
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]
        const isEnd = byte === CR || byte === LF
        const isSecondHalf = byte === LF && endedWithCr
        endedWithCr = byte === CR
        if (!isEnd) continue
        if (!isSecondHalf) {
          const line = finish(chunk.subarray(start, at))
          yield isFirst ? withoutBom(line) : line
          isFirst = false
        }
        start = at + 1
      }
      if (begun.length() + chunk.length - start > maxBytes + FIELD_BYTES) throw overlong(maxBytes)
      begun.push(chunk.subarray(start))
    },
  }
}

/** Room for the name of a field. */
const FIELD_BYTES = 64

const withoutBom = (line: Uint8Array) => (BOM.every((byte, i) => line[i] === byte) ? line.subarray(BOM.length) : line)

/** Gathers the fields of one event until the blank line that ends it. */
function createBlock(maxBytes: number, state: StreamState) {
  const data = createByteBuffer()
  let type = ""
  const take = (name: string, value: Uint8Array) => {
    if (name === "data") {
      if (data.length() + value.length > maxBytes) throw overlong(maxBytes)
      data.push(value)
      data.push(NEWLINE)
    } else if (name === "event") type = new TextDecoder().decode(value)
    else if (name === "id") takeId(new TextDecoder().decode(value), state)
    else if (name === "retry") takeRetry(new TextDecoder().decode(value), state)
  }
  return {
    push(line: Uint8Array): StreamEvent | null {
      if (line.length > 0) {
        const { name, value } = splitField(line)
        take(name, value)
        return null
      }
      const event = data.length() === 0 ? null : { type: type || "message", data: data.take().subarray(0, -1) }
      type = ""
      return event
    },
  }
}

const NEWLINE = new Uint8Array([LF])

function splitField(line: Uint8Array): { readonly name: string; readonly value: Uint8Array } {
  const colon = line.indexOf(COLON)
  if (colon < 0) return { name: new TextDecoder().decode(line), value: new Uint8Array(0) }
  const start = line[colon + 1] === SPACE ? colon + 2 : colon + 1
  return { name: new TextDecoder().decode(line.subarray(0, colon)), value: line.subarray(start) }
}

function takeId(id: string, state: StreamState): void {
  if (!id.includes("\0") && id.length <= MAX_ID_CHARS) state.lastId = id === "" ? null : id
}

function takeRetry(digits: string, state: StreamState): void {
  if (/^[0-9]{1,9}$/.test(digits)) state.retryMs = Number(digits)
}
