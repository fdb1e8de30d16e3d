// A log read over https (LogSource): own sockets, proxy variables honoured, no private address without consent (DESIGN 8, 12).
// undici is loaded with the first read. http only to this machine and only when asked for. Bounds are http-get.ts's.
import { setTimeout as sleep } from "node:timers/promises"
import type { Dispatcher } from "undici"
import { quote, ToolsumError } from "../core/errors.js"
import type { LogSource } from "../ports.js"
import { type HttpGetOptions, httpGet } from "./http-get.js"
import {
  type AddressRule,
  createGuardedLookup,
  isLoopbackHost,
  type Resolver,
  requireAllowedHost,
} from "./network-address.js"

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
const CONNECT_TIMEOUT_MS = 10_000
const MAX_CONNECTIONS = 8
const MAX_URL_CHARS = 2048
const PATH = /^[a-z0-9]+(?:\/[a-z0-9.]*[a-z0-9])*$/

/** The log whose public/ is served at `url`. Opens nothing yet. Throws CONFIG_INVALID for a URL that is not https or has user info, query
 *  or fragment, and TARGET_NOT_ACCEPTED for a private address without consent; reading a name that resolves to one throws that too. */
export function createHttpLog(url: string, options: HttpLogOptions): HttpLog {
  const base = parseBase(url, options)
  const loopback = isLoopbackHost(base.hostname)
  const rule = options.allowPrivate ? "any" : loopback && options.allowLoopbackHttp ? "loopback" : "public"
  requireAllowedHost(base.hostname, rule)
  const connection = createConnection(options, { rule, proxied: !loopback })
  return {
    location: base.href,
    local: false,
    read: async (path, maxBytes) => {
      if (!PATH.test(path)) throw new ToolsumError("USAGE", `expected a path below public/, got ${quote(path)}`)
      return readFile({ path, url: new URL(path, base), maxBytes }, await connection.open())
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

interface Connection {
  open(): Promise<HttpGetOptions>
  close(): Promise<void>
}

/** undici, loaded and given its sockets when first needed. */
function createConnection(
  options: HttpLogOptions,
  { rule, proxied }: { rule: AddressRule; proxied: boolean },
): Connection {
  let opened: Promise<HttpGetOptions & { dispatcher: Dispatcher }> | null = null
  const closing = new AbortController()
  const open = async () => {
    const { Agent, EnvHttpProxyAgent, request } = await import("undici")
    const lookup = createGuardedLookup(rule, options.resolve)
    // For the sockets too: undici gives up neither a request nor a socket while that still connects.
    const signal = AbortSignal.any([closing.signal, ...(options.signal ? [options.signal] : [])])
    const connect = { timeout: CONNECT_TIMEOUT_MS, signal }
    const settings = { connections: MAX_CONNECTIONS, connect: { lookup, ...connect } }
    const proxy = { ...proxySettings(options.env), proxyTls: connect, requestTls: connect }
    return {
      request,
      dispatcher: proxied ? new EnvHttpProxyAgent({ ...settings, ...proxy }) : new Agent(settings),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      signal: options.signal,
      pause: options.pause ?? ((pauseMs: number, signal: AbortSignal) => sleep(pauseMs, undefined, { signal })),
    }
  }
  return {
    open: () => {
      opened ??= open()
      return opened
    },
    close: async () => {
      const { dispatcher } = (await opened?.catch(() => null)) ?? {}
      closing.abort()
      await dispatcher?.destroy()
    },
  }
}

/** Empty text where nothing is set: undici would look into the process's own environment for what is missing. */
const proxySettings = (env: HttpLogOptions["env"]) => ({
  httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? "",
  httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? "",
  noProxy: env.no_proxy ?? env.NO_PROXY ?? "",
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
