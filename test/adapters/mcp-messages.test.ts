import fc from "fast-check"
import { expect, test } from "vitest"
import { countValues, readIncoming } from "../../src/adapters/mcp-messages.js"
import { createLineSplitter } from "../../src/adapters/mcp-stdio-lines.js"
import { encodeUtf8 } from "../../src/core/bytes.js"

const read = (text: string) => readIncoming(encodeUtf8(text), 1000)

test.each([
  { name: "a result", text: '{"jsonrpc":"2.0","id":3,"result":{"a":1}}', kinds: ["answer"] },
  { name: "an error", text: '{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"m"}}', kinds: ["answer"] },
  { name: "a request", text: '{"jsonrpc":"2.0","id":"x","method":"ping"}', kinds: ["request"] },
  { name: "a notification", text: '{"jsonrpc":"2.0","method":"n"}', kinds: ["notification"] },
  { name: "a method with id null", text: '{"jsonrpc":"2.0","id":null,"method":"n"}', kinds: ["notification"] },
  { name: "a blank line", text: " \t\r", kinds: [] },
  { name: "an empty line", text: "", kinds: [] },
  { name: "a banner", text: "Server ready", kinds: ["noise"] },
  { name: "JSON that is no JSON-RPC", text: '{"level":"info"}', kinds: ["noise"] },
  { name: "another JSON-RPC version", text: '{"jsonrpc":"1.0","id":1,"result":{}}', kinds: ["noise"] },
  { name: "an id that is text", text: '{"jsonrpc":"2.0","id":"abc","result":{}}', kinds: ["answer"] },
  { name: "an id that is neither", text: '{"jsonrpc":"2.0","id":{},"result":{}}', kinds: ["noise"] },
  { name: "a result without id", text: '{"jsonrpc":"2.0","id":null,"result":{}}', kinds: ["noise"] },
  { name: "an error with id null", text: '{"jsonrpc":"2.0","id":null,"error":{"code":1}}', kinds: ["answer"] },
  { name: "an error without id", text: '{"jsonrpc":"2.0","error":{"code":1}}', kinds: ["answer"] },
  { name: "an empty batch", text: "[]", kinds: ["noise"] },
  {
    name: "a batch",
    text: '[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","method":"n"},7]',
    kinds: ["answer", "notification", "noise"],
  },
])("$name", ({ text, kinds }) => {
  expect(read(text).map(({ kind }) => kind)).toEqual(kinds)
})

test("results and errors are as received", () => {
  expect(read('{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993}}')).toMatchObject([
    { id: 1, answer: { result: { n: 9007199254740993n } } },
  ])
  expect(read('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":2}}')).toEqual([
    { kind: "answer", id: 1, answer: { error: { code: -1, message: "m", data: 2 } } },
  ])
  expect(read('{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}')).toEqual([
    { kind: "answer", id: 1, answer: { error: { code: null, message: "", data: null } } },
  ])
})

test.each([
  { name: "a duplicate name", text: '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}' },
  { name: "a duplicate id", text: '{"jsonrpc":"2.0","id":2,"id":1,"result":{}}' },
  { name: "a lone surrogate", text: '{"jsonrpc":"2.0","id":1,"result":"\\udfff"}' },
  { name: "a number that overflows", text: '{"jsonrpc":"2.0","id":1,"result":1e999}' },
  { name: "result and error", text: '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}' },
  { name: "neither result nor error", text: '{"jsonrpc":"2.0","id":1}' },
  { name: "a BOM", text: '\ufeff{"jsonrpc":"2.0","id":1,"result":1}' },
  { name: "more than the limit", text: `{"jsonrpc":"2.0","id":1,"result":"${"x".repeat(1000)}"}` },
])("an answer with $name is malformed", ({ text }) => {
  expect(read(text)).toMatchObject([{ kind: "answer", id: 1, answer: { malformed: { code: "PROTOCOL_MALFORMED" } } }])
})

test("a damaged message is told from a banner", () => {
  expect(read('{"jsonrpc":"2.0","id":1,"result":{"tools":[{')).toEqual([{ kind: "noise", broken: true }])
  expect(read('sent {"jsonrpc":"2.0"')).toEqual([{ kind: "noise", broken: false }])
})

test("no bytes make the reader throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.json().map(encodeUtf8)), (bytes) => {
      expect(Array.isArray(readIncoming(bytes, 1000))).toBe(true)
    }),
  )
})

test("values are never counted too low, and text is one", () => {
  const count = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum: number, inner) => sum + count(inner), 1)
      : 1
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(countValues(encodeUtf8(JSON.stringify(value)))).toBeGreaterThanOrEqual(count(value))
    }),
  )
  expect(countValues(encodeUtf8('"[,{\\",["'))).toBe(1)
  expect(countValues(encodeUtf8('[1,{"a":[]}]'))).toBe(5)
})

function split(chunks: readonly Uint8Array[], maxBytes = 100) {
  const lines: string[] = []
  const overlong: string[] = []
  const splitter = createLineSplitter(maxBytes, {
    line: (bytes) => lines.push(new TextDecoder().decode(bytes)),
    overlong: (start) => overlong.push(new TextDecoder().decode(start)),
  })
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return { lines, overlong }
}

test("lines end with LF or CRLF, the last one with the stream", () => {
  expect(split([encodeUtf8("a\r\n\nb\rc\nd")])).toEqual({ lines: ["a", "", "b\rc", "d"], overlong: [] })
})

test("a line beyond the limit is dropped up to its end, and told once", () => {
  const text = `${"x".repeat(60)}\n${"y".repeat(250)}\nz\n`
  expect(split([encodeUtf8(text)])).toEqual({ lines: ["x".repeat(60), "z"], overlong: ["y".repeat(200)] })
  const bytes = [...encodeUtf8(text)].map((byte) => Uint8Array.of(byte))
  expect(split(bytes)).toEqual({ lines: ["x".repeat(60), "z"], overlong: ["y".repeat(101)] })
})

test("no chunk is kept, so that a line costs its bytes however small its pieces are", () => {
  const lines: string[] = []
  const splitter = createLineSplitter(100, {
    line: (bytes) => lines.push(new TextDecoder().decode(bytes)),
    overlong: () => undefined,
  })
  const chunk = new Uint8Array(1)
  for (const byte of encodeUtf8("abc\n")) {
    chunk[0] = byte
    splitter.push(chunk)
  }
  expect(lines).toEqual(["abc"])
})

test("how bytes are cut into chunks makes no difference", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat(400), { maxLength: 8 }), (texts, cuts) => {
      const lines = texts.map((text) => text.replaceAll(/[\r\n]/g, ""))
      const bytes = encodeUtf8(lines.map((line) => `${line}\n`).join(""))
      const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
      const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end))
      expect(split(chunks, 10_000)).toEqual({ lines, overlong: [] })
    }),
  )
})
