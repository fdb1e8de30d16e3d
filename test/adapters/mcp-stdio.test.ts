// Hand-written servers in memory (fakes/scripted-child.ts), in both eras of the protocol: what the stdio reader makes of good, odd and hostile
// bytes. Real processes are in mcp-stdio-process.test.ts.
import { inspect } from "node:util"
import { describe, expect, test } from "vitest"
import { MAX_SESSION_BYTES, MAX_SESSION_VALUES } from "../../src/adapters/mcp-recorder.js"
import { createStdioToolSource, type StdioSourceOptions } from "../../src/adapters/mcp-stdio.js"
import type { StartChild } from "../../src/adapters/mcp-stdio-transport.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { isArray, isObject, type JsonValue } from "../../src/core/json.js"
import { SECTION_NAMES, type SectionName } from "../../src/core/section.js"
import { DEFAULT_READ_LIMITS, type ReadLimits, type ServerReading } from "../../src/ports.js"
import { createScriptedServer, methodsOf, type ScriptedServer } from "../fakes/scripted-child.js"

interface Options extends Partial<StdioSourceOptions> {
  readonly env?: readonly string[]
  readonly args?: readonly string[]
  readonly sections?: readonly SectionName[]
  readonly limits?: Partial<ReadLimits>
  readonly protocol?: string
  readonly signal?: AbortSignal
  readonly server?: ScriptedServer
}

/** Read a scenario; a `modern:` one is asked in its own era at once, unless told otherwise. */
async function read(scenario: string, options: Options = {}): Promise<ServerReading> {
  const { env = [], args = [], sections = SECTION_NAMES, limits = {}, signal } = options
  const { protocol = scenario.startsWith("modern:") ? MODERN : undefined, server = createScriptedServer(scenario) } =
    options
  const source = createStdioToolSource(
    {
      target: { command: "server", args, env },
      cwd: "/nowhere",
      environment: {},
      placeholders: [],
      clientVersion: "0.0.0",
      ...options,
    },
    server.start,
  )
  try {
    return await source.read({
      sections,
      limits: { ...DEFAULT_READ_LIMITS, ...limits },
      ...(protocol === undefined ? {} : { protocol }),
      ...(signal ? { signal } : {}),
    })
  } finally {
    expect(server.running()).toBe(0)
  }
}

const MODERN = "2026-07-28"

/** The same server in both eras. */
const eras = describe.concurrent.each([
  { era: "handshake", prefix: "", agreed: "2025-11-25", opening: ["initialize", "notifications/initialized"] },
  { era: "modern", prefix: "modern:", agreed: MODERN, opening: ["server/discover"] },
])

const names = (list: JsonValue): readonly JsonValue[] | null =>
  isArray(list) ? list.map((item) => (isObject(item) ? (item.name ?? null) : item)) : null

const codes = (reading: ServerReading) => reading.findings.map(({ code }) => code)

eras("what a server says comes out as it is ($era)", ({ prefix, agreed, opening }) => {
  test("every section, odd members and numbers included", async () => {
    const reading = await read(`${prefix}full`)
    expect(reading.failures).toEqual({})
    expect(reading.findings).toEqual([])
    expect(reading.isPrivate).toBe(false)
    expect(canonicalize(reading.surface.tools)).toBe(
      '[{"annotations":{"category":"c","readOnlyHint":true},"description":"café \u202f é 😀","inputSchema":' +
        '{"properties":{"n":{"maximum":9223372036854775807,"minimum":0,"x":1}}},"name":"odd","title":"T","zz":null}]',
    )
    expect(canonicalize(reading.surface.prompts)).toBe('[{"name":"p"}]')
    expect(canonicalize(reading.surface.resourceTemplates)).toBe('[{"name":"t","uriTemplate":"x://{y}"}]')
    expect(canonicalize(reading.surface.resources)).toBe('[{"name":"r","uri":"x://1"}]')
    expect(canonicalize(reading.surface.serverInfo)).toBe('{"name":"raw","version":"1.0.0"}')
    expect(reading.surface.instructions).toBe("Use it.")
    expect(reading.protocol).toBe(agreed)
    expect(canonicalize(reading.capabilities)).toBe('{"prompts":{},"resources":{},"tools":{}}')
  })

  test("circumstances for the lockfile", async () => {
    const { read: circumstances, resolved } = await read(`${prefix}plain`)
    expect(circumstances).toEqual({ platform: process.platform, node: process.versions.node, protocol: agreed })
    expect(resolved).toEqual({ version: null, integrity: null })
  })

  test("only what was asked for is read", async () => {
    const server = createScriptedServer(`${prefix}full`)
    const reading = await read(`${prefix}full`, { server, sections: ["prompts"] })
    expect(names(reading.surface.prompts)).toEqual(["p"])
    expect(reading.surface.tools).toBe(null)
    expect(server.starts.map(methodsOf)).toEqual([[...opening, "prompts/list"]])
  })

  test("what is not declared is not asked for", async () => {
    const server = createScriptedServer(`${prefix}nothing`)
    const reading = await read(`${prefix}nothing`, { server })
    expect(reading.surface).toMatchObject({ tools: null, prompts: null, resourceTemplates: null, resources: null })
    expect(methodsOf(server.starts[0])).toEqual(opening)
  })
})

eras("messages that an SDK would refuse ($era)", ({ prefix }) => {
  test.each([
    { scenario: "extra_members", tools: ["a"] },
    { scenario: "text_id", tools: ["a"] },
    { scenario: "batch", tools: ["a"] },
    { scenario: "bom_banner", tools: ["a", "b"] },
    { scenario: "late_notifications", tools: ["a"] },
    { scenario: "asks_while_listing", tools: ["a"] },
    { scenario: "other_ids", tools: ["right"] },
    { scenario: "many_messages", tools: ["a"] },
  ])("$scenario is read", async ({ scenario, tools }) => {
    const reading = await read(prefix + scenario, { sections: ["tools"] })
    expect(reading.failures).toEqual({})
    expect(names(reading.surface.tools)).toEqual(tools)
  })

  test("bad items are kept, and told", async () => {
    const reading = await read(`${prefix}bad_items`)
    expect(names(reading.surface.tools)).toEqual([7, null, "twin", "twin", "s"])
    expect(codes(reading)).toEqual(["item_nameless", "item_nameless", "item_schema", "item_duplicate", "item_schema"])
  })

  test.each([
    ...["duplicate_keys", "lone_surrogate", "bad_utf8", "deep", "overflow", "bom"],
    ...["list_no_array", "result_and_error"],
  ])("%s is malformed", async (scenario) => {
    const reading = await read(prefix + scenario, { sections: ["tools"] })
    expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
    expect(reading.surface.tools).toBe(null)
  })

  test("a damaged answer is malformed, not slow", async () => {
    const reading = await read(`${prefix}damaged`, { limits: { requestTimeoutMs: 100 } })
    expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
  })
})

describe.concurrent("the handshake", () => {
  test("what is said to the server: name, no capabilities, newest revision", async () => {
    const server = createScriptedServer("plain")
    await read("plain", { server })
    expect(JSON.parse(server.starts[0]?.[0] ?? "").params).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "toolsum", version: "0.0.0" },
    })
  })

  test.each(["2025-06-18", "2025-03-26", "2024-11-05"])("%s is asked for when it is wanted", async (protocol) => {
    const server = createScriptedServer("plain")
    await read("plain", { server, protocol })
    expect(JSON.parse(server.starts[0]?.[0] ?? "").params.protocolVersion).toBe(protocol)
  })

  test.each([
    { scenario: "bare_init", protocol: "2024-11-05" },
    { scenario: "version_2024_11_05", protocol: "2024-11-05" },
    { scenario: "version_2025_03_26", protocol: "2025-03-26" },
    { scenario: "version_2025_06_18", protocol: "2025-06-18" },
  ])("$scenario is read", async ({ scenario, protocol }) => {
    const reading = await read(scenario, { sections: ["tools"] })
    expect(reading.failures).toEqual({})
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
    expect(reading.protocol).toBe(protocol)
    expect(reading.read.protocol).toBe(protocol)
  })

  test.each([
    { scenario: "duplicate_in_init", code: "PROTOCOL_MALFORMED" },
    { scenario: "version_future", code: "PROTOCOL_MALFORMED" },
    { scenario: "init_no_object", code: "PROTOCOL_MALFORMED" },
    { scenario: "init_refused", code: "SERVER_UNREACHABLE" },
  ])("$scenario is $code, and no second process is started for it", async ({ scenario, code }) => {
    const server = createScriptedServer(scenario)
    await expect(read(scenario, { server })).rejects.toMatchObject({ code })
    expect(server.starts).toHaveLength(1)
  })
})

describe.concurrent("2026-07-28", () => {
  test("every request brings its envelope, and nothing else is sent", async () => {
    const server = createScriptedServer("modern:pages")
    const reading = await read("modern:pages", { server, sections: ["tools"] })
    expect(names(reading.surface.tools)).toEqual(["a", "b", "c"])
    const [sent = []] = server.starts
    expect(methodsOf(sent)).toEqual(["server/discover", "tools/list", "tools/list", "tools/list"])
    for (const line of sent) {
      expect(JSON.parse(line).params._meta).toEqual({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { name: "toolsum", version: "0.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      })
    }
  })

  test("a discovery without what its schema wants is read", async () => {
    const reading = await read("modern:bare_discover")
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
    expect(reading.surface.serverInfo).toBe(null)
    expect(reading.protocol).toBe(MODERN)
  })

  test("a server that wants to be asked again is", async () => {
    expect(names((await read("modern:asks_for_another")).surface.tools)).toEqual(["a", "b"])
  })

  test("the server's name: from _meta, from a member, from pages, and told when it varies", async () => {
    expect((await read("modern:info_member")).surface.serverInfo).toMatchObject({ name: "drafted" })
    const reading = await read("modern:info_on_pages")
    expect(reading.surface.serverInfo).toMatchObject({ name: "first" })
    expect(codes(reading)).toEqual(["server_info_differs"])
  })

  test.each([
    { scenario: "private_discover", section: null },
    { scenario: "private_page", section: "tools" },
    { scenario: "odd_scope", section: "tools" },
    { scenario: "all_private", section: null },
  ])("$scenario makes the reading private", async ({ scenario, section }) => {
    const reading = await read(`modern:${scenario}`)
    expect(reading.isPrivate).toBe(true)
    expect(reading.findings).toMatchObject([{ code: "private_list", section }])
  })

  test.each(["no_scope", "long_ttl"])("%s changes nothing", async (scenario) => {
    const reading = await read(`modern:${scenario}`)
    expect(reading).toMatchObject({ isPrivate: false, findings: [], failures: {} })
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
  })

  test("cacheScope means nothing before", async () => {
    expect(await read("private_page")).toMatchObject({ isPrivate: false, findings: [] })
  })

  test.each(["handshake", "modern"])("a result that is not complete is malformed (%s)", async (era) => {
    const reading = await read(era === "modern" ? "modern:wants_input" : "wants_input")
    expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
  })
})

describe.concurrent("which era", () => {
  test.each([
    { scenario: "plain", why: "-32601" },
    { scenario: "refuses_as_unsupported", why: "-32022" },
    { scenario: "refuses_in_words", why: "words" },
    { scenario: "answers_with_modern", why: "2026-07-28 in the answer" },
    { scenario: "ends_on_initialize", why: "an exit" },
  ])("a server that refuses the handshake with $why is asked on a fresh process without one", async ({ scenario }) => {
    const server = createScriptedServer(`modern:${scenario}`)
    const reading = await read(`modern:${scenario}`, { server, protocol: "2025-11-25" })
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
    expect(reading.protocol).toBe(MODERN)
    expect(server.starts.map(methodsOf)).toEqual([["initialize"], ["server/discover", "tools/list"]])
  })

  test.each([
    { scenario: "plain", why: "does not know discovery" },
    { scenario: "ends_before_initialize", why: "ends at the sight of it" },
    { scenario: "deaf_before_initialize", why: "is silent" },
  ])("one wanted in 2026-07-28 that $why is asked with a handshake", async ({ scenario }) => {
    const server = createScriptedServer(scenario)
    const reading = await read(scenario, { server, protocol: MODERN, limits: { startTimeoutMs: 1000 } })
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
    expect(reading.read.protocol).toBe("2025-11-25")
    expect(server.starts.map((lines) => methodsOf(lines)[0])).toEqual(["server/discover", "initialize"])
  })

  test("a server of both eras is asked once, in the one that is wanted", async () => {
    const server = createScriptedServer("modern:plain")
    await read("modern:plain", { server })
    expect(server.starts).toHaveLength(1)
    const older = createScriptedServer("plain")
    await read("plain", { server: older, protocol: "2099-01-01" })
    expect(older.starts).toHaveLength(1)
  })

  test.each([
    { scenario: "modern:future_only", protocol: MODERN, code: "PROTOCOL_MALFORMED", says: "2099-01-01" },
    { scenario: "modern:no_versions", protocol: MODERN, code: "PROTOCOL_MALFORMED", says: "no list" },
    { scenario: "modern:discover_no_object", protocol: MODERN, code: "PROTOCOL_MALFORMED", says: "an object" },
    { scenario: "modern:future_only", protocol: "2025-11-25", code: "SERVER_UNREACHABLE", says: "initialize" },
    { scenario: "exits", protocol: "2025-11-25", code: "SERVER_UNREACHABLE", says: "code 3" },
    { scenario: "exits", protocol: MODERN, code: "SERVER_UNREACHABLE", says: "code 3" },
  ])("when both fail the first error is told: $scenario in $protocol", async ({ scenario, protocol, code, says }) => {
    const server = createScriptedServer(scenario)
    await expect(read(scenario, { server, protocol })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(says),
    })
    expect(server.starts).toHaveLength(2)
  })

  test("damage in a discovery is not taken for another era", async () => {
    const server = createScriptedServer("modern:discover_duplicate")
    await expect(read("modern:discover_duplicate", { server })).rejects.toMatchObject({ code: "PROTOCOL_MALFORMED" })
    expect(server.starts).toHaveLength(1)
  })
})

eras("pages ($era)", ({ era, prefix }) => {
  test.each([
    { scenario: "pages", tools: ["a", "b", "c"] },
    { scenario: "empty_cursor_hides", tools: ["a", "hidden"] },
    ...(era === "modern"
      ? []
      : [
          { scenario: "empty_cursor_refused", tools: ["a"] },
          { scenario: "empty_cursor_restarts", tools: ["a", "b"] },
        ]),
  ])("$scenario is complete", async ({ scenario, tools }) => {
    const reading = await read(prefix + scenario)
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
    ...(era === "modern"
      ? [
          { scenario: "empty_cursor_refused", tools: ["a"] },
          { scenario: "empty_cursor_restarts", tools: ["a", "b", "a"] },
        ]
      : []),
  ])("$scenario is incomplete, and what came is kept", async ({ scenario, tools, limits = {} }) => {
    const reading = await read(prefix + scenario, { limits })
    expect(reading.failures.tools).toMatchObject({ code: "READING_INCOMPLETE" })
    expect(names(reading.surface.tools)).toEqual(tools)
  })

  test("a declared list that is unknown is none; another error is a failure of that section only", async () => {
    const reading = await read(`${prefix}declared_unknown`)
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
    expect(reading.surface.resourceTemplates).toBe(null)
    expect(Object.keys(reading.failures)).toEqual(["resources"])
    expect(reading.failures.resources).toMatchObject({ code: "READING_INCOMPLETE" })
    expect(reading.findings).toMatchObject([{ code: "declared_without_list", section: "templates" }])
  })
})

eras("stdout ($era)", ({ prefix }) => {
  test("banners, blank lines, other JSON and CRLF are no obstacle", async () => {
    const reading = await read(`${prefix}noise`)
    expect(names(reading.surface.tools)).toEqual(["a", "b"])
    expect(reading.findings).toMatchObject([{ code: "stdout_noise", message: expect.stringContaining("3 times") }])
  })

  test("characters may be split over chunks", async () => {
    const reading = await read(`${prefix}chunks`)
    expect(names(reading.surface.tools)).toEqual(["é😀"])
    expect(reading.findings).toEqual([])
  })

  test("a large line is read, one beyond the limit is malformed, noise beyond the limit is noise", async () => {
    expect(names((await read(`${prefix}large`)).surface.tools)).toEqual(["big"])
    const limits = { maxMessageBytes: 100_000 }
    const reading = await read(`${prefix}large`, { limits })
    expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
    const noisy = await read(`${prefix}large_noise`, { limits })
    expect(names(noisy.surface.tools)).toEqual(["a", "b"])
    expect(codes(noisy)).toEqual(["stdout_noise"])
  })

  test("more values than a session may have are malformed, and not read", async () => {
    const reading = await read(`${prefix}dense`, { sections: ["tools"] })
    expect(reading.failures.tools).toMatchObject({
      code: "PROTOCOL_MALFORMED",
      message: expect.stringContaining(String(MAX_SESSION_VALUES)),
    })
    expect(names(reading.surface.tools)).toEqual(["a"])
  })

  test("more bytes than a session may have end it", async () => {
    const reading = await read(`${prefix}many_bytes`, { sections: ["tools"] })
    expect(reading.failures.tools).toMatchObject({
      code: "READING_INCOMPLETE",
      message: expect.stringContaining(String(MAX_SESSION_BYTES)),
    })
  })

  test("an answer that drips is cut off in time", async () => {
    const reading = await read(`${prefix}drip`, { limits: { requestTimeoutMs: 200 } })
    expect(reading.failures.tools).toMatchObject({ code: "TIMEOUT" })
  })
})

eras("conversation ($era)", ({ era, prefix }) => {
  test("requests of the server are told, and answered where the revision has them", async () => {
    const limits = era === "modern" ? { requestTimeoutMs: 200 } : {}
    const reading = await read(`${prefix}asks_back`, { limits })
    expect(codes(reading)).toContain("server_request")
    if (era === "modern") expect(reading.failures.tools).toMatchObject({ code: "TIMEOUT" })
    else expect(names(reading.surface.tools)?.toSorted()).toEqual(["e-32601", "p", "r-32601", "s-32601"])
  })

  test("the first answer counts, and one to nothing that was asked does not", async () => {
    const twice = await read(`${prefix}twice`, { sections: ["tools"] })
    expect(names(twice.surface.tools)).toEqual(["first"])
    const others = await read(`${prefix}other_ids`)
    expect(names(others.surface.tools)).toEqual(["right"])
    expect(others.findings).toMatchObject([{ code: "unexpected_answer", message: expect.stringContaining("3 times") }])
  })

  test("a list that changes meanwhile is read again until it holds still", async () => {
    const once = await read(`${prefix}changes_once`)
    expect(names(once.surface.tools)).toEqual(["v2"])
    expect(once.failures).toEqual({})
    const claimed = await read(`${prefix}claims_changes`)
    expect(names(claimed.surface.tools)).toEqual(["same"])
    expect(claimed.failures).toEqual({})
    expect(codes(claimed)).toEqual(["list_changed"])
    const always = await read(`${prefix}changes_always`)
    expect(always.failures.tools).toMatchObject({ code: "READING_UNSTABLE" })
    expect(names(always.surface.tools)).toEqual(["v3"])
  })

  test("a storm of changes makes no storm of readings", async () => {
    const server = createScriptedServer(`${prefix}storm`)
    const reading = await read(`${prefix}storm`, { server, sections: ["tools"] })
    expect(names(reading.surface.tools)).toEqual(["same"])
    expect(methodsOf(server.starts[0]).filter((method) => method === "tools/list")).toHaveLength(2)
  })
})

test("an answer before it was asked for does not count", async () => {
  const early = await read("early_answer")
  expect(names(early.surface.tools)).toEqual(["asked"])
  expect(codes(early)).toEqual(["unexpected_answer"])
})

eras("servers that end or hang ($era)", ({ prefix }) => {
  test("an exit before the first answer tells code and stderr, without values", async () => {
    const error = await read(`${prefix}exits`, { env: ["TOKEN"], environment: { TOKEN: "s3cr3t-value" } }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(ToolsumError)
    expect(error).toMatchObject({ code: "SERVER_UNREACHABLE", message: expect.stringContaining("code 3") })
    const { message, evidence } = error as ToolsumError
    expect(message).toContain("cannot open")
    expect(message).not.toContain("\u001b")
    expect(evidence?.stderr).toBe("starting\ncannot open \u001b[31mthe database with ${TOKEN}\n")
    expect(message).not.toContain("s3cr3t")
  })

  test("an exit during a list is a failure of what is left", async () => {
    const reading = await read(`${prefix}exits_on_list`)
    expect(reading.failures.tools).toMatchObject({ code: "SERVER_UNREACHABLE", evidence: { stderr: "boom\n" } })
    expect(reading.surface.instructions).toBe("Use it.")
  })

  test("an answer right before the exit counts", async () => {
    const reading = await read(`${prefix}answers_and_exits`, { sections: ["tools"] })
    expect(names(reading.surface.tools)).toEqual(["last"])
    expect(reading.failures).toEqual({})
  })

  test("no answer in time is TIMEOUT, at the start and later", async () => {
    const hanging = prefix === "" ? "hangs" : "modern:discover_deaf"
    await expect(read(hanging, { limits: { startTimeoutMs: 100 } })).rejects.toMatchObject({ code: "TIMEOUT" })
    const server = createScriptedServer(`${prefix}hangs_on_list`)
    const reading = await read(`${prefix}hangs_on_list`, { server, limits: { requestTimeoutMs: 100 } })
    expect(reading.failures.tools).toMatchObject({ code: "TIMEOUT" })
    expect(methodsOf(server.starts[0])).not.toContain("notifications/cancelled")
  })

  test("an interrupted reading ends at once", async () => {
    const interrupted = { code: "READING_INCOMPLETE", message: "the reading was interrupted" }
    for (const scenario of [prefix === "" ? "hangs" : "modern:discover_deaf", `${prefix}hangs_on_list`]) {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 50)
      await expect(read(scenario, { signal: controller.signal })).rejects.toMatchObject(interrupted)
    }
    const server = createScriptedServer(`${prefix}plain`)
    await expect(read(`${prefix}plain`, { server, signal: AbortSignal.abort() })).rejects.toMatchObject(interrupted)
    expect(server.starts).toEqual([])
  })
})

describe.concurrent("credentials", () => {
  test("a variable that is not set, or empty, is missing, and nothing is started", async () => {
    const missing = { code: "SERVER_AUTH", message: "missing: TOKEN" }
    const server = createScriptedServer("plain")
    await expect(read("plain", { server, env: ["TOKEN"] })).rejects.toMatchObject(missing)
    const environment = { TOKEN: "" }
    await expect(read("plain", { server, env: ["TOKEN"], environment })).rejects.toMatchObject(missing)
    await expect(read("plain", { server, args: ["--key=${TOKEN}"] })).rejects.toMatchObject(missing)
    expect(server.starts).toEqual([])
  })

  eras("a server that wants one ($era)", ({ prefix }) => {
    test("ends for want of a key", async () => {
      const server = createScriptedServer(`${prefix}wants_key`)
      await expect(read(`${prefix}wants_key`, { server })).rejects.toMatchObject({
        code: "SERVER_AUTH",
        message: "missing: SERVICE_API_KEY",
        evidence: {
          wants: "Error: SERVICE_API_KEY environment variable is required",
          stderr: "Error: SERVICE_API_KEY environment variable is required\n",
        },
      })
      expect(server.starts).toHaveLength(1)
    })

    test("does not take the key, which is not told", async () => {
      const refused = read(`${prefix}takes_no_key`, { env: ["TOKEN"], environment: { TOKEN: "s3cr3t-value" } })
      await expect(refused).rejects.toMatchObject({
        code: "SERVER_AUTH",
        message: "refused",
        evidence: { wants: "Error: Invalid API key ${TOKEN}" },
      })
    })

    test("answers the opening with an error", async () => {
      const scenario = prefix === "" ? "init_unauthorized" : "modern:discover_unauthorized"
      const server = createScriptedServer(scenario)
      await expect(read(scenario, { server })).rejects.toMatchObject({
        code: "SERVER_AUTH",
        message: "refused",
        evidence: { wants: "Unauthorized" },
      })
      expect(server.starts).toHaveLength(1)
    })

    test("refuses every list: that is told of each", async () => {
      const reading = await read(`${prefix}lists_unauthorized`)
      expect(reading.failures).toMatchObject({
        tools: { code: "SERVER_AUTH", message: "insufficient_scope" },
        prompts: { code: "SERVER_AUTH", message: "refused" },
      })
      expect(reading.surface).toMatchObject({ tools: null, prompts: null, instructions: "Use it." })
    })

    test("refuses one list: that section failed", async () => {
      const reading = await read(`${prefix}tools_unauthorized`)
      expect(reading.failures).toMatchObject({ tools: { code: "SERVER_AUTH", message: "refused" } })
      expect(names(reading.surface.prompts)).toEqual(["p"])
    })

    test("no value gets into what is told of an error", async () => {
      const environment = { TOKEN: "s3cr3t-value" }
      const reading = await read(`${prefix}error_with_secret`, { env: ["TOKEN"], environment })
      expect(reading.failures.tools?.message).toContain("refused ${TOKEN}")
    })
  })

  describe("no value gets into what is told of an answer that cannot be used", () => {
    const secret = `s3cr3t-${"x".repeat(100)}`
    const tools = (result: object) => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, ...result })
    test.each([
      { name: "a revision", result: JSON.stringify(tools({ protocolVersion: secret })) },
      { name: "a name that stands twice", result: `{"${secret}":1,"${secret}":2}` },
      { name: "a cursor", result: JSON.stringify(tools({ tools: [], nextCursor: secret })) },
      { name: "the name of two items", result: JSON.stringify(tools({ tools: [{ name: secret }, { name: secret }] })) },
    ])("$name", async ({ result }) => {
      const start: StartChild = async ({ onStdout }) => ({
        write: async (text) => {
          const { id } = JSON.parse(text)
          const answer = encodeUtf8(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`)
          if (id !== undefined) setImmediate(() => onStdout(answer))
        },
        commandLines: () => [],
        stop: async () => undefined,
        kill: () => undefined,
      })
      const server = { start, starts: [], running: () => 0 }
      const options = { env: ["TOKEN"], environment: { TOKEN: secret }, sections: ["tools"], server } as const
      const told = await read("", options).then(
        ({ failures, findings }) => ({ failures, findings }),
        (error: unknown) => error,
      )
      const shown = inspect(told, { depth: 10 })
      expect(shown).toContain("${TOKEN}")
      expect(shown).not.toContain("s3cr3t")
    })
  })

  test("one that wants it in the other era is not unreachable", async () => {
    const scenario = "modern:discover_unauthorized"
    await expect(read(scenario, { protocol: "2025-11-25" })).rejects.toMatchObject({ code: "SERVER_AUTH" })
  })
})
