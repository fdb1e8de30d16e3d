import fc from "fast-check"
import { expect, test } from "vitest"
import type { Answer } from "../../src/adapters/mcp-messages.js"
import { type McpSession, readSurface } from "../../src/adapters/mcp-reading.js"
import { ToolsumError } from "../../src/core/errors.js"
import type { JsonObject, JsonValue } from "../../src/core/json.js"
import type { ReadLimits, ReadRequest } from "../../src/ports.js"

const LIMITS: ReadLimits = {
  startTimeoutMs: 1,
  requestTimeoutMs: 1,
  maxMessageBytes: 1000,
  maxPages: 1000,
  maxItems: 100_000,
}
const REQUEST: ReadRequest = { sections: ["tools"], limits: LIMITS }

/** A session whose tools/list is `answer`; it records the cursors it was asked for. */
function fakeSession(answer: (cursor: string | null) => Answer, rest: Partial<McpSession> = {}) {
  const asked: (string | null)[] = []
  const session: McpSession = {
    protocol: "2025-11-25",
    capabilities: { tools: {} },
    instructions: null,
    serverInfo: null,
    isPrivate: false,
    isModern: false,
    ask: async (_method, params) => {
      asked.push(params?.cursor ?? null)
      return answer(params?.cursor ?? null)
    },
    listChanges: () => 0,
    findings: () => [],
    ...rest,
  }
  return { session, asked }
}

const item = (name: string): JsonObject => ({ name, inputSchema: {} })
const page = (names: readonly string[], nextCursor?: string): Answer => ({
  result: { tools: names.map(item), ...(nextCursor === undefined ? {} : { nextCursor }) },
})

test("every page of any list is read, in order, each cursor once", async () => {
  const pages = fc.array(fc.array(fc.string(), { maxLength: 4 }), { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(pages, async (names) => {
      const at = (cursor: string | null) => (cursor === null ? 0 : Number(cursor.slice(1)))
      const { session, asked } = fakeSession((cursor) => {
        const index = at(cursor)
        return page(names[index] ?? [], index + 1 < names.length ? `c${index + 1}` : undefined)
      })
      const { surface, failures } = await readSurface(session, REQUEST)
      expect(failures).toEqual({})
      expect(surface.tools).toEqual(names.flat().map(item))
      expect(asked).toEqual(names.map((_, i) => (i === 0 ? null : `c${i}`)))
    }),
  )
})

test("from 2026-07-28 on an empty cursor is a cursor: an identical page behind it counts", async () => {
  const answer = (cursor: string | null) => (cursor === null ? page(["a"], "") : page(["a"]))
  const modern = fakeSession(answer, { isModern: true })
  expect((await readSurface(modern.session, REQUEST)).surface.tools).toEqual([item("a"), item("a")])
  expect(modern.asked).toEqual([null, ""])
  const older = fakeSession(answer)
  expect((await readSurface(older.session, REQUEST)).surface.tools).toEqual([item("a")])
})

test("from 2026-07-28 on invalid parameters are no end of a list", async () => {
  const refused: Answer = { error: { code: -32602, message: "bad cursor", data: null } }
  const { session } = fakeSession((cursor) => (cursor === null ? page(["a"], "") : refused), {
    isModern: true,
  })
  expect((await readSurface(session, REQUEST)).failures.tools).toMatchObject({ code: "READING_INCOMPLETE" })
})

test("a list that starts all over behind an empty cursor has ended, however many pages it has", async () => {
  const { session, asked } = fakeSession((cursor) => (cursor === "2" ? page(["b"], "") : page(["a"], "2")))
  expect(await readSurface(session, REQUEST)).toMatchObject({
    surface: { tools: [item("a"), item("b")] },
    failures: {},
  })
  expect(asked).toEqual([null, "2", ""])
})

test("an earlier page behind an empty cursor is no end when it leads further", async () => {
  const pages: Record<string, Answer> = { "": page(["a"], "2"), 2: page(["hidden"]) }
  const { session } = fakeSession((cursor) => pages[cursor ?? "none"] ?? page(["a"], ""))
  const { surface, failures } = await readSurface(session, REQUEST)
  expect(failures).toEqual({})
  expect(surface.tools).toEqual([item("a"), item("a"), item("hidden")])
})

test("an empty cursor that leads on and on is incomplete", async () => {
  const { session, asked } = fakeSession((cursor) => page([cursor === null ? "a" : "b"], ""))
  expect((await readSurface(session, REQUEST)).failures.tools).toMatchObject({ code: "READING_INCOMPLETE" })
  expect(asked).toEqual([null, ""])
})

test("all lists together are bounded in time", async () => {
  let now = 0
  const { session } = fakeSession((cursor) => {
    now += 100_000
    return page(["a"], `${cursor ?? ""}x`)
  })
  const { surface, failures } = await readSurface(session, REQUEST, () => now)
  expect(failures.tools).toMatchObject({ code: "READING_INCOMPLETE", message: expect.stringContaining("300 s") })
  expect(surface.tools).toHaveLength(3)
})

test("an error of the session is the failure of the section, and the others are read", async () => {
  const failure = new ToolsumError("TIMEOUT", "late")
  const { session } = fakeSession(() => page([]), {
    capabilities: { tools: {}, prompts: {} },
    ask: async (method) => {
      if (method === "tools/list") throw failure
      return { result: { prompts: [{ name: "p" }] } }
    },
  })
  const { surface, failures } = await readSurface(session, { ...REQUEST, sections: ["tools", "prompts", "resources"] })
  expect(failures).toEqual({ tools: failure })
  expect(surface).toMatchObject({ tools: null, prompts: [{ name: "p" }], resources: null })
})

test("an error that is not ours is not swallowed", async () => {
  const { session } = fakeSession(() => {
    throw new TypeError("bug")
  })
  await expect(readSurface(session, REQUEST)).rejects.toThrow(TypeError)
})

test.each([
  { name: "no object", result: [] },
  { name: "no list", result: {} },
  { name: "a list under another name", result: { prompts: [] } },
  { name: "a cursor that is no text", result: { tools: [], nextCursor: 7 } },
])("a page with $name is malformed", async ({ result }) => {
  const { session } = fakeSession(() => ({ result: result as JsonValue }))
  expect((await readSurface(session, REQUEST)).failures.tools).toMatchObject({ code: "PROTOCOL_MALFORMED" })
})

test("a cursor of null ends a list as none does", async () => {
  const { session } = fakeSession(() => ({ result: { tools: [], nextCursor: null } }))
  expect(await readSurface(session, REQUEST)).toMatchObject({ surface: { tools: [] }, failures: {} })
})

test.each([
  { declared: { tools: {} }, asks: true },
  { declared: { tools: true }, asks: true },
  { declared: { tools: null }, asks: false },
  { declared: { tools: false }, asks: false },
  { declared: {}, asks: false },
  { declared: null, asks: false },
])("capabilities $declared: asks $asks", async ({ declared, asks }) => {
  const { session, asked } = fakeSession(() => page(["a"]), { capabilities: declared })
  const { surface } = await readSurface(session, REQUEST)
  expect(asked).toHaveLength(asks ? 1 : 0)
  expect(surface.tools).toEqual(asks ? [item("a")] : null)
})

test("instructions of another type are kept, and told", async () => {
  const { session } = fakeSession(() => page([]), { instructions: { a: 1 } })
  const { surface, findings } = await readSurface(session, REQUEST)
  expect(surface.instructions).toEqual({ a: 1 })
  expect(findings).toMatchObject([{ code: "instructions_no_text" }])
})
