// What a hostile server behind a URL costs its reader: readings in a process of their own, whose memory is measured.
import { spawn } from "node:child_process"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { createBrotliCompress, createGzip } from "node:zlib"
import { expect, test } from "vitest"
import { DEFAULT_READ_LIMITS } from "../../src/ports.js"
import { buildModules } from "../fakes/built-cli.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { dialogueHandler } from "../fixtures/servers/http-dialogue.js"
import { type Handler, route, say } from "../fixtures/servers/http-server.js"
import { read, serve } from "./http-reading.js"

const MAX_RSS_MB = 200
const MAX_READ_MS = 60_000

/** Reads a URL, says what came of it and what it took. */
const READER = `
const [module, url] = process.argv.slice(1)
const { createHttpToolSource } = await import(module)
const values = { environment: {}, placeholders: [], clientCredentials: [] }
const source = createHttpToolSource({ target: { url, headers: {} }, addresses: "loopback", clientVersion: "0.0.0", ...values })
const limits = ${JSON.stringify(DEFAULT_READ_LIMITS)}
const { failures } = await source.read({ sections: ["tools"], limits })
const rssMb = Math.round(process.resourceUsage().maxRSS / 1024)
console.log(JSON.stringify({ code: failures.tools?.code, rssMb }))
`

async function measure(handler: Handler) {
  const plain = dialogueHandler("modern:plain", "json")
  const server = await serve((hit, ...rest) => (hit.rpc?.method === "tools/list" ? handler : plain)(hit, ...rest))
  const modules = await makeTempFolder()
  await buildModules(modules, ["adapters/mcp-http.ts"])
  const module = pathToFileURL(join(modules, "mcp-http.mjs")).href
  const words = ["--input-type=module", "-e", READER, "--", module, server.url]
  const child = spawn(process.execPath, words, { cwd: modules, stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  child.stdout.on("data", (chunk) => {
    text += chunk
  })
  await new Promise((resolve) => child.once("close", resolve))
  return JSON.parse(text)
}

/** Writes `text` again and again until the reader goes away. */
function endless(response: ServerResponse, sink: NodeJS.WritableStream, text: string | Uint8Array): void {
  let gone = false
  response.on("close", () => {
    gone = true
  })
  const more = () => {
    if (gone) return
    const takesMore = sink.write(text)
    if (takesMore) setImmediate(more)
    else sink.once("drain", more)
  }
  more()
}

const answers =
  (type: string, text: string | Uint8Array): Handler =>
  (_, response) =>
    endless(response, response.writeHead(200, { "content-type": type }), text)
const packed =
  (coding: string, create: () => NodeJS.ReadWriteStream): Handler =>
  (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": coding })
    const packer = create()
    packer.pipe(response)
    endless(response, packer, Buffer.alloc(1_000_000, 0x20))
  }
/** Each byte a chunk of its own on the wire. */
const tinyChunks =
  (type: string, byte: string): Handler =>
  (_, response) => {
    response.writeHead(200, { "content-type": type, "transfer-encoding": "chunked" })
    response.flushHeaders()
    const { socket } = response
    if (socket) endless(response, socket, `1\r\n${byte}\r\n`.repeat(10_000))
  }

test.each([
  { name: "a gzip bomb", handler: packed("gzip", createGzip) },
  { name: "a brotli bomb", handler: packed("br", createBrotliCompress) },
  { name: "an endless body", handler: answers("application/json", "x".repeat(65_536)) },
  { name: "an endless body in tiny chunks", handler: tinyChunks("application/json", "[") },
  { name: "an endless line", handler: answers("text/event-stream", "x".repeat(65_536)) },
  { name: "endless blank lines", handler: answers("text/event-stream", "\n".repeat(65_536)) },
  { name: "blank lines in tiny chunks", handler: tinyChunks("text/event-stream", "\n") },
  { name: "endless empty events", handler: answers("text/event-stream", "data\n\n".repeat(10_000)) },
  { name: "endless lines of one event", handler: answers("text/event-stream", "data: x\n".repeat(10_000)) },
  {
    name: "endless notifications",
    handler: answers("text/event-stream", 'data: {"jsonrpc":"2.0","method":"m"}\n\n'.repeat(1000)),
  },
  {
    name: "endless requests",
    handler: answers("text/event-stream", 'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n'.repeat(1000)),
  },
])(`$name stays under ${MAX_RSS_MB} MB and ends in time`, async ({ handler }) => {
  const started = performance.now()
  const { code, rssMb } = await measure(handler)
  expect(code).toMatch(/^(?:READING_INCOMPLETE|PROTOCOL_MALFORMED|TIMEOUT)$/)
  expect(rssMb).toBeLessThan(MAX_RSS_MB)
  expect(performance.now() - started).toBeLessThan(MAX_READ_MS)
})

/** Headers, one byte, and no more. */
const unfinished =
  (status: number): Handler =>
  (_, response) =>
    response.writeHead(status, { "content-type": "text/plain", "content-length": "100" }).write("x")

test.each([
  { name: "a credential is wanted", handler: unfinished(401), code: "SERVER_AUTH" },
  { name: "an event stream was hoped for", handler: route({ GET: unfinished(404) }), code: "SERVER_UNREACHABLE" },
  {
    name: "another revision is spoken",
    handler: route({ "server/discover": unfinished(405), initialize: say(401) }),
    code: "SERVER_AUTH",
  },
])("a refusal whose body never comes is one all the same, where $name", async ({ handler, code }) => {
  await expect(read(await serve(handler))).rejects.toMatchObject({ code })
})
