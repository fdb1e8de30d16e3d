// A LEGION log read over its HTTP API (LegionLog). undici is loaded with the first read; which URLs may be a log's is http-base.ts's, bounds
// are http-get.ts's. The log limits how often one address may ask: what it says about waiting holds for every question after it.
import { setTimeout as sleep } from "node:timers/promises"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_LEGION_ANSWER_BYTES } from "../core/legion/bundle.js"
import { MAX_LEGION_KEYRING_BYTES } from "../core/legion/keyring.js"
import type { LegionLog } from "../ports.js"
import { baseGetOptions, type HttpBaseOptions, openHttpBase } from "./http-base.js"
import { httpGet } from "./http-get.js"

/** A log over HTTP; it keeps sockets open until it is closed. */
export interface HttpLegionLog extends LegionLog {
  close(): Promise<void>
}

/** The log counts by the minute, so that it may ask for as much. */
const MAX_RETRY_AFTER_MS = 60_000

/** Answers differ from one minute to the next: none may come from a cache. */
const REVALIDATE = { "cache-control": "no-cache" }

/** The log whose API is at `url`, such as `https://tlog.example/tlog/v1`. Opens nothing yet. Throws as `openHttpBase`. */
export function createHttpLegionLog(url: string, options: HttpBaseOptions): HttpLegionLog {
  const { url: base, connection } = openHttpBase(url, "a log", options)
  const wait = createTurnstile(options)
  const get = async (path: string, maxBytes = MAX_LEGION_ANSWER_BYTES): Promise<Uint8Array | null> => {
    const sockets = await connection.open()
    const how = { ...baseGetOptions(sockets, options), pause: wait.pause, maxRetryAfterMs: MAX_RETRY_AFTER_MS }
    await wait.passed()
    const answer = await httpGet({ url: new URL(path, base), maxBytes, headers: REVALIDATE }, how)
    if (answer.status === 200) return answer.body
    if (answer.status === 404) return null
    throw new ToolsumError("LOG_UNAVAILABLE", `${quote(new URL(path, base).href, 200)}: HTTP status ${answer.status}`)
  }
  return {
    location: base.href,
    keyring: () => get("keyring", MAX_LEGION_KEYRING_BYTES),
    latest: async (serverId) => get(`servers/${encodeId(serverId)}/latest`),
    head: (size) => get(size === null ? "head" : `head/${size}`),
    record: (leafIndex) => get(`records/${leafIndex}`),
    inclusion: ({ leafIndex, treeSize }) => get(`proof/inclusion?leaf_index=${leafIndex}&tree_size=${treeSize}`),
    consistency: ({ from, to }) => get(`proof/consistency?old_size=${from}&new_size=${to}`),
    tools: (sha256) => get(`tools/${sha256}`),
    lookup: (sha256) => get(`lookup/tools/${sha256}`),
    history: async (serverId) => get(`${historyBase(base)}servers/${encodeHistoryId(serverId)}`),
    close: connection.close,
  }
}

/** Ids as the API's paths have them: everything but `A-Z a-z 0-9 _ . - ~` escaped, of UTF-8. */
function encodeId(serverId: string): string {
  // However they are escaped, dots alone are a folder to every URL.
  if (/^\.{0,2}$/.test(serverId)) throw new ToolsumError("USAGE", `expected the id of a server, got ${quote(serverId)}`)
  const escapeOne = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(serverId).replace(/[!'()*]/g, escapeOne)
}

/** History is served by the version before, which leaves `/ @ :` as they are. */
function encodeHistoryId(serverId: string): string {
  const parts = serverId.split("/")
  if (parts.some((part) => /^\.{0,2}$/.test(part))) return encodeId(serverId)
  return parts.map(encodeId).join("/").replaceAll("%40", "@").replaceAll("%3A", ":")
}

/** Where history is: beside the API, under its earlier version. */
const historyBase = (base: URL): string => base.pathname.replace(/\/v1\/$/, "/v0/")

/** Lets questions through one after the other's waiting: while one waits because the log said so, none is sent. */
function createTurnstile({ signal, pause = defaultPause }: HttpBaseOptions) {
  let waiting: Promise<void> = Promise.resolve()
  return {
    passed: () => waiting,
    pause: (pauseMs: number): Promise<void> => {
      const done = pause(pauseMs, signal)
      waiting = Promise.all([waiting, done.catch(() => undefined)]).then(() => undefined)
      return done
    },
  }
}

const defaultPause = (pauseMs: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(pauseMs, undefined, signal ? { signal } : {})
