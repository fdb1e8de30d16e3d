// A web service that a user named by the URL that all its paths begin with: which URLs may be one, which addresses it may have, and its
// sockets (DESIGN 8, 12). http only to this machine and only when asked for. What is read there is the caller's.
import { setTimeout as sleep } from "node:timers/promises"
import { quote, ToolsumError } from "../core/errors.js"
import { createHttpConnection, type HttpConnection, type HttpSockets } from "./http-connection.js"
import type { HttpGetOptions } from "./http-get.js"
import { isLoopbackHost, type Resolver, requireAllowedHost } from "./network-address.js"

/** How a service is read. */
export interface HttpBaseOptions {
  /** Proxy variables are taken from here. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user consented to a private address. */
  readonly allowPrivate?: boolean
  /** Allow `http:` where the host is this machine. */
  readonly allowLoopbackHttp?: boolean
  /** For one answer, with all attempts. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Stands in for the waiting between attempts in tests. */
  readonly pause?: HttpGetOptions["pause"]
  /** Stands in for name resolution in tests. */
  readonly resolve?: Resolver
}

/** A service; nothing is opened before `connection.open`. */
export interface HttpBase {
  /** Ends in `/`. */
  readonly url: URL
  readonly connection: HttpConnection
}

const TIMEOUT_MS = 30_000
const MAX_URL_CHARS = 2048

/** The service at `url`; `what` names it in errors. Throws CONFIG_INVALID for a URL that is not https or has user info, query or fragment,
 *  and TARGET_NOT_ACCEPTED for a private address without consent; reading a name that resolves to one throws that too. */
export function openHttpBase(url: string, what: string, options: HttpBaseOptions): HttpBase {
  const base = parseBase(url, what, options)
  const loopback = isLoopbackHost(base.hostname)
  const rule = options.allowPrivate ? "any" : loopback && options.allowLoopbackHttp ? "loopback" : "public"
  requireAllowedHost(base.hostname, rule)
  const { env, signal, resolve } = options
  return {
    url: base,
    connection: createHttpConnection({ environment: env, rule, proxied: !loopback, signal, resolve }),
  }
}

function parseBase(text: string, what: string, { allowLoopbackHttp = false }: HttpBaseOptions): URL {
  const bad = (why: string) => new ToolsumError("CONFIG_INVALID", `${why}, got ${quote(text, 200)}`)
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) throw bad(`expected the URL of ${what}`)
  const url = new URL(text)
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === ""
  if (!isPlain) throw bad("expected a URL without user info, query and fragment")
  const isAllowedHttp = url.protocol === "http:" && allowLoopbackHttp && isLoopbackHost(url.hostname)
  if (url.protocol !== "https:" && !isAllowedHttp) throw bad("expected an https URL")
  if (!url.pathname.endsWith("/")) url.pathname += "/"
  return url
}

/** How to get something there, over its sockets. */
export const baseGetOptions = (sockets: HttpSockets, options: HttpBaseOptions): HttpGetOptions => ({
  ...sockets,
  timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
  signal: options.signal,
  pause: options.pause ?? ((pauseMs, signal) => sleep(pauseMs, undefined, signal ? { signal } : {})),
})
