import { expect, test } from "vitest"
import { MAX_ANSWERED_REQUESTS, Recorder } from "../../src/adapters/mcp-recorder.js"
import { encodeUtf8 } from "../../src/core/bytes.js"

const create = () => new Recorder(1000, (text) => text.replaceAll("s3cr3t", "KEY"))
const line = (message: object) => encodeUtf8(JSON.stringify({ jsonrpc: "2.0", ...message }))

test.each([
  "initialize",
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
])("%s may be sent", (method) => {
  expect(create().admit({ jsonrpc: "2.0", id: 0, method })).toBe(true)
})

test.each([
  "tools/call",
  "subscriptions/listen",
  "prompts/get",
  "resources/read",
  "completion/complete",
  "logging/setLevel",
  "ping",
  "__proto__",
])("%s is never sent", (method) => {
  expect(() => create().admit({ jsonrpc: "2.0", id: 0, method })).toThrow("never sends")
})

test("of the notifications only initialized is sent; answers are", () => {
  const recorder = create()
  expect(recorder.admit({ jsonrpc: "2.0", method: "notifications/initialized" })).toBe(true)
  expect(recorder.admit({ jsonrpc: "2.0", method: "notifications/cancelled", params: {} })).toBe(false)
  expect(recorder.admit({ jsonrpc: "2.0", method: "notifications/roots/list_changed" })).toBe(false)
  expect(recorder.admit({ jsonrpc: "2.0", id: "x", error: { code: -32601, message: "m" } })).toBe(true)
})

test("the raw answer is kept and the SDK sees an envelope", () => {
  const recorder = create()
  recorder.admit({ id: 4, method: "tools/list" })
  expect(recorder.takeAnswer()).toBe(null)
  expect(recorder.receive(line({ id: 4, result: { tools: [1], x: "s3cr3t" }, odd: true }))).toEqual([
    { jsonrpc: "2.0", id: 4, result: { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [] } },
  ])
  expect(recorder.takeAnswer()).toEqual({ result: { tools: [1], x: "s3cr3t" } })
  expect(recorder.takeAnswer()).toBe(null)
})

test("an error is passed on without data, redacted for people", () => {
  const recorder = create()
  recorder.admit({ id: 1, method: "tools/list" })
  const received = recorder.receive(line({ id: 1, error: { code: "odd", message: "no s3cr3t", data: { a: 1 } } }))
  expect(received).toEqual([{ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no s3cr3t" } }])
  expect(recorder.takeAnswer()).toEqual({ error: { code: null, message: "no KEY", data: { a: 1 } } })
})

test.each(["server-discover-probe-1", 7])(
  "an answer belongs to the request with the id %s, in text or as a number",
  (id) => {
    const recorder = create()
    recorder.admit({ id, method: "server/discover" })
    expect(recorder.receive(line({ id: `${id}0`, result: {} }))).toEqual([])
    const [envelope] = recorder.receive(line({ id: String(id), result: { supportedVersions: ["2026-07-28", 5] } }))
    expect(envelope).toMatchObject({ id, result: { supportedVersions: ["2026-07-28"], capabilities: {} } })
  },
)

test("an error without an id is the answer only where it came as the reply", () => {
  const recorder = create()
  const error = { code: -32022, message: "which?", data: { supported: ["2026-07-28"], more: "s3cr3t" } }
  recorder.admit({ id: 1, method: "server/discover" })
  expect(recorder.receive(line({ id: null, error }))).toEqual([])
  expect(recorder.findings()).toMatchObject([{ code: "unexpected_answer" }])
  expect(recorder.receive(line({ error }), true)).toEqual([
    { jsonrpc: "2.0", id: 1, error: { code: -32022, message: "which?", data: { supported: ["2026-07-28"] } } },
  ])
  expect(recorder.takeAnswer()).toMatchObject({ error: { code: -32022 } })
  expect(recorder.receive(line({ error }), true)).toEqual([])
})

test("an answer to another request is dropped and told", () => {
  const recorder = create()
  expect(recorder.receive(line({ id: 1, result: {} }))).toEqual([])
  recorder.admit({ id: 1, method: "tools/list" })
  expect(recorder.receive(line({ id: 2, result: {} }))).toEqual([])
  expect(recorder.takeAnswer()).toBe(null)
  expect(recorder.findings()).toMatchObject([
    { code: "unexpected_answer", message: expect.stringContaining("2 times") },
  ])
})

test("a change of the resources concerns templates too", () => {
  const recorder = create()
  recorder.receive(line({ method: "notifications/resources/list_changed" }))
  expect(recorder.listChanges("templates")).toBe(1)
  expect(recorder.listChanges("resources")).toBe(1)
  expect(recorder.listChanges("tools")).toBe(0)
  expect(recorder.findings().map(({ code, section }) => [code, section])).toEqual([
    ["list_changed", "templates"],
    ["list_changed", "resources"],
  ])
})

test("noise is counted, and its first line told without values", () => {
  const recorder = create()
  recorder.receive(encodeUtf8("key s3cr3t\u001b[0m"))
  recorder.receive(encodeUtf8("more"))
  expect(recorder.findings()).toEqual([
    {
      code: "stdout_noise",
      section: null,
      message: 'text on stdout that is no JSON-RPC message, 2 times, first: "key KEY\\u001b[0m"',
    },
  ])
})

test("so many requests of a server are answered, and all are counted", () => {
  const recorder = create()
  const asked = Array.from({ length: MAX_ANSWERED_REQUESTS + 20 }, (_, id) => line({ id, method: "ping" }))
  const seen = asked.flatMap((bytes) => recorder.receive(bytes))
  expect(seen).toHaveLength(MAX_ANSWERED_REQUESTS)
  expect(recorder.findings()).toMatchObject([
    { code: "server_request", message: expect.stringContaining(`${MAX_ANSWERED_REQUESTS + 20} times`) },
  ])
  recorder.admit({ id: 1, method: "tools/list" })
  expect(recorder.receive(line({ id: 1, result: {} }))).toHaveLength(1)
})
