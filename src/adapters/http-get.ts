// One GET over undici with everything bounded (DESIGN 8 and 12, brief A.3): bytes on the wire and after decompression, time over all
// attempts, redirects within the host, retries with Retry-After. The dispatcher brings sockets and proxies; answers are unverified.

import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import type { Dispatcher, request } from "undici"
import { quote, ToolsumError } from "../core/errors.js"
import { createDeadline } from "../deadline.js"
import { parseRetryAfter } from "./retry-after.js"

/** How GETs are made. */
export interface HttpGetOptions {
  readonly request: typeof request
  readonly dispatcher: Dispatcher
  /** For one answer, with all its attempts and redirects; waiting between attempts does not count. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Waits before another attempt. */
  readonly pause: (pauseMs: number, signal: AbortSignal | undefined) => Promise<void>
  /** A longer Retry-After is reported, not waited for. */
  readonly maxRetryAfterMs?: number
}

/** What to get. */
export interface HttpGet {
  readonly url: URL
  /** Largest body, after decompression. */
  readonly maxBytes: number
  readonly headers: Readonly<Record<string, string>>
}

/** A status that means something to the caller, and the body of a 200. */
export type HttpAnswer = { readonly status: 200; readonly body: Uint8Array } | { readonly status: 403 | 404 }

const MAX_ATTEMPTS = 3
const MAX_REDIRECTS = 3
const FIRST_PAUSE_MS = 250
/** After 429 without Retry-After: limits are told by the minute, so that a quick second attempt is one more against them. */
const RATE_PAUSE_MS = 5_000
const MAX_RETRY_AFTER_MS = 10_000
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504]
/** A body that nobody wants is read this far, to keep the connection. */
const DUMP_BYTES = 16_384
/** A gzip body may be this much longer than what it holds. */
const GZIP_SLACK_BYTES = 4096

const unavailable = (url: URL, why: string, cause?: unknown) =>
  new ToolsumError("LOG_UNAVAILABLE", `${quote(url.href, 200)}: ${why}`, { cause })

/** Thrown inside for what may pass by itself. */
class PassingFailure extends Error {
  readonly retryAfterMs: number | null
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | null } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** Get `url`: 200 with its body, 403, or 404 (also for 410). Throws LOG_UNAVAILABLE for everything else, and what the dispatcher's
 *  address check throws. */
export async function httpGet(get: HttpGet, options: HttpGetOptions): Promise<HttpAnswer> {
  const { maxRetryAfterMs = MAX_RETRY_AFTER_MS } = options
  let leftMs = options.timeoutMs
  for (let attempt = 1; ; attempt++) {
    const startMs = performance.now()
    const timeout = createDeadline(Math.max(1, Math.ceil(leftMs)))
    const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
    try {
      return await followRedirects(get, options, signal)
    } catch (error) {
      if (error instanceof ToolsumError) throw error
      if (signal.aborted)
        throw unavailable(get.url, options.signal?.aborted ? "stopped" : `no answer in ${options.timeoutMs} ms`)
      if (!(error instanceof PassingFailure)) throw unavailable(get.url, describe(error), error)
      const pauseMs = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1)
      if (attempt === MAX_ATTEMPTS || pauseMs > maxRetryAfterMs) throw unavailable(get.url, error.message, error.cause)
      leftMs -= performance.now() - startMs
      await options.pause(pauseMs, options.signal).catch(() => undefined) // an abort shows in the next attempt
    }
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function followRedirects(get: HttpGet, options: HttpGetOptions, signal: AbortSignal): Promise<HttpAnswer> {
  let url = get.url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send({ ...get, url }, options, signal)
    if (!REDIRECTS.includes(response.statusCode)) return readAnswer({ ...get, url }, response)
    await response.body.dump({ limit: DUMP_BYTES })
    url = redirectTarget(url, response.headers.location)
  }
  throw unavailable(get.url, `more than ${MAX_REDIRECTS} redirects`)
}

function redirectTarget(from: URL, location: string | string[] | undefined): URL {
  const to = typeof location === "string" && URL.canParse(location, from.href) ? new URL(location, from) : null
  if (to === null) throw unavailable(from, "redirects to nowhere")
  if (to.origin !== from.origin || to.username !== "" || to.password !== "") {
    throw unavailable(from, `redirects to another host: ${quote(to.origin)}`)
  }
  return to
}

async function send(get: HttpGet, options: HttpGetOptions, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  try {
    return await options.request(get.url, {
      dispatcher: options.dispatcher,
      headers: { "user-agent": "toolsum", "accept-encoding": "gzip", ...get.headers },
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      signal,
    })
  } catch (error) {
    if (error instanceof ToolsumError || signal.aborted) throw error
    throw new PassingFailure(describe(error), { cause: error })
  }
}

async function readAnswer(get: HttpGet, response: Dispatcher.ResponseData): Promise<HttpAnswer> {
  const status = response.statusCode
  if (status === 200) return { status, body: await readBody(get, response) }
  await response.body.dump({ limit: DUMP_BYTES })
  if (status === 404 || status === 410) return { status: 404 }
  if (status === 403) return { status }
  const why = `HTTP status ${status}`
  if (!PASSING.includes(status)) throw unavailable(get.url, why)
  const askedMs = parseRetryAfter(response.headers["retry-after"])
  const asked = askedMs === null ? "" : `, asks to wait ${Math.ceil(askedMs / 1000)} s`
  throw new PassingFailure(`${why}${asked}`, { retryAfterMs: askedMs ?? (status === 429 ? RATE_PAUSE_MS : null) })
}

async function readBody({ url, maxBytes }: HttpGet, { headers, body }: Dispatcher.ResponseData): Promise<Uint8Array> {
  const encoding = headers["content-encoding"] ?? "identity"
  if (encoding !== "identity" && encoding !== "gzip" && encoding !== "x-gzip") {
    await body.dump({ limit: DUMP_BYTES })
    throw unavailable(url, `unknown content-encoding ${quote(String(encoding))}`)
  }
  const bytes = await collect(url, body, encoding === "identity" ? maxBytes : maxBytes + GZIP_SLACK_BYTES)
  return encoding === "identity" ? bytes : inflate(url, bytes, maxBytes)
}

/** All bytes; the connection is given up as soon as there are too many. */
async function collect(url: URL, body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of body) {
      length += part.length
      if (length > maxBytes) throw unavailable(url, `expected at most ${maxBytes} bytes, got more`)
      parts.push(part)
    }
  } catch (error) {
    if (error instanceof ToolsumError) throw error
    throw new PassingFailure(describe(error), { cause: error })
  }
  return new Uint8Array(Buffer.concat(parts))
}

async function inflate(url: URL, bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await promisify(gunzip)(bytes, { maxOutputLength: maxBytes }))
  } catch (error) {
    throw unavailable(url, `gzip body is damaged or holds more than ${maxBytes} bytes`, error)
  }
}
