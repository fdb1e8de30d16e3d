// The LEGION log and the registry over HTTP: paths as the API has them, waiting as long as it asks, and every answer bounded.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import type { HttpBaseOptions } from "../../src/adapters/http-base.js"
import { createHttpLegionLog } from "../../src/adapters/legion-http.js"
import { createHttpRegistry } from "../../src/adapters/mcp-registry-http.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { MAX_LEGION_ANSWER_BYTES } from "../../src/core/legion/bundle.js"
import { MAX_LEGION_KEYRING_BYTES } from "../../src/core/legion/keyring.js"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A service until the test ends; requests and pauses are collected. */
async function open(handler: Handler, options: Partial<HttpBaseOptions> = {}) {
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = []
  const pauses: number[] = []
  const origin = await serve((request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers })
    handler(request, response)
  })
  const pause = async (pauseMs: number) => void pauses.push(pauseMs)
  const how = { env: {}, allowLoopbackHttp: true, pause, ...options }
  const log = createHttpLegionLog(`${origin}/tlog/v1`, how)
  const registry = createHttpRegistry(`${origin}/v0`, how)
  onTestFinished(async () => {
    await log.close()
    await registry.close()
  })
  return { log, registry, requests, pauses, origin }
}

const say = (status: number, body: string | Uint8Array = "", headers: Record<string, string> = {}): Handler => {
  return (_, response) => response.writeHead(status, headers).end(body)
}
const inTurn = (...handlers: Handler[]): Handler => {
  let turn = 0
  return (request, response) => handlers[Math.min(turn++, handlers.length - 1)]?.(request, response)
}

describe("paths", () => {
  const SHA = "ab".repeat(32)
  const asked: readonly [string, (log: Awaited<ReturnType<typeof open>>["log"]) => Promise<unknown>][] = [
    ["/tlog/v1/keyring", (log) => log.keyring()],
    ["/tlog/v1/servers/io.sim%2Fa~b/latest", (log) => log.latest("io.sim/a~b")],
    [
      "/tlog/v1/servers/io.sim%2Fodd%20id%20%25s%3F%23%2B%E2%98%83%21%27%28%29%2A/latest",
      (log) => log.latest("io.sim/odd id %s?#+☃!'()*"),
    ],
    ["/tlog/v1/servers/..%2F..%2Fx/latest", (log) => log.latest("../../x")],
    ["/tlog/v1/head", (log) => log.head(null)],
    ["/tlog/v1/head/20", (log) => log.head(20n)],
    ["/tlog/v1/records/9007199254740993", (log) => log.record(9007199254740993n)],
    ["/tlog/v1/proof/inclusion?leaf_index=3&tree_size=9", (log) => log.inclusion({ leafIndex: 3n, treeSize: 9n })],
    ["/tlog/v1/proof/consistency?old_size=3&new_size=9", (log) => log.consistency({ from: 3n, to: 9n })],
    [`/tlog/v1/tools/${SHA}`, (log) => log.tools(SHA)],
    [`/tlog/v1/lookup/tools/${SHA}`, (log) => log.lookup(SHA)],
    ["/tlog/v0/servers/io.sim/@a:b%20c", (log) => log.history("io.sim/@a:b c")],
    ["/tlog/v0/servers/..%2F..%2Fx", (log) => log.history("../../x")],
  ]

  test.each(asked)("%s", async (path, ask) => {
    const { log, requests } = await open(say(200, "{}"))
    expect(await ask(log)).toEqual(encodeUtf8("{}"))
    expect(requests).toMatchObject([{ path, headers: { "user-agent": "toolsum", "cache-control": "no-cache" } }])
  })

  test.each(["", ".", ".."])("%j is no id", async (id) => {
    const { log, requests } = await open(say(200))
    await expect(log.latest(id)).rejects.toMatchObject({ code: "USAGE" })
    await expect(log.history(id)).rejects.toMatchObject({ code: "USAGE" })
    expect(requests).toEqual([])
  })
})

describe("answers", () => {
  test("404 is none, and no other status is", async () => {
    const { log } = await open(inTurn(say(404, "no"), say(403), say(500), say(500), say(500), say(400)))
    expect(await log.latest("x")).toBeNull()
    for (const status of [403, 500, 400])
      await expect(log.latest("x")).rejects.toMatchObject({
        code: "LOG_UNAVAILABLE",
        message: expect.stringContaining(`HTTP status ${status}`),
      })
  })

  test("an id with 404 in it is not a 404", async () => {
    const { log } = await open(say(500))
    await expect(log.latest("io.sim/x404")).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
  })

  test.each([
    { name: "a keyring", bytes: MAX_LEGION_KEYRING_BYTES, ask: "keyring" as const },
    { name: "any other answer", bytes: MAX_LEGION_ANSWER_BYTES, ask: "latest" as const },
  ])("$name of too many bytes is refused, not cut", async ({ bytes, ask }) => {
    const { log } = await open(inTurn(say(200, new Uint8Array(bytes)), say(200, new Uint8Array(bytes + 1))))
    expect(await log[ask]("x")).toHaveLength(bytes)
    await expect(log[ask]("x")).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
  })

  test("a redirect to another host is not followed", async () => {
    const { log, requests } = await open(say(302, "", { location: "http://localhost:1/tlog/v1/keyring" }))
    await expect(log.keyring()).rejects.toMatchObject({ message: expect.stringContaining("another host") })
    expect(requests).toHaveLength(1)
  })

  test("what comes too slowly is given up", async () => {
    const { log } = await open((_, response) => void response.writeHead(200).write("{"), { timeoutMs: 200 })
    await expect(log.keyring()).rejects.toMatchObject({ message: expect.stringContaining("no answer in 200 ms") })
  })

  test.each(["http://log.example/tlog/v1", "https://user@log.example/", "log.example"])("%j is no log", (url) => {
    const make = () => createHttpLegionLog(url, { env: {} })
    expect(make).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
  })
})

describe("429", () => {
  const limited = (after?: string) => say(429, "", after === undefined ? {} : { "retry-after": after })
  test.each([
    { name: "seconds", after: "7", pauses: [7000] },
    { name: "a minute", after: "60", pauses: [60_000] },
    { name: "nothing", after: undefined, pauses: [5000] },
    { name: "what is no time", after: "soon", pauses: [5000] },
    { name: "negative seconds", after: "-5", pauses: [5000] },
  ])("with $name", async ({ after, pauses }) => {
    const opened = await open(inTurn(limited(after), say(200, "{}")))
    expect(await opened.log.keyring()).toEqual(encodeUtf8("{}"))
    expect(opened.pauses).toEqual(pauses)
  })

  test("with a date", async () => {
    const opened = await open(inTurn(limited(new Date(Date.now() + 20_000).toUTCString()), say(200, "{}")))
    await opened.log.keyring()
    expect(opened.pauses[0]).toBeGreaterThan(15_000)
    expect(opened.pauses[0]).toBeLessThanOrEqual(20_000)
  })

  test("twice is waited for, three times is the end", async () => {
    const { log, pauses, requests } = await open(limited("1"))
    await expect(log.keyring()).rejects.toMatchObject({ code: "LOG_UNAVAILABLE", message: /429/ })
    expect([pauses, requests.length]).toEqual([[1000, 1000], 3])
  })

  test("more than a minute is told, not waited for", async () => {
    const { log, pauses } = await open(limited("61"))
    await expect(log.keyring()).rejects.toMatchObject({ message: expect.stringContaining("61 s") })
    expect(pauses).toEqual([])
  })

  test("waiting takes nothing from the time for answers", async () => {
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300))
    const { log } = await open(inTurn(limited("1"), say(200, "{}")), { timeoutMs: 250, pause })
    expect(await log.keyring()).toEqual(encodeUtf8("{}"))
  })

  test("while one question waits, no other is sent", async () => {
    let resume = () => {}
    const waiting = new Promise<void>((resolve) => {
      resume = resolve
    })
    let paused = () => {}
    const isPaused = new Promise<void>((resolve) => {
      paused = resolve
    })
    const pause = () => {
      paused()
      return waiting
    }
    const { log, requests } = await open(inTurn(limited("1"), say(200, "{}")), { pause })
    const first = log.keyring()
    await isPaused
    const second = log.head(null)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(requests).toHaveLength(1)
    resume()
    await Promise.all([first, second])
    expect(requests.map(({ path }) => path).sort()).toEqual(["/tlog/v1/head", "/tlog/v1/keyring", "/tlog/v1/keyring"])
  })
})

describe("a registry", () => {
  const server = (name: string, ...urls: string[]) => ({
    server: { name, remotes: urls.map((url) => ({ type: "streamable-http", url })) },
  })
  const page = (servers: unknown, nextCursor?: string) =>
    say(200, JSON.stringify({ servers, metadata: { nextCursor } }))

  test("all pages of a search, versions together", async () => {
    const { registry, requests } = await open(
      inTurn(page([server("a", "https://a/1"), server("b")], "a:1"), page([server("a", "https://a/1", "https://a/2")])),
    )
    expect(await registry.search("io.sim/a b")).toEqual([
      { id: "a", urls: ["https://a/1", "https://a/2"] },
      { id: "b", urls: [] },
    ])
    expect(requests.map(({ path }) => path)).toEqual([
      "/v0/servers?search=io.sim%2Fa+b&limit=100",
      "/v0/servers?search=io.sim%2Fa+b&limit=100&cursor=a%3A1",
    ])
  })

  test("bare entries are read, what is not understood is left out", async () => {
    const remotes = [{ type: "sse", url: "https://a/sse" }, { type: "http", url: "https://a/mcp" }, 7]
    const { registry } = await open(page([{ name: "a", remotes }, { name: 1 }, null, "x"]))
    expect(await registry.search("a")).toEqual([{ id: "a", urls: ["https://a/mcp"] }])
  })

  test("pages without end are bounded", async () => {
    const { registry, requests } = await open(page([server("a")], "again"))
    expect(await registry.search("a")).toEqual([{ id: "a", urls: [] }])
    expect(requests).toHaveLength(10)
  })

  test.each([
    { name: "no JSON", handler: say(200, "<html>"), code: "PROTOCOL_MALFORMED" },
    { name: "no list", handler: say(200, "{}"), code: "PROTOCOL_MALFORMED" },
    { name: "404", handler: say(404), code: "LOG_UNAVAILABLE" },
  ])("$name", async ({ handler, code }) => {
    const { registry } = await open(handler)
    await expect(registry.search("a")).rejects.toMatchObject({ code })
  })
})
