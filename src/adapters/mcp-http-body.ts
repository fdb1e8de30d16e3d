// The body of one HTTP answer as it is read (DESIGN 8): decoded only by codings that were advertised, counted while it is decoded, given
// up as soon as there is too much of it, so that neither a large nor a compressed body costs more than its limit.
import { pipeline, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { quote, ToolsumError } from "../core/errors.js"
import { createByteBuffer } from "./byte-buffer.js"

/** What is advertised as accept-encoding: what `decodeBody` reads. */
export const ACCEPTED_CODINGS = "gzip, deflate, br"

/** A body that nobody wants is read this far, to keep the connection. */
const DUMP_BYTES = 16_384

/** Makes the error for a connection that ended within a body. */
export type Broken = (error: unknown) => ToolsumError

/** The bytes of `body` after decoding. Leaving the loop early ends the connection. Throws PROTOCOL_MALFORMED for a coding that was not
 *  advertised and for damaged data; what `broken` makes of a connection that ends. */
export async function* decodeBody(body: Readable, coding: string, broken: Broken): AsyncGenerator<Uint8Array> {
  const source = coding === "identity" ? body : decompress(body, coding)
  try {
    yield* source
  } catch (error) {
    if (isCodingError(error))
      throw new ToolsumError("PROTOCOL_MALFORMED", `damaged ${coding} data in an answer`, { cause: error })
    throw broken(error)
  }
}

function decompress(body: Readable, coding: string): Readable {
  const decoder = createDecoder(coding)
  if (decoder === null) {
    body.on("error", () => undefined).destroy() // nobody reads it; its end is no news
    throw new ToolsumError(
      "PROTOCOL_MALFORMED",
      `expected a content-encoding of ${ACCEPTED_CODINGS}, got ${quote(coding, 40)}`,
    )
  }
  return pipeline(body, decoder, () => undefined) // a failure of either shows in reading
}

function createDecoder(coding: string) {
  if (coding === "gzip" || coding === "x-gzip") return createGunzip()
  if (coding === "deflate") return createInflate()
  return coding === "br" ? createBrotliDecompress() : null
}

const isCodingError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && /^(?:Z_|ERR__ERROR_)/.test(error.code)

/** The error for a message of more bytes than that. */
export const overlong = (maxBytes: number): ToolsumError =>
  new ToolsumError("PROTOCOL_MALFORMED", `expected messages of at most ${maxBytes} bytes`)

/** All bytes of `body`. Throws PROTOCOL_MALFORMED when there are more than `maxBytes`. */
export async function collectBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const buffer = createByteBuffer()
  for await (const part of body) {
    if (buffer.length() + part.length > maxBytes) throw overlong(maxBytes)
    buffer.push(part)
  }
  return buffer.take()
}

/** The start of `body`, at most `maxBytes`, for looking at; what comes after is not read. Of a body that breaks off, what came of it. */
export async function collectStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const buffer = createByteBuffer()
  try {
    for await (const part of body) {
      buffer.push(part.subarray(0, maxBytes - buffer.length()))
      if (buffer.length() === maxBytes) break
    }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
  }
  return buffer.take()
}

/** Read a body that nobody wants. */
export async function dumpBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  await collectStart(body, DUMP_BYTES)
}
