// Sockets for one purpose (DESIGN 8, 12): undici's own agents, loaded when first needed, proxy variables honoured, every host name resolved
// under an address rule at the moment of connecting. Certificates are always verified; NODE_EXTRA_CA_CERTS is Node's own.
import { setMaxListeners } from "node:events"
import type { Dispatcher, request } from "undici"
import { type AddressRule, createGuardedLookup, type Resolver } from "./network-address.js"

/** What the sockets are for. */
export interface HttpConnectionOptions {
  /** Proxy variables are taken from here. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly rule: AddressRule
  /** False for this machine, which no proxy reaches. */
  readonly proxied: boolean
  readonly signal?: AbortSignal | undefined
  /** Stands in for name resolution in tests. */
  readonly resolve?: Resolver | undefined
}

/** What undici needs for a request. */
export interface HttpSockets {
  readonly request: typeof request
  readonly dispatcher: Dispatcher
}

/** Opens nothing by itself; `open` may be called often, `close` ends every socket. */
export interface HttpConnection {
  open(): Promise<HttpSockets>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000
const MAX_CONNECTIONS = 8

/** Sockets that are made when they are first needed. */
export function createHttpConnection(options: HttpConnectionOptions): HttpConnection {
  let opened: Promise<HttpSockets> | null = null
  const closing = new AbortController()
  return {
    open: () => {
      opened ??= openSockets(options, closing.signal)
      return opened
    },
    close: async () => {
      const { dispatcher } = (await opened?.catch(() => null)) ?? {}
      closing.abort()
      await dispatcher?.destroy()
    },
  }
}

async function openSockets(options: HttpConnectionOptions, closing: AbortSignal): Promise<HttpSockets> {
  const { Agent, EnvHttpProxyAgent, request } = await import("undici")
  const lookup = createGuardedLookup(options.rule, options.resolve)
  // For the sockets too: undici gives up neither a request nor a socket while that still connects.
  const signal = AbortSignal.any([closing, ...(options.signal ? [options.signal] : [])])
  const connect = { timeout: CONNECT_TIMEOUT_MS, signal }
  // A socket listens until the end, even when it has long been closed; Node would take many of them for a leak and say so on stderr.
  setMaxListeners(0, signal)
  const settings = { connections: MAX_CONNECTIONS, connect: { lookup, ...connect } }
  const proxy = { ...proxySettings(options.environment), proxyTls: connect, requestTls: connect }
  return {
    request,
    dispatcher: options.proxied ? new EnvHttpProxyAgent({ ...settings, ...proxy }) : new Agent(settings),
  }
}

/** Empty text where nothing is set: undici would look into the process's own environment for what is missing. */
const proxySettings = (env: HttpConnectionOptions["environment"]) => ({
  httpProxy: env.http_proxy ?? env.HTTP_PROXY ?? "",
  httpsProxy: env.https_proxy ?? env.HTTPS_PROXY ?? "",
  noProxy: env.no_proxy ?? env.NO_PROXY ?? "",
})
