// Serves a hostile log over plain HTTP on this machine: bytes by path, and for some paths a server that misbehaves whatever the bytes are.
// Everything that takes its time ends with the server.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { ioFailed } from "../adapters/regular-file.js"
import type { Draft, HttpTrick } from "../features/hostile/lie.js"
import type { ListenAddress } from "./listen.js"

/** What is served. */
export type Served = Pick<Draft, "files" | "trick">

/** A log that is being served. */
export interface HostileServer {
  /** Ends in `/`. */
  readonly url: string
  close(): Promise<void>
}

/** Serve a log. Throws IO_FAILED when the address cannot be had. */
export async function startHostileServer(served: Served, { host, port }: ListenAddress): Promise<HostileServer> {
  const ends: (() => void)[] = []
  const server = createServer((request, response) => answer(served, { request, response, ends }))
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(ioFailed("listen on", `${host}:${port}`, cause)))
    server.listen(port, host, resolve)
  })
  const { address, family, port: own } = server.address() as AddressInfo // of a server that listens on a port
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${own}/`,
    close: async () => {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const end of ends) end()
      server.closeAllConnections()
      await ended
    },
  }
}

/** One request. `ends`: what to stop with the server. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ends: (() => void)[]
}

function answer({ files, trick }: Served, exchange: Exchange): void {
  const { request, response } = exchange
  const path = (request.url ?? "/").slice(1)
  const bytes = files.get(path) ?? null
  if (request.method !== "GET" && request.method !== "HEAD") response.writeHead(405, { allow: "GET, HEAD" }).end()
  else if (trick?.paths.test(path)) TRICKS[trick.how](exchange, bytes)
  else send(response, bytes)
}

function send(response: ServerResponse, bytes: Uint8Array | null): void {
  if (bytes === null) response.writeHead(404, { "cache-control": "no-store" }).end("not found\n")
  else
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": bytes.length }).end(bytes)
}

type Trick = (exchange: Exchange, bytes: Uint8Array | null) => void

const DRIP_MS = 1_000
const CHUNK = new Uint8Array(65_536).fill(0x20)
const BOMB_MEMBERS = 1024
const PAGE = "<!doctype html><title>Welcome</title><p>There is nothing here, with status 200.\n"

const TRICKS: Readonly<Record<HttpTrick, Trick>> = {
  drip: ({ response, ends }, bytes) => {
    const whole = bytes ?? CHUNK
    let sent = 0
    response.writeHead(200, { "content-length": whole.length })
    const timer = setInterval(() => void response.write(whole.subarray(sent, ++sent)), DRIP_MS)
    const stop = () => clearInterval(timer)
    response.on("close", stop)
    ends.push(stop)
  },
  stall: () => undefined,
  endless: ({ response }) => {
    const more = () => {
      while (!response.destroyed && response.write(CHUNK));
    }
    response.writeHead(200).on("drain", more)
    more()
  },
  bomb: ({ response }) => {
    // Members of gzip follow one another: a megabyte on the wire is a gigabyte.
    const member = gzipSync(new Uint8Array(1024 * 1024))
    response.writeHead(200, { "content-encoding": "gzip" })
    response.end(Buffer.concat(Array.from({ length: BOMB_MEMBERS }, () => member)))
  },
  elsewhere: ({ request, response }) => {
    response.writeHead(302, { location: `https://elsewhere.test${request.url ?? "/"}` }).end()
  },
  loop: ({ request, response }) => {
    response.writeHead(302, { location: request.url ?? "/" }).end()
  },
  page: ({ response }) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE)
  },
  failing: ({ response }) => {
    response.writeHead(500).end("out of order\n")
  },
  stale404: ({ request, response }, bytes) => {
    const looksAgain = request.headers["cache-control"] === "no-cache"
    send(response, looksAgain ? bytes : null)
  },
}
