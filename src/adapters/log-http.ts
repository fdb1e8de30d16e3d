// A log read over https (LogSource): own sockets, proxy variables honoured, no private address without consent (DESIGN 8, 12).
// undici is loaded with the first read. http only to this machine and only when asked for. Bounds are http-get.ts's.
import { setTimeout as sleep } from "node:timers/promises"
import { quote, ToolsumError } from "../core/errors.js"
import type { LogSource } from "../ports.js"
import { createHttpConnection, type HttpSockets } from "./http-connection.js"
import { type HttpGetOptions, httpGet } from "./http-get.js"
import { isLoopbackHost, type Resolver, requireAllowedHost } from "./network-address.js"

/** How a log is read. */
export interface HttpLogOptions {
  /** Proxy variables are taken from here. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The user consented to a private address. */
  readonly allowPrivate?: boolean
  /** Allow `http:` where the host is this machine. */
  readonly allowLoopbackHttp?: boolean
  /** For one file, with all attempts. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Stands in for the waiting between attempts in tests. */
  readonly pause?: HttpGetOptions["pause"]
  /** Stands in for name resolution in tests. */
  readonly resolve?: Resolver
}

/** A log over HTTP; it keeps sockets open until it is closed. */
export interface HttpLog extends LogSource {
  close(): Promise<void>
}

const TIMEOUT_MS = 30_000
const MAX_URL_CHARS = 2048
const PATH = /^[a-z0-9]+(?:\/[a-z0-9.]*[a-z0-9])*$/

/** The log whose public/ is served at `url`. Opens nothing yet. Throws CONFIG_INVALID for a URL that is not https or has user info, query
 *  or fragment, and TARGET_NOT_ACCEPTED for a private address without consent; reading a name that resolves to one throws that too. */
export function createHttpLog(url: string, options: HttpLogOptions): HttpLog {
  const base = parseBase(url, options)
  const loopback = isLoopbackHost(base.hostname)
  const rule = options.allowPrivate ? "any" : loopback && options.allowLoopbackHttp ? "loopback" : "public"
  requireAllowedHost(base.hostname, rule)
  const { env, signal, resolve } = options
  const connection = createHttpConnection({ environment: env, rule, proxied: !loopback, signal, resolve })
  return {
    location: base.href,
    local: false,
    read: async (path, maxBytes) => {
      if (!PATH.test(path)) throw new ToolsumError("USAGE", `expected a path below public/, got ${quote(path)}`)
      const sockets = await connection.open()
      return readFile({ path, url: new URL(path, base), maxBytes }, getOptions(sockets, options))
    },
    close: connection.close,
  }
}

function parseBase(text: string, { allowLoopbackHttp = false }: HttpLogOptions): URL {
  const bad = (why: string) => new ToolsumError("CONFIG_INVALID", `${why}, got ${quote(text, 200)}`)
  if (text.length > MAX_URL_CHARS || !URL.canParse(text)) throw bad("expected the URL of a log")
  const url = new URL(text)
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === ""
  if (!isPlain) throw bad("expected a URL without user info, query and fragment")
  const isAllowedHttp = url.protocol === "http:" && allowLoopbackHttp && isLoopbackHost(url.hostname)
  if (url.protocol !== "https:" && !isAllowedHttp) throw bad("expected an https URL")
  if (!url.pathname.endsWith("/")) url.pathname += "/"
  return url
}

/** How to get a file of the log, over its sockets. */
const getOptions = (sockets: HttpSockets, options: HttpLogOptions): HttpGetOptions => ({
  ...sockets,
  timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
  signal: options.signal,
  pause: options.pause ?? ((pauseMs: number, signal: AbortSignal) => sleep(pauseMs, undefined, { signal })),
})

const REVALIDATE = { "cache-control": "no-cache" }

async function readFile(
  file: { path: string; url: URL; maxBytes: number },
  options: HttpGetOptions,
): Promise<Uint8Array | null> {
  const isTile = file.path.startsWith("tile/")
  const first = await httpGet({ ...file, headers: isTile ? {} : REVALIDATE }, options)
  // A tile is only asked for when a signed head implies it, so a 404 may be one that a cache kept from before it was there.
  const answer = isTile && first.status === 404 ? await httpGet({ ...file, headers: REVALIDATE }, options) : first
  if (answer.status === 200) return answer.body
  // A bucket that may not be listed says 403 for what is not there, but a log has a checkpoint.
  if (answer.status === 403 && file.path === "checkpoint") {
    throw new ToolsumError("LOG_UNAVAILABLE", `${quote(file.url.href, 200)}: HTTP status 403`)
  }
  return null
}
