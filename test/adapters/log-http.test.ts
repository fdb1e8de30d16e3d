import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, onTestFinished, test } from "vitest"
import { createHttpLog, type HttpLogOptions } from "../../src/adapters/log-http.js"
import { isAllowedAddress } from "../../src/adapters/network-address.js"
import { openLogClient } from "../../src/client/open-log.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { HostileLog } from "../fakes/hostile-log.js"
import { MemoryState } from "../fakes/memory-state.js"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function serve(handler: RequestListener): Promise<{ url: string; sockets: () => number }> {
  const open = new Set()
  const server = createServer(handler)
  server.on("connection", (socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets: () => open.size }
}

async function openLog(handler: Handler, options: Partial<HttpLogOptions> = {}) {
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = []
  const pauses: number[] = []
  const server = await serve((request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers })
    handler(request, response)
  })
  const pause = async (pauseMs: number) => void pauses.push(pauseMs)
  const log = createHttpLog(`${server.url}log`, { env: {}, allowLoopbackHttp: true, pause, ...options })
  onTestFinished(() => log.close())
  return { log, requests, pauses, ...server }
}

const say = (status: number, body: string | Uint8Array = "", headers: Record<string, string> = {}): Handler => {
  return (_, response) => response.writeHead(status, headers).end(body)
}
const inTurn = (...handlers: Handler[]): Handler => {
  let turn = 0
  return (request, response) => handlers[Math.min(turn++, handlers.length - 1)]?.(request, response)
}

describe("reading", () => {
  test("a file comes from below the base, the checkpoint past caches", async () => {
    const { log, requests } = await openLog(say(200, "bytes"))
    expect(await log.read("checkpoint", 5)).toEqual(encodeUtf8("bytes"))
    expect(await log.read("tile/0/x001/234.p/17", 5)).toEqual(encodeUtf8("bytes"))
    expect(requests).toMatchObject([
      { path: "/log/checkpoint", headers: { "cache-control": "no-cache", "user-agent": "toolsum" } },
      { path: "/log/tile/0/x001/234.p/17" },
    ])
    expect(requests[1]?.headers).not.toHaveProperty("cache-control")
    expect(log).toMatchObject({
      local: false,
      location: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+\/log\/$/),
    })
  })

  test.each([404, 410])("status %i is null", async (status) => {
    const { log } = await openLog(say(status, "<html>no</html>"))
    expect(await log.read("keyring/2", 100)).toBeNull()
  })

  test("403 is null, as buckets say it, except for the checkpoint", async () => {
    const { log } = await openLog(say(403))
    expect(await log.read("keyring/2", 100)).toBeNull()
    await expect(log.read("checkpoint", 100)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
  })

  test("a 404 that a cache kept for a tile is asked again past the cache", async () => {
    const { log, requests } = await openLog((request, response) => {
      if (request.headers["cache-control"] === "no-cache") response.end("tile")
      else response.writeHead(404, { age: "60" }).end()
    })
    expect(await log.read("tile/0/000", 100)).toEqual(encodeUtf8("tile"))
    expect(requests).toHaveLength(2)
  })

  test("gzip is undone", async () => {
    const { log } = await openLog(say(200, gzipSync("bundle"), { "content-encoding": "gzip" }))
    expect(await log.read("tile/entries/000", 6)).toEqual(encodeUtf8("bundle"))
  })

  test.each(["", "/", "//evil.example/x", "../secret", "tile/..", "tile//0", "a b", "tile/0?x", "%2e%2e/x"])(
    "%j is no path",
    async (path) => {
      const { log, requests } = await openLog(say(200))
      await expect(log.read(path, 10)).rejects.toMatchObject({ code: "USAGE" })
      expect(requests).toEqual([])
    },
  )
})

describe("misbehaviour ends in LOG_UNAVAILABLE:", () => {
  const bomb = gzipSync(new Uint8Array(50_000_000))
  test.each<{ name: string; handler: Handler }>([
    { name: "a longer body", handler: say(200, "12345678901") },
    {
      name: "an endless body",
      handler: (_, response) => {
        const send = (): void => {
          while (!response.destroyed && response.write(new Uint8Array(4096)));
          response.once("drain", send)
        }
        send()
      },
    },
    { name: "a gzip bomb", handler: say(200, bomb, { "content-encoding": "gzip" }) },
    { name: "damaged gzip", handler: say(200, "no gzip", { "content-encoding": "gzip" }) },
    { name: "an encoding not asked for", handler: say(200, "x", { "content-encoding": "br" }) },
    { name: "a redirect to another host", handler: say(302, "", { location: "http://127.0.0.2:1/checkpoint" }) },
    { name: "a redirect to another port", handler: say(301, "", { location: "http://127.0.0.1:1/checkpoint" }) },
    { name: "a redirect to a file", handler: say(302, "", { location: "file:///etc/passwd" }) },
    {
      name: "a redirect with user info",
      handler: (r, s) => say(302, "", { location: `http://a:b@${r.headers.host}/` })(r, s),
    },
    { name: "a redirect to nowhere", handler: say(302) },
    { name: "a redirect in a circle", handler: say(307, "", { location: "/log/checkpoint" }) },
    { name: "another status", handler: say(418) },
    { name: "part of a file", handler: say(206, "1234") },
    {
      name: "a body that breaks off",
      handler: (_, s) => void s.writeHead(200, { "content-length": "9" }).write("123", () => s.destroy()),
    },
    { name: "a connection that breaks off", handler: (_, response) => void response.destroy() },
  ])("$name", async ({ handler }) => {
    const { log, requests } = await openLog(handler)
    await expect(log.read("checkpoint", 10)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
    expect(requests.length).toBeLessThanOrEqual(4)
  })

  test.each<{ name: string; handler: Handler }>([
    { name: "silence", handler: () => undefined },
    {
      name: "a slow drip",
      handler: (_, response) => {
        const timer = setInterval(() => response.write("x"), 20)
        response.on("close", () => clearInterval(timer))
      },
    },
  ])("$name, when the time is up", async ({ handler }) => {
    const { log, requests } = await openLog(handler, { timeoutMs: 200 })
    const message = expect.stringContaining("200 ms")
    await expect(log.read("checkpoint", 1e6)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE", message })
    expect(requests).toHaveLength(1)
  })

  test("nobody listening", async () => {
    const log = createHttpLog("http://127.0.0.1:1/", { env: {}, allowLoopbackHttp: true, pause: async () => undefined })
    await expect(log.read("checkpoint", 10)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
    await log.close()
  })

  test("a stop from outside", async () => {
    const abort = new AbortController()
    const { log } = await openLog(() => abort.abort(), { signal: abort.signal })
    await expect(log.read("checkpoint", 10)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE", message: /stopped/ })
  })
})

describe("trying again", () => {
  test("a failure that passes is tried again, waiting longer each time", async () => {
    const { log, pauses } = await openLog(inTurn(say(500), say(503), say(200, "ok")))
    expect(await log.read("checkpoint", 10)).toEqual(encodeUtf8("ok"))
    expect(pauses).toEqual([250, 500])
  })

  test("Retry-After is kept", async () => {
    const { log, pauses } = await openLog(inTurn(say(429, "", { "retry-after": "3" }), say(200, "ok")))
    expect(await log.read("checkpoint", 10)).toEqual(encodeUtf8("ok"))
    expect(pauses).toEqual([3000])
  })

  test("a long Retry-After is told, not waited for", async () => {
    const { log, requests } = await openLog(say(429, "", { "retry-after": "3600" }))
    const message = expect.stringContaining("3600 s")
    await expect(log.read("checkpoint", 10)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE", message })
    expect(requests).toHaveLength(1)
  })

  test("three failures are the end", async () => {
    const { log, requests } = await openLog(say(500))
    await expect(log.read("checkpoint", 10)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
    expect(requests).toHaveLength(3)
  })

  test("a redirect within the host is followed", async () => {
    const { log, requests } = await openLog(inTurn(say(301, "", { location: "/v2/checkpoint" }), say(200, "ok")))
    expect(await log.read("checkpoint", 10)).toEqual(encodeUtf8("ok"))
    expect(requests[1]?.path).toBe("/v2/checkpoint")
  })
})

describe("where it connects", () => {
  test.each([
    "http://log.example/",
    "ftp://log.example/",
    "https://user:pass@log.example/",
    "https://log.example/?q",
    "https://log.example/#x",
    "log.example",
    `https://log.example/${"x".repeat(3000)}`,
  ])("%j is no log URL", (url) => {
    const open = () => createHttpLog(url, { env: {}, allowLoopbackHttp: true })
    expect(open).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
  })

  test("http to this machine needs the option", () => {
    const open = () => createHttpLog("http://127.0.0.1/", { env: {} })
    expect(open).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
  })

  test.each(["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[fd00::1]", "[::ffff:10.0.0.1]", "0", "0x7f.1"])(
    "https://%s needs consent",
    (host) => {
      const open = () => createHttpLog(`https://${host}/`, { env: {} })
      expect(open).toThrow(expect.objectContaining({ code: "TARGET_NOT_ACCEPTED" }))
      expect(createHttpLog(`https://${host}/`, { env: {}, allowPrivate: true }).local).toBe(false)
    },
  )

  test("a name that resolves to a private address is not connected to without consent", async () => {
    const { log: open, url, requests, sockets } = await openLog(say(200))
    expect(await open.read("checkpoint", 10)).toEqual(new Uint8Array(0))
    const before = sockets()
    const rebound = createHttpLog(`https://log.example:${new URL(url).port}/`, {
      env: {},
      pause: async () => undefined,
      resolve: (_, __, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]),
    })
    await expect(rebound.read("checkpoint", 10)).rejects.toMatchObject({ code: "TARGET_NOT_ACCEPTED" })
    expect(sockets()).toBe(before)
    expect(requests).toHaveLength(1)
    await rebound.close()
  })

  test("a name that does not resolve is unavailable", async () => {
    const log = createHttpLog("https://log.example/", {
      env: {},
      pause: async () => undefined,
      resolve: (_, __, callback) => callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []),
    })
    await expect(log.read("checkpoint", 10)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
    await log.close()
  })

  test("proxy variables are honoured, and not for this machine", async () => {
    const asked: string[] = []
    const proxy = await serve(say(500))
    const server = createServer().on("connect", (request, socket) => {
      asked.push(request.url ?? "")
      socket.end("HTTP/1.1 502 no\r\n\r\n")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const env = { https_proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, http_proxy: proxy.url }
    const log = createHttpLog("https://log.example/", { env, pause: async () => undefined })
    await expect(log.read("checkpoint", 10)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
    expect(new Set(asked)).toEqual(new Set(["log.example:443"]))
    await log.close()
    const { log: own } = await openLog(say(200, "ok"), { env })
    expect(await own.read("checkpoint", 10)).toEqual(encodeUtf8("ok"))
  })

  test.each([
    ["8.8.8.8", true],
    ["2606:4700::1111", true],
    ["100.64.0.1", false],
    ["192.168.0.1", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["fe80::1", false],
    ["::", false],
    ["::ffff:8.8.8.8", true],
    ["::ffff:192.168.0.1", false],
    ["64:ff9b::a00:1", false],
    ["::ffff:0:a00:1", false],
    ["100:0:0:1::1", false],
    ["3fff::1", false],
    ["5f00::1", false],
    ["fec0::1", false],
    ["ff02::1", false],
    ["no address", false],
  ])("%s is public: %s", (address, expected) => expect(isAllowedAddress(address, "public")).toBe(expected))
})

test("a signal ends a reading while its socket still connects, and close gives such a socket back", async () => {
  const sockets = new Set<Socket>()
  const silent = createNetServer((socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void silent.close())
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  for (const how of ["signal", "close"] as const) {
    const abort = new AbortController()
    const log = createHttpLog(url, { env: {}, allowPrivate: true, signal: abort.signal })
    const reading = expect(log.read("checkpoint", 100)).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
    while (sockets.size === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const from = Date.now()
    if (how === "signal") abort.abort()
    else await log.close()
    await reading
    await log.close()
    expect(Date.now() - from).toBeLessThan(3000)
    sockets.clear()
  }
})

test("close gives the sockets back, and closing an unused log opens nothing", async () => {
  const { log, sockets } = await openLog(say(200))
  await log.read("checkpoint", 10)
  expect(sockets()).toBe(1)
  await log.close()
  await expect.poll(sockets).toBe(0)
  await createHttpLog("https://log.example/", { env: {} }).close()
})

test("a whole log is opened and proven over HTTP", async () => {
  const served = new HostileLog().append(...Array.from({ length: 300 }, (_, i) => `entry ${i}`))
  const { log } = await openLog((request, response) => {
    void served.read((request.url ?? "").replace("/log/", ""), 1e9).then(
      (bytes) => (bytes === null ? response.writeHead(404).end() : response.end(bytes)),
      () => response.writeHead(400).end(),
    )
  })
  const client = await openLogClient({ source: log, roots: [served.root], state: new MemoryState(), clock: () => 0 })
  for (const index of [0n, 255n, 299n]) await client.proveInclusion(index)
  expect((await client.proveConsistency(257n)).older.rootHash).toEqual(served.rootAt(257n))
})
