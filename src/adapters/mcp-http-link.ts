// What both HTTP transports share: one server's address, the headers of every request to it, how an answer is judged and counted, and how
// what came gets to the SDK through the recorder.
import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import { ToolsumError } from "../core/errors.js"
import { collectStart, dumpBody } from "./mcp-http-body.js"
import type { HttpClient, HttpRequest, HttpResponse } from "./mcp-http-client.js"
import { MAX_REFUSAL_BYTES, mediaType, type Refusal, refusalError } from "./mcp-http-refusals.js"
import { fetchWants } from "./mcp-http-wants.js"
import { type Envelope, MAX_SESSION_BYTES, type Recorder } from "./mcp-recorder.js"
import { parseChallenge } from "./oauth-challenge.js"
import type { Redact } from "./redact-values.js"

/** A server behind a URL. */
export interface HttpLink {
  readonly client: HttpClient
  readonly url: URL
  /** Of every request, names in lower case; values are secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly recorder: Recorder
  readonly redact: Redact
  /** Bytes of one message. */
  readonly maxMessageBytes: number
  /** Until the server has answered the request that opens a session. */
  readonly startTimeoutMs: number
  /** For every other exchange. */
  readonly requestTimeoutMs: number
}

/** What the target's headers never override. */
const ACCEPT = "application/json, text/event-stream"

/** Headers of a request with a message in it. */
export const postHeaders = (link: HttpLink, more: Readonly<Record<string, string>> = {}) => ({
  ...baseHeaders(link),
  accept: ACCEPT,
  "content-type": "application/json",
  ...more,
})

/** Headers of a request for an event stream. */
export const streamHeaders = (link: HttpLink, more: Readonly<Record<string, string>> = {}) => ({
  ...baseHeaders(link),
  accept: "text/event-stream",
  "cache-control": "no-cache",
  ...more,
})

/** Lists may depend on the language (DESIGN 4): English is asked for. */
export const baseHeaders = ({ headers }: HttpLink) => ({ "user-agent": "toolsum", "accept-language": "en", ...headers })

/** An answer whose exchange can be ended before its body has come. */
export interface Exchange extends HttpResponse {
  readonly giveUp: () => void
}

/** Sends for one transport: bytes over all answers are counted, and `stop` ends what still runs. */
export function createExchange(link: HttpLink, stop: AbortSignal) {
  let received = 0
  async function* count(body: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      received += chunk.length
      if (received > MAX_SESSION_BYTES)
        throw new ToolsumError("READING_INCOMPLETE", `the server sent more than ${MAX_SESSION_BYTES} bytes`)
      yield chunk
    }
  }
  return async (request: Omit<HttpRequest, "signal">, signal?: AbortSignal): Promise<Exchange> => {
    const enough = new AbortController()
    const ends = AbortSignal.any([stop, enough.signal, ...(signal ? [signal] : [])])
    const response = await link.client.send({ ...request, signal: ends })
    return { ...response, body: count(response.body), giveUp: () => enough.abort() }
  }
}

/** How long a body that nobody waits for may go on before its connection is given up. */
export const LINGER_MS = 100

/** Take an answer whose body nobody wants: to its end, to keep the connection, unless that is far off. */
export async function dismiss({ body, giveUp }: Exchange): Promise<void> {
  const timer = setTimeout(giveUp, LINGER_MS)
  await dumpBody(body).finally(() => clearTimeout(timer))
}

/** How long the body of a refusal is waited for. */
const MAX_REFUSAL_MS = 3000

/** Read an answer that is none as far as it is looked at. Status and headers count, even if its body never comes. */
export async function readRefusal({ redact }: HttpLink, exchange: Exchange): Promise<Refusal> {
  const { status, header, body, giveUp } = exchange
  const timer = setTimeout(giveUp, MAX_REFUSAL_MS)
  const start = await collectStart(body, MAX_REFUSAL_BYTES).finally(() => clearTimeout(timer))
  return {
    status,
    contentType: redact(mediaType(header("content-type"))),
    body: start,
    text: redact(new TextDecoder().decode(start)),
    challenge: parseChallenge(redact(header("www-authenticate") ?? "")),
  }
}

/** The error for a refusal, which says what the server asks for when it wants a credential. */
export async function explainRefusal(link: HttpLink, refusal: Refusal): Promise<ToolsumError> {
  const error = refusalError(refusal)
  if (error.code !== "SERVER_AUTH") return error
  const wants = await fetchWants({ ...link, refusal })
  return wants === null ? error : new ToolsumError(error.code, error.message, { evidence: { wants } })
}

export const isSuccess = ({ status }: HttpResponse): boolean => status >= 200 && status < 300

/** What the SDK is to see of a message. The envelopes are JSON-RPC messages by construction; the SDK checks each again. */
export const toSdk = (envelope: Envelope): JSONRPCMessage => envelope as unknown as JSONRPCMessage

/** True when the answer to request `id` is among the envelopes. */
export const holdsAnswer = (envelopes: readonly Envelope[], id: unknown): boolean =>
  envelopes.some((envelope) => envelope.id === id && !("method" in envelope))
