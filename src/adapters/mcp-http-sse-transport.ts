// HTTP with an event stream (MCP 2024-11-05, the transport before streamable HTTP) under the SDK client: one GET stays open and brings
// everything, messages go by POST to the address that its first event names, which must be of the same origin.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { quote, ToolsumError } from "../core/errors.js"
import type { HttpResponse } from "./mcp-http-client.js"
import { readEvents, type StreamEvent } from "./mcp-http-events.js"
import {
  createExchange,
  dismiss,
  explainRefusal,
  type HttpLink,
  isSuccess,
  postHeaders,
  readRefusal,
  streamHeaders,
  toSdk,
} from "./mcp-http-link.js"
import { mediaType } from "./mcp-http-refusals.js"

/** A stream lives as long as a reading may: opening, all lists, each asked for again when it changes. */
const MAX_STREAM_MS = 3_600_000
const MAX_ENDPOINT_BYTES = 4096

/** One server over HTTP with an event stream. `failure` says why the stream or the newest request failed, `isOpen` whether the stream has
 *  named an address. */
export class SseTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  failure: ToolsumError | null = null
  isOpen = false

  private readonly link: HttpLink
  private readonly stop = new AbortController()
  private readonly exchange: ReturnType<typeof createExchange>
  private endpoint: URL | null = null
  private revision: string | null = null

  constructor(link: HttpLink) {
    this.link = link
    this.exchange = createExchange(link, this.stop.signal)
  }

  setProtocolVersion(version: string): void {
    this.revision = version
  }

  /** Open the stream and wait until it names the address for messages. Throws ToolsumError of the codes of ToolSource. */
  async start(): Promise<void> {
    try {
      const events = await this.openStream()
      this.endpoint = await this.takeEndpoint(events)
      this.isOpen = true
      void this.pump(events)
    } catch (error) {
      if (error instanceof ToolsumError) this.failure = error
      throw error
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.link.recorder.admit(message)) return
    const url = this.endpoint
    if (url === null) throw new Error("the stream is not open")
    const headers = postHeaders(this.link, this.revision === null ? {} : { "mcp-protocol-version": this.revision })
    const { requestTimeoutMs: timeoutMs } = this.link
    const response = await this.exchange({ method: "POST", url, headers, body: JSON.stringify(message), timeoutMs })
    // What becomes of our answers to the server is its own affair.
    if (isSuccess(response) || !("method" in message)) return dismiss(response)
    throw await explainRefusal(this.link, await readRefusal(this.link, response))
  }

  async close(): Promise<void> {
    if (this.stop.signal.aborted) return
    this.stop.abort()
    this.onclose?.()
  }

  private async openStream(): Promise<AsyncGenerator<StreamEvent>> {
    const { url, startTimeoutMs, maxMessageBytes } = this.link
    const opening = new AbortController()
    const timer = setTimeout(() => opening.abort(late("no event stream", startTimeoutMs)), startTimeoutMs)
    const request = { method: "GET", url, headers: streamHeaders(this.link), timeoutMs: MAX_STREAM_MS } as const
    const response = await this.exchange(request, opening.signal).finally(() => clearTimeout(timer))
    if (!isStream(response)) throw await explainRefusal(this.link, await readRefusal(this.link, response))
    return readEvents(response.body, maxMessageBytes, { lastId: null, retryMs: null })
  }

  private async takeEndpoint(events: AsyncGenerator<StreamEvent>): Promise<URL> {
    const { startTimeoutMs: ms } = this.link
    const timer = setTimeout(() => this.stop.abort(late("no address for messages", ms)), ms)
    try {
      for (;;) {
        const { done, value } = await events.next()
        if (done) throw new ToolsumError("SERVER_UNREACHABLE", "the event stream ended before it named an address")
        if (value.type === "endpoint") return readEndpoint(value.data, this.link.url)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Hand on what the stream brings until it ends. */
  private async pump(events: AsyncGenerator<StreamEvent>): Promise<void> {
    let failure = new ToolsumError("SERVER_UNREACHABLE", "the event stream ended")
    try {
      for await (const { type, data } of events) {
        if (this.stop.signal.aborted) break
        if (type !== "message") continue
        for (const envelope of this.link.recorder.receive(data)) this.onmessage?.(toSdk(envelope))
      }
    } catch (error) {
      if (error instanceof ToolsumError) failure = error
      else this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
    if (!this.stop.signal.aborted) this.failure ??= failure
    await this.close()
  }
}

const late = (what: string, ms: number) => new ToolsumError("TIMEOUT", `${what} within ${ms / 1000} s`)

const isStream = (response: HttpResponse): boolean =>
  isSuccess(response) && mediaType(response.header("content-type")) === "text/event-stream"

/** The address for messages. Throws PROTOCOL_MALFORMED, SERVER_REDIRECTED for another origin: it would get the credentials. */
function readEndpoint(data: Uint8Array, base: URL): URL {
  const text = new TextDecoder().decode(data.subarray(0, MAX_ENDPOINT_BYTES)).trim()
  if (text === "" || !URL.canParse(text, base.href))
    throw new ToolsumError("PROTOCOL_MALFORMED", `expected an address in the endpoint event, got ${quote(text)}`)
  const url = new URL(text, base)
  if (url.origin !== base.origin || url.username !== "" || url.password !== "")
    throw new ToolsumError(
      "SERVER_REDIRECTED",
      `the event stream wants messages at ${quote(url.origin)}, which is not followed`,
    )
  return url
}
