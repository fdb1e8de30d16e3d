// A server that answers well in both eras and does not want to go. Run: node stubborn-server.mjs PIDS FLAGS [WORD…]; its tools are called like
// the words. It writes its pid and those of its helpers to PIDS. Flags, with commas: helper, session-helper (in a session of its own, with our
// stdout), ignoring-helper, ignores-term, stays (when its input ends), leaves (ends after its list, with helpers still there).
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [, , pids, text, ...words] = process.argv
const flags = text.split(",")
const note = (pid) => appendFileSync(pids, `${pid}\n`)
const idle = "setInterval(() => {}, 1000)"
const start = (code, options = {}) => note(spawn(process.execPath, ["-e", code], { stdio: "inherit", ...options }).pid)

note(process.pid)
if (flags.includes("helper")) start(idle)
if (flags.includes("session-helper")) start(idle, { detached: true })
if (flags.includes("ignoring-helper")) start(`process.on("SIGTERM", () => {}); ${idle}`)
if (flags.includes("ignores-term")) process.on("SIGTERM", () => {})
if (flags.includes("stays")) setInterval(() => {}, 1000)

const info = { name: "stubborn", version: "1.0.0" }
const capabilities = { tools: {} }
const results = {
  initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo: info },
  "server/discover": {
    ...{ resultType: "complete", ttlMs: 0, cacheScope: "public", supportedVersions: ["2026-07-28"], capabilities },
    _meta: { "io.modelcontextprotocol/serverInfo": info },
  },
  "tools/list": {
    ...{ resultType: "complete", ttlMs: 0, cacheScope: "public" },
    tools: words.map((name) => ({ name, inputSchema: { type: "object" } })),
  },
}
const input = createInterface({ input: process.stdin })
input.on("line", (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: results[method] })}\n`, () => {
    if (method === "tools/list" && flags.includes("leaves")) process.exit(0)
  })
})
input.on("close", () => flags.includes("stays") || process.exit(0))
