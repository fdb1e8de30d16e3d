// A witness over HTTP, both sides: the server under bad and slow clients, the client under bad and slow servers.
import { once } from "node:events"
import { createServer, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createHttpWitness, MAX_WITNESS_ANSWER_BYTES } from "../../src/adapters/witness-http.js"
import { hashOrigin, startWitnessServer, type WitnessServer } from "../../src/adapters/witness-http-server.js"
import { MAX_ADD_CHECKPOINT_BYTES } from "../../src/core/add-checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { createWitness } from "../../src/writer/witness.js"
import { ORIGIN, signer, verifier } from "../core/log-fixtures.js"
import { createMemoryWitnessStore, requestBody } from "../fakes/witness-fixtures.js"

const NOW = 1_796_083_200
const code = (expected: string) => expect.objectContaining({ code: expected })

describe("the server", () => {
  let server: WitnessServer
  let failures: unknown[]
  const store = createMemoryWitnessStore()
  const swap = store.compareAndSwap
  beforeEach(async () => {
    store.files.clear()
    store.compareAndSwap = swap
    failures = []
    const logKeys = [verifier(signer(ORIGIN))]
    const witness = createWitness({ key: signer("w.example"), logKeys, store, clock: () => NOW })
    const options = {
      host: "127.0.0.1",
      port: 0,
      requestTimeoutMs: 150,
      onFailure: (error: unknown) => failures.push(error),
    }
    server = await startWitnessServer(witness, options)
  })
  afterEach(() => server.close())

  const call = (path: string, init: RequestInit = {}) => fetch(new URL(path, server.url), init)
  const add = (body: Uint8Array) => call("add-checkpoint", { method: "POST", body: new Uint8Array(body) })

  test("answers add-checkpoint by the specification", async () => {
    const good = await add(requestBody({ old: 0, size: 5 }))
    expect(good.status).toBe(200)
    expect(await good.text()).toMatch(/^— w\.example [A-Za-z0-9+/]+=*\n$/)
    const stale = await add(requestBody({ old: 0, size: 9 }))
    expect([stale.status, stale.headers.get("content-type"), await stale.text()]).toEqual([
      409,
      "text/x.tlog.size",
      "5\n",
    ])
    expect((await add(new Uint8Array(0))).status).toBe(400)
    expect((await add(requestBody({ old: 5, size: 9, proof: [] }))).status).toBe(422)
    expect(failures).toEqual([])
  })

  test("shows monitors what it cosigned last", async () => {
    const path = `${hashOrigin(ORIGIN)}/checkpoint`
    expect((await call(path)).status).toBe(404)
    await add(requestBody({ old: 0, size: 5 }))
    const shown = await call(path)
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"])
    const text = await shown.text()
    expect(text).toMatch(/^log\.example\/a\n5\n/)
    const head = await call(path, { method: "HEAD" })
    expect([head.status, Number(head.headers.get("content-length")), await head.text()]).toEqual([
      200,
      Buffer.byteLength(text),
      "",
    ])
    expect((await call(`${hashOrigin("log.example/x")}/checkpoint`)).status).toBe(404)
  })

  test.each([
    { path: "", method: "GET", status: 404 },
    { path: "add-checkpoint/", method: "POST", status: 404 },
    { path: "add-checkpoint?x", method: "POST", status: 404 },
    { path: "add-checkpoint", method: "GET", status: 405, allow: "POST" },
    { path: "add-checkpoint", method: "PUT", status: 405, allow: "POST" },
    { path: `${hashOrigin(ORIGIN)}/checkpoint`, method: "DELETE", status: 405, allow: "GET, HEAD" },
    { path: `${hashOrigin(ORIGIN).toUpperCase()}/checkpoint`, method: "GET", status: 404 },
  ])("$method /$path: $status", async ({ path, method, status, allow = null }) => {
    const answer = await call(path, { method })
    expect([answer.status, answer.headers.get("allow")]).toEqual([status, allow])
  })

  test.each([{ chunked: false }, { chunked: true }])(
    "a body that is too long is refused (chunked: $chunked)",
    async ({ chunked }) => {
      const body = Buffer.alloc(MAX_ADD_CHECKPOINT_BYTES + 1)
      const headers = chunked ? { "transfer-encoding": "chunked" } : { "content-length": body.length }
      const sent = request(new URL("add-checkpoint", server.url), { method: "POST", headers })
      sent.on("error", () => undefined) // the server need not take in the rest
      sent.end(body)
      const [answer] = await once(sent, "response")
      answer.resume()
      expect([answer.statusCode, answer.headers.connection]).toEqual([413, "close"])
      expect(failures).toEqual([])
    },
  )

  /** Bytes that a client sends, and all that comes back until the end. */
  async function converse(text: string): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
    const parts: Buffer[] = []
    socket.on("data", (part) => parts.push(part)).on("error", () => undefined)
    socket.write(text)
    await once(socket, "close")
    return Buffer.concat(parts).toString()
  }

  test("a client that drips, or speaks no HTTP, does not hold a connection", async () => {
    const dripping = `POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nold 0`
    const answers = await Promise.all([converse(dripping), converse("POST /add-ch"), converse("\r\n\0\0\r\n\r\n")])
    expect(answers.map((answer) => answer.split("\r\n")[0])).toEqual([
      "HTTP/1.1 408 Request Timeout",
      "HTTP/1.1 408 Request Timeout",
      "HTTP/1.1 400 Bad Request",
    ])
    expect(await converse(`GET / HTTP/1.1\r\nhost: ${"x".repeat(10_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
    expect(failures).toEqual([])
  })

  test("a client that goes away in the middle is no failure", async () => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
    socket.write(`POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nold 0`)
    await once(socket, "ready")
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.destroy()
    expect((await add(requestBody({ old: 0, size: 5 }))).status).toBe(200)
    expect(failures).toEqual([])
  })

  test("what fails on this side is told here, not to the client, and nothing is cosigned", async () => {
    const failure = new ToolsumError("IO_FAILED", "could not write /home/ada/secret: ENOSPC")
    store.compareAndSwap = async () => {
      throw failure
    }
    const answer = await add(requestBody({ old: 0, size: 5 }))
    expect([answer.status, await answer.text()]).toEqual([500, "this witness could not do its work\n"])
    expect(failures).toEqual([failure])
    expect(store.files.size).toBe(0)
  })

  test("what is being judged when it is told to end is answered", async () => {
    let closing: Promise<void> | null = null
    store.compareAndSwap = (...args) => {
      closing = server.close()
      return swap(...args)
    }
    expect((await add(requestBody({ old: 0, size: 5 }))).status).toBe(200)
    await closing
    await expect(add(requestBody({ old: 5, size: 5 }))).rejects.toThrow()
  })

  test("an address that is taken is IO_FAILED", async () => {
    const witness = createWitness({
      key: signer("w.example"),
      logKeys: [verifier(signer(ORIGIN))],
      store,
      clock: () => NOW,
    })
    const taken = { host: "127.0.0.1", port: Number(new URL(server.url).port), onFailure: () => undefined }
    await expect(startWitnessServer(witness, taken)).rejects.toEqual(code("IO_FAILED"))
  })

  test("our client and our server understand each other", async () => {
    const client = createHttpWitness(server.url, { env: {} })
    try {
      expect(await client.latest(ORIGIN)).toBe(null)
      const reply = await client.addCheckpoint(requestBody({ old: 0, size: 5 }))
      expect(reply.status).toBe(200)
      expect(new TextDecoder().decode((await client.latest(ORIGIN)) ?? undefined)).toContain(
        new TextDecoder().decode(reply.body),
      )
      const stale = await client.addCheckpoint(requestBody({ old: 0, size: 9 }))
      expect(stale).toMatchObject({ status: 409, contentType: "text/x.tlog.size" })
    } finally {
      await client.close()
    }
  })
})

describe("the client", () => {
  /** What a bad server answers, as bytes; null: nothing, ever. */
  async function against(answer: string | null, timeoutMs = 2_000): Promise<unknown> {
    const server = createServer((_, response) => {
      if (answer !== null) response.socket?.end(answer)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const client = createHttpWitness(`http://127.0.0.1:${port}/w/`, { env: {}, timeoutMs })
    try {
      return await client.addCheckpoint(requestBody({ old: 0, size: 5 })).catch((error: unknown) => error)
    } finally {
      await client.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  const body = (text: string, head = "") => `HTTP/1.1 200 OK\r\n${head}content-length: ${text.length}\r\n\r\n${text}`

  test("takes what comes as it comes", async () => {
    expect(await against(body("line\n"))).toMatchObject({ status: 200, contentType: null })
  })

  test("follows nobody elsewhere", async () => {
    const moved = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n"
    expect(await against(moved)).toMatchObject({ status: 307 })
  })

  test("is not flooded, and waits for nobody for ever", async () => {
    expect(await against(body("x".repeat(MAX_WITNESS_ANSWER_BYTES + 1)))).toMatchObject({
      code: "LOG_UNAVAILABLE",
      message: expect.stringContaining("got more"),
    })
    expect(await against(null, 50)).toMatchObject({
      code: "LOG_UNAVAILABLE",
      message: expect.stringContaining("no answer in time"),
    })
    expect(await against("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx")).toEqual(code("LOG_UNAVAILABLE"))
    expect(await against("no http\r\n\r\n")).toEqual(code("LOG_UNAVAILABLE"))
  })

  test.each(["http://w.example/", "ftp://w.example/", "https://u:p@w.example/", "https://w.example/?q", "witness"])(
    "%s is no place of a witness",
    (url) => {
      expect(() => createHttpWitness(url, { env: {} })).toThrow(code("CONFIG_INVALID"))
    },
  )
})
