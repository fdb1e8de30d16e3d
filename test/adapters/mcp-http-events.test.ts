// Event streams as bytes: the grammar of WHATWG HTML §9.2, however they are cut into pieces, and their bounds.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readEvents, type StreamState } from "../../src/adapters/mcp-http-events.js"
import { encodeUtf8 } from "../../src/core/bytes.js"

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  let start = 0
  for (const end of ends) {
    yield bytes.subarray(start, end)
    start = end
  }
}

async function readAll(text: string | Uint8Array, cuts: readonly number[] = [], maxBytes = 1000) {
  const state: StreamState = { lastId: null, retryMs: null }
  const events: [string, string][] = []
  const bytes = typeof text === "string" ? encodeUtf8(text) : text
  for await (const { type, data } of readEvents(pieces(bytes, cuts), maxBytes, state))
    events.push([type, Buffer.from(data).toString("latin1")])
  return { events, ...state }
}

describe("grammar", () => {
  test.each([
    { name: "one event", text: "data: a\n\n", events: [["message", "a"]] },
    {
      name: "CR LF",
      text: "data: a\r\n\r\ndata: b\r\n\r\n",
      events: [
        ["message", "a"],
        ["message", "b"],
      ],
    },
    {
      name: "CR",
      text: "data: a\r\rdata: b\r\r",
      events: [
        ["message", "a"],
        ["message", "b"],
      ],
    },
    {
      name: "mixed ends",
      text: "data: a\r\n\ndata: b\n\r\n",
      events: [
        ["message", "a"],
        ["message", "b"],
      ],
    },
    { name: "lines are joined", text: "data: a\ndata:b\ndata\n\n", events: [["message", "a\nb\n"]] },
    { name: "one space is taken", text: "data:  a\n\n", events: [["message", " a"]] },
    {
      name: "types",
      text: "event: endpoint\ndata: a\n\ndata: b\n\n",
      events: [
        ["endpoint", "a"],
        ["message", "b"],
      ],
    },
    { name: "no data is no event", text: "event: x\n\n: comment\n\nid: 1\n\n", events: [] },
    { name: "empty data is one", text: "data:\n\n", events: [["message", ""]] },
    { name: "unknown fields", text: "datas: a\nDATA: b\ndata: c\n\n", events: [["message", "c"]] },
    { name: "a BOM at the start", text: "\ufeffdata: a\n\n", events: [["message", "a"]] },
    { name: "an event without its end", text: "data: a\n\ndata: b\n", events: [["message", "a"]] },
  ])("$name", async ({ text, events }) => {
    expect((await readAll(text)).events).toEqual(events)
  })

  test("bytes come out as they are", async () => {
    expect((await readAll(new Uint8Array([...encodeUtf8("data: "), 0xff, 0xc3, 0x0a, 0x0a]))).events).toEqual([
      ["message", "\xff\xc3"],
    ])
  })

  test.each([
    { text: "id: 7\nretry: 20\ndata: a\n\n", state: { lastId: "7", retryMs: 20 } },
    { text: "id: 7\n\nid\n\n", state: { lastId: null, retryMs: null } },
    { text: "id: 7\n\nid: a\0b\n\n", state: { lastId: "7", retryMs: null } },
    { text: `id: 7\n\nid: ${"x".repeat(2000)}\n\n`, state: { lastId: "7", retryMs: null } },
    { text: "retry: 1e3\nretry: -1\nretry:\n\n", state: { lastId: null, retryMs: null } },
  ])("ids and pauses (%#)", async ({ text, state }) => {
    expect(await readAll(text, [], 5000)).toMatchObject(state)
  })

  test("how a stream is cut does not matter", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("data: a", "data", "event: e", ": c", "id: 1", "", "\r", "\n", "\r\n", "é"), {
          maxLength: 40,
        }),
        fc.array(fc.nat()),
        async (parts, cuts) => {
          const text = parts.map((part) => `${part}\n`).join("")
          expect(await readAll(text, cuts)).toEqual(await readAll(text))
        },
      ),
    ))
})

describe("bounds", () => {
  test.each([
    { name: "one line", text: `data: ${"x".repeat(200)}\n\n` },
    { name: "many lines", text: `${"data: xxxxxxxxxx\n".repeat(20)}\n` },
    { name: "empty lines of data", text: `${"data\n".repeat(200)}\n` },
    { name: "a line that does not end", text: `:${"x".repeat(300)}` },
  ])("$name", async ({ text }) => {
    await expect(readAll(text, [], 100)).rejects.toMatchObject({ code: "PROTOCOL_MALFORMED" })
  })

  test("an event of just that size is taken", async () => {
    expect((await readAll(`data: ${"x".repeat(100)}\n\n`, [], 100)).events[0]?.[1]?.length).toBe(100)
  })
})
