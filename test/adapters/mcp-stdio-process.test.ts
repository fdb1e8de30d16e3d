// Real processes read over stdio: what only they can show. Hand-written servers in memory are in mcp-stdio.test.ts, endings of process trees in
// child-process.test.ts.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { createStdioToolSource, type StdioSourceOptions } from "../../src/adapters/mcp-stdio.js"
import { canonicalize } from "../../src/core/canonical.js"
import { isArray, isObject, type JsonValue } from "../../src/core/json.js"
import { SECTION_NAMES } from "../../src/core/section.js"
import { DEFAULT_READ_LIMITS, type ServerReading } from "../../src/ports.js"

const server = (name: string) => fileURLToPath(new URL(`../fixtures/servers/${name}.mjs`, import.meta.url))
const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolsum-stdio-")))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Options extends Partial<StdioSourceOptions> {
  readonly env?: readonly string[]
  readonly cwdInTarget?: string
  readonly protocol?: string
}

function read(args: readonly string[], options: Options = {}): Promise<ServerReading> {
  const { env = [], cwdInTarget, protocol } = options
  const source = createStdioToolSource({
    target: { command: process.execPath, args, env, ...(cwdInTarget ? { cwd: cwdInTarget } : {}) },
    cwd: folder,
    environment: { PATH: process.env.PATH },
    placeholders: [],
    clientVersion: "0.0.0",
    ...options,
  })
  const limits = DEFAULT_READ_LIMITS
  return source.read({ sections: SECTION_NAMES, limits, ...(protocol === undefined ? {} : { protocol }) })
}

const names = (list: JsonValue): readonly JsonValue[] | null =>
  isArray(list) ? list.map((item) => (isObject(item) ? (item.name ?? null) : item)) : null

describe.concurrent("servers of the official SDKs", () => {
  test.each([
    { name: "sdk-v1", words: [], protocol: undefined, agreed: "2025-11-25" },
    { name: "sdk-v1", words: [], protocol: "2025-03-26", agreed: "2025-03-26" },
    { name: "sdk-v1", words: [], protocol: "2026-07-28", agreed: "2025-11-25" },
    { name: "sdk-v2", words: [], protocol: undefined, agreed: "2025-11-25" },
    { name: "sdk-v2", words: [], protocol: "2026-07-28", agreed: "2026-07-28" },
    { name: "sdk-v2", words: ["modern-only"], protocol: undefined, agreed: "2026-07-28" },
  ])("$name $words asked in $protocol answers in $agreed", async ({ name, words, protocol, agreed }) => {
    const reading = await read([server(name), ...words], protocol === undefined ? {} : { protocol })
    expect(reading.failures).toEqual({})
    // The SDK's servers say `cacheScope: private` of everything unless they are told otherwise.
    const isModern = agreed === "2026-07-28"
    expect(reading.isPrivate).toBe(isModern)
    expect(reading.findings.map(({ code }) => code)).toEqual(isModern ? ["private_list"] : [])
    expect(reading.protocol).toBe(agreed)
    expect(names(reading.surface.tools)).toEqual(["add", "now"])
    expect(names(reading.surface.prompts)).toEqual(["greet"])
    expect(names(reading.surface.resourceTemplates)).toEqual(["notes"])
    expect(names(reading.surface.resources)).toEqual(["note"])
    expect(reading.surface.instructions).toBe("Ask for one thing.")
    expect(canonicalize(reading.surface.serverInfo)).toBe(`{"name":"${name}","version":"9.9.9"}`)
    expect(canonicalize(reading.surface.tools)).toContain('"maximum":9007199254740991')
  })
})

describe.concurrent("processes", () => {
  test("a hand-written server, byte by byte", async () => {
    const record = join(folder, "record")
    const reading = await read([server("raw-server"), "chunks", record])
    expect(names(reading.surface.tools)).toEqual(["é😀"])
    expect(readFileSync(record, "utf8")).toContain("initialize")
  })

  test("a flood is cut off", async () => {
    const reading = await read([server("raw-server"), "flood"])
    expect(reading.failures.tools).toMatchObject({ code: "READING_INCOMPLETE" })
  })

  test("an answer right before the exit counts", async () => {
    const reading = await read([server("raw-server"), "answers_and_exits"])
    expect(names(reading.surface.tools)).toEqual(["last"])
  })

  test("a server that ends for want of a key", async () => {
    await expect(read([server("raw-server"), "wants_key"])).rejects.toMatchObject({
      code: "SERVER_AUTH",
      message: "missing: SERVICE_API_KEY",
    })
  })

  test("a command that is not there", async () => {
    const target = { command: "toolsum-no-such-command", args: [], env: [] }
    await expect(read([], { target })).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" })
  })

  test("a server gets the small set, what is named, and placeholders", async () => {
    const environment = { PATH: process.env.PATH, HOME: folder, TOKEN: "t", OTHER: "o", https_proxy: "http://p" }
    const args = [server("raw-server"), "environment"]
    const reading = await read(args, { env: ["TOKEN"], environment, placeholders: ["DUMMY"] })
    const set = names(reading.surface.tools)?.filter((name) => name !== "__CF_USER_TEXT_ENCODING")
    expect(set).toEqual(["DUMMY", "HOME", "PATH", "TOKEN", "https_proxy"])
  })

  test("templates in arguments are filled in", async () => {
    const environment = { PATH: process.env.PATH, FILE: join(folder, "filled") }
    await read([server("raw-server"), "plain", "${FILE}-$$1"], { environment })
    expect(readFileSync(join(folder, "filled-$1"), "utf8")).toContain("initialize")
  })

  test("the target's folder is relative to the lockfile's", async () => {
    const reading = await read([server("raw-server"), "working_folder"], { cwdInTarget: ".." })
    expect(names(reading.surface.tools)).toEqual([realpathSync(join(folder, ".."))])
  })
})
