// Commands that ask a LEGION log: `add ID --log`, `check` of such pins and of LEGION's own lockfile, `update`. A log on this machine stands in for
// the public one; the servers themselves are not asked.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/core/json.js"
import { type CliWorld, type ListedServer, makeCliWorld, makeServer, snapshot } from "../fakes/cli-world.js"
import { formatPinnedLeaves, LEGION_ORIGIN } from "../fakes/legion-lockfile.js"
import { formatLegionKeyring, KEYRING, makeLegionLog, type RecordPlan, ROOT, toolOf } from "../fakes/legion-log.js"
import { type LegionServer, serveLegion } from "../fakes/legion-server.js"
import { validateReport } from "../fakes/report-schema.js"

const FILES = "io.example/files"
const NOTES = "io.example/notes"
const PLANS: readonly RecordPlan[] = [
  { serverId: FILES, tools: [toolOf("read"), toolOf("write")] },
  { serverId: NOTES, tools: [toolOf("add")] },
  { serverId: FILES, tools: [toolOf("read", "Reads, and sends it on."), toolOf("write")] },
  { serverId: NOTES, tools: [toolOf("add"), toolOf("remove")] },
]
const THEIRS = ".mcp-tools.lock.json"

let world: CliWorld
let server: LegionServer

beforeEach(async () => {
  world = await makeCliWorld()
  world.env.TOOLSUM_ROOT = ROOT.pin
  server = await serveLegion(PLANS)
  server.serve({ size: 2 })
})

const at = () => ["--log", server.url]
const theirs = () => readFileSync(join(world.folder, THEIRS), "utf8")

describe("add ID --log", () => {
  test("pins the newest record with its texts, proven at once", async () => {
    const { stdout } = await world.expect(0, "add", FILES, ...at(), "--by", "ada")
    expect(stdout).toBe(`files pinned: io.example/files, 2 tools
  leaf 0 of tlog.legion-api.com/mcp/v0, head 2, observed 2026-03-01T00:00:00Z
  signed are name, description and inputSchema of each tool, and nothing else
  in toolsum.lock.json and .mcp-tools/files.json
`)
    const lock = await world.readLock()
    expect(lock.logs[LEGION_ORIGIN]).toMatchObject({ dialect: "legion", url: null })
    expect(lock.servers.files).toMatchObject({ target: null, approved: { by: "ada", reason: "first baseline" } })
    const { code, document } = await world.json("verify")
    validateReport(document)
    expect([code, document.servers[0].verdict, document.warnings]).toEqual([0, "PROVEN", []])
    expect(JSON.parse(readFileSync(join(world.folder, ".mcp-tools/files.json"), "utf8")).tools).toHaveLength(2)
    expect((await world.expect(2, "add", FILES, ...at())).stderr).toContain("pinned already as files")
  })

  test("under another name, at a leaf and under a head that are named", async () => {
    server.serve({})
    const { document } = await world.json(
      "add",
      FILES,
      ...at(),
      "--as",
      "old-files",
      "--at-leaf",
      "0",
      "--at-head",
      "3",
    )
    validateReport(document)
    expect(document).toMatchObject({ name: "old-files", index: "0", size: "3", subject: FILES })
    expect((await world.readLock()).servers["old-files"]).toBeDefined()
    for (const [wrong, code] of [
      ["--at-leaf=0", 3],
      ["--at-leaf=9", 2],
      ["--at-head=9", 2],
      ["--at-leaf=x", 2],
    ] as const)
      await world.expect(code, "add", NOTES, ...at(), wrong)
    await world.expect(2, "add", "io.example/none", ...at())
  })

  test("writes nothing on a dry run, without a root, or of a log that lies", async () => {
    const before = snapshot(world.folder)
    await world.expect(0, "add", FILES, ...at(), "--dry-run")
    delete world.env.TOOLSUM_ROOT
    await world.expect(3, "add", FILES, ...at()) // the shipped root is another
    world.env.TOOLSUM_ROOT = ROOT.pin
    server.serve({ edit: (path) => (path.startsWith("/tools/") ? '{"tools":[]}' : undefined) })
    expect((await world.expect(3, "add", FILES, ...at())).stderr).toContain("HASH_MISMATCH")
    server.serve({ edit: (path) => (path.startsWith("/tools/") ? null : undefined) })
    expect(snapshot(world.folder)).toEqual(before)
    await world.expect(0, "add", FILES, ...at()) // not archived is no lie
  })

  test("takes a log by its origin from the trust store, and no word that is none", async () => {
    expect((await world.expect(2, "add", FILES, "--log", "nowhere")).stderr).toContain("(USAGE)")
    expect((await world.expect(2, "add", FILES, "--log", "http://log.example.com/v1")).stderr).toContain(
      "CONFIG_INVALID",
    )
    for (const option of [
      ["--at-leaf", "1"],
      ["--at-head", "1"],
      ["--format", "legion"],
    ])
      expect((await world.expect(2, "add", FILES, ...option)).stderr).toContain("(USAGE)")
  })

  test("is held to the keyring and heads of the lockfile", async () => {
    server.serve({ size: 4 })
    await world.expect(0, "add", FILES, ...at())
    server.serve({ size: 3 })
    expect((await world.expect(3, "add", NOTES, ...at())).stderr).toContain("LOG_ROLLBACK")
    const forked = makeLegionLog([...PLANS].reverse())
    server.serve({ edit: (path) => (path.startsWith("/servers/") ? JSON.stringify(forked.bundle(0)) : undefined) })
    expect((await world.expect(3, "add", NOTES, ...at())).stderr).toContain("LOG_INCONSISTENT")
  })
})

describe("add --format legion", () => {
  test("writes what legion-lock would, and is read by verify", async () => {
    await world.expect(0, "add", FILES, ...at(), "--format", "legion")
    await world.expect(0, "add", NOTES, ...at(), "--format", "legion")
    const pinnedAt = "2026-12-01T00:00:00Z"
    const expected = formatPinnedLeaves(server.log, [0, 1], 2)
      .replaceAll("2026-05-01T00:00:00Z", pinnedAt)
      .replace("https://tlog.example.com/tlog/v1", server.url)
    expect(theirs()).toBe(expected)
    await world.expect(0, "verify", THEIRS)
    expect(snapshot(world.folder)["toolsum.lock.json"]).toBeUndefined()
  })

  test("adds to no lockfile that is refuted, and forgets nothing of what it has", async () => {
    await world.write(THEIRS, formatPinnedLeaves(server.log, [0], 2).replace(ROOT.pin, "0".repeat(64)))
    const before = theirs()
    await world.expect(3, "add", NOTES, ...at(), "--format", "legion")
    expect(theirs()).toBe(before)
    await world.write(THEIRS, formatPinnedLeaves(server.log, [0], 4))
    expect((await world.expect(3, "add", NOTES, ...at(), "--format", "legion")).stderr).toContain("LOG_ROLLBACK")
  })
})

const verdictsOf = ({ servers }: { servers: readonly JsonObject[] }) =>
  Object.fromEntries(
    servers.map(({ name, verdict, reason }) => [name, reason === null ? verdict : `${verdict}(${reason})`]),
  )

describe("check", () => {
  beforeEach(async () => {
    await world.write(THEIRS, formatPinnedLeaves(server.log, [0, 1], 2))
    await world.expect(0, "import")
  })

  const both = [
    { name: "their lockfile", argv: ["--lock", THEIRS], names: [FILES, NOTES] },
    { name: "our pins", argv: [], names: ["files", "notes"] },
  ]

  test.each(both)("$name: unchanged, and changed in words", async ({ argv, names: [files = "", notes = ""] }) => {
    const before = [theirs(), await world.readLock()]
    const same = await world.json("check", ...at(), ...argv)
    validateReport(same.document)
    expect([same.code, verdictsOf(same.document)]).toEqual([0, { [files]: "UNCHANGED", [notes]: "UNCHANGED" }])
    server.serve({ size: 3 })
    const { code, document } = await world.json("check", ...at(), ...argv)
    validateReport(document)
    expect([code, verdictsOf(document)]).toEqual([1, { [files]: "CHANGED(surface)", [notes]: "UNCHANGED" }])
    const { stdout } = await world.expect(1, "check", ...at(), ...argv)
    expect(stdout).toContain("signed 2026-03-01, leaf 2")
    expect(stdout).toContain("sends it on")
    expect(stdout.match(/not covered/g)).toHaveLength(1)
    expect([theirs(), await world.readLock()]).toEqual(before)
  })

  test.each(both)("$name: a log that goes back, forks or shortens its keyring is rejected", async ({ argv }) => {
    server.serve({ size: 4 })
    await world.expect(1, "check", ...at(), ...argv)
    server.serve({ size: 3 })
    const { code, document, stderr } = await world.json("check", ...at(), ...argv)
    validateReport(document)
    expect([code, document.counts.REJECTED]).toEqual([3, 2])
    expect(document.refutedLogs[0].code).toBe("LOG_ROLLBACK")
    expect(document.refutedLogs[0].message + stderr).toContain("evidence")
    server.serve({
      size: 4,
      edit: (path) => (path === "/keyring" ? formatLegionKeyring(KEYRING.slice(0, 2)) : undefined),
    })
    expect((await world.json("check", ...at(), ...argv)).document.refutedLogs[0].code).toBe("LOG_ROLLBACK")
  })

  test.each(both)("$name: --strict asks for a head over everything", async ({ argv }) => {
    server.serve({ size: 2, uncovered: 3 })
    expect((await world.expect(0, "check", ...at(), ...argv)).stderr).toContain("3 newer observations")
    const { code, document } = await world.json("check", ...at(), ...argv, "--strict")
    expect([code, document.servers[0].reason]).toEqual([2, "log_behind"])
  })

  test.each(both)("$name: --exhaustive finds a newer record that the log holds back", async ({ argv }) => {
    const held = (path: string) =>
      path.startsWith("/servers/") && path.includes("files") ? JSON.stringify(server.log.bundle(0, 3)) : undefined
    server.serve({ size: 3, edit: held })
    await world.expect(0, "check", ...at(), ...argv)
    const { code, document } = await world.json("check", ...at(), ...argv, "--exhaustive")
    validateReport(document)
    expect([code, document.refutedLogs[0].code]).toEqual([3, "LOG_ROLLBACK"])
  })

  test("one server by its name; another name is none", async () => {
    expect((await world.json("check", FILES, ...at(), "--lock", THEIRS)).document.servers).toHaveLength(1)
    expect((await world.json("check", "notes", ...at())).document.servers).toHaveLength(1)
    await world.expect(2, "check", "io.example/none", ...at(), "--lock", THEIRS)
  })

  test.each(both)(
    "$name: a log that does not answer leaves it unknown where nobody else is asked",
    async ({ argv }) => {
      server.serve({ edit: () => null })
      const { code, document } = await world.json("check", ...at(), ...argv, "--log-only")
      validateReport(document)
      expect([code, document.counts.UNKNOWN]).toEqual([2, 2])
    },
  )

  test("a stranger's lockfile contacts nobody", async () => {
    delete world.env.TOOLSUM_ROOT
    const { asked } = server
    const count = asked.length
    await world.write(THEIRS, formatPinnedLeaves(server.log, [0], 2).replaceAll(LEGION_ORIGIN, "x.example/mcp"))
    await world.expect(2, "check", "--lock", THEIRS)
    expect(asked.length).toBe(count)
  })
})

describe("update", () => {
  beforeEach(() => world.expect(0, "add", FILES, ...at()))

  test("takes in the newest record, shows it in words, and leaves it to be approved", async () => {
    const { approved } = (await world.readLock()).servers.files
    server.serve({ size: 3 })
    const dry = await world.json("update", "files", ...at(), "--dry-run")
    validateReport(dry.document)
    expect([dry.code, dry.document.servers[0].pin]).toEqual([1, null])
    const { stdout } = await world.expect(1, "update", "files", ...at())
    expect(stdout).toMatch(/^files: io.example\/files, leaf 0 → 2\n/)
    expect(stdout).toContain("sends it on")
    const after = (await world.readLock()).servers.files
    expect(after.approved).toEqual(approved)
    expect((await world.json("verify")).document.servers[0]).toMatchObject({ verdict: "CHANGED", reason: "unapproved" })
    const [, digest = ""] = /--to (sha256:[0-9a-f]{64})/.exec(stdout) ?? []
    await world.expect(0, "approve", "files", "--to", digest)
    await world.expect(0, "verify")
    await world.expect(0, "check", ...at())
  })

  test("changes nothing where nothing is new, and asks a person at the terminal", async () => {
    const before = snapshot(world.folder)
    const { code, document } = await world.json("update", ...at())
    validateReport(document)
    expect([code, document.servers[0].approved]).toEqual([0, true])
    expect(snapshot(world.folder)).toEqual(before)
    server.serve({ size: 3 })
    world.ask = () => "yes"
    expect((await world.expect(0, "update", "files", ...at())).stdout).toContain("approved\n")
    await world.expect(0, "verify")
  })

  test("refuses a log that went back, and one that is nowhere", async () => {
    server.serve({ size: 1 })
    const before = snapshot(world.folder)
    await world.expect(3, "update", "files", ...at())
    expect((await world.expect(2, "update", "files")).stderr).toContain("LOG_UNAVAILABLE")
    expect(snapshot(world.folder)).toEqual(before)
  })

  test("keeps how the server is reached, from then on read by check", async () => {
    const listed = makeServer(join(world.folder, "..", "lists.json"), { tools: [toolOf("read"), toolOf("write")] })
    await world.expect(1, "update", "files", ...at(), "--", ...listed.launch)
    const { pin } = (await world.json("verify")).document.servers[0]
    await world.expect(0, "approve", "files", "--to", pin)
    const { code, document } = await world.json("check", ...at())
    expect([code, document.servers[0].compared]).toEqual([0, ["lock", "log", "live"]])
    listed.say({ tools: [toolOf("read"), toolOf("write"), toolOf("sudo")] })
    const { stdout } = await world.expect(1, "check", ...at())
    expect(stdout).toContain("sudo")
  })
})

describe("verify-server --log", () => {
  let listed: ListedServer
  const asked = (...more: readonly string[]) => [
    "verify-server",
    ...at(),
    "--id",
    FILES,
    ...more,
    "--",
    ...listed.launch,
  ]

  beforeEach(() => {
    listed = makeServer(join(world.folder, "..", "lists.json"), { tools: [toolOf("read"), toolOf("write")] })
  })

  test("unchanged, changed in words, and evidence that both prove again", async () => {
    const { code, document } = await world.json(...asked("--save", "proof.json"))
    validateReport(document)
    expect([code, document.servers[0].verdict, document.roots]).toEqual([
      0,
      "UNCHANGED",
      [{ log: LEGION_ORIGIN, fingerprint: ROOT.pin, source: "env" }],
    ])
    expect(document.history).toMatchObject([{ index: "0", kind: "record", tools: 2 }])
    const again = await world.json("verify", "proof.json")
    expect([again.code, again.document.servers[0].verdict]).toEqual([0, "UNCHANGED"])
    listed.say({ tools: [toolOf("read", "Reads, then tells."), toolOf("write")] })
    const { stdout } = await world.expect(1, ...asked("--save", "proof.json"))
    expect(stdout).toContain("CHANGED    surface: not as signed 2026-03-01, leaf 0")
    expect(stdout).toMatch(/then tells/)
    expect(stdout).toContain("toolsum verify proof.json")
    await world.expect(1, "verify-server", "--offline", "proof.json")
  })

  test("evidence makes room for no other file, and repeats no value that the server was given", async () => {
    await world.write("mine.txt", "mine")
    expect((await world.expect(2, ...asked("--save", "mine.txt"))).stderr).toContain("FILE_EXISTS")
    world.env.TOKEN = "s3cret-value-0123456789"
    listed.say({ tools: [toolOf("read", "Uses s3cret-value-0123456789."), toolOf("write")] })
    const { code, stdout, stderr } = await world.run(...asked("--save", "proof.json", "--env", "TOKEN"))
    expect([code, `${stdout}${stderr}`.includes("s3cret-value")]).toEqual([1, false])
    expect(stderr).toContain("not saved")
    expect(snapshot(world.folder)["proof.json"]).toBeUndefined()
  })

  test("the registry that TOOLSUM_REGISTRY names is asked where an id is reached", async () => {
    world.env.TOOLSUM_REGISTRY = "http://registry.example/v0"
    const { stderr } = await world.expect(2, "verify-server", ...at(), "--id", FILES)
    expect(stderr).toContain("http://registry.example/v0")
  })

  test("without an id the log's own index names the server; two are a question", async () => {
    const plain = ["verify-server", ...at(), "--registry", server.url, "--", ...listed.launch]
    const { code, document } = await world.json(...plain)
    validateReport(document)
    expect([code, document.servers[0].subject]).toEqual([0, FILES])
    const edit = (path: string) =>
      path.startsWith("/lookup/") ? `{"matches":[{"server_id":"${FILES}"},{"server_id":"${NOTES}"}]}` : undefined
    server.serve({ size: 2, edit })
    const many = await world.json(...plain)
    validateReport(many.document)
    expect([many.code, many.document.servers[0].reason, many.document.candidates]).toEqual([
      2,
      "ambiguous_subject",
      [FILES, NOTES],
    ])
  })

  test("a log that lies leaves no verdict, one that does not answer an unknown one", async () => {
    server.serve({ size: 4 })
    await world.expect(1, ...asked())
    server.serve({ size: 2 })
    const { code, document } = await world.json(...asked("--save", "proof.json"))
    validateReport(document)
    expect([code, document.refutedLogs[0].code]).toEqual([3, "LOG_ROLLBACK"])
    expect(document.refutedLogs[0].message).toMatch(/evidence: .*[.]tlog-fork/)
    server.serve({ size: 4, edit: () => null })
    expect((await world.json(...asked())).code).toBe(2)
  })

  test("takes one log, and no id without one", async () => {
    const usage = async (...argv: readonly string[]) =>
      expect((await world.expect(2, "verify-server", ...argv, "--", ...listed.launch)).stderr).toContain("(USAGE)")
    await usage("--id", FILES)
    await usage("--log", "legion", "--log", server.url)
    expect((await world.expect(2, "verify-server", ...at(), "--registry", server.url)).stderr).toContain("(USAGE)")
  })
})

describe("history", () => {
  test("lists every signed entry, and says what it cannot show", async () => {
    server.serve({})
    const { stdout } = await world.expect(0, "history", FILES, ...at())
    expect(stdout).toMatch(
      /^io.example\/files in tlog.legion-api.com\/mcp\/v0, head 4\n {2}2026-03-01 {2}leaf 0 {2}2 tools {2}[0-9a-f]{16}…\n {2}2026-03-01 {2}leaf 2 .*\nnothing shows/,
    )
    const { document } = await world.json("history", FILES, ...at())
    validateReport(document)
    expect(document.entries).toMatchObject([
      { index: "0", proven: true },
      { index: "2", proven: true },
    ])
    await world.expect(2, "history", "io.example/none", ...at())
    expect((await world.expect(2, "history", FILES)).stderr).toContain("(USAGE)")
  })

  test("of a pin is that of its server; what only our logs can answer is refused", async () => {
    await world.expect(0, "add", FILES, ...at())
    const { stdout } = await world.expect(0, "history", FILES, ...at())
    expect((await world.expect(0, "history", "files", ...at())).stdout).toBe(stdout)
    for (const other of [["--find", "=x"], ["--between", "0", "2"], ["--stream", "all"], ["--exhaustive"]])
      expect((await world.expect(2, "history", "files", ...other, ...at())).stderr).toContain("(USAGE)")
    expect((await world.expect(2, "history", "other", ...at())).stderr).toContain("(NOT_PINNED)")
  })

  test("an unsigned entry counts for nothing and is said", async () => {
    const { signature_ed25519: _gone, ...unsigned } = server.log.records[0] as JsonObject
    const edit = (path: string) => (path.startsWith("/v0/") ? JSON.stringify({ records: [unsigned] }) : undefined)
    server.serve({ edit })
    const { stdout, stderr } = await world.expect(0, "history", FILES, ...at())
    expect(stdout.match(/leaf/g)).toHaveLength(1)
    expect(stderr).toContain("counts for nothing")
  })
})
