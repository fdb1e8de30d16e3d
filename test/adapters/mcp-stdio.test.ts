import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { createStdioToolSource, type StdioSourceOptions } from "../../src/adapters/mcp-stdio.js"
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { isArray, isObject, type JsonValue } from "../../src/core/json.js"
import { SECTION_NAMES, type SectionName } from "../../src/core/section.js"
import { DEFAULT_READ_LIMITS, type ReadLimits, type ServerReading } from "../../src/ports.js"

const server = (name: string) => fileURLToPath(new URL(`../fixtures/servers/${name}.mjs`, import.meta.url))
const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolsum-stdio-")))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Options extends Partial<StdioSourceOptions> {
  readonly args?: readonly string[]
  readonly env?: readonly string[]
  readonly cwdInTarget?: string
  readonly sections?: readonly SectionName[]
  readonly limits?: Partial<ReadLimits>
  readonly signal?: AbortSignal
}

function read(args: readonly string[], options: Options = {}): Promise<ServerReading> {
  const { env = [], sections = SECTION_NAMES, limits = {}, signal, cwdInTarget } = options
  const source = createStdioToolSource({
    target: { command: process.execPath, args, env, ...(cwdInTarget ? { cwd: cwdInTarget } : {}) },
    cwd: folder,
    environment: { PATH: process.env.PATH },
    placeholders: [],
    clientVersion: "0.0.0",
    ...options,
  })
  return source.read({ sections, limits: { ...DEFAULT_READ_LIMITS, ...limits }, ...(signal ? { signal } : {}) })
}

const readScenario = (scenario: string, options: Options = {}) =>
  read([server("raw-server"), scenario, ...(options.args ?? [])], options)

const names = (list: JsonValue): readonly JsonValue[] | null =>
  isArray(list) ? list.map((item) => (isObject(item) ? (item.name ?? null) : item)) : null

const codes = (reading: ServerReading) => reading.findings.map(({ code }) => code)

describe.concurrent("what a server says comes out as it is", () => {
  test("every section, odd members and numbers included", async () => {
    const reading = await readScenario("full")
    expect(reading.failures).toEqual({})
    expect(reading.findings).toEqual([])
    expect(canonicalize(reading.surface.tools)).toBe(
      '[{"annotations":{"category":"c","readOnlyHint":true},"description":"café \u202f é 😀","inputSchema":' +
        '{"properties":{"n":{"maximum":9223372036854775807,"minimum":0,"x":1}}},"name":"odd","title":"T","zz":null}]',
    )
    expect(canonicalize(reading.surface.prompts)).toBe('[{"name":"p"}]')
    expect(canonicalize(reading.surface.resourceTemplates)).toBe('[{"name":"t","uriTemplate":"x://{y}"}]')
    expect(canonicalize(reading.surface.resources)).toBe('[{"name":"r","uri":"x://1"}]')
    expect(canonicalize(reading.surface.serverInfo)).toBe('{"name":"raw","version":"1.0.0"}')
    expect(reading.surface.instructions).toBe("Use it.")
    expect(reading.protocol).toBe("2025-11-25")
    expect(canonicalize(reading.capabilities)).toBe('{"prompts":{},"resources":{},"tools":{}}')
  })

  test("circumstances for the lockfile", async () => {
    const { read, resolved } = await readScenario("plain")
    expect(read).toEqual({ platform: process.platform, node: process.versions.node, protocol: "2025-11-25" })
    expect(resolved).toEqual({ version: null, integrity: null })
  })

  test("only what was asked for is read", async () => {
    const record = join(folder, "asked")
    const reading = await readScenario("full", { args: [record], sections: ["prompts"] })
    expect(names(reading.surface.prompts)).toEqual(["p"])
    expect(reading.surface.tools).toBe(null)
    const sent = readFileSync(record, "utf8").trim().split("\n")
    expect(sent.map((line) => JSON.parse(line).method)).toEqual([
      "initialize",
      "notifications/initialized",
      "prompts/list",
    ])
  })

  test("what is not declared is not asked for", async () => {
    const record = join(folder, "nothing")
    const reading = await readScenario("nothing", { args: [record] })
    expect(reading.surface).toMatchObject({ tools: null, prompts: null, resourceTemplates: null, resources: null })
    expect(readFileSync(record, "utf8")).not.toContain("/list")
  })

  test("what is said to the server: name, no capabilities, newest revision with a handshake", async () => {
    const record = join(folder, "said")
    await readScenario("plain", { args: [record] })
    const [initialize] = readFileSync(record, "utf8").split("\n")
    expect(JSON.parse(initialize ?? "").params).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "toolsum", version: "0.0.0" },
    })
  })

  test.each(["sdk-v1", "sdk-v2"])("a server of the official %s", async (name) => {
    const reading = await read([server(name)])
    expect(reading.failures).toEqual({})
    expect(names(reading.surface.tools)).toEqual(["add", "now"])
    expect(names(reading.surface.prompts)).toEqual(["greet"])
    expect(names(reading.surface.resourceTemplates)).toEqual(["notes"])
    expect(names(reading.surface.resources)).toEqual(["note"])
    expect(reading.surface.instructions).toBe("Ask for one thing.")
    expect(canonicalize(reading.surface.serverInfo)).toBe(`{"name":"${name}","version":"9.9.9"}`)
    expect(canonicalize(reading.surface.tools)).toContain('"maximum":9007199254740991')
  })
})

describe.concurrent("messages that an SDK would refuse", () => {
  test.each([
    { scenario: "bare_init", tools: ["a", "b"], protocol: "2024-11-05" },
    { scenario: "extra_members", tools: ["a"] },
    { scenario: "text_id", tools: ["a"] },
    { scenario: "batch", tools: ["a"] },
    { scenario: "version_2024_11_05", tools: ["a", "b"], protocol: "2024-11-05" },
    { scenario: "version_2025_03_26", tools: ["a", "b"], protocol: "2025-03-26" },
    { scenario: "version_2025_06_18", tools: ["a", "b"], protocol: "2025-06-18" },
  ])("$scenario is read", async ({ scenario, tools, protocol = "2025-11-25" }) => {
    const reading = await readScenario(scenario, { sections: ["tools"] })
    expect(reading.failures).toEqual({})
    expect(names(reading.surface.tools)).toEqual(tools)
    expect(reading.protocol).toBe(protocol)
  })

  test("bad items are kept, and told", async () => {
    const reading = await readScenario("bad_items")
    expect(names(reading.surface.tools)).toEqual([7, null, "twin", "twin", "s"])
    expect(codes(reading)).toEqual(["item_nameless", "item_nameless", "item_schema", "item_duplicate", "item_schema"])
  })

  test.each(["duplicate_keys", "lone_surrogate", "bad_utf8", "deep", "list_no_array", "result_and_error"])(
    "%s is malformed",
    async (scenario) => {
      const reading = await readScenario(scenario, { sections: ["tools"] })
      expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
      expect(reading.surface.tools).toBe(null)
    },
  )

  test("a damaged answer is malformed, not slow", async () => {
    const reading = await readScenario("damaged", { limits: { requestTimeoutMs: 300 } })
    expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
  })

  test.each([
    { scenario: "duplicate_in_init", code: "PROTOCOL_MALFORMED" },
    { scenario: "version_future", code: "PROTOCOL_MALFORMED" },
    { scenario: "init_no_object", code: "PROTOCOL_MALFORMED" },
    { scenario: "init_refused", code: "SERVER_UNREACHABLE" },
  ])("$scenario is $code", async ({ scenario, code }) => {
    await expect(readScenario(scenario)).rejects.toMatchObject({ code })
  })
})

describe.concurrent("pages", () => {
  test.each([
    { scenario: "pages", tools: ["a", "b", "c"] },
    { scenario: "empty_cursor_refused", tools: ["a"] },
    { scenario: "empty_cursor_restarts", tools: ["a", "b"] },
    { scenario: "empty_cursor_hides", tools: ["a", "hidden"] },
  ])("$scenario is complete", async ({ scenario, tools }) => {
    const reading = await readScenario(scenario)
    expect(reading.failures).toEqual({})
    expect(names(reading.surface.tools)).toEqual(tools)
  })

  test.each([
    { scenario: "empty_cursor_error", tools: ["a"] },
    { scenario: "repeated_cursor", tools: ["a", "a"] },
    { scenario: "alternating_cursors", tools: ["a", "b", "c"] },
    { scenario: "second_page_fails", tools: ["a"] },
    { scenario: "second_page_unknown", tools: ["a"] },
    { scenario: "endless", tools: ["a", "a", "a"], limits: { maxPages: 3 } },
    { scenario: "endless", tools: ["a", "a", "a"], limits: { maxItems: 2 } },
  ])("$scenario is incomplete, and what came is kept", async ({ scenario, tools, limits = {} }) => {
    const reading = await readScenario(scenario, { limits })
    expect(reading.failures.tools).toMatchObject({ code: "READING_INCOMPLETE" })
    expect(names(reading.surface.tools)).toEqual(tools)
  })

  test("a declared list that is unknown is none; another error is a failure of that section only", async () => {
    const reading = await readScenario("declared_unknown")
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
    expect(reading.surface.resourceTemplates).toBe(null)
    expect(Object.keys(reading.failures)).toEqual(["resources"])
    expect(reading.failures.resources).toMatchObject({ code: "READING_INCOMPLETE" })
    expect(reading.findings).toMatchObject([{ code: "declared_without_list", section: "templates" }])
  })
})

describe.concurrent("stdout", () => {
  test("banners, blank lines, other JSON and CRLF are no obstacle", async () => {
    const reading = await readScenario("noise")
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
    expect(reading.findings).toMatchObject([{ code: "stdout_noise", message: expect.stringContaining("3 times") }])
  })

  test("characters may be split over chunks", async () => {
    const reading = await readScenario("chunks")
    expect(names(reading.surface.tools)).toEqual(["é😀"])
    expect(reading.findings).toEqual([])
  })

  test("a large line is read, one beyond the limit is malformed, noise beyond the limit is noise", async () => {
    expect(names((await readScenario("large")).surface.tools)).toEqual(["big"])
    const limits = { maxMessageBytes: 100_000 }
    const reading = await readScenario("large", { limits })
    expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
    const noisy = await readScenario("large_noise", { limits })
    expect(names(noisy.surface.tools)).toEqual(["a", "b"])
    expect(codes(noisy)).toEqual(["stdout_noise"])
  })

  test("a flood is cut off", async () => {
    const reading = await readScenario("flood", { sections: ["tools"] })
    expect(reading.failures.tools).toMatchObject({ code: "READING_INCOMPLETE" })
  })
})

describe.concurrent("conversation", () => {
  test("requests of the server are answered, so that it does not hang", async () => {
    const reading = await readScenario("asks_back")
    expect([...(names(reading.surface.tools) ?? [])].sort()).toEqual(["e-32601", "p", "r-32601", "s-32601"])
    expect(codes(reading)).toContain("server_request")
  })

  test("the first answer counts, and one to nothing that was asked does not", async () => {
    const twice = await readScenario("twice", { sections: ["tools"] })
    expect(names(twice.surface.tools)).toEqual(["first"])
    const early = await readScenario("early_answer")
    expect(names(early.surface.tools)).toEqual(["asked"])
    expect(codes(early)).toEqual(["unexpected_answer"])
  })

  test("a list that changes meanwhile is read again until it holds still", async () => {
    const once = await readScenario("changes_once")
    expect(names(once.surface.tools)).toEqual(["v2"])
    expect(once.failures).toEqual({})
    const claimed = await readScenario("claims_changes")
    expect(names(claimed.surface.tools)).toEqual(["same"])
    expect(claimed.failures).toEqual({})
    expect(codes(claimed)).toEqual(["list_changed"])
    const always = await readScenario("changes_always")
    expect(always.failures.tools).toMatchObject({ code: "READING_UNSTABLE" })
    expect(names(always.surface.tools)).toEqual(["v3"])
  })
})

describe.concurrent("servers that end or hang", () => {
  test("an exit before the first answer tells code and stderr, without values", async () => {
    const environment = { PATH: process.env.PATH, TOKEN: "s3cr3t-value" }
    const error = await readScenario("exits", { env: ["TOKEN"], environment }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ToolsumError)
    expect(error).toMatchObject({ code: "SERVER_UNREACHABLE", message: expect.stringContaining("code 3") })
    const { message, evidence } = error as ToolsumError
    expect(message).toContain("cannot open")
    expect(message).not.toContain("\u001b")
    expect(evidence?.stderr).toBe("starting\ncannot open \u001b[31mthe database with ${TOKEN}\n")
    expect(message).not.toContain("s3cr3t")
  })

  test("an exit during a list is a failure of what is left", async () => {
    const reading = await readScenario("exits_on_list")
    expect(reading.failures.tools).toMatchObject({ code: "SERVER_UNREACHABLE", evidence: { stderr: "boom\n" } })
    expect(reading.surface.instructions).toBe("Use it.")
  })

  test("an answer right before the exit counts", async () => {
    const reading = await readScenario("answers_and_exits", { sections: ["tools"] })
    expect(names(reading.surface.tools)).toEqual(["last"])
    expect(reading.failures).toEqual({})
  })

  test("no answer in time is TIMEOUT, at the start and later", async () => {
    await expect(readScenario("hangs", { limits: { startTimeoutMs: 300 } })).rejects.toMatchObject({ code: "TIMEOUT" })
    const record = join(folder, "hang")
    const reading = await readScenario("hangs_on_list", { args: [record], limits: { requestTimeoutMs: 300 } })
    expect(reading.failures.tools).toMatchObject({ code: "TIMEOUT" })
    expect(readFileSync(record, "utf8")).not.toContain("cancelled")
  })

  test("an interrupted reading ends at once", async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 300)
    await expect(readScenario("hangs", { signal: controller.signal })).rejects.toMatchObject({
      code: "READING_INCOMPLETE",
      message: "the reading was interrupted",
    })
    await expect(readScenario("plain", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "READING_INCOMPLETE",
    })
  })

  test("a command that is not there", async () => {
    const target = { command: "toolsum-no-such-command", args: [], env: [] }
    await expect(read([], { target })).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" })
  })
})

describe.concurrent("variables and folders", () => {
  test("a server gets the small set, what is named, and placeholders", async () => {
    const environment = { PATH: process.env.PATH, HOME: folder, TOKEN: "t", OTHER: "o", https_proxy: "http://p" }
    const reading = await readScenario("environment", { env: ["TOKEN"], environment, placeholders: ["DUMMY"] })
    const set = names(reading.surface.tools)?.filter((name) => name !== "__CF_USER_TEXT_ENCODING")
    expect(set).toEqual(["DUMMY", "HOME", "PATH", "TOKEN", "https_proxy"])
  })

  test("a variable that is not set, or empty, is missing", async () => {
    const missing = { code: "SERVER_AUTH", message: "missing: TOKEN" }
    await expect(readScenario("plain", { env: ["TOKEN"] })).rejects.toMatchObject(missing)
    await expect(readScenario("plain", { env: ["TOKEN"], environment: { TOKEN: "" } })).rejects.toMatchObject(missing)
    await expect(readScenario("plain", { args: ["--key=${TOKEN}"] })).rejects.toMatchObject(missing)
  })

  test("templates in arguments are filled in", async () => {
    const environment = { PATH: process.env.PATH, FILE: join(folder, "filled") }
    await readScenario("plain", { args: ["${FILE}-$$1"], environment })
    expect(readFileSync(join(folder, "filled-$1"), "utf8")).toContain("initialize")
  })

  test("no value gets into what is told of a server's error", async () => {
    const environment = { PATH: process.env.PATH, TOKEN: "s3cr3t-value" }
    const reading = await readScenario("error_with_secret", { env: ["TOKEN"], environment })
    expect(reading.failures.tools?.message).toContain("refused")
    expect(reading.failures.tools?.message).not.toContain("s3cr3t")
  })

  test("the target's folder is relative to the lockfile's", async () => {
    const reading = await readScenario("working_folder", { cwdInTarget: ".." })
    expect(names(reading.surface.tools)).toEqual([realpathSync(join(folder, ".."))])
  })
})
