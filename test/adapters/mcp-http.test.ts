// Servers behind URLs: both eras and all transports, made with both SDKs and by hand; the order in which they are tried, and what is sent.
import { describe, expect, test } from "vitest"
import { canonicalize } from "../../src/core/canonical.js"
import { isArray, isObject, type JsonValue } from "../../src/core/json.js"
import { dialogueHandler } from "../fixtures/servers/http-dialogue.js"
import { sdkV1Handler, sdkV1SseHandler, sdkV2Handler } from "../fixtures/servers/http-sdk.js"
import { read, serve } from "./http-reading.js"

const names = (list: JsonValue) => (isArray(list) ? list.map((item) => (isObject(item) ? item.name : item)) : null)

describe("servers of the official SDKs", () => {
  test.each([
    { name: "2.x", handler: sdkV2Handler, protocol: "2026-07-28" },
    { name: "1.x with JSON", handler: () => sdkV1Handler("json").handler, protocol: "2025-11-25" },
    { name: "1.x with event streams", handler: () => sdkV1Handler("events").handler, protocol: "2025-11-25" },
    { name: "1.x with one event stream", handler: sdkV1SseHandler, protocol: "2025-11-25" },
  ])("$name", async ({ handler, protocol }) => {
    const server = await serve(handler())
    const reading = await read(server)
    expect(reading).toMatchObject({ protocol, failures: {} })
    expect(reading.read).toEqual({ platform: process.platform, node: process.versions.node, protocol })
    expect(reading.resolved).toEqual({ version: null, integrity: null })
    expect(reading.surface.instructions).toBe("Ask for one thing.")
    expect(names(reading.surface.tools)).toEqual(["add"])
    expect(names(reading.surface.prompts)).toEqual(["greet"])
  })

  test.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28"])(
    "the revision of a pin is asked for first: %s",
    async (protocol) => {
      const server = await serve(sdkV2Handler())
      expect(await read(server, { protocol })).toMatchObject({ protocol, failures: {} })
      expect(server.lines()[0]).toBe(`POST /mcp ${protocol === "2026-07-28" ? "server/discover" : "initialize"}`)
    },
  )

  test.each([
    { name: "1.x with JSON", handler: () => sdkV1Handler("json").handler },
    { name: "1.x with one event stream", handler: sdkV1SseHandler },
  ])("a pin of another era does not keep $name from being read", async ({ handler }) => {
    expect(await read(await serve(handler()), { protocol: "2026-07-28" })).toMatchObject({ protocol: "2025-11-25" })
  })

  test("a server of 2026-07-28 only is read for a pin of an older revision", async () => {
    const server = await serve(dialogueHandler("modern:plain", "json"))
    expect(await read(server, { protocol: "2025-06-18" })).toMatchObject({ protocol: "2026-07-28" })
  })
})

/** All that is ever sent: nothing that calls, reads or subscribes. */
const SENT = new Set([
  ...["server/discover", "initialize", "notifications/initialized"],
  ...["tools/list", "prompts/list", "resources/list", "resources/templates/list"],
])

const forms = describe.each([
  { form: "json", prefix: "", protocol: "2025-11-25" },
  { form: "events", prefix: "", protocol: "2025-11-25" },
  { form: "sse", prefix: "", protocol: "2025-11-25" },
  { form: "json", prefix: "modern:", protocol: "2026-07-28" },
  { form: "events", prefix: "modern:", protocol: "2026-07-28" },
] as const)

forms("hand-written servers ($protocol, $form)", ({ form, prefix, protocol }) => {
  test("what a server says comes out as it is", async () => {
    const server = await serve(dialogueHandler(`${prefix}full`, form))
    const reading = await read(server, { sections: ["tools", "prompts", "templates", "resources"] })
    expect(reading).toMatchObject({ protocol, failures: {}, findings: [] })
    expect(canonicalize(reading.surface.tools)).toBe(
      '[{"annotations":{"category":"c","readOnlyHint":true},"description":"café \u202f é 😀","inputSchema":' +
        '{"properties":{"n":{"maximum":9223372036854775807,"minimum":0,"x":1}}},"name":"odd","title":"T","zz":null}]',
    )
    expect(names(reading.surface.resourceTemplates)).toEqual(["t"])
    expect(names(reading.surface.resources)).toEqual(["r"])
    const asked = server.hits.flatMap(({ rpc }) => rpc?.method ?? [])
    expect(asked.filter((method) => !SENT.has(method))).toEqual([])
  })

  test.each([
    { scenario: "pages", tools: ["a", "b", "c"] },
    { scenario: "extra_members", tools: ["a"] },
    { scenario: "text_id", tools: ["a"] },
    { scenario: "bad_items", tools: [7, undefined, "twin", "twin", "s"] },
    ...(form === "json" ? [] : [{ scenario: "late_notifications", tools: ["a"] }]),
  ])("$scenario is read", async ({ scenario, tools }) => {
    const reading = await read(await serve(dialogueHandler(prefix + scenario, form)), { sections: ["tools"] })
    expect(reading.failures).toEqual({})
    expect(names(reading.surface.tools)).toEqual(tools)
  })

  test.each([
    ...["duplicate_keys", "lone_surrogate", "deep", "overflow", "list_no_array", "result_and_error"],
    ...(form === "json" ? ["bad_utf8", "bom", "damaged"] : []),
  ])("%s is malformed", async (scenario) => {
    const reading = await read(await serve(dialogueHandler(prefix + scenario, form)), { sections: ["tools"] })
    expect(reading.failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
  })

  test("a cursor that comes again ends the list", async () => {
    const reading = await read(await serve(dialogueHandler(`${prefix}repeated_cursor`, form)), { sections: ["tools"] })
    expect(reading.failures.tools).toMatchObject({ code: "READING_INCOMPLETE" })
  })
})
