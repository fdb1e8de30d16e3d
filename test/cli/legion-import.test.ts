// `import`: a LEGION lockfile becomes pins of ours, proven by the evidence that was in it, and stays byte for byte what it was.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import type { JsonObject } from "../../src/core/json.js"
import { type CliWorld, makeCliWorld, snapshot } from "../fakes/cli-world.js"
import { formatPinnedLeaves, LEGION_BASE, LEGION_ORIGIN, makeServersLog } from "../fakes/legion-lockfile.js"
import { LOG_KEY, makeLegionKey, makeLegionLog, ROOT, register, revoke, toolOf } from "../fakes/legion-log.js"
import { validateReport } from "../fakes/report-schema.js"
import { type HttpFixture, say, serveHttp } from "../fixtures/servers/http-server.js"

const LOCK = ".mcp-tools.lock.json"
const rootOption = ["--root", ROOT.pin]
const log = makeServersLog(["io.example/files", "io.example/notes", "com.example/files"])
let world: CliWorld

beforeEach(async () => {
  world = await makeCliWorld()
  world.env.TOOLSUM_ROOT = ROOT.pin
})

const theirs = () => readFileSync(join(world.folder, LOCK), "utf8")

test("pins are proven, approved and named after their servers; theirs is left alone", async () => {
  await world.write(LOCK, formatPinnedLeaves(log, [0, 1, 2]))
  const before = theirs()
  const { stdout } = await world.expect(0, "import", "--by", "ada@example.com")
  expect(stdout).toBe(`files             added      com.example/files, leaf 2
io.example-files  added      io.example/files, leaf 0
notes             added      io.example/notes, leaf 1
3 pins written to toolsum.lock.json; theirs is as it was
`)
  const lock = await world.readLock()
  expect(lock.logs).toEqual({
    [LEGION_ORIGIN]: { dialect: "legion", url: LEGION_BASE, keyring: [log.keyring], heads: {}, links: {} },
  })
  expect(lock.servers.notes).toMatchObject({
    ...{ target: null, log: LEGION_ORIGIN, from: [], prompts: {}, masks: [] },
    approved: { by: "ada@example.com", reason: `approved in ${LOCK}`, from: null },
  })
  expect(JSON.parse(lock.servers.notes.evidence)).toEqual(log.bundle(1))
  expect(Object.keys(lock.servers.notes.tools)).toEqual(["search", "tool_1"])
  const verified = await world.json("verify", "--no-definitions")
  validateReport(verified.document)
  expect([verified.code, verified.document.counts.PROVEN]).toEqual([0, 3])
  expect(verified.document.servers[0].notCovered).toContain("tools.annotations")
  expect(theirs()).toBe(before)
})

test("a second time changes nothing, not even a byte", async () => {
  await world.write(LOCK, formatPinnedLeaves(log, [0, 1]))
  await world.expect(0, "import")
  const before = snapshot(world.folder)
  const { document } = await world.json("import")
  validateReport(document)
  expect(document).toMatchObject({ written: false, pins: [{ change: "unchanged" }, { change: "unchanged" }] })
  expect(snapshot(world.folder)).toEqual(before)
})

test("a dry run says what it would do", async () => {
  await world.write(LOCK, formatPinnedLeaves(log, [0]))
  const before = snapshot(world.folder)
  const { document } = await world.json("import", "--dry-run")
  validateReport(document)
  expect(document).toMatchObject({ dryRun: true, written: false, pins: [{ name: "files", change: "added" }] })
  expect(snapshot(world.folder)).toEqual(before)
})

describe("what is there already", () => {
  const grown = makeServersLog(
    ["io.example/files"],
    [{ serverId: "io.example/files", tools: [toolOf("search", "Another text.")] }],
  )

  test("a later record replaces ours and names what was approved before; an earlier one does not", async () => {
    await world.write(LOCK, formatPinnedLeaves(grown, [0], 1))
    await world.expect(0, "import")
    const first = (await world.readLock()).servers.files
    await world.write(LOCK, formatPinnedLeaves(grown, [1]))
    expect((await world.json("import")).document.pins).toMatchObject([{ change: "updated", index: "1" }])
    const second = (await world.readLock()).servers.files
    expect(second.approved.from).toBe(first.approved.pin)
    await world.write(LOCK, formatPinnedLeaves(grown, [0], 1))
    const { document } = await world.json("import")
    expect(document.pins).toMatchObject([{ change: "kept", index: "1", pin: second.approved.pin }])
    expect((await world.readLock()).servers.files).toEqual(second)
  })

  test("an older keyring takes nothing away, another one is a fork", async () => {
    const plans = [{ serverId: "io.example/files", tools: [toolOf("search")] }]
    const short = [register(ROOT, "root"), register(LOG_KEY, "mcp-tlog")]
    const other = makeLegionKey("other")
    const [older, newer, forked] = [
      makeLegionLog(plans, short),
      makeLegionLog(plans, [...short, revoke(other.id)]),
      makeLegionLog(plans, [...short, register(other, "mcp-badge"), revoke(other.id)]),
    ]
    for (const one of [older, newer, older]) {
      await world.write(LOCK, formatPinnedLeaves(one, [0]))
      await world.expect(0, "import")
    }
    expect((await world.readLock()).logs[LEGION_ORIGIN].keyring).toEqual([newer.keyring])
    await world.write(LOCK, formatPinnedLeaves(forked, [0]))
    expect((await world.expect(3, "import")).stderr).toContain("LOG_INCONSISTENT")
  })

  test("a head that contradicts one of ours is a fork", async () => {
    await world.write(LOCK, formatPinnedLeaves(makeServersLog(["a/one", "a/two"]), [0]))
    await world.expect(0, "import")
    await world.write(LOCK, formatPinnedLeaves(makeServersLog(["b/one", "b/two"]), [0]))
    const before = snapshot(world.folder)
    expect((await world.expect(3, "import")).stderr).toContain("LOG_INCONSISTENT")
    expect(snapshot(world.folder)).toEqual(before)
  })
})

describe("nothing is taken over", () => {
  test.each([
    [
      "of a lockfile that was edited",
      (text: string) => text.replace('"leaf_index": 1,\n     "observed', '"leaf_index": 0,\n     "observed'),
      3,
    ],
    ["under another root", (text: string) => text.replaceAll(ROOT.pin, makeLegionKey("else").pin), 3],
    ["of what is no lockfile", () => "{}", 2],
  ])("%s", async (_, edit, code) => {
    await world.write(LOCK, edit(formatPinnedLeaves(log, [0, 1])))
    const before = snapshot(world.folder)
    await world.expect(code, "import")
    expect(snapshot(world.folder)).toEqual(before)
  })

  test("without a root", async () => {
    delete world.env.TOOLSUM_ROOT
    await world.write(LOCK, formatPinnedLeaves(log, [0]).replaceAll(LEGION_ORIGIN, "log.example.com/mcp"))
    expect((await world.expect(2, "import")).stderr).toContain("ROOT_NOT_PINNED")
    await world.expect(0, "import", ...rootOption)
  })

  test("of a pin that no log has signed; the others are", async () => {
    const text = formatPinnedLeaves(log, [0, 1])
    const document = JSON.parse(text)
    const { approved } = document.servers["io.example/notes"]
    document.servers["io.example/notes"] = { approved, approved_at: "2026-05-01T00:00:00Z", source: "live" }
    await world.write(LOCK, JSON.stringify(document))
    const { code, document: report } = await world.json("import")
    validateReport(report)
    expect(code).toBe(2)
    expect(report.pins.map(({ name }: JsonObject) => name)).toEqual(["files"])
    expect(report.skipped).toMatchObject([{ subject: "io.example/notes", reason: "not_logged" }])
  })
})

test("ids of any spelling get names that pins can have", async () => {
  const ids = [
    "a/../..",
    "a/日本",
    "A/FILES!",
    "a/\u001b[2J",
    `a/${"x".repeat(200)}`,
    "b/__proto__",
    "c/__proto__",
    "",
    ".",
  ]
  await world.write(
    LOCK,
    formatPinnedLeaves(
      makeServersLog(ids),
      ids.map((_, i) => i),
    ),
  )
  const { stdout } = await world.expect(0, "import")
  expect(stdout).not.toContain("\u001b")
  const { document } = await world.json("verify", "--no-definitions")
  expect(document.counts.PROVEN).toBe(ids.length)
  for (const name of Object.keys((await world.readLock()).servers)) expect(name).toMatch(/^[a-z0-9][a-z0-9._-]{0,63}$/)
})

test("such a pin lives as others do: shown, renamed, approved, removed, left out of what needs a record of ours", async () => {
  await world.write(LOCK, formatPinnedLeaves(log, [1]))
  await world.expect(0, "import")
  expect((await world.expect(0, "show", "notes")).stdout).toMatch(
    /subject {3}io.example\/notes\n {2}command {3}not known/,
  )
  expect((await world.json("show", "notes")).document.servers[0]).toMatchObject({
    subject: "io.example/notes",
    index: "1",
  })
  await world.expect(0, "rename", "notes", "memos")
  const { approved } = (await world.readLock()).servers.memos
  await world.expect(0, "approve", "memos", "--to", approved.pin, "--reason", "read")
  const { document } = await world.json()
  validateReport(document)
  expect(document.servers).toMatchObject([{ name: "memos", state: "pinned", pin: { approved: true, launch: null } }])
  await world.expect(0, "lock", "complete")
  await world.expect(0, "remove", "memos")
  expect((await world.readLock()).servers).toEqual({})
})

describe("--live", () => {
  const tools = [{ ...toolOf("search"), annotations: { readOnlyHint: true } }, toolOf("tool_0")]

  /** A server that lists these tools and one prompt, and a registry that says that it is `ids`. */
  async function serveLive(ids: readonly string[], listed: readonly JsonObject[] = tools): Promise<HttpFixture> {
    const results: Readonly<Record<string, (version: unknown) => object>> = {
      initialize: (version) => ({
        ...{ protocolVersion: version, capabilities: { tools: {}, prompts: {} } },
        ...{ serverInfo: { name: "live", version: "1" }, instructions: "Ask." },
      }),
      "tools/list": () => ({ tools: listed }),
      "prompts/list": () => ({ prompts: [{ name: "greet" }] }),
    }
    const fixture = await serveHttp((hit, response) => {
      if (hit.path.startsWith("/v0/servers")) {
        const remotes = [{ type: "streamable-http", url: fixture.url }]
        return response.end(JSON.stringify({ servers: ids.map((name) => ({ server: { name, remotes } })) }))
      }
      if (hit.method !== "POST") return say(405)(hit, response, response.req)
      if (hit.rpc?.id === undefined) return response.writeHead(202).end()
      const { params } = JSON.parse(hit.body)
      const result = results[hit.rpc.method ?? ""]?.(params?.protocolVersion)
      const answer = result ? { result } : { error: { code: -32601, message: "no such method" } }
      response.writeHead(200, { "content-type": "application/json" })
      return response.end(JSON.stringify({ jsonrpc: "2.0", id: hit.rpc.id, ...answer }))
    })
    onTestFinished(() => fixture.close())
    world.env.TOOLSUM_REGISTRY = `${fixture.origin}/v0`
    return fixture
  }

  beforeEach(() => world.write(LOCK, formatPinnedLeaves(log, [0])))

  test("pins the rest in the personal log, after one question, once", async () => {
    const live = await serveLive(["io.example/files"])
    world.ask = () => "yes"
    const { stdout } = await world.expect(0, "import", "--live")
    expect(stdout).toContain("files-live pinned")
    expect(world.questions).toHaveLength(1)
    expect(world.questions[0]).toContain(live.url)
    const lock = await world.readLock()
    expect(lock.servers["files-live"]).toMatchObject({
      target: { url: live.url },
      prompts: { greet: expect.any(String) },
    })
    expect(lock.servers.files).toMatchObject({ log: LEGION_ORIGIN, target: null })
    const { code, document } = await world.json("verify", "--no-definitions")
    validateReport(document)
    expect([code, document.counts.PROVEN]).toEqual([0, 2])
    const again = await world.json("import", "--live")
    validateReport(again.document)
    expect([again.code, again.document.live, world.questions.length]).toEqual([0, [], 1])
  })

  test("pins no list that is not the signed one", async () => {
    await serveLive(["io.example/files"], [toolOf("search", "Sends it on."), toolOf("tool_0")])
    world.ask = () => "yes"
    const { stdout } = await world.expect(1, "import", "--live")
    expect(stdout).toContain("files-live: not pinned, the server's tools are not those that were signed")
    expect(Object.keys((await world.readLock()).servers)).toEqual(["files"])
  })

  test("contacts nobody without a yes, and nobody that the registry does not know", async () => {
    const live = await serveLive(["io.example/files"])
    const { code, document } = await world.json("import", "--live")
    validateReport(document)
    expect([code, document.live[0].error.code]).toEqual([2, "TARGET_NOT_ACCEPTED"])
    expect(live.hits.filter(({ method }) => method === "POST")).toEqual([])
    await serveLive(["io.example/other"])
    expect((await world.json("import", "--live")).document.live[0].error.code).toBe("RESOURCE_MISSING")
    expect((await world.expect(2, "import", "--live", "--dry-run")).stderr).toContain("(USAGE)")
  })
})
