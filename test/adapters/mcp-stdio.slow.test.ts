// What a hostile server costs its reader, and what is left of it: readings in a process of their own, whose memory is measured, and servers
// whose helpers do not want to end.
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { createStdioToolSource } from "../../src/adapters/mcp-stdio.js"
import { DEFAULT_READ_LIMITS } from "../../src/ports.js"
import { buildModules } from "../fakes/built-cli.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { alive, folder, pidFile, pids, TREE } from "./child-trees.js"

const RAW_SERVER = fileURLToPath(new URL("../fixtures/servers/raw-server.mjs", import.meta.url))

const MAX_RSS_MB = 200
const MAX_READ_MS = 60_000

/** Reads a scenario, says what came of it and what it took. */
const READER = `
const [module, server, scenario, protocol] = process.argv.slice(1)
const { createStdioToolSource } = await import(module)
const target = { command: process.execPath, args: [server, scenario], env: [] }
const values = { environment: { PATH: process.env.PATH }, placeholders: [] }
const source = createStdioToolSource({ target, cwd: ".", clientVersion: "0.0.0", ...values })
const limits = ${JSON.stringify(DEFAULT_READ_LIMITS)}
const { surface, failures } = await source.read({ sections: ["tools"], limits, protocol })
const rssMb = Math.round(process.resourceUsage().maxRSS / 1024)
console.log(JSON.stringify({ code: failures.tools?.code, items: surface.tools?.length ?? 0, rssMb }))
`

async function measure(scenario: string, protocol: string) {
  const modules = await makeTempFolder()
  await buildModules(modules, ["adapters/mcp-stdio.ts"])
  const module = pathToFileURL(join(modules, "mcp-stdio.mjs")).href
  const words = ["--input-type=module", "-e", READER, "--", module, RAW_SERVER, scenario, protocol]
  const child = spawn(process.execPath, words, { cwd: modules, stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  child.stdout.on("data", (chunk) => {
    text += chunk
  })
  await new Promise((resolve) => child.once("close", resolve))
  return JSON.parse(text)
}

const ENDLESS = ["text", "escapes", "texts", "nesting", "members", "items"].map((what) => `endless_${what}`)
const HOSTILE = [...ENDLESS, "flood", "many_bytes", "many_messages", "dense", "endless", "storm"]
const MODERN = ["endless_text", "flood", "dense", "endless"].map((scenario) => `modern:${scenario}`)

test.each([...HOSTILE, ...MODERN])(`%s stays under ${MAX_RSS_MB} MB and ends in time`, async (scenario) => {
  const started = performance.now()
  const { code, rssMb } = await measure(scenario, scenario.startsWith("modern:") ? "2026-07-28" : "2025-11-25")
  const finishes = scenario === "many_messages" || scenario === "storm"
  expect(code).toEqual(finishes ? undefined : expect.stringMatching(/^(?:READING_INCOMPLETE|PROTOCOL_MALFORMED)$/))
  expect(rssMb).toBeLessThan(MAX_RSS_MB)
  expect(performance.now() - started).toBeLessThan(MAX_READ_MS)
})

test.each([
  { flags: ["helper", "session-helper", "stays"], code: "TIMEOUT", starts: 1 },
  { flags: ["orphan", "helper"], code: "SERVER_UNREACHABLE", starts: 2 },
  { flags: ["stays", "ignores-term", "ignoring-helper"], code: "TIMEOUT", starts: 1 },
])("nothing is left of a process that is no server: $flags", async ({ flags, code, starts }) => {
  const source = createStdioToolSource({
    target: { command: process.execPath, args: [TREE, pidFile, ...flags], env: [] },
    cwd: folder,
    environment: { PATH: process.env.PATH },
    placeholders: [],
    clientVersion: "0.0.0",
  })
  const limits = { ...DEFAULT_READ_LIMITS, startTimeoutMs: 3000 }
  await expect(source.read({ sections: ["tools"], limits })).rejects.toMatchObject({ code })
  expect(pids()).toHaveLength(starts * (1 + flags.filter((flag) => flag.endsWith("helper")).length))
  expect(alive()).toEqual([])
})
