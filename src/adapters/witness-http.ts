// A witness that others run, over HTTP (WitnessService; C2SP tlog-witness). https, or http to this machine; no redirects; answers are bounded
// in bytes and time and unverified. Which URLs may be one is http-base.ts's.

import { encodeUtf8, formatHex } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { sha256 } from "../core/hash.js"
import { MAX_NOTE_BYTES } from "../core/note.js"
import { createDeadline } from "../deadline.js"
import type { WitnessReply, WitnessService } from "../ports.js"
import { openHttpBase } from "./http-base.js"
import type { HttpConnection } from "./http-connection.js"

/** How a witness is reached. */
export interface HttpWitnessOptions {
  /** Proxy variables are taken from here. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** For one answer. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** A witness over HTTP; it keeps sockets open until it is closed. */
export interface HttpWitness extends WitnessService {
  close(): Promise<void>
}

/** Largest answer to add-checkpoint: some signature lines, those of ML-DSA have about 3,300 bytes each. */
export const MAX_WITNESS_ANSWER_BYTES = 64 * 1024

const TIMEOUT_MS = 10_000

/** The witness at `url`, as the log's own policy names it: it may have a private address. Opens nothing yet. Throws CONFIG_INVALID. */
export function createHttpWitness(url: string, options: HttpWitnessOptions): HttpWitness {
  const { url: base, connection } = openHttpBase(url, "a witness", {
    ...options,
    allowPrivate: true,
    allowLoopbackHttp: true,
  })
  const send = (path: string, asked: Asked, signal: AbortSignal | undefined) =>
    exchange(connection, new URL(path, base), asked, [
      createDeadline(options.timeoutMs ?? TIMEOUT_MS),
      ...(options.signal ? [options.signal] : []),
      ...(signal ? [signal] : []),
    ])
  return {
    location: base.href,
    addCheckpoint: (body, signal) =>
      send("add-checkpoint", { method: "POST", body, maxBytes: MAX_WITNESS_ANSWER_BYTES }, signal),
    latest: async (origin, signal) => {
      const path = `${formatHex(sha256(encodeUtf8(origin)))}/checkpoint`
      const reply = await send(path, { method: "GET", body: null, maxBytes: MAX_NOTE_BYTES }, signal)
      return reply.status === 200 ? reply.body : null
    },
    close: connection.close,
  }
}

interface Asked {
  readonly method: "GET" | "POST"
  readonly body: Uint8Array | null
  readonly maxBytes: number
}

async function exchange(
  connection: HttpConnection,
  url: URL,
  { method, body, maxBytes }: Asked,
  signals: readonly AbortSignal[],
): Promise<WitnessReply> {
  const signal = AbortSignal.any([...signals])
  const unavailable = (why: string, cause?: unknown) =>
    new ToolsumError("LOG_UNAVAILABLE", `${quote(url.href, 200)}: ${why}`, { cause })
  try {
    const { request, dispatcher } = await connection.open()
    const response = await request(url, { method, body, dispatcher, signal, headers: { "user-agent": "toolsum" } })
    const parts: Uint8Array[] = []
    let length = 0
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      length += part.length
      if (length > maxBytes) throw unavailable(`expected at most ${maxBytes} bytes, got more`)
      parts.push(part)
    }
    const type = response.headers["content-type"]
    const contentType = typeof type === "string" ? type : null
    return { status: response.statusCode, contentType, body: new Uint8Array(Buffer.concat(parts)) }
  } catch (error) {
    if (error instanceof ToolsumError) throw error
    throw unavailable(
      signal.aborted ? "no answer in time" : error instanceof Error ? error.message : String(error),
      error,
    )
  }
}
