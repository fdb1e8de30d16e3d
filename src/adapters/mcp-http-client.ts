// Every HTTP exchange of a reading, with a server or with what it names (DESIGN 8, 12; field-notes C37, C38): time, redirects, waiting and
// addresses are bounded here, bodies where they are read. Redirects are followed within the origin only and keep the method (307, 308).

import { setTimeout as sleep } from "node:timers/promises"
import { quote, ToolsumError } from "../core/errors.js"
import { createDeadline } from "../deadline.js"
import { createHttpConnection, type HttpConnection } from "./http-connection.js"
import { ACCEPTED_CODINGS, decodeBody, dumpBody } from "./mcp-http-body.js"
import { describeFailure } from "./mcp-http-failures.js"
import { type AddressRule, isLoopbackHost, type Resolver, requireAllowedHost } from "./network-address.js"
import { parseRetryAfter } from "./retry-after.js"

/** How exchanges are made. */
export interface HttpClientOptions {
  /** Proxy variables are taken from here. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly addresses: AddressRule
  readonly signal?: AbortSignal | undefined
  /** Stands in for the waiting between attempts in tests. */
  readonly pause?: ((pauseMs: number, signal: AbortSignal) => Promise<void>) | undefined
  /** Stands in for name resolution in tests. */
  readonly resolve?: Resolver | undefined
}

/** What to send. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** For the whole exchange, the body of the answer included. */
  readonly timeoutMs: number
  /** Ends the exchange early. */
  readonly signal?: AbortSignal
}

/** An answer of any status but a redirect. Its body must be read or given up. */
export interface HttpResponse {
  readonly status: number
  /** The value of a header, several lines of it joined; null where there is none. */
  readonly header: (name: string) => string | null
  /** Decoded; reading throws ToolsumError only. */
  readonly body: AsyncGenerator<Uint8Array>
}

/** Exchanges over sockets of its own. */
export interface HttpClient {
  /** Throws TARGET_NOT_ACCEPTED, SERVER_REDIRECTED, SERVER_UNREACHABLE, TIMEOUT, PROTOCOL_MALFORMED, READING_INCOMPLETE (interrupted). */
  send(request: HttpRequest): Promise<HttpResponse>
  /** Ends every exchange and every socket. */
  close(): Promise<void>
}

const MAX_REDIRECTS = 3
const MAX_ATTEMPTS = 3
const FIRST_PAUSE_MS = 250
/** A longer Retry-After is reported, not waited for. */
const MAX_RETRY_AFTER_MS = 10_000
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const KEEPING_METHOD: readonly number[] = [307, 308]
const BUSY: readonly number[] = [429, 503]

/** A client; it opens nothing before it is used. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { environment, addresses: rule, signal, resolve } = options
  const closing = new AbortController()
  const connect = (proxied: boolean) => createHttpConnection({ environment, rule, proxied, signal, resolve })
  const [direct, proxied] = [connect(false), connect(true)]
  return {
    send: async (request) => {
      requireReachable(request.url, rule)
      const connection = isLoopbackHost(request.url.hostname) ? direct : proxied
      return send({ ...options, connection, closing: closing.signal }, request)
    },
    close: async () => {
      closing.abort()
      await Promise.all([direct.close(), proxied.close()])
    },
  }
}

/** Refuse what must not even be tried: other schemes, plain http but to this machine or with consent, addresses that the rule forbids.
 *  Throws TARGET_NOT_ACCEPTED. */
export function requireReachable(url: URL, rule: AddressRule): void {
  const refuse = (why: string) => new ToolsumError("TARGET_NOT_ACCEPTED", `${why}, got ${quote(url.origin)}`)
  if (url.username !== "" || url.password !== "") throw refuse("expected a URL without user info")
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refuse("expected an https URL")
  const isPlain = url.protocol === "http:"
  if (isPlain && (rule === "public" || !isLoopbackHost(url.hostname)) && rule !== "any")
    throw refuse("expected an https URL; plain http is only for this machine, or with consent")
  requireAllowedHost(url.hostname, rule)
}

interface Wire extends HttpClientOptions {
  readonly connection: HttpConnection
  readonly closing: AbortSignal
}

async function send(wire: Wire, request: HttpRequest): Promise<HttpResponse> {
  const timeout = createDeadline(request.timeoutMs)
  const stops = [timeout, wire.closing, wire.signal, request.signal].filter((stop) => stop !== undefined)
  const signal = AbortSignal.any(stops)
  const explain = (error: unknown) => {
    if (error instanceof ToolsumError) return error
    if (wire.signal?.aborted) return new ToolsumError("READING_INCOMPLETE", "the reading was interrupted")
    if (timeout.aborted || isTimeout(error))
      return new ToolsumError("TIMEOUT", `no answer within ${request.timeoutMs / 1000} s`)
    return new ToolsumError("SERVER_UNREACHABLE", `${quote(request.url.host)}: ${describeFailure(error)}`, {
      cause: error,
    })
  }
  try {
    return await retryWhileBusy(wire, request, { signal, explain })
  } catch (error) {
    throw explain(error)
  }
}

/** undici's own clocks run beside ours, and may be the first. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(String(error.code))

interface Attempt {
  readonly signal: AbortSignal
  readonly explain: (error: unknown) => ToolsumError
}

/** Ask again, a bounded number of times, while the server says that it is busy. */
async function retryWhileBusy(wire: Wire, request: HttpRequest, attempt: Attempt): Promise<HttpResponse> {
  const pause = wire.pause ?? ((pauseMs, signal) => sleep(pauseMs, undefined, { signal }))
  for (let count = 1; ; count++) {
    const response = await followRedirects(wire, request, attempt)
    if (!BUSY.includes(response.status)) return response
    await dumpBody(response.body)
    const askedMs = parseRetryAfter(response.header("retry-after") ?? undefined)
    const pauseMs = askedMs ?? FIRST_PAUSE_MS * 2 ** (count - 1)
    if (count === MAX_ATTEMPTS || pauseMs > MAX_RETRY_AFTER_MS) throw busy(response.status, askedMs)
    await pause(pauseMs, attempt.signal)
  }
}

function busy(status: number, askedMs: number | null): ToolsumError {
  const asked = askedMs === null ? "" : `, asks to wait ${Math.ceil(askedMs / 1000)} s`
  return new ToolsumError("SERVER_UNREACHABLE", `HTTP status ${status}${asked}`)
}

async function followRedirects(wire: Wire, request: HttpRequest, attempt: Attempt): Promise<HttpResponse> {
  let url = request.url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await exchange(wire, { ...request, url }, attempt)
    if (!REDIRECTS.includes(response.status)) return response
    await dumpBody(response.body)
    url = redirectTarget(url, response)
  }
  throw new ToolsumError("SERVER_REDIRECTED", `more than ${MAX_REDIRECTS} redirects within ${quote(url.origin)}`)
}

/** Where a redirect leads, if it may be followed. Throws SERVER_REDIRECTED. */
function redirectTarget(from: URL, { status, header }: HttpResponse): URL {
  const location = header("location")
  const to = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : null
  if (to === null) throw new ToolsumError("SERVER_REDIRECTED", `HTTP status ${status} redirects to nowhere`)
  const isSame = to.origin === from.origin && to.username === "" && to.password === ""
  if (isSame && KEEPING_METHOD.includes(status)) return to
  const why = isSame ? `HTTP status ${status} within` : `HTTP status ${status} to`
  throw new ToolsumError("SERVER_REDIRECTED", `redirected with ${why} ${quote(to.origin)}, which is not followed`)
}

async function exchange(wire: Wire, request: HttpRequest, { signal, explain }: Attempt): Promise<HttpResponse> {
  const sockets = await wire.connection.open()
  const { statusCode, headers, body } = await sockets.request(request.url, {
    method: request.method,
    headers: { ...request.headers, "accept-encoding": ACCEPTED_CODINGS },
    body: request.body ?? null,
    dispatcher: sockets.dispatcher,
    headersTimeout: request.timeoutMs,
    bodyTimeout: request.timeoutMs,
    signal,
  })
  const header = (name: string) => {
    const value = headers[name]
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ")
  }
  const coding = (header("content-encoding") ?? "identity").trim().toLowerCase()
  return { status: statusCode, header, body: decodeBody(body, coding, explain) }
}
