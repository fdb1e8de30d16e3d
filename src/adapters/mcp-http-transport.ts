// Streamable HTTP (MCP 2025-03-26 to 2026-07-28) under the SDK client. Not the SDK's own transport: that parses and validates what comes
// before it could be recorded, opens a GET stream by itself, reconnects without end and follows challenges; here one `send` is one exchange,
// and whatever goes wrong in it is thrown from it.
import { setTimeout as sleep } from "node:timers/promises"
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client"
import { ToolsumError } from "../core/errors.js"
import { OPENING_METHODS } from "./mcp-eras.js"
import { collectBody } from "./mcp-http-body.js"
import type { HttpResponse } from "./mcp-http-client.js"
import { readEvents, type StreamState } from "./mcp-http-events.js"
import {
  createExchange,
  dismiss,
  type Exchange,
  explainRefusal,
  type HttpLink,
  holdsAnswer,
  isSuccess,
  LINGER_MS,
  postHeaders,
  readRefusal,
  streamHeaders,
  toSdk,
} from "./mcp-http-link.js"
import { isSessionLoss, mediaType, type Refusal, readRpcError } from "./mcp-http-refusals.js"

/** How often a stream that ends before the answer is taken up again. */
const MAX_RESUMPTIONS = 3
const DEFAULT_RETRY_MS = 1000
/** A stream that asks for more patience has failed. */
const MAX_RETRY_MS = 10_000
/** The end of a session is worth no more waiting. */
const END_TIMEOUT_MS = 3000
/** Characters of a session id (visible ASCII). */
const SESSION_ID = /^[!-~]{1,1024}$/

/** Member of a request's `_meta` that names its revision (2026-07-28). */
const REVISION_META = "io.modelcontextprotocol/protocolVersion"

/** One server over streamable HTTP. `failure` says why the newest request failed, `refusal` what came in place of its answer. */
export class HttpTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** Each request is an exchange of its own, which the SDK may end. */
  readonly hasPerRequestStream = true
  failure: ToolsumError | null = null
  refusal: Refusal | null = null
  /** The server does not know its own session any more. */
  isSessionLost = false

  private readonly link: HttpLink
  private readonly stop = new AbortController()
  private readonly exchange: ReturnType<typeof createExchange>
  private session: string | null = null
  private revision: string | null = null

  constructor(link: HttpLink) {
    this.link = link
    this.exchange = createExchange(link, this.stop.signal)
  }

  /** Nothing is opened before the first message. */
  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.revision = version
  }

  /** One exchange; resolves after the answer was handed on. Throws ToolsumError of the codes of ToolSource. */
  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!this.link.recorder.admit(message)) return
    const id = "method" in message && "id" in message ? message.id : null
    if (id === null) return this.tell(message)
    this.failure = null
    this.refusal = null
    try {
      await this.ask(message, id, options?.requestSignal)
    } catch (error) {
      if (error instanceof ToolsumError) this.failure = error
      throw error
    }
  }

  /** Tell the server that the session is over, if it has one. It may well refuse, which harms nothing. */
  async end(): Promise<void> {
    if (this.session === null || this.isSessionLost || this.stop.signal.aborted) return
    const { url } = this.link
    const headers = postHeaders(this.link, this.sessionHeaders())
    try {
      const response = await this.exchange({ method: "DELETE", url, headers, timeoutMs: END_TIMEOUT_MS })
      await dismiss(response)
    } catch (error) {
      if (!(error instanceof ToolsumError)) throw error
    }
  }

  /** End every exchange. */
  async close(): Promise<void> {
    if (this.stop.signal.aborted) return
    this.stop.abort()
    this.onclose?.()
  }

  /** A notification, or our answer to a request of the server; what becomes of the latter is the server's affair. */
  private async tell(message: JSONRPCMessage): Promise<void> {
    const response = await this.post(message, this.link.requestTimeoutMs)
    if (isSuccess(response) || !("method" in message)) return dismiss(response)
    throw await this.refused(await readRefusal(this.link, response))
  }

  private async ask(message: JSONRPCMessage, id: unknown, signal?: AbortSignal): Promise<void> {
    const method = "method" in message ? message.method : null
    const opens = method === OPENING_METHODS.handshake || method === OPENING_METHODS.modern
    const timeoutMs = opens ? this.link.startTimeoutMs : this.link.requestTimeoutMs
    const response = await this.post(message, timeoutMs, signal)
    const type = mediaType(response.header("content-type"))
    if (isSuccess(response) && method === OPENING_METHODS.handshake) this.takeSession(response)
    if (isSuccess(response) && type === "text/event-stream") return this.readStream(response, id, signal)
    if (isSuccess(response) && type === "application/json") return this.readJson(response, id)
    const refusal = await readRefusal(this.link, response)
    if (this.isAnswer(refusal) && this.deliver(refusal.body, id)) return
    throw await this.refused(refusal)
  }

  private post(message: JSONRPCMessage, timeoutMs: number, signal?: AbortSignal): Promise<Exchange> {
    const headers = postHeaders(this.link, { ...this.sessionHeaders(), ...revisionHeaders(message) })
    const { url } = this.link
    return this.exchange({ method: "POST", url, headers, body: JSON.stringify(message), timeoutMs }, signal)
  }

  private sessionHeaders(): Record<string, string> {
    return {
      ...(this.session === null ? {} : { "mcp-session-id": this.session }),
      ...(this.revision === null ? {} : { "mcp-protocol-version": this.revision }),
    }
  }

  private takeSession({ header }: HttpResponse): void {
    const id = header("mcp-session-id")
    if (id !== null && !SESSION_ID.test(id))
      throw new ToolsumError("PROTOCOL_MALFORMED", "expected a session id of at most 1024 visible ASCII characters")
    this.session = id
  }

  /** Servers answer with a JSON-RPC error under many a status; these two mean something by themselves. */
  private isAnswer(refusal: Refusal): boolean {
    const isLost = this.session !== null && isSessionLoss(refusal)
    return (
      refusal.status >= 400 &&
      refusal.status !== 401 &&
      refusal.status !== 403 &&
      !isLost &&
      readRpcError(refusal.body) !== null
    )
  }

  private async refused(refusal: Refusal): Promise<ToolsumError> {
    this.refusal = refusal
    if (this.session === null || !isSessionLoss(refusal)) return explainRefusal(this.link, refusal)
    this.isSessionLost = true
    return new ToolsumError(
      "SERVER_UNREACHABLE",
      `the server does not know its session any more (HTTP status ${refusal.status})`,
    )
  }

  private async readJson(response: HttpResponse, id: unknown): Promise<void> {
    const bytes = await collectBody(response.body, this.link.maxMessageBytes)
    if (!this.deliver(bytes, id))
      throw new ToolsumError("PROTOCOL_MALFORMED", "expected a JSON-RPC answer, got other text")
  }

  /** Hand on what a message says; true when it was the answer to request `id`. */
  private deliver(bytes: Uint8Array, id: unknown): boolean {
    if (this.stop.signal.aborted) return true
    const envelopes = this.link.recorder.receive(bytes, true)
    for (const envelope of envelopes) this.onmessage?.(toSdk(envelope))
    return holdsAnswer(envelopes, id)
  }

  private async readStream(response: Exchange, id: unknown, signal?: AbortSignal): Promise<void> {
    const state: StreamState = { lastId: null, retryMs: null }
    let exchange = response
    for (let resumed = 0; ; resumed++) {
      const ended = await this.readUntilEnd(exchange, id, state)
      if (ended === "answered") return
      const pauseMs = state.retryMs ?? DEFAULT_RETRY_MS
      if (state.lastId === null || resumed === MAX_RESUMPTIONS || pauseMs > MAX_RETRY_MS) throw ended
      await sleep(pauseMs, undefined, { signal: this.stop.signal }).catch(() => undefined)
      exchange = await this.resume(state.lastId, signal)
    }
  }

  /** Read a stream to its end, or not long after the answer: whether that was in it, else why it ended. */
  private async readUntilEnd(
    { body, giveUp }: Exchange,
    id: unknown,
    state: StreamState,
  ): Promise<"answered" | ToolsumError> {
    let linger: NodeJS.Timeout | null = null
    try {
      for await (const { type, data } of readEvents(body, this.link.maxMessageBytes, state)) {
        if (type !== "message" || !this.deliver(data, id)) continue
        linger ??= setTimeout(giveUp, LINGER_MS)
      }
    } catch (error) {
      if (linger === null && !(error instanceof ToolsumError && error.code === "SERVER_UNREACHABLE")) throw error
    } finally {
      if (linger !== null) clearTimeout(linger)
    }
    return linger === null ? this.unanswered() : "answered"
  }

  private unanswered(): ToolsumError {
    return this.link.recorder.sawBrokenMessage()
      ? new ToolsumError("PROTOCOL_MALFORMED", "the answer came as damaged text in an event stream")
      : new ToolsumError("SERVER_UNREACHABLE", "the event stream ended before the answer")
  }

  private async resume(lastId: string, signal?: AbortSignal): Promise<Exchange> {
    const { url, requestTimeoutMs: timeoutMs } = this.link
    const headers = streamHeaders(this.link, { ...this.sessionHeaders(), "last-event-id": lastId })
    const response = await this.exchange({ method: "GET", url, headers, timeoutMs }, signal)
    if (isSuccess(response) && mediaType(response.header("content-type")) === "text/event-stream") return response
    throw await this.refused(await readRefusal(this.link, response))
  }
}

/** Headers that repeat what a request of 2026-07-28 says of itself. */
function revisionHeaders(message: JSONRPCMessage): Record<string, string> {
  if (!("method" in message)) return {}
  const revision = message.params?._meta?.[REVISION_META]
  return typeof revision === "string" ? { "mcp-protocol-version": revision, "mcp-method": message.method } : {}
}
