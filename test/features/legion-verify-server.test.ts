// One server beside a LEGION log: which answer each server and each lie gets, that its evidence says the same again offline, how an id is found
// that nobody gave, and what of history counts.
import { describe, expect, test } from "vitest"
import { type LegionClient, openLegionLog } from "../../src/client/legion-log.js"
import { ToolsumError } from "../../src/core/errors.js"
import type { JsonObject } from "../../src/core/json.js"
import { formatLegionEvidence, parseLegionEvidence } from "../../src/core/legion/evidence.js"
import { verifyLegionEvidence } from "../../src/core/legion/verify-evidence.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { judgeLegionEvidence } from "../../src/features/legion-evidence-report.js"
import { readLegionHistory } from "../../src/features/legion-history.js"
import { findByUrl, findUrlOf } from "../../src/features/legion-subject.js"
import { type LegionVerified, verifyLegionServer } from "../../src/features/legion-verify-server.js"
import type { McpRegistry, RegistryServer, ServerReading } from "../../src/ports.js"
import { makeLegionLog, makeRecord, type RecordPlan, ROOT, toolOf } from "../fakes/legion-log.js"
import { type AnswerPath, answersOf, type Serving, sourceOf } from "../fakes/legion-source.js"
import { MemoryState } from "../fakes/memory-state.js"
import { readingOf } from "../fakes/readings.js"

const NOW = 1_790_000_000
const ORIGIN = "log.test/legion"
const ONE = "io.test/one"
const A = toolOf("a")
const B = toolOf("b")
const OF_ONE: readonly number[] = [0, 2, 4]
/** Version 1 of the fingerprint tells integers from floats; in a plan a number is a float. */
const limited = (maximum: number | bigint) => ({ name: "f", inputSchema: { maximum } })
const LIMITED = { tools: [limited(10)] }

const PLANS: readonly RecordPlan[] = [
  { serverId: ONE, tools: [A] },
  { serverId: "io.test/two", tools: [toolOf("c")] },
  { serverId: ONE, tools: [A, B] },
  { serverId: "io.test/twin", tools: [toolOf("c")] },
  { serverId: ONE, tools: [A, B], edit: (record) => Object.assign(record, { prev_leaf_index: 2 }) },
  { serverId: "io.test/v1", tools: [limited(10n)], version: "v1" },
  { serverId: "io.test/float", tools: [limited(10)], version: "v1" },
]
const LOG = makeLegionLog(PLANS)

const root: PinnedRoot = { dialect: "legion", name: ORIGIN, fingerprint: ROOT.pin, floor: null, source: "flag" }

const open = (answer: AnswerPath): Promise<LegionClient> =>
  openLegionLog({
    source: sourceOf(answer),
    origin: ORIGIN,
    roots: [root],
    state: new MemoryState(),
    clock: () => NOW,
  })

const registryOf = (servers: readonly RegistryServer[]): McpRegistry => ({
  location: "https://registry.test/v0/",
  search: async (text) => servers.filter(({ id }) => id.includes(text)),
})

interface Scene {
  readonly live?: object | ToolsumError
  readonly failures?: ServerReading["failures"]
  readonly id?: string | null
  readonly url?: string | null
  readonly serving?: Serving
  readonly registry?: McpRegistry | null
  readonly log?: ToolsumError
}

function verify(scene: Scene): Promise<LegionVerified> {
  const { live = { tools: [B, A] }, failures = {}, id = ONE, url = "https://one.test/mcp", registry = null } = scene
  return verifyLegionServer({
    name: "one.test",
    url,
    serverId: id,
    log: scene.log ? Promise.resolve(scene.log) : open(answersOf(LOG, PLANS, scene.serving)),
    origin: ORIGIN,
    registry,
    read: async () => {
      if (live instanceof ToolsumError) throw live
      return readingOf(live, { failures })
    },
    nowSec: NOW,
  })
}

const said = ({ verdict, reason }: { verdict: string; reason: string | null }) =>
  reason === null ? verdict : `${verdict}(${reason})`

const editing =
  (part: string, body: string | null): NonNullable<Serving["edit"]> =>
  (path) =>
    path.includes(part) ? body : undefined

const partial = { tools: new ToolsumError("READING_INCOMPLETE", "page 2 is missing") }
const AUTH = new ToolsumError("SERVER_AUTH", "refused", { evidence: { wants: "a token" } })

describe("answers", () => {
  const archived = '{"tools":[{"name":"f","description":"","inputSchema":{"maximum":10.0}}]}'
  const changed = { tools: [A, toolOf("b", "Deletes all.")] }
  const cases: readonly { name: string; scene: Scene; says: string; saved?: string }[] = [
    { name: "the signed list", scene: {}, says: "UNCHANGED" },
    {
      name: "with what a record does not cover",
      scene: { live: { tools: [{ ...A, title: "A" }, B] } },
      says: "UNCHANGED",
    },
    { name: "a list of version 1", scene: { id: "io.test/v1", live: LIMITED }, says: "UNCHANGED" },
    {
      name: "a list of version 1 with a float, which the archive has",
      scene: { id: "io.test/float", live: LIMITED, serving: { edit: editing("/tools/", archived) } },
      says: "UNCHANGED",
    },
    {
      name: "a list of version 1 with a float, which nobody has",
      scene: { id: "io.test/float", live: LIMITED, serving: { edit: editing("/tools/", null) } },
      says: "CHANGED(surface)",
    },
    { name: "another list", scene: { live: changed }, says: "CHANGED(surface)" },
    { name: "an older signed list", scene: { live: { tools: [A] } }, says: "CHANGED(surface)" },
    { name: "no tools", scene: { live: {} }, says: "CHANGED(surface)" },
    { name: "credentials", scene: { live: AUTH }, says: "AUTH(refused)" },
    {
      name: "unreachable",
      scene: { live: new ToolsumError("SERVER_UNREACHABLE", "no") },
      says: "UNKNOWN(server_unreachable)",
      saved: "UNKNOWN(incomplete)",
    },
    {
      name: "two tools of one name",
      scene: { live: { tools: [A, A] } },
      says: "UNKNOWN(malformed)",
      saved: "UNKNOWN(incomplete)",
    },
  ]
  test.each(cases)("$name", async ({ scene, says, saved = says }) => {
    const { server, evidence } = await verify(scene)
    expect(said(server)).toBe(says)
    const text = formatLegionEvidence(evidence())
    const again = parseLegionEvidence(text)
    const verified = verifyLegionEvidence({ evidence: again, roots: [root] })
    expect(said(judgeLegionEvidence({ evidence: again, verified, nowSec: BigInt(NOW) }))).toBe(saved)
    expect(formatLegionEvidence(again)).toBe(text)
  })

  test("a change in words, what is covered, and the record", async () => {
    const { server } = await verify({ live: changed })
    expect(server).toMatchObject({
      name: ONE,
      detail: "not as signed 2026-03-01, leaf 4",
      compared: ["log", "live"],
      covered: [{ section: "tools", fields: ["description", "inputSchema", "name"] }],
      head: { origin: ORIGIN, size: 7n },
      record: { index: 4n },
      changes: [{ item: "b", pointer: "/description", before: "Does b.", after: "Deletes all." }],
      warnings: [],
    })
    expect(server.notCovered).toEqual(expect.arrayContaining(["tools.annotations", "instructions", "prompts"]))
  })

  test("credentials, with what was signed before", async () => {
    const { server } = await verify({ live: AUTH })
    expect(server.detail).toBe("the server wants credentials: a token; last signed 2026-03-01, leaf 4")
  })

  test.each<{ name: string; tools: JsonObject[]; says: string }>([
    { name: "what was signed, as far as it came", tools: [A], says: "UNKNOWN(incomplete)" },
    { name: "something new", tools: [toolOf("x")], says: "CHANGED(surface)" },
    { name: "something different", tools: [toolOf("a", "Another.")], says: "CHANGED(surface)" },
  ])("a list that was not read to its end: $name", async ({ tools, says }) => {
    const { server, evidence } = await verify({ live: { tools }, failures: partial })
    expect(said(server)).toBe(says)
    expect(server.changes.filter(({ kind }) => kind === "removed" || kind === "renamed")).toEqual([])
    expect(evidence).toThrow(expect.objectContaining({ code: "READING_INCOMPLETE" }))
  })

  const nowhere = new ToolsumError("LOG_UNAVAILABLE", "no answer")
  const untrusted = new ToolsumError("ROOT_NOT_PINNED", "no root")
  test.each<{ name: string; scene: Scene; says: string }>([
    { name: "no log", scene: { log: nowhere }, says: "UNKNOWN(log_unreachable)" },
    { name: "no root", scene: { log: untrusted }, says: "UNKNOWN(root_not_pinned)" },
    { name: "no record", scene: { id: "io.test/none" }, says: "UNKNOWN(never_signed)" },
    { name: "no record, and credentials", scene: { id: "io.test/none", live: AUTH }, says: "AUTH(refused)" },
  ])("$name", async ({ scene, says }) => {
    const { server, evidence } = await verify(scene)
    expect(said(server)).toBe(says)
    expect(evidence).toThrow(expect.objectContaining({ code: "RESOURCE_MISSING" }))
  })
})

describe("lies", () => {
  const omitted = JSON.stringify(LOG.bundle(2, 7))
  const early = LOG.head(7, { edit: (head) => Object.assign(head, { timestamp: "2020-01-01T00:00:00Z" }) })
  test.each<{ name: string; edit: NonNullable<Serving["edit"]>; says: string }>([
    {
      name: "an edited record",
      edit: editing("/latest", omitted.replace("Does", "Makes").replace("03-01", "03-02")),
      says: "REJECTED(SIGNATURE_INVALID)",
    },
    {
      name: "a newer record held back, which history has",
      edit: editing("/latest", omitted),
      says: "REJECTED(LOG_ROLLBACK)",
    },
    { name: "an archive of something else", edit: editing("/tools/", '{"tools":[]}'), says: "REJECTED(HASH_MISMATCH)" },
    {
      name: "another server's record",
      edit: editing("/latest", JSON.stringify(LOG.bundle(1, 7))),
      says: "REJECTED(RECORD_INVALID)",
    },
    {
      name: "a head from before what it covers",
      edit: editing("/latest", JSON.stringify({ ...LOG.bundle(4, 7), sth: early })),
      says: "UNKNOWN(log_behind)",
    },
  ])("$name", async ({ edit, says }) => {
    const { server, refuted } = await verify({ serving: { edit } })
    expect(said(server)).toBe(says)
    expect(refuted === null).toBe(!says.startsWith("REJECTED"))
  })
})

describe("an id that nobody gave", () => {
  const url = "https://mcp.example.com/mcp"
  const listed = (...ids: string[]) => registryOf(ids.map((id) => ({ id, urls: [`${url}/`] })))
  test.each<{ name: string; scene: Scene; says: string; ids: readonly string[] }>([
    { name: "by its list", scene: {}, says: "UNCHANGED", ids: [ONE] },
    { name: "by a list of version 1", scene: { live: LIMITED }, says: "UNCHANGED", ids: ["io.test/v1"] },
    {
      name: "a list of several servers",
      scene: { live: { tools: [toolOf("c")] } },
      says: "UNKNOWN(ambiguous_subject)",
      ids: ["io.test/twin", "io.test/two"],
    },
    { name: "a list of nobody", scene: { live: { tools: [] } }, says: "UNKNOWN(never_signed)", ids: [] },
    { name: "credentials", scene: { live: AUTH }, says: "AUTH(refused)", ids: [] },
    {
      name: "several in the registry",
      scene: { url, registry: listed("com.example/a", "com.example/b") },
      says: "UNKNOWN(ambiguous_subject)",
      ids: ["com.example/a", "com.example/b"],
    },
    {
      name: "one in the registry that nobody signed",
      scene: { url, registry: listed("com.example/a") },
      says: "UNKNOWN(never_signed)",
      ids: ["com.example/a"],
    },
  ])("$name", async ({ scene, says, ids }) => {
    const { server, candidates } = await verify({ ...scene, id: null })
    expect(said(server)).toBe(says)
    expect(candidates).toEqual(ids)
  })

  test("a changed list is found by the registry", async () => {
    const registry = registryOf([{ id: ONE, urls: ["https://io.test/mcp"] }])
    const texts: string[] = []
    const search = async (text: string) => {
      texts.push(text)
      return registry.search("one")
    }
    const scene = { id: null, url: "https://io.test/mcp?key=1", live: { tools: [] }, registry: { ...registry, search } }
    expect(said((await verify(scene)).server)).toBe("CHANGED(surface)")
    expect(texts).toEqual(["test.io"])
  })

  test("a registry that does not answer is no error", async () => {
    const search = async () => {
      throw new ToolsumError("LOG_UNAVAILABLE", "no answer")
    }
    const registry = { location: "https://registry.test/", search }
    expect(await findByUrl(registry, url)).toEqual({ ids: [], why: "no answer" })
    const { server } = await verify({ id: null, registry })
    expect(server).toMatchObject({ verdict: "UNCHANGED", warnings: ["registry_unavailable:no answer"] })
  })

  test("the URL of an id", async () => {
    const registry = registryOf([
      { id: "com.example/a", urls: [url] },
      { id: "com.example/stdio", urls: [] },
    ])
    expect(await findUrlOf(registry, "com.example/a")).toBe(url)
    await expect(findUrlOf(registry, "com.example/stdio")).rejects.toMatchObject({ code: "RESOURCE_MISSING" })
    await expect(findUrlOf(registry, "com.example")).rejects.toMatchObject({ code: "RESOURCE_MISSING" })
  })
})

describe("history", () => {
  const read = async (edit?: NonNullable<Serving["edit"]>, proofs?: number) => {
    const log = await open(answersOf(LOG, PLANS, edit ? { edit } : {}))
    const newest = await log.latest(ONE)
    if (newest === null) throw new Error("expected a record")
    return readLegionHistory(log, { serverId: ONE, newest, ...(proofs === undefined ? {} : { proofs }) })
  }
  const serve = (...records: (JsonObject | undefined)[]) => editing("/v0/", JSON.stringify({ records }))
  const all = OF_ONE.map((leaf) => LOG.records[leaf])
  const told = ({ entries }: Awaited<ReturnType<typeof read>>) =>
    entries.map(({ entry, isProven }) => [entry.leafIndex, isProven])

  test("every record is signed, and proven to be in the tree", async () => {
    const history = await read()
    expect(told(history)).toEqual([
      [0n, true],
      [2n, true],
      [4n, true],
    ])
    expect([history.ignored, history.missing]).toEqual([[], []])
  })

  test("no more proofs are asked for than allowed", async () => {
    expect(told(await read(undefined, 2))).toEqual([
      [0n, false],
      [2n, true],
      [4n, true],
    ])
  })

  test("a log without proofs or history has its newest record", async () => {
    expect(told(await read(editing("/proof/inclusion", null)))).toEqual([
      [0n, false],
      [2n, false],
      [4n, true],
    ])
    expect(told(await read(editing("/v0/", null)))).toEqual([[4n, true]])
  })

  test("what is not signed, or of another server, counts for nothing and is named", async () => {
    const { signature_ed25519: _, ...unsigned } = LOG.records[2] ?? {}
    const history = await read(serve(...all, unsigned, LOG.records[1], { leaf_index: "x" }))
    expect(told(history)).toHaveLength(3)
    expect(history.ignored).toEqual([
      { leaf: 2n, why: "record 2 has no signature" },
      { leaf: 1n, why: expect.stringContaining("io.test/two") },
      { leaf: null, why: expect.stringContaining("leaf index") },
    ])
  })

  test("a record that another one names as the one before it is missed", async () => {
    expect((await read(serve(LOG.records[0]))).missing).toEqual([2n])
  })

  const stray = makeRecord({ serverId: ONE, tools: [] }, 2)
  test.each([
    { name: "two signed records at one leaf", edit: serve(...all, stray), code: "LOG_INCONSISTENT" },
    { name: "a signed record that is not in the tree", edit: serve(stray), code: "INCLUSION_INVALID" },
  ])("$name", async ({ edit, code }) => {
    await expect(read(edit)).rejects.toMatchObject({ code })
  })

  test("a signed record beyond the head is told, not proven", async () => {
    const newer = makeRecord({ serverId: ONE, tools: [] }, 9)
    expect(told(await read(serve(...all, newer))).at(-1)).toEqual([9n, false])
  })
})
