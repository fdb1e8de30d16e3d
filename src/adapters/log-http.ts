// A log read over https (LogSource): own sockets, proxy variables honoured, no private address without consent (DESIGN 8, 12).
// undici is loaded with the first read. Which URLs may be a log's is http-base.ts's, bounds are http-get.ts's.
import { quote, ToolsumError } from "../core/errors.js"
import type { LogSource } from "../ports.js"
import { baseGetOptions, type HttpBaseOptions, openHttpBase } from "./http-base.js"
import { type HttpGetOptions, httpGet } from "./http-get.js"

/** How a log is read. */
export type HttpLogOptions = HttpBaseOptions

/** A log over HTTP; it keeps sockets open until it is closed. */
export interface HttpLog extends LogSource {
  close(): Promise<void>
}

const PATH = /^[a-z0-9]+(?:\/[a-z0-9.]*[a-z0-9])*$/

/** The log whose public/ is served at `url`. Opens nothing yet. Throws as `openHttpBase`. */
export function createHttpLog(url: string, options: HttpLogOptions): HttpLog {
  const { url: base, connection } = openHttpBase(url, "a log", options)
  return {
    location: base.href,
    local: false,
    read: async (path, maxBytes) => {
      if (!PATH.test(path)) throw new ToolsumError("USAGE", `expected a path below public/, got ${quote(path)}`)
      const sockets = await connection.open()
      return readFile({ path, url: new URL(path, base), maxBytes }, baseGetOptions(sockets, options))
    },
    close: connection.close,
  }
}

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
