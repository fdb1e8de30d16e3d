// Opens a session with a server behind a URL in the order of field-notes B: 2026-07-28 without a handshake, then `initialize`, then the
// event stream of 2024-11-05; for a pin of an older revision the handshakes come first. What is no sign of another way ends the search.
import type { ToolsumError } from "../core/errors.js"
import type { ReadRequest } from "../ports.js"
import { type Era, eraOf } from "./mcp-eras.js"
import type { HttpLink } from "./mcp-http-link.js"
import { SseTransport } from "./mcp-http-sse-transport.js"
import { HttpTransport } from "./mcp-http-transport.js"
import type { McpSession } from "./mcp-reading.js"
import { openSession } from "./mcp-session.js"

/** What a probe needs. */
export interface ProbeOptions {
  /** A link with a recorder of its own. */
  readonly createLink: () => HttpLink
  readonly clientVersion: string
  readonly request: ReadRequest
}

/** An open session. `end` takes leave of the server and ends every exchange. */
export interface HttpSession {
  readonly session: McpSession
  readonly isSessionLost: () => boolean
  readonly end: () => Promise<void>
}

type Way = Era | "stream"

/** A way that did not lead to a session. `isSign`: the server's answer says no more than that; `next`: what it leaves open. */
interface Failed {
  readonly error: ToolsumError
  readonly isSign: boolean
  readonly next: readonly Way[]
}

/** What servers of other revisions answer to `server/discover`, with whatever body: they do not know it, or do not take it. */
const NOT_MODERN: ReadonlySet<number> = new Set([202, 204, 400, 404, 405, 406, 415, 422, 500, 501])
/** What servers answer to a POST that have only an event stream. */
const NOT_STREAMABLE: ReadonlySet<number> = new Set([400, 404, 405])

/** Open a session. Throws the first error, or a later one that is more than the sign of another way. */
export async function openHttpSession(options: ProbeOptions): Promise<HttpSession> {
  const isOld = eraOf(options.request.protocol) === "handshake"
  const order: readonly Way[] = isOld ? ["handshake", "stream", "modern"] : ["modern", "handshake", "stream"]
  const open = new Set(order.slice(0, 1))
  let first: ToolsumError | null = null
  for (const way of order) {
    if (!open.has(way)) continue
    const opened = way === "stream" ? await openStream(options) : await openExchange(way, options)
    if ("session" in opened) return opened
    if (!opened.isSign) throw opened.error
    first ??= opened.error
    for (const next of opened.next) open.add(next)
  }
  throw first
}

async function openExchange(era: Era, options: ProbeOptions): Promise<HttpSession | Failed> {
  const link = options.createLink()
  const transport = new HttpTransport(link)
  const end = async () => {
    await transport.end()
    await transport.close()
  }
  const opening = await open(era, { ...options, link, transport })
  if ("session" in opening) return { session: opening.session, isSessionLost: () => transport.isSessionLost, end }
  await end()
  const { error, otherEra } = opening
  const status = transport.refusal?.status ?? null
  const isPlain = status !== null && NOT_STREAMABLE.has(status)
  if (era === "handshake") {
    const isSign = otherEra || isPlain
    return { error, isSign, next: isPlain ? ["stream", "modern"] : ["modern"] }
  }
  return { error, isSign: otherEra || (status !== null && NOT_MODERN.has(status)), next: ["handshake"] }
}

async function openStream(options: ProbeOptions): Promise<HttpSession | Failed> {
  const link = options.createLink()
  const transport = new SseTransport(link)
  const end = () => transport.close()
  const opening = await open("handshake", { ...options, link, transport })
  if ("session" in opening) return { session: opening.session, isSessionLost: () => false, end }
  await end()
  // What goes wrong before there is a stream says only that there is none, unless the server wants a credential first.
  const isReal = transport.isOpen || opening.error.code !== "SERVER_UNREACHABLE"
  return { error: opening.error, isSign: !isReal, next: [] }
}

const open = (
  era: Era,
  {
    link,
    transport,
    clientVersion,
    request,
  }: ProbeOptions & { link: HttpLink; transport: HttpTransport | SseTransport },
) => {
  const failure = () => transport.failure
  return openSession({ era, transport, recorder: link.recorder, failure, clientVersion, request })
}
