import { expect, test } from "vitest"
import {
  eraOf,
  HANDSHAKE_REVISIONS,
  isPrivateResult,
  orderRevisions,
  readOpening,
  readServerInfo,
} from "../../src/adapters/mcp-eras.js"
import type { JsonObject } from "../../src/core/json.js"

test("revisions and their eras", () => {
  expect(eraOf("2026-07-28")).toBe("modern")
  for (const revision of HANDSHAKE_REVISIONS) expect(eraOf(revision)).toBe("handshake")
  expect(eraOf("2099-01-01")).toBe(null)
  expect(eraOf(undefined)).toBe(null)
})

test("the wanted revision is offered first, and the others stay acceptable", () => {
  expect(orderRevisions("2025-03-26")).toEqual(["2025-03-26", "2025-11-25", "2025-06-18", "2024-11-05"])
  for (const other of [undefined, "2026-07-28", "1900-01-01"])
    expect(orderRevisions(other)).toEqual(HANDSHAKE_REVISIONS)
})

const refusal = (code: number | null, message: string) => ({ error: { code, message, data: null } })

test.each([
  { answer: refusal(-32601, "Method not found"), otherEra: true },
  { answer: refusal(-32022, "Unsupported protocol version"), otherEra: true },
  { answer: refusal(-32602, "Missing _meta"), otherEra: true },
  { answer: refusal(-32600, "Invalid Request"), otherEra: true },
  { answer: refusal(-32000, "Unsupported protocol version: 2025-11-25"), otherEra: true },
  { answer: refusal(-32000, "bad protocolVersion"), otherEra: true },
  { answer: refusal(-32603, "database down"), otherEra: false },
  { answer: refusal(null, "no"), otherEra: false },
])("a handshake refused with $answer.error: the other era is worth a try: $otherEra", ({ answer, otherEra }) => {
  expect(readOpening("handshake", answer)).toMatchObject({ error: { code: "SERVER_UNREACHABLE" }, otherEra })
  expect(readOpening("modern", answer)).toMatchObject({ error: { code: "SERVER_UNREACHABLE" }, otherEra: true })
})

test.each(["handshake", "modern"] as const)("a refusal for want of a credential is no matter of eras (%s)", (era) => {
  expect(readOpening(era, refusal(-32001, "Unauthorized"))).toMatchObject({
    error: { code: "SERVER_AUTH" },
    otherEra: false,
  })
})

test.each([undefined, null, "all", true, ["tools"]])(
  "capabilities that are %s are none that could be read",
  (capabilities) => {
    const told = capabilities === undefined ? {} : { capabilities }
    const malformed = { error: { code: "PROTOCOL_MALFORMED" }, otherEra: false }
    expect(readOpening("handshake", { result: { protocolVersion: "2025-11-25", ...told } })).toMatchObject(malformed)
    expect(readOpening("modern", { result: { supportedVersions: ["2026-07-28"], ...told } })).toMatchObject(malformed)
  },
)

test("the server's own revision decides, in both eras", () => {
  expect(readOpening("handshake", { result: { protocolVersion: "2026-07-28" } })).toMatchObject({ otherEra: true })
  expect(readOpening("handshake", { result: { protocolVersion: "2099-01-01" } })).toMatchObject({ otherEra: false })
  expect(readOpening("handshake", { result: { protocolVersion: "2024-11-05", capabilities: {} } })).toEqual({
    introduction: {
      protocol: "2024-11-05",
      capabilities: {},
      instructions: null,
      serverInfo: null,
      isPrivate: false,
    },
  })
  expect(readOpening("modern", { result: { supportedVersions: ["2099-01-01"] } })).toMatchObject({ otherEra: true })
})

test("a long list of versions is not repeated in full", () => {
  const supportedVersions = Array.from({ length: 10_000 }, (_, i) => `${"v".repeat(1000)}${i}`)
  const opened = readOpening("modern", { result: { supportedVersions } })
  expect("error" in opened ? opened.error.message.length : 0).toBeLessThan(400)
})

const SERVER_INFO = "io.modelcontextprotocol/serverInfo"

test.each<{ result: JsonObject; name: string | null }>([
  { result: { _meta: { [SERVER_INFO]: { name: "meta" } }, serverInfo: { name: "member" } }, name: "meta" },
  { result: { _meta: {}, serverInfo: { name: "member" } }, name: "member" },
  { result: { _meta: "x" }, name: null },
  { result: {}, name: null },
])("the server in $result is $name", ({ result, name }) => {
  expect(readServerInfo(result)).toEqual(name === null ? null : { name })
})

test.each([
  { cacheScope: "public", isPrivate: false },
  { cacheScope: null, isPrivate: false },
  { cacheScope: "private", isPrivate: true },
  { cacheScope: "PUBLIC", isPrivate: true },
  { cacheScope: 0, isPrivate: true },
])("cacheScope $cacheScope is private: $isPrivate", ({ cacheScope, isPrivate }) => {
  expect(isPrivateResult({ cacheScope })).toBe(isPrivate)
  expect(isPrivateResult({})).toBe(false)
})
