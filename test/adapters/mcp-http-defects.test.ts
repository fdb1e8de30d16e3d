// What goes wrong on the way to a server, and in which words it is told: redirects, waiting, bodies that are too large or of the wrong kind,
// sessions and streams that end, addresses that may not be contacted (field-notes C32-C40). Nothing is ever tried without an end.
import { createServer as createProxy, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, onTestFinished, test } from "vitest"
import { createHttpToolSource } from "../../src/adapters/mcp-http.js"
import { DEFAULT_READ_LIMITS } from "../../src/ports.js"
import { dialogueHandler } from "../fixtures/servers/http-dialogue.js"
import { sdkV1Handler } from "../fixtures/servers/http-sdk.js"
import { type Handler, type Hit, route, say, sayJson } from "../fixtures/servers/http-server.js"
import { read, serve } from "./http-reading.js"

const answer = (hit: Hit, result: unknown) => JSON.stringify({ jsonrpc: "2.0", id: hit.rpc?.id, result })
const JSON_TYPE = { "content-type": "application/json" }
const STREAM_TYPE = { "content-type": "text/event-stream" }
const INTRODUCTION = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
}
const TOOLS = { tools: [{ name: "a", inputSchema: { type: "object" } }] }

const reply =
  (result: unknown, headers: Readonly<Record<string, string>> = {}): Handler =>
  (hit, response) =>
    response.writeHead(200, { ...JSON_TYPE, ...headers }).end(answer(hit, result))
const refuseRpc =
  (status: number, code: number, message = "m", data?: unknown): Handler =>
  (hit, ...rest) =>
    sayJson({ jsonrpc: "2.0", id: hit.rpc?.id ?? null, error: { code, message, data } }, status)(hit, ...rest)
const inTurn = (...handlers: Handler[]): Handler => {
  let turn = 0
  return (...args) => handlers[Math.min(turn++, handlers.length - 1)]?.(...args)
}

/** A server of 2025-11-25, but for these paths and methods. */
const oldServer = (handlers: Readonly<Record<string, Handler>> = {}): Handler =>
  route({
    "server/discover": refuseRpc(400, -32000, "Bad Request: Server not initialized"),
    initialize: reply(INTRODUCTION),
    "notifications/initialized": say(202),
    "tools/list": reply(TOOLS),
    DELETE: say(405),
    GET: say(405),
    ...handlers,
  })

const readTools = async (handler: Handler, options: Parameters<typeof read>[1] = {}) =>
  read(await serve(handler), { sections: ["tools"], ...options })

test("the plain server of these tests is read", async () => {
  expect(await readTools(oldServer())).toMatchObject({ surface: TOOLS, failures: {}, findings: [] })
})

describe("the order of trying", () => {
  test.each([
    { name: "a 400 in words", discover: say(400, "Bad Request") },
    { name: "a 400 with the error of an unknown session", discover: refuseRpc(400, -32000) },
    { name: "a 404 with a page", discover: say(404, "<html></html>", { "content-type": "text/html" }) },
    { name: "a 404 with an unknown method", discover: refuseRpc(404, -32601) },
    { name: "a 405", discover: say(405) },
    { name: "a 406", discover: say(406) },
    { name: "a 422", discover: sayJson({ detail: "no" }, 422) },
    { name: "a 500 in words", discover: say(500, "Internal Server Error", { "content-type": "text/plain" }) },
    { name: "a 202 without an answer", discover: say(202) },
    { name: "an unknown method", discover: refuseRpc(200, -32601) },
    { name: "another revision", discover: refuseRpc(400, -32022, "m", { supported: ["2025-11-25"] }) },
    {
      name: "an error without id",
      discover: sayJson({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "m" } }, 400),
    },
  ])("$name leads to initialize", async ({ discover }) => {
    expect(await readTools(oldServer({ "server/discover": discover }))).toMatchObject({ protocol: "2025-11-25" })
  })

  test("an event stream is looked for after a plain 404 only, and the first error is told", async () => {
    const server = await serve(route({ "server/discover": say(404, "no MCP here", { "content-type": "text/plain" }) }))
    await expect(read(server)).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
      message: 'HTTP status 404: "no MCP here"',
    })
    expect(server.lines()).toEqual(["POST /mcp server/discover", "POST /mcp initialize", "GET /mcp"])
  })

  test.each([
    { name: "an error of the server", initialize: say(500), code: "SERVER_UNREACHABLE" },
    { name: "a refusal in the protocol", initialize: refuseRpc(400, -32000, "not today"), code: "SERVER_UNREACHABLE" },
    { name: "a wanted credential", initialize: say(401), code: "SERVER_AUTH" },
  ])("$name is the real one, and no event stream is looked for", async ({ initialize, code }) => {
    const server = await serve(oldServer({ initialize }))
    await expect(read(server)).rejects.toMatchObject({ code })
    expect(server.lines().filter((line) => line.startsWith("GET /mcp"))).toEqual([])
  })

  test("a broken server of 2026-07-28 is told in its own words", async () => {
    const broken = route({ "server/discover": refuseRpc(200, -32603, "database down"), POST: refuseRpc(404, -32601) })
    await expect(readTools(broken)).rejects.toMatchObject({ message: expect.stringContaining("database down") })
  })

  test("an event stream that wants a credential is told", async () => {
    await expect(readTools(route({ GET: say(401) }))).rejects.toMatchObject({ code: "SERVER_AUTH", message: "refused" })
  })
})

describe("what is sent", () => {
  test("both types are accepted, revision and session are repeated, the session is ended", async () => {
    const server = await serve(oldServer({ initialize: reply(INTRODUCTION, { "mcp-session-id": "s-1" }) }))
    await read(server, { sections: ["tools"], headers: { "X-Key": "k", Accept: "text/html" } })
    const accept = "application/json, text/event-stream"
    const session = { "mcp-session-id": "s-1", "mcp-protocol-version": "2025-11-25" }
    expect(server.hits.map(({ method, rpc, headers }) => [rpc?.method ?? method, headers])).toMatchObject([
      [
        "server/discover",
        { accept, "x-key": "k", "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" },
      ],
      ["initialize", { accept, "content-type": "application/json", "accept-language": "en", "user-agent": "toolsum" }],
      ["notifications/initialized", session],
      ["tools/list", { ...session, "x-key": "k" }],
      ["DELETE", session],
    ])
    expect(server.hits[1]?.headers).not.toHaveProperty("mcp-session-id")
    expect(server.hits[1]?.headers).not.toHaveProperty("mcp-protocol-version")
  })

  test.each([say(405), say(500), say(404), (_: Hit, response: ServerResponse) => response.destroy()])(
    "how the server takes the end of a session does not matter (%#)",
    async (end) => {
      const session = { initialize: reply(INTRODUCTION, { "mcp-session-id": "s" }), DELETE: end }
      expect(await readTools(oldServer(session))).toMatchObject({ failures: {} })
    },
  )

  test("a session id that no header can hold is malformed", async () => {
    const bad = oldServer({ initialize: reply(INTRODUCTION, { "mcp-session-id": "a b" }) })
    await expect(readTools(bad)).rejects.toMatchObject({ code: "PROTOCOL_MALFORMED" })
  })
})

describe("redirects", () => {
  const redirect = (status: number, location: string) => say(status, "", { location })

  test.each([307, 308])("%i within the server is followed with method and body", async (status) => {
    const server = await serve((hit, ...rest) =>
      hit.path === "/mcp" ? redirect(status, "/real/")(hit, ...rest) : oldServer()(hit, ...rest),
    )
    expect(await read(server, { sections: ["tools"], headers: { Authorization: "Bearer t" } })).toMatchObject({
      surface: TOOLS,
    })
    expect(server.hits.every(({ headers }) => headers.authorization === "Bearer t")).toBe(true)
  })

  test.each([
    {
      name: "another host",
      status: 307,
      location: "https://other.example/mcp?token=x",
      target: "https://other.example",
    },
    { name: "another scheme", status: 308, location: "http://127.0.0.1/mcp", target: "http://127.0.0.1" },
    { name: "a method that changes", status: 302, location: "/login", target: "127.0.0.1" },
    { name: "user info", status: 307, location: "//u:p@127.0.0.1/", target: "127.0.0.1" },
    { name: "nowhere", status: 307, location: "http://", target: "nowhere" },
    { name: "itself", status: 307, location: "/mcp", target: "more than 3" },
  ])("to $name is told, not followed", async ({ status, location, target }) => {
    const server = await serve(redirect(status, location))
    const reading = read(server, { headers: { Authorization: "Bearer t" } })
    await expect(reading).rejects.toMatchObject({ code: "SERVER_REDIRECTED", message: expect.stringContaining(target) })
    await expect(reading).rejects.not.toMatchObject({ message: expect.stringContaining("token") })
    expect(server.hits.length).toBeLessThan(6)
  })

  test("no credential gets to another port", async () => {
    const other = await serve(oldServer())
    const server = await serve(redirect(307, other.url))
    await expect(read(server)).rejects.toMatchObject({ code: "SERVER_REDIRECTED" })
    expect(other.hits).toEqual([])
  })
})

describe("waiting", () => {
  test.each([429, 503])("status %i with a short Retry-After is asked again", async (status) => {
    const busy = say(status, "", { "retry-after": "0" })
    expect(await readTools(inTurn(busy, oldServer()))).toMatchObject({ surface: TOOLS })
  })

  test("a long Retry-After is told, not waited for", async () => {
    const server = await serve(say(429, "", { "retry-after": "3600" }))
    await expect(read(server)).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
      message: "HTTP status 429, asks to wait 3600 s",
    })
    expect(server.hits.length).toBe(1)
  })

  test("a server that stays busy is given up", async () => {
    const server = await serve(say(503, "", { "retry-after": "0" }))
    await expect(read(server)).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" })
    expect(server.hits.length).toBe(3)
  })

  test("an answer that drips, or none, ends with the time limit", async () => {
    const drip: Handler = (_, response) => {
      response.writeHead(200, JSON_TYPE)
      const timer = setInterval(() => response.write(" "), 10)
      response.on("close", () => clearInterval(timer))
    }
    const limits = { requestTimeoutMs: 100, startTimeoutMs: 100 }
    await expect(readTools(drip, { limits })).rejects.toMatchObject({ code: "TIMEOUT" })
    await expect(readTools(() => undefined, { limits })).rejects.toMatchObject({ code: "TIMEOUT" })
    expect((await readTools(oldServer({ "tools/list": drip }), { limits })).failures.tools).toMatchObject({
      code: "TIMEOUT",
    })
  })

  test("a notification that is never answered ends with the time limit", async () => {
    const deaf = oldServer({ "notifications/initialized": () => undefined })
    await expect(readTools(deaf, { limits: { requestTimeoutMs: 100 } })).rejects.toMatchObject({ code: "TIMEOUT" })
  })

  test("the rest of an answer to a notification is not waited for", async () => {
    const open: Handler = (_, response) => void response.writeHead(202, STREAM_TYPE).write(":\n")
    const started = performance.now()
    expect(await readTools(oldServer({ "notifications/initialized": open }))).toMatchObject({ surface: TOOLS })
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test("an interrupted reading ends at once, sockets included", async () => {
    const stop = new AbortController()
    const handler = oldServer({ "tools/list": () => stop.abort() })
    await expect(readTools(handler, { signal: stop.signal })).rejects.toMatchObject({ code: "READING_INCOMPLETE" })
  })
})

describe("bodies", () => {
  test.each([
    { coding: "gzip", encode: gzipSync },
    { coding: "deflate", encode: deflateSync },
    { coding: "br", encode: brotliCompressSync },
  ])("$coding is decoded, in an event stream too", async ({ coding, encode }) => {
    const packed: Handler = (hit, response) =>
      response.writeHead(200, { ...JSON_TYPE, "content-encoding": coding }).end(encode(answer(hit, TOOLS)))
    const streamed: Handler = (hit, response) =>
      response
        .writeHead(200, { ...STREAM_TYPE, "content-encoding": coding })
        .end(encode(`data: ${answer(hit, TOOLS)}\n\n`))
    const server = await serve(oldServer({ "tools/list": inTurn(packed, streamed) }))
    expect(await read(server, { sections: ["tools"] })).toMatchObject({ surface: TOOLS })
    expect(await read(server, { sections: ["tools"] })).toMatchObject({ surface: TOOLS })
    expect(server.hits[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br")
  })

  const big = Buffer.alloc(4_000_000, 0x20)
  test.each([
    {
      name: "a coding that was not asked for",
      body: "x",
      headers: { "content-encoding": "zstd" },
      code: "PROTOCOL_MALFORMED",
    },
    { name: "damaged data", body: "no gzip", headers: { "content-encoding": "gzip" }, code: "PROTOCOL_MALFORMED" },
    {
      name: "a small body that grows",
      body: gzipSync(big),
      headers: { "content-encoding": "gzip" },
      code: "PROTOCOL_MALFORMED",
    },
    { name: "a large body", body: big, headers: {}, code: "PROTOCOL_MALFORMED" },
    { name: "an empty body", body: "", headers: {}, code: "PROTOCOL_MALFORMED" },
    { name: "text that is no message", body: "hello", headers: {}, code: "PROTOCOL_MALFORMED" },
    {
      name: "an answer to something else",
      body: '{"jsonrpc":"2.0","id":77,"result":{}}',
      headers: {},
      code: "PROTOCOL_MALFORMED",
    },
    { name: "plain text", body: "hello", headers: { "content-type": "text/plain" }, code: "PROTOCOL_MALFORMED" },
    { name: "a page", body: "<h1>Welcome</h1>", headers: { "content-type": "text/html" }, code: "PROTOCOL_MALFORMED" },
  ])("$name is $code", async ({ body, headers, code }) => {
    const handler = say(200, body, { ...JSON_TYPE, ...headers })
    const limits = { maxMessageBytes: 1_000_000 }
    await expect(readTools(oldServer({ "server/discover": handler }), { limits })).rejects.toMatchObject({ code })
    expect((await readTools(oldServer({ "tools/list": handler }), { limits })).failures.tools).toMatchObject({ code })
  })

  test("an event that is too large is malformed, an endless line of nothing too", async () => {
    const events: Handler = (_, response) => response.writeHead(200, STREAM_TYPE).end(`data: ${big}\n\n`)
    const line: Handler = (_, response) => response.writeHead(200, STREAM_TYPE).end(`:${big}`)
    for (const handler of [events, line]) {
      const reading = await readTools(oldServer({ "tools/list": handler }), { limits: { maxMessageBytes: 1_000_000 } })
      expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
    }
  })

  test("a stream of nothing but comments is given up", async () => {
    const flood: Handler = (_, response) => {
      response.writeHead(200, STREAM_TYPE)
      const text = `:${"x".repeat(65_000)}\n`.repeat(50)
      const more = () => {
        while (!response.destroyed && response.write(text));
      }
      response.on("drain", more)
      more()
    }
    const reading = await readTools(oldServer({ "tools/list": flood }))
    expect(reading.failures.tools).toMatchObject({ code: "READING_INCOMPLETE" })
  })
})

describe("sessions that are lost", () => {
  test.each([
    { name: "404", lost: say(404) },
    {
      name: "404 with an error",
      lost: sayJson({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }, 404),
    },
    {
      name: "400 in words",
      lost: sayJson({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "no valid session" } }, 400),
    },
  ])("with $name are opened once more, and everything is read again", async ({ lost }) => {
    const initialize = reply(INTRODUCTION, { "mcp-session-id": "s" })
    const server = await serve(oldServer({ initialize, "tools/list": inTurn(lost, reply(TOOLS)) }))
    expect(await read(server, { sections: ["tools"] })).toMatchObject({ surface: TOOLS, failures: {} })
    expect(server.lines().filter((line) => line.endsWith(" initialize")).length).toBe(2)
  })

  test("a server of SDK 1.x that restarts between two pages is read whole", async () => {
    const { handler, forget } = sdkV1Handler("json")
    let asked = 0
    const server = await serve((hit, ...rest) => {
      if (hit.rpc?.method === "prompts/list" && asked++ === 0) forget()
      return handler(hit, ...rest)
    })
    expect(await read(server)).toMatchObject({ failures: {}, protocol: "2025-11-25" })
  })

  test("twice in a row is the end", async () => {
    const initialize = reply(INTRODUCTION, { "mcp-session-id": "s" })
    const server = await serve(oldServer({ initialize, "tools/list": say(404) }))
    expect(await read(server)).toMatchObject({ failures: { tools: { code: "SERVER_UNREACHABLE" } } })
    expect(server.lines().filter((line) => line.endsWith(" initialize")).length).toBe(2)
  })

  test("twice in a row, and the pages before are kept", async () => {
    const initialize = reply(INTRODUCTION, { "mcp-session-id": "s" })
    const once = reply({ ...TOOLS, nextCursor: "2" })
    const listing = inTurn(once, say(404), once, say(404))
    const reading = await readTools(oldServer({ initialize, "tools/list": listing }))
    expect(reading).toMatchObject({ surface: TOOLS, failures: { tools: { code: "SERVER_UNREACHABLE" } } })
  })

  test("an unknown method under 404 is no lost session", async () => {
    const initialize = reply(INTRODUCTION, { "mcp-session-id": "s" })
    const reading = await readTools(oldServer({ initialize, "tools/list": refuseRpc(404, -32601) }))
    expect(reading.findings).toMatchObject([{ code: "declared_without_list" }])
  })
})

describe("event streams", () => {
  const begin = (response: ServerResponse, text: string) => response.writeHead(200, STREAM_TYPE).write(text)

  test("one that ends early is taken up where it ended", async () => {
    let asked: Hit | null = null
    const server = await serve(
      oldServer({
        "tools/list": (hit, response) => {
          asked = hit
          begin(response, "id: 7\nretry: 1\ndata:\n\n")
          response.end()
        },
        GET: (hit, response) => {
          expect(hit.headers["last-event-id"]).toBe("7")
          begin(response, `id: 8\ndata: ${answer(asked ?? hit, TOOLS)}\n\n`)
          response.end()
        },
      }),
    )
    expect(await read(server, { sections: ["tools"] })).toMatchObject({ surface: TOOLS, failures: {} })
  })

  test.each([
    { name: "without an id", text: "data:\n\n", gets: 0 },
    { name: "with an id, again and again", text: "id: 1\nretry: 1\ndata:\n\n", gets: 3 },
    { name: "with an id and a long pause", text: "id: 1\nretry: 3600000\ndata:\n\n", gets: 0 },
  ])("one that ends $name is given up", async ({ text, gets }) => {
    const ends: Handler = (_, response) => {
      begin(response, text)
      response.end()
    }
    const server = await serve(oldServer({ "tools/list": ends, GET: ends }))
    const reading = await read(server, { sections: ["tools"] })
    expect(reading.failures.tools).toMatchObject({ code: "SERVER_UNREACHABLE" })
    expect(server.lines().filter((line) => line.startsWith("GET")).length).toBe(gets)
  })

  test("one that stays open after the answer holds nothing up", async () => {
    const stays: Handler = (hit, response) => begin(response, `data: ${answer(hit, TOOLS)}\n\n`)
    const started = performance.now()
    expect(await readTools(oldServer({ "tools/list": stays }))).toMatchObject({ surface: TOOLS })
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test("a server that asks back while a list is on its way is answered, and what it makes of that does not matter", async () => {
    let finish = () => {}
    const server = await serve(
      oldServer({
        "tools/list": (hit, response) => {
          begin(response, 'data: {"jsonrpc":"2.0","id":"p","method":"ping"}\n\n')
          finish = () => response.end(`data: ${answer(hit, TOOLS)}\n\n`)
        },
        POST: (hit, ...rest) => {
          expect(JSON.parse(hit.body)).toMatchObject({ id: "p", result: {} })
          finish()
          return say(500)(hit, ...rest)
        },
      }),
    )
    expect(await read(server, { sections: ["tools"] })).toMatchObject({ surface: TOOLS, failures: {} })
  })

  test.each([
    { name: "another origin", event: "data: https://other.example/m", code: "SERVER_REDIRECTED" },
    { name: "user info", event: "data: http://u:p@127.0.0.1/m", code: "SERVER_REDIRECTED" },
    { name: "no address", event: "data: http://", code: "PROTOCOL_MALFORMED" },
  ])("the stream of 2024-11-05 that names $name is not followed", async ({ event, code }) => {
    const handler = route({ GET: (_, response) => begin(response, `event: endpoint\n${event}\n\n`) })
    await expect(readTools(handler)).rejects.toMatchObject({ code })
  })

  test("the stream of 2024-11-05 that names nothing ends with the time limit", async () => {
    const handler = route({ GET: (_, response) => begin(response, ": hello\n\n") })
    await expect(readTools(handler, { limits: { startTimeoutMs: 100 } })).rejects.toMatchObject({ code: "TIMEOUT" })
  })

  test("the stream of 2024-11-05 that ends before the answer is told", async () => {
    const sse = dialogueHandler("plain", "sse")
    const open: ServerResponse[] = []
    const reading = await readTools((hit, response, request) => {
      if (hit.method === "GET") open.push(response)
      if (hit.rpc?.method !== "tools/list") return sse(hit, response, request)
      open[0]?.destroy()
      return say(202)(hit, response, request)
    })
    expect(reading.failures.tools).toMatchObject({ code: "SERVER_UNREACHABLE" })
  })
})

describe("addresses", () => {
  const source = (url: string, addresses: "public" | "loopback" | "any" = "public") =>
    createHttpToolSource({
      target: { url, headers: {} },
      environment: {},
      placeholders: [],
      clientVersion: "0.0.0",
      addresses,
      clientCredentials: [],
    }).read({ sections: ["tools"], limits: { ...DEFAULT_READ_LIMITS, startTimeoutMs: 5000 } })

  test.each([
    { url: "https://127.0.0.1/mcp", addresses: "public" },
    { url: "https://10.0.0.1/mcp", addresses: "loopback" },
    { url: "https://[::ffff:192.168.0.1]/mcp", addresses: "public" },
    { url: "http://127.0.0.1/mcp", addresses: "public" },
    { url: "http://example.com/mcp", addresses: "loopback" },
    { url: "https://localhost/mcp", addresses: "public" },
    { url: "https://u:p@example.com/mcp", addresses: "any" },
    { url: "ftp://example.com/mcp", addresses: "any" },
  ] as const)("$url is not contacted where $addresses addresses are allowed", async ({ url, addresses }) => {
    await expect(source(url, addresses)).rejects.toMatchObject({ code: "TARGET_NOT_ACCEPTED" })
  })

  test("nothing listens, no name", async () => {
    const server = await serve(say(200))
    await server.close()
    await expect(source(server.url, "loopback")).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
      message: expect.stringContaining("ECONNREFUSED"),
    })
    await expect(source("https://nothing.invalid/mcp")).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" })
  })

  test("proxy variables are honoured, and not for this machine", async () => {
    const asked: string[] = []
    const proxy = createProxy().on("connect", (request, socket) => {
      asked.push(request.url ?? "")
      socket.end("HTTP/1.1 502 no\r\n\r\n")
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo // a TCP server's address has this shape
    const environment = { https_proxy: `http://127.0.0.1:${port}`, http_proxy: `http://127.0.0.1:${port}` }
    const target = { url: "https://mcp.example/mcp", headers: {} }
    const server = await serve(oldServer())
    await expect(read(server, { target, environment, addresses: "public" })).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
    })
    expect(asked).toEqual(["mcp.example:443"])
    expect(await read(server, { sections: ["tools"], environment })).toMatchObject({ surface: TOOLS })
    expect(asked.length).toBe(1)
  })

  test("a certificate that nobody vouches for is not accepted", async () => {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo // a TCP server's address has this shape
    await expect(source(`https://127.0.0.1:${port}/mcp`, "loopback")).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
      message: expect.stringMatching(/certificate.*NODE_EXTRA_CA_CERTS/),
    })
  })

  test("a server that speaks no TLS is told", async () => {
    const server = await serve(say(200))
    await expect(source(server.url.replace("http:", "https:"), "loopback")).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
    })
  })
})

// Self-signed for 127.0.0.1, made for this test.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgB16HQ2ZzBpWkqlFa
JDFz4WmQ2IZr4dy2WqT4u5V+gwuhRANCAAS++e2SCHY4LTRhLsLGfxixZjNhgZE7
0JOxbIM04YOyiT74eZw0OsiYD6+9Ku2+XyQnDfwGpMgzNwdnajrDWRka
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBljCCATygAwIBAgIUIuMdv0l/GJOR69u58+wMYhQNHBwwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMdG9vbHN1bSB0ZXN0MCAXDTI2MTEzMDE5NTc0NFoYDzIxMjYx
MTA2MTk1NzQ0WjAXMRUwEwYDVQQDDAx0b29sc3VtIHRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAS++e2SCHY4LTRhLsLGfxixZjNhgZE70JOxbIM04YOyiT74
eZw0OsiYD6+9Ku2+XyQnDfwGpMgzNwdnajrDWRkao2QwYjAdBgNVHQ4EFgQUVMjF
lgV99/t26eY8Kx3lwPIhx2QwHwYDVR0jBBgwFoAUVMjFlgV99/t26eY8Kx3lwPIh
x2QwDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMC
A0gAMEUCIQCFMscqwON/nDEnz69kOMhH8dLxMcGRJ7HtGyVnxZ/hHQIgcFUmHl/E
VfJwWUXOdJ0sm/cvtoMxY8ni2Uxjt2Ectag=
-----END CERTIFICATE-----`
