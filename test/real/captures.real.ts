// Real servers, started from committed package-locks, against the shared captures of them: the same protocol version, capabilities and
// section digests. Where other dependencies make a server answer otherwise, differences.json says item by item what and why; a
// difference that is not listed fails, and so does a listed one that has gone.
import { readdirSync, readFileSync } from "node:fs"
import { afterAll, describe, expect, inject, test, vi } from "vitest"
import { isObject, type JsonValue, parseJson } from "../../src/core/json.js"
import { type ComputedSurface, computeSurface, parseSurface, SECTION_NAMES } from "../../src/core/section.js"
import { describeShared } from "../shared.js"
import { processesOf, readServer } from "./read-server.js"
import { CAPTURED_SETS, type Capture, capturePath, listServers, readJson } from "./sets.js"

/** By section and item: the digest of what comes here, "none" where nothing does. The item of instructions and server is "". */
type Differences = Record<string, Record<string, string>>
interface Listed {
  readonly why: string
  readonly differences: Differences
}
const LISTED: Readonly<Record<string, Readonly<Record<string, Listed>>>> = readJson(
  new URL("differences.json", import.meta.url).pathname,
)

const servers = CAPTURED_SETS.flatMap(listServers)

/** What differs between two surfaces. */
function listDifferences(expected: ComputedSurface, got: ComputedSurface): Differences {
  const found: Differences = {}
  for (const section of ["instructions", "server"] as const)
    if (expected.lines[section] !== got.lines[section]) found[section] = { "": got.lines[section] }
  for (const section of SECTION_NAMES) {
    if (expected.lines[section] === got.lines[section]) continue
    const [before, after] = [digestsOf(expected, section), digestsOf(got, section)]
    const moved = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key))
    // An empty list and none have the same items.
    const items = moved.length === 0 ? [["", got.lines[section]]] : moved.map((key) => [key, after.get(key) ?? "none"])
    found[section] = Object.fromEntries(items)
  }
  return found
}

const digestsOf = (surface: ComputedSurface, section: (typeof SECTION_NAMES)[number]): Map<string, string> =>
  new Map(surface.sections[section]?.items.map(({ key, digest }) => [String(key), digest]))

const member = (value: JsonValue, name: string): JsonValue => (isObject(value) ? (value[name] ?? null) : null)

describeShared("real servers", () => {
  test("at least twenty captures of ten packages are to come out digest for digest", () => {
    const equal = listServers("servers").filter(({ id }) => !LISTED.servers?.[id])
    expect(equal.length).toBeGreaterThanOrEqual(20)
    expect(new Set(equal.map(({ id }) => id.replace(/@[^@]*$/, ""))).size).toBeGreaterThanOrEqual(10)
  })

  test("every listed difference is of a server that is started", () => {
    const listed = Object.entries(LISTED).flatMap(([set, ids]) => Object.keys(ids).map((id) => `${set} ${id}`))
    const started = servers.map(({ set, id }) => `${set} ${id}`)
    expect(listed.filter((one) => !started.includes(one))).toEqual([])
  })

  describe.each(CAPTURED_SETS)("%s", (set) => {
    test.concurrent.each(listServers(set).map((server) => [server.id, server] as const))("%s", async (id, server) => {
      const capture: Capture = readJson(capturePath(id))
      const text = parseJson(readFileSync(capturePath(id), "utf8"))
      const { reading, left } = await readServer(server, { ...capture, protocol: capture.requestedProtocolVersion })
      expect(left).toEqual([])
      expect(reading.failures).toEqual({})
      expect(reading.protocol).toBe(capture.protocolVersion)
      expect(reading.capabilities).toEqual(member(text, "capabilities"))
      const expected = computeSurface(parseSurface(text), SECTION_NAMES)
      const got = computeSurface(reading.surface, SECTION_NAMES)
      expect(listDifferences(expected, got)).toEqual(LISTED[set]?.[id]?.differences ?? {})
    })
  })

  afterAll(async () => {
    expect(processesOf(inject("installed"))).toEqual([])
    expect(readdirSync(inject("temporary")).filter((name) => !name.startsWith("server-"))).toEqual([])
    // The handle of a process is closed a moment after the process has ended.
    const open = () => process.getActiveResourcesInfo().filter((name) => /process|tcp|udp|fsevent/i.test(name))
    await vi.waitFor(() => expect(open()).toEqual([]), { timeout: 5000 })
  })
})
