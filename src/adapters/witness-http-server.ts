// A witness over HTTP (C2SP tlog-witness): `POST /add-checkpoint`, and `GET /<SHA-256 of the origin>/checkpoint` for monitors. Plain HTTP,
// for this machine or behind a proxy that speaks TLS. Bodies, headers, time and connections are bounded; what was cosigned is answered
// even when the server is told to end.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { MAX_ADD_CHECKPOINT_BYTES } from "../core/add-checkpoint.js"
import { encodeUtf8, formatHex } from "../core/bytes.js"
import { sha256 } from "../core/hash.js"
import type { Witness, WitnessAnswer } from "../writer/witness.js"
import { ioFailed } from "./regular-file.js"

/** Where to listen, and whom to tell of failures. */
export interface WitnessServerOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** For the whole of a request, headers and body, to come in. */
  readonly requestTimeoutMs?: number
  /** Called with what kept a request from being answered: a fault of this side. */
  readonly onFailure: (error: unknown) => void
}

/** A witness that answers. */
export interface WitnessServer {
  /** Ends in `/`. */
  readonly url: string
  /** Where monitors read what was cosigned last, for each origin of the witness in its order. */
  readonly monitoring: readonly string[]
  /** Take no request more and answer those that are being judged. */
  close(): Promise<void>
}

const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 5_000
const MAX_HEADER_BYTES = 8 * 1024
const MAX_CONNECTIONS = 256
const CLOSE_TIMEOUT_MS = 5_000
/** Content type of the size that a 409 tells. */
const SIZE_TYPE = "text/x.tlog.size"
const TEXT_TYPE = "text/plain; charset=utf-8"

/** Serve `witness`. Throws IO_FAILED when the address cannot be had. */
export async function startWitnessServer(witness: Witness, options: WitnessServerOptions): Promise<WitnessServer> {
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS
  const timeouts = { requestTimeout, headersTimeout: requestTimeout, keepAliveTimeout: KEEP_ALIVE_MS }
  const checking = { connectionsCheckingInterval: Math.min(1_000, requestTimeout), maxHeaderSize: MAX_HEADER_BYTES }
  const monitored = new Map(witness.origins.map((origin) => [`/${hashOrigin(origin)}/checkpoint`, origin]))
  const server = createServer({ ...timeouts, ...checking }, (request, response) => {
    respond(witness, monitored, request)
      .catch((error: unknown): HttpAnswer => {
        // Who went away in the middle of a body is no failure, and gets no answer.
        if (!request.readableAborted) options.onFailure(error)
        return { status: 500, body: "this witness could not do its work\n" }
      })
      .then((answer) => send(request, response, answer))
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(ioFailed("listen on", `${options.host}:${options.port}`, cause)))
    server.listen(options.port, options.host, resolve)
  })
  const url = urlOf(server.address() as AddressInfo) // of a server that listens on a port
  return {
    url,
    monitoring: [...monitored.keys()].map((path) => new URL(path, url).href),
    close: async () => {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS)
      await ended
      clearTimeout(late)
    },
  }
}

/** Hex SHA-256 of an origin: its name in monitoring paths. */
export const hashOrigin = (origin: string): string => formatHex(sha256(encodeUtf8(origin)))

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === "IPv6" ? `[${address}]` : address}:${port}/`

interface HttpAnswer {
  readonly status: number
  readonly body: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function respond(
  witness: Witness,
  monitored: ReadonlyMap<string, string>,
  request: IncomingMessage,
): Promise<HttpAnswer> {
  const isReading = request.method === "GET" || request.method === "HEAD"
  if (request.url === "/add-checkpoint") {
    if (request.method !== "POST") return notAllowed("POST")
    const body = await readBody(request)
    if (body === null) return { status: 413, body: `expected at most ${MAX_ADD_CHECKPOINT_BYTES} bytes\n` }
    return describeAnswer(await witness.addCheckpoint(body))
  }
  const origin = monitored.get(request.url ?? "")
  if (origin === undefined) return { status: 404, body: "not found\n" }
  if (!isReading) return notAllowed("GET, HEAD")
  const latest = await witness.latest(origin)
  if (latest === null) return { status: 404, body: "nothing was cosigned yet\n" }
  return { status: 200, body: latest.note, headers: { "cache-control": "no-cache" } }
}

const notAllowed = (allow: string): HttpAnswer => ({ status: 405, body: `use ${allow}\n`, headers: { allow } })

/** All bytes of a body, or null as soon as there are too many. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = []
  let length = 0
  if (Number(request.headers["content-length"] ?? 0) > MAX_ADD_CHECKPOINT_BYTES) return null
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    length += part.length
    if (length > MAX_ADD_CHECKPOINT_BYTES) return null
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

function describeAnswer(answer: WitnessAnswer): HttpAnswer {
  if (answer.status === 200) return { status: 200, body: answer.lines.map((line) => `${line}\n`).join("") }
  if (answer.status === 409) return { status: 409, body: `${answer.size}\n`, type: SIZE_TYPE }
  const headers = answer.status === 429 ? { "retry-after": "1" } : {}
  return { status: answer.status, body: `${answer.why}\n`, headers }
}

function send(request: IncomingMessage, response: ServerResponse, answer: HttpAnswer): void {
  if (response.destroyed) return
  const bytes = encodeUtf8(answer.body)
  // What was not read of a body would be taken for the next request.
  const headers = request.complete ? {} : { connection: "close" }
  response.writeHead(answer.status, {
    "content-type": answer.type ?? TEXT_TYPE,
    "content-length": bytes.length,
    "x-content-type-options": "nosniff",
    ...answer.headers,
    ...headers,
  })
  response.end(request.method === "HEAD" ? undefined : bytes)
}
