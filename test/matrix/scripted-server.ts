// One server for every cell of the matrix: a script says in steps what each request gets, and it is played as a process, as JSON bodies, as
// event streams, or over the one stream of 2024-11-05. It is strict: what a client of its revision must not send is noted.
import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { createScriptedServer, type ScriptedServer } from "../fakes/scripted-child.js"
import type { Handler, Hit } from "../fixtures/servers/http-server.js"

export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const
export type Revision = (typeof REVISIONS)[number]

/** `sse`: HTTP with one event stream for all, which is 2024-11-05's own. */
export const WAYS = ["stdio", "json", "events", "sse"] as const
export type Way = (typeof WAYS)[number]

export type Bytes = string | Uint8Array

/** How a message goes out, if not whole and plain. */
export interface Delivery {
  /** End of lines. */
  readonly lineEnd?: "\r\n" | ""
  /** Byte by byte, with so many milliseconds in between. */
  readonly pace?: number
  /** Before the first byte. */
  readonly prefix?: Bytes
  /** Over HTTP: headers and what is done to the body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly encode?: (body: Uint8Array) => Uint8Array
}

/** What happens next. */
export type Step =
  /** A message: a line, an event, a body. */
  | { readonly send: Bytes; readonly as?: Delivery }
  /** Bytes outside any framing. */
  | { readonly write: Bytes }
  /** Until the client has answered these requests of the server. */
  | { readonly waitFor: readonly string[] }
  /** A whole HTTP answer. */
  | {
      readonly http: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: Bytes
    }
  /** The process exits, the connection is cut. */
  | { readonly exit: number; readonly stderr?: string }
  /** Nothing but waiting is left to do: for ever, or for the reader's time limit. */
  | { readonly silence: true }
  | { readonly parks: true }

/** A request as the server sees it. */
export interface Asked {
  readonly id: number | string
  readonly method: string
  readonly cursor: string | null
  /** How often the same was asked before. */
  readonly before: number
}

/** What a server does. */
export interface Script {
  readonly revision: Revision
  /** Before it is asked anything, on stdio; before the first event of the stream of 2024-11-05. */
  readonly start?: readonly Step[]
  /** What opening the stream of 2024-11-05 gets, if not its address, by how often it was opened before. */
  readonly stream?: (before: number) => readonly Step[] | null
  readonly answer: (asked: Asked) => readonly Step[]
  /** What a GET gets, and the end of a session. */
  readonly get?: () => readonly Step[]
  readonly end?: readonly Step[]
}

/** What happened on the server's side. */
export interface Log {
  readonly requests: Asked[]
  /** What it was sent against the rules of its revision. */
  readonly faults: string[]
  /** Called when a script has nothing to do but wait. */
  readonly parked: () => void
}

const MODERN: Revision = "2026-07-28"
const LISTS = new Set(["tools/list", "prompts/list", "resources/list", "resources/templates/list"])
const OPENINGS = new Set(["initialize", "server/discover"])
const NEVER_ENDS = new Promise<never>(() => {})

export const isModern = (revision: Revision): boolean => revision === MODERN
/** The request that opens a session in a revision. */
export const openingOf = (revision: Revision): string => (isModern(revision) ? "server/discover" : "initialize")

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly cursor?: string; readonly _meta?: Readonly<Record<string, unknown>> }
}

/** What the transports share: who has been asked what, and the requests of the server that are open. */
function createConversation(script: Script, log: Log) {
  const answered = new Set<string>()
  const wakers = new Set<() => void>()
  const { revision } = script
  const check = ({ method = "", params }: Message) => {
    if (!LISTS.has(method) && !OPENINGS.has(method) && method !== "notifications/initialized")
      log.faults.push(`sends ${method}`)
    const named = params?._meta?.["io.modelcontextprotocol/protocolVersion"]
    if (LISTS.has(method) && named !== (isModern(revision) ? MODERN : undefined))
      log.faults.push(`${method} with revision ${named} in _meta`)
  }
  return {
    /** The steps for a message; null for one that gets no answer. */
    take(message: Message): readonly Step[] | null {
      const { id, method, params } = message
      if (method === undefined) {
        answered.add(String(id))
        for (const wake of wakers) wake()
        return null
      }
      check(message)
      if (id === undefined) return null
      const cursor = params?.cursor ?? null
      const before = log.requests.filter((one) => one.method === method && one.cursor === cursor).length
      const asked = { id, method, cursor, before }
      log.requests.push(asked)
      return OPENINGS.has(method) && method !== openingOf(revision) ? null : script.answer(asked)
    },
    async answersTo(ids: readonly string[]): Promise<void> {
      while (!ids.every((id) => answered.has(id))) {
        log.parked()
        await new Promise<void>((wake) => wakers.add(wake))
      }
    },
  }
}

const bytesOf = (text: Bytes): Uint8Array => (typeof text === "string" ? encodeUtf8(text) : text)

const join = (...parts: readonly Bytes[]): Uint8Array => Buffer.concat(parts.map(bytesOf))

/** Where bytes go, and whether anybody still takes them. */
interface Outlet {
  readonly write: (bytes: Uint8Array) => void
  readonly isGone: () => boolean
  readonly exit: (code: number, stderr: string) => void
  readonly frame: (message: Bytes, lineEnd: string) => Uint8Array
}

/** Play all steps but those of HTTP. */
async function play(
  steps: readonly Step[],
  out: Outlet,
  { conversation, log }: { conversation: ReturnType<typeof createConversation>; log: Log },
) {
  for (const step of steps) {
    if ("send" in step) await deliver(step.send, step.as ?? {}, out, log)
    else if ("write" in step) out.write(bytesOf(step.write))
    else if ("waitFor" in step) await conversation.answersTo(step.waitFor)
    else if ("exit" in step) return out.exit(step.exit, step.stderr ?? "")
    else if ("parks" in step) log.parked()
    else if ("silence" in step) {
      log.parked()
      await NEVER_ENDS
    }
  }
}

async function deliver(message: Bytes, as: Delivery, out: Outlet, log: Log): Promise<void> {
  const { lineEnd = "\n", pace, prefix = "", encode = (body: Uint8Array) => body } = as
  const bytes = join(prefix, encode(out.frame(message, lineEnd)))
  if (pace === undefined) return out.write(bytes)
  if (pace > 0) log.parked()
  for (let at = 0; at < bytes.length && !out.isGone(); at++) {
    out.write(bytes.slice(at, at + 1))
    if (pace > 0) await sleep(pace)
    else if (at % 16 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The script as a command. */
export function scriptChild(script: Script, log: Log): ScriptedServer {
  const server: ScriptedServer = createScriptedServer(({ write, stderr, exit }) => {
    const conversation = createConversation(script, log)
    let hasExited = false
    const out: Outlet = {
      write,
      isGone: () => hasExited || server.running() === 0,
      frame: (message, lineEnd) => join(message, lineEnd),
      exit: (code, words) => {
        hasExited = true
        if (words !== "") stderr(words)
        exit(code)
      },
    }
    const unknown = ({ id }: Message) => [{ send: rpcError(id, ...refusalOf(script.revision)) }]
    return {
      staysAfterInput: false,
      start: () => void play(script.start ?? [], out, { conversation, log }),
      receive: (line) => {
        const message: Message = JSON.parse(line)
        const steps = conversation.take(message)
        const isRequest = message.method !== undefined && message.id !== undefined
        void play(steps ?? (isRequest ? unknown(message) : []), out, { conversation, log })
      },
    }
  })
  return server
}

/** What a server answers to the opening of an era that it does not speak: code, message, data. */
const refusalOf = (revision: Revision): [number, string, unknown?] =>
  isModern(revision)
    ? [-32022, "Unsupported protocol version", { supported: [MODERN], requested: "2025-11-25" }]
    : [-32601, "Method not found"]

export const rpcError = (id: unknown, code: number, message: string, data?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message, data } })

const JSON_TYPE = { "content-type": "application/json" }
const STREAM_TYPE = { "content-type": "text/event-stream" }

/** The script behind HTTP. Paths end in `/mcp`, of which `/messages` is the other end of the stream of 2024-11-05. */
export function scriptHandler(script: Script, way: Exclude<Way, "stdio">, log: Log): Handler {
  const conversation = createConversation(script, log)
  return way === "sse" ? oneStream(script, conversation, log) : exchanges(script, way, conversation, log)
}

type Conversation = ReturnType<typeof createConversation>

/** The session that streamable HTTP gives before 2026-07-28. */
const SESSION = "session-1"

function exchanges(script: Script, way: "json" | "events", conversation: Conversation, log: Log): Handler {
  return async (hit, response) => {
    if (hit.method === "DELETE") return respond(response, script.end ?? [{ http: 200 }])
    const out = outletOf(response, way)
    if (hit.method === "GET")
      return answer(response, script.get?.() ?? [{ http: 405 }], { out, way, conversation, log })
    log.faults.push(...faultsOf(hit, script.revision))
    const steps = conversation.take(JSON.parse(hit.body))
    const { method, id } = hit.rpc ?? {}
    if (steps === null && (method === undefined || id === undefined)) return void response.writeHead(202).end()
    if (steps === null) return refuse(response, id, script.revision)
    if (method === "initialize") response.setHeader("mcp-session-id", SESSION)
    return answer(response, steps, { out, way, conversation, log })
  }
}

/** What a strict server would not take of the headers of a request. */
function faultsOf({ headers, rpc }: Hit, revision: Revision): readonly string[] {
  const faults: string[] = []
  const expect = (name: string, value: string | undefined) => {
    if (headers[name] !== value) faults.push(`${rpc?.method ?? "an answer"} with ${name} ${headers[name]}`)
  }
  expect("accept", "application/json, text/event-stream")
  expect("content-type", "application/json")
  expect("authorization", `Bearer ${SECRET}`)
  if (rpc?.method !== undefined && OPENINGS.has(rpc.method)) return faults
  expect("mcp-protocol-version", revision)
  if (isModern(revision)) expect("mcp-method", rpc?.method)
  else expect("mcp-session-id", SESSION)
  return faults
}

/** The value of the one variable that each target names. */
export const SECRET = "sentinel-4f1c9a7e20"

function refuse(response: ServerResponse, id: unknown, revision: Revision): void {
  const text = isModern(revision)
    ? rpcError(id, ...refusalOf(revision))
    : rpcError(null, -32000, "Bad Request: Server not initialized")
  response.writeHead(400, JSON_TYPE).end(text)
}

function outletOf(response: ServerResponse, way: Exclude<Way, "stdio">): Outlet {
  return {
    write: (bytes) => void response.write(bytes),
    isGone: () => response.destroyed,
    exit: () => response.destroy(),
    frame: (message, lineEnd) => (way === "json" ? join(message, lineEnd) : frameEvent(message, lineEnd)),
  }
}

/** An event with `message` as its data. */
function frameEvent(message: Bytes, lineEnd: string): Uint8Array {
  const lines = Buffer.from(bytesOf(message)).toString("latin1").split("\n")
  return Buffer.from([...lines.map((line) => `data: ${line}`), "", ""].join(lineEnd), "latin1")
}

/** The HTTP answer of the steps, if that is what they are. */
function respond(response: ServerResponse, steps: readonly Step[]): boolean {
  const [first] = steps
  if (first === undefined || !("http" in first)) return false
  response.writeHead(first.http, first.headers).end(first.body)
  return true
}

async function answer(
  response: ServerResponse,
  steps: readonly Step[],
  { out, way, ...rest }: { out: Outlet; way: "json" | "events"; conversation: Conversation; log: Log },
): Promise<void> {
  if (respond(response, steps)) return
  const headers = steps.flatMap((step) => ("send" in step && step.as?.headers ? [step.as.headers] : []))
  response.writeHead(200, Object.assign({}, way === "json" ? JSON_TYPE : STREAM_TYPE, ...headers))
  response.flushHeaders()
  await play(steps, out, rest)
  response.end()
}

function oneStream(script: Script, conversation: Conversation, log: Log): Handler {
  let stream: Outlet | null = null
  let opened = 0
  return async (hit, response) => {
    const { pathname } = new URL(hit.path, "http://localhost")
    if (hit.method === "GET" && pathname.endsWith("/mcp")) {
      const instead = script.stream?.(opened++) ?? null
      if (instead && respond(response, instead)) return
      response.writeHead(200, STREAM_TYPE).flushHeaders()
      stream = outletOf(response, "sse")
      const endpoint = { write: `event: endpoint\ndata: ${pathname.replace(/\/mcp$/, "/messages")}\n\n` }
      return play(instead ?? [...(script.start ?? []), endpoint], stream, { conversation, log })
    }
    if (hit.method !== "POST" || !pathname.endsWith("/messages")) return void response.writeHead(405).end()
    const steps = conversation.take(JSON.parse(hit.body))
    if (steps !== null && respond(response, steps)) return
    response.writeHead(202).end("Accepted")
    if (steps !== null && stream) await play(steps, stream, { conversation, log })
  }
}
