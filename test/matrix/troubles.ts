// Two axes of the matrix: what a server wants before it lists, and what else goes wrong between it and its reader (field-notes B, C, D). Each
// row says where it can happen, what comes of it, and how it is done; what comes of it was written down from DESIGN 9, not from the reader.
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import type { UnknownReason } from "../../src/core/verdict.js"
import {
  type Bytes,
  type Delivery,
  isModern,
  type Revision,
  rpcError,
  SECRET,
  type Step,
  type Way,
} from "./scripted-server.js"

/** Where something happens: in the answer that opens the session, in the first list answer that counts, or in the last one. */
export const PLACES = ["opening", "first page", "last page"] as const
export type Place = (typeof PLACES)[number]

/** What comes of it: nothing, the list is not read to its end, or there is no reading at all for that reason. */
export type Effect = "harmless" | "breaks" | UnknownReason | { readonly auth: string }

/** The answer that something happens to. */
export interface Answer {
  readonly id: number | string
  readonly place: Place
  readonly way: Way
  /** The whole message. */
  readonly message: string
  /** How often it was asked for before. */
  readonly before: number
}

export interface Trouble {
  /** Rows of the field notes. */
  readonly row: string
  readonly ways?: readonly Way[]
  readonly revisions?: (revision: Revision) => boolean
  /** What comes of it by place; it does not happen elsewhere. */
  readonly opening?: Effect | ((way: Way) => Effect)
  readonly list?: Effect | ((way: Way) => Effect)
  readonly limits?: { readonly maxMessageBytes?: number }
  /** True where the reader has to wait for its time limit, or for as long as that takes. */
  readonly slow?: true
  /** What the server does in place of its answer. */
  readonly act?: (answer: Answer) => readonly Step[]
  /** What it does before it is asked. */
  readonly start?: readonly Step[]
  readonly get?: (answer: Answer | null) => readonly Step[]
  readonly end?: readonly Step[]
  /** Over the stream of 2024-11-05: acts on the request for the stream, not on the answer in it. */
  readonly onStream?: true
  /** The variable that the target names is not set. */
  readonly unset?: true
}

const handshake = (revision: Revision) => !isModern(revision)
const STREAMABLE = ["json", "events"] as const
const HTTP = ["json", "events", "sse"] as const
const FRAMED = ["stdio", "events", "sse"] as const

const SMALL = 20_000
const malformed = { opening: "malformed", list: "breaks" } as const
const harmless = { opening: "harmless", list: "harmless" } as const
const timeout = { opening: "timeout", list: "breaks", slow: true } as const
const unreachable = { opening: "server_unreachable", list: "breaks" } as const

const send = (message: Bytes, as: Delivery = {}): Step => ({ send: message, as })
const withId = (message: string, id: number | string, other: number | string) =>
  message.replace(`"id":${JSON.stringify(id)}`, `"id":${JSON.stringify(other)}`)
/** The answer with another member in its result. */
const within = (member: Bytes) => ({
  act: ({ message }: Answer) => [
    send(Buffer.concat([Buffer.from(`${message.slice(0, -2)},`), Buffer.from(member), Buffer.from("}}")])),
  ],
})
const as = (delivery: Delivery) => ({ act: ({ message }: Answer) => [send(message, delivery)] })
const http = (status: number, headers: Readonly<Record<string, string>> = {}, body: Bytes = "") => ({
  act: () => [{ http: status, headers, body }],
  onStream: true as const,
})
/** The first time only; then the answer. */
const once = (status: number, headers: Readonly<Record<string, string>>) => ({
  act: ({ message, before }: Answer) => (before === 0 ? [{ http: status, headers }] : [send(message)]),
  onStream: true as const,
})
const coded = (coding: string, encode: (body: Uint8Array) => Uint8Array) => ({
  ways: STREAMABLE,
  ...as({ encode, headers: { "content-encoding": coding } }),
})
const around = (before: readonly Step[], after: readonly Step[] = []) => ({
  act: ({ message }: Answer) => [...before, send(message), ...after],
})
const note = (method: string): Step =>
  send(`{"jsonrpc":"2.0","method":"${method}","params":{"level":"info","data":"x"}}`)
const padded = (bytes: number) => ({ act: ({ message }: Answer) => [send(`{${" ".repeat(bytes)}${message.slice(1)}`)] })
const NOISE = ["Starting server...", "", '{"name":"otel","level":"info"}', "[MCP] ready", "[1,2"].map((text) =>
  send(text),
)
const QUESTIONS = [
  '"id":"p","method":"ping"',
  '"id":"r","method":"roots/list"',
  '"id":"s","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}',
  '"id":"e","method":"elicitation/create","params":{}',
].map((text) => send(`{"jsonrpc":"2.0",${text}}`))

/** What is wrong, besides what a server wants. */
export const DEFECTS = {
  none: { row: "-" },

  // bytes of a message
  "byte order mark": { row: "issue", ...malformed, act: ({ message }) => [send(`\ufeff${message}`)] },
  "CR LF": { row: "C26", ...harmless, ...as({ lineEnd: "\r\n" }) },
  "white space": { row: "C27", ...harmless, ...padded(SMALL) },
  "byte by byte": { row: "C27", ...harmless, ...as({ pace: 0 }) },
  "huge message": { row: "C27", ...malformed, limits: { maxMessageBytes: SMALL }, ...padded(2 * SMALL) },
  "invalid UTF-8": { row: "issue", ...malformed, ...within(Buffer.from([0x22, 0x78, 0x22, 0x3a, 0x22, 0xff, 0x22])) },
  "duplicate keys": { row: "issue", ...malformed, ...within('"x":1,"x":2') },
  "lone surrogate": { row: "issue", ...malformed, ...within('"x":"\\ud800"') },
  "number too large": { row: "C14", ...malformed, ...within('"x":1e999') },
  "deep nesting": { row: "issue", ...malformed, ...within(`"x":${"[".repeat(200)}${"]".repeat(200)}`) },
  "unsafe integer": { row: "C14", ...harmless, ...within('"x":9007199254740993') },
  "unknown members": { row: "C8", ...harmless, ...within('"x":{"y":[null]},"z":null') },
  "damaged message": {
    row: "C27",
    ...malformed,
    slow: true,
    act: ({ message }) => [send(message.slice(0, message.length / 2))],
  },

  // messages
  "id as text": {
    row: "issue",
    ...harmless,
    act: ({ id, message }) => [send(message.replace(`"id":${id}`, `"id":"${id}"`))],
  },
  batch: {
    row: "issue",
    ...harmless,
    act: ({ message }) => [send(`[{"jsonrpc":"2.0","method":"notifications/message","params":{}},${message}]`)],
  },
  "result and error": {
    row: "issue",
    ...malformed,
    act: ({ message }) => [send(`${message.slice(0, -1)},"error":{"code":1,"message":"m"}}`)],
  },
  "neither result nor error": {
    row: "issue",
    ...malformed,
    act: ({ id }) => [send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)}}`)],
  },
  "result is no object": {
    row: "issue",
    ...malformed,
    act: ({ id }) => [send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":[]}`)],
  },
  "list is no array": {
    row: "C11",
    list: "breaks",
    act: ({ id }) => [send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":{"a":1}}}`)],
  },
  "wants more input": {
    row: "B",
    revisions: isModern,
    list: "breaks",
    act: ({ message }) => [send(message.replace('"complete"', '"input_required"'))],
  },
  "error of the server": {
    row: "C11",
    ...unreachable,
    act: ({ id }) => [send(rpcError(id, -32603, `database down, key ${SECRET}`))],
  },
  "another id": {
    row: "issue",
    ways: ["json"],
    ...malformed,
    act: ({ message, id }) => [send(withId(message, id, 7777))],
  },
  "other ids first": {
    row: "issue",
    ways: FRAMED,
    ...harmless,
    act: ({ id, message }) => [send(withId(message, id, `${id}x`)), send(withId(message, id, 7777)), send(message)],
  },
  "an error without id first": {
    row: "issue",
    ways: FRAMED,
    // In the stream of one request it can only mean that one.
    opening: (way) => (way === "events" ? "server_unreachable" : "harmless"),
    list: (way) => (way === "events" ? "breaks" : "harmless"),
    act: ({ message }) => [send(rpcError(null, -32700, "what was that")), send(message)],
  },
  "two answers": {
    row: "issue",
    ways: FRAMED,
    ...harmless,
    act: ({ message }) => [send(message), send(message.replaceAll("Does", "Undoes").replaceAll("Reads", "Sends"))],
  },
  notifications: {
    row: "issue",
    ways: FRAMED,
    ...harmless,
    ...around([note("notifications/message"), note("notifications/progress"), note("x/y")]),
  },
  "late notifications": {
    row: "issue",
    ways: FRAMED,
    list: "harmless",
    ...around([], [note("notifications/message"), note("notifications/cancelled")]),
  },
  "claims a change": {
    row: "C21",
    ways: FRAMED,
    list: "harmless",
    ...around([note("notifications/tools/list_changed")]),
  },
  "asks meanwhile": { row: "issue", ways: FRAMED, list: "harmless", ...around(QUESTIONS) },
  "asks and waits": {
    row: "issue",
    ways: FRAMED,
    revisions: handshake,
    list: "harmless",
    ...around([...QUESTIONS, { waitFor: ["p", "r", "s", "e"] }]),
  },
  "asks and waits, where nothing may be asked": {
    row: "issue",
    ways: FRAMED,
    revisions: isModern,
    list: "breaks",
    slow: true,
    ...around([...QUESTIONS, { waitFor: ["p", "r", "s", "e"] }]),
  },

  // streams
  noise: { row: "C25, C26", ways: FRAMED, ...harmless, ...around(NOISE, NOISE) },
  "large noise": {
    row: "C25",
    ways: ["stdio"],
    ...harmless,
    limits: { maxMessageBytes: SMALL },
    ...around([send("n".repeat(2 * SMALL))]),
  },
  "banner with a byte order mark": {
    row: "C25",
    ways: ["stdio"],
    opening: "harmless",
    start: [send("\ufeffServer ready")],
  },
  "stream with a byte order mark": { row: "issue", ways: ["events"], ...harmless, ...as({ prefix: "\ufeff" }) },
  "other fields of events": {
    row: "C34",
    ways: ["events", "sse"],
    ...harmless,
    ...around([{ write: ": comment\nretry: 5\nid: 7\nunknown: x\ndata\n\nevent: other\ndata: {}\n\n" }]),
  },
  "stream stays open": { row: "C34", ways: ["events"], ...harmless, slow: true, ...around([], [{ silence: true }]) },
  "stream is taken up": {
    row: "B",
    ways: ["events"],
    revisions: handshake,
    list: "harmless",
    act: () => [{ write: "id: 7\nretry: 1\ndata:\n\n" }],
    get: (answer) => (answer ? [send(answer.message)] : [{ http: 405 }]),
  },
  "stream may not be taken up": {
    row: "C34",
    ways: ["events"],
    list: "breaks",
    act: () => [{ write: "id: 7\nretry: 1\ndata:\n\n" }],
  },
  "stream ends": { row: "C39", ways: ["events"], ...unreachable, act: () => [] },

  // time
  silence: { row: "C31", ...timeout, act: () => [{ silence: true }] },
  "slow drip": { row: "issue", ...timeout, ...as({ pace: 20 }) },
  "stream without an address": {
    row: "C31",
    ways: ["sse"],
    opening: "timeout",
    slow: true,
    act: () => [{ silence: true }],
    onStream: true,
  },

  // HTTP
  "redirect to another host": {
    row: "C37",
    ways: HTTP,
    opening: "redirected",
    list: "breaks",
    ...http(307, { location: "https://other.example/mcp?key=1" }),
  },
  "redirect to plain http": {
    row: "C37",
    ways: HTTP,
    opening: "redirected",
    list: "breaks",
    ...http(308, { location: "http://other.example/mcp" }),
  },
  "redirect with another method": {
    row: "C37",
    ways: HTTP,
    opening: "redirected",
    list: "breaks",
    ...http(302, { location: "?login" }),
  },
  "redirect to itself": {
    row: "C37",
    ways: HTTP,
    opening: "redirected",
    list: "breaks",
    ...http(307, { location: "?again" }),
  },
  "redirect within": { row: "C37", ways: HTTP, ...harmless, ...once(307, { location: "?moved" }) },
  "429, soon again": { row: "issue", ways: HTTP, ...harmless, ...once(429, { "retry-after": "0" }) },
  "503, soon again": { row: "issue", ways: HTTP, ...harmless, ...once(503, { "retry-after": "0" }) },
  "429, much later": { row: "issue", ways: HTTP, ...unreachable, ...http(429, { "retry-after": "3600" }) },
  "500": { row: "C35", ways: HTTP, ...unreachable, ...http(500, { "content-type": "text/plain" }, `no ${SECRET}`) },
  gzip: { row: "C32", ...harmless, ...coded("gzip", gzipSync) },
  deflate: { row: "C32", ...harmless, ...coded("deflate", deflateSync) },
  brotli: { row: "C32", ...harmless, ...coded("br", brotliCompressSync) },
  "a coding that was not asked for": { row: "C32", ...malformed, ...coded("zstd", (body) => body) },
  "damaged gzip": { row: "C32", ...malformed, ...coded("gzip", (body) => body) },
  "compressed bomb": {
    row: "issue",
    ...malformed,
    limits: { maxMessageBytes: SMALL },
    ways: STREAMABLE,
    act: ({ message }) => [
      send(`{${" ".repeat(2_000_000)}${message.slice(1)}`, {
        encode: gzipSync,
        headers: { "content-encoding": "gzip" },
      }),
    ],
  },
  "wrong content type": {
    row: "issue",
    ways: STREAMABLE,
    ...malformed,
    act: ({ message }) => [{ http: 200, headers: { "content-type": "text/plain" }, body: message }],
  },
  "no stream": {
    row: "issue",
    ways: ["sse"],
    opening: "malformed",
    ...http(200, { "content-type": "application/json" }, "{}"),
  },
  page: {
    row: "issue",
    ways: STREAMABLE,
    ...malformed,
    ...http(200, { "content-type": "text/html" }, "<h1>Welcome</h1>"),
  },
  "empty body": { row: "issue", ways: STREAMABLE, ...malformed, ...http(200, { "content-type": "application/json" }) },
  "202 without an answer": { row: "C35", ways: STREAMABLE, list: "breaks", ...http(202) },
  "end of the session is refused": {
    row: "C34",
    ways: STREAMABLE,
    revisions: handshake,
    opening: "harmless",
    end: [{ http: 405 }],
  },
  "stream is refused": { row: "C34", ways: ["sse"], opening: "server_unreachable", ...http(405) },
  "session is lost": {
    row: "C39",
    ways: STREAMABLE,
    revisions: handshake,
    list: "harmless",
    ...once(404, {}),
  },
  "session is lost, in words": {
    row: "C39",
    ways: STREAMABLE,
    revisions: handshake,
    list: "harmless",
    act: ({ message, before }) =>
      before > 0
        ? [send(message)]
        : [
            {
              http: 400,
              headers: { "content-type": "application/json" },
              body: rpcError(null, -32000, "No valid session"),
            },
          ],
  },
  "session is always lost": {
    row: "C39",
    ways: STREAMABLE,
    revisions: handshake,
    list: "breaks",
    ...http(404),
  },
  "messages go to another host": {
    row: "C37",
    ways: ["sse"],
    opening: "redirected",
    act: () => [{ write: "event: endpoint\ndata: https://other.example/messages\n\n" }],
    onStream: true,
  },

  // ends
  "ends at once": {
    row: "issue",
    ways: ["stdio"],
    opening: "server_unreachable",
    start: [{ exit: 3, stderr: `cannot open the database of ${SECRET}\n` }],
  },
  "ends when asked": { row: "C39", ...unreachable, act: () => [{ exit: 4 }] },
  "ends within the answer": {
    row: "C27",
    ...unreachable,
    act: ({ message }) => [{ write: message.slice(0, message.length / 2) }, { exit: 4 }],
  },
  "ends after the answer": {
    row: "C28",
    ways: ["stdio"],
    list: "harmless",
    act: ({ message, place }) => [
      send(message, { lineEnd: "" }),
      ...(place === "last page" ? [{ exit: 0 }] : [{ write: "\n" }]),
    ],
  },
} as const satisfies Readonly<Record<string, Trouble>>

const challenge = (parameters: string) => ({ "www-authenticate": `Bearer ${parameters}` })
const auth = (reason: string) => ({ opening: { auth: reason }, list: { auth: reason } }) as const
const LOGIN = '<form action="/login"><input type="password"></form>'

/** What a server wants before it lists. */
export const AUTHS = {
  none: { row: "-" },
  "401 with a header": { row: "B", ways: HTTP, ...auth("refused"), ...http(401, challenge('error="invalid_token"')) },
  "401 bare": { row: "C36", ways: HTTP, ...auth("refused"), ...http(401) },
  "403 bare": { row: "C36", ways: HTTP, ...auth("refused"), ...http(403) },
  "403 insufficient_scope": {
    row: "B",
    ways: HTTP,
    ...auth("insufficient_scope"),
    ...http(403, challenge('error="insufficient_scope", scope="tools:read"')),
  },
  "403 insufficient_scope, in the body": {
    row: "C36",
    ways: HTTP,
    ...auth("insufficient_scope"),
    ...http(403, { "content-type": "application/json" }, '{"error":"insufficient_scope"}'),
  },
  "login page": {
    row: "B",
    ways: STREAMABLE,
    ...auth("refused"),
    ...http(200, { "content-type": "text/html; charset=utf-8" }, LOGIN),
  },
  "login page in place of the stream": {
    row: "B",
    ways: ["sse"],
    opening: { auth: "refused" },
    ...http(200, { "content-type": "text/html; charset=utf-8" }, LOGIN),
  },
  "JSON-RPC error": {
    row: "issue",
    ...auth("refused"),
    act: ({ id }) => [send(rpcError(id, -32001, `Unauthorized: ${SECRET}`))],
  },
  "JSON-RPC error, scope": {
    row: "issue",
    ...auth("insufficient_scope"),
    act: ({ id }) => [send(rpcError(id, -32603, "insufficient_scope: wants tools:read"))],
  },
  "JSON-RPC error under 400": {
    row: "C36",
    ways: STREAMABLE,
    ...auth("refused"),
    act: ({ id }) => [
      { http: 400, headers: { "content-type": "application/json" }, body: rpcError(id, -32000, "Unauthorized") },
    ],
  },
  "no start without a key": {
    row: "issue",
    ways: ["stdio"],
    opening: { auth: "missing: SERVICE_API_KEY" },
    start: [{ exit: 1, stderr: "Error: SERVICE_API_KEY environment variable is required\n" }],
  },
  "no start with this key": {
    row: "issue",
    ways: ["stdio"],
    opening: { auth: "refused" },
    start: [{ exit: 1, stderr: `Error: Invalid API key ${SECRET}\n` }],
  },
  "variable is not set": { row: "C45", opening: { auth: "missing: TOKEN" }, unset: true },
} as const satisfies Readonly<Record<string, Trouble>>

export type DefectName = keyof typeof DEFECTS
export type AuthName = keyof typeof AUTHS
