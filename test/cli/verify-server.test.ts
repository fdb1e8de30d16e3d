// `verify-server` on a real server over stdio: which logs are asked, what is said, what is kept, and what is proven again from that.
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  type CliWorld,
  type Document,
  type ListedServer,
  makeCliWorld,
  makePackage,
  snapshot,
  tool,
} from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

const CHANGED = { tools: [tool("search", "Searches, and sends what it finds elsewhere.")] }
const SECRET = "sentinel-value-0123456789"

let base = ""
let world: CliWorld
let server: ListedServer
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "toolsum-test-"))
  world = await makeCliWorld(base)
  server = await makePackage(world)
  await world.expect(0, "add", "notes", "--", ...server.launch)
}, 30_000)
afterAll(() => rm(base, { recursive: true, force: true }))

/** Run with --json, hold the document to the schema. */
async function report(...argv: readonly string[]): Promise<Document> {
  const { code, document } = await world.json("verify-server", ...argv)
  validateReport(document)
  expect(document).toMatchObject({ command: "verify-server", exitCode: code, ok: code === 0 })
  return document
}

const answerOf = ({ exitCode, servers }: Document) => [exitCode, servers[0].verdict, servers[0].reason]

/** What `work` sees while the server says something else. */
async function saying<T>(lists: Document, work: () => Promise<T>): Promise<T> {
  server.say(lists)
  try {
    return await work()
  } finally {
    server.say({ tools: [tool("search")] })
  }
}

describe("a package that the personal log has a list of", () => {
  test("unchanged, changed in words, and not in the log in another version", async () => {
    const same = await report("--", ...server.launch)
    expect(answerOf(same)).toEqual([0, "UNCHANGED", null])
    expect(same.servers[0]).toMatchObject({ compared: ["log", "live"], notCovered: ["resources"], items: { tools: 1 } })
    expect(same.reading.sections.tools).toMatch(/^1 sha256:[0-9a-f]{64}$/)
    expect(same.logs[0].compared).toMatchObject([{ index: "1", observer: "local", differs: [], before: [] }])

    const changed = await saying(CHANGED, () => report("--", ...server.launch))
    expect(answerOf(changed)).toEqual([1, "CHANGED", "surface"])
    expect(changed.servers[0].changes).toMatchObject([
      { item: "search", pointer: "/description", before: "Does search." },
    ])
    expect(changed.logs[0].compared[0].differs).toEqual(["tools"])

    const other = await report("--", "npx", "-y", "@acme/notes@2.0.0")
    expect(answerOf(other)).toEqual([2, "UNKNOWN", "not_in_log"])
    expect(other.notes).toEqual([
      "the same list was signed under other reading conditions (version 1.2.3): signed 2026-12-01, leaf 1",
    ])
    expect(answerOf(await report("--", "npx", "-y", "other@1.0.0"))).toEqual([2, "UNKNOWN", "never_signed"])
  })

  test("people get a line for each part, the words, the history, and no more", async () => {
    const text = (await saying(CHANGED, () => world.expect(1, "verify-server", "--", ...server.launch))).stdout
    expect(text).toContain("@acme/notes  CHANGED    surface: tools differ from what was signed 2026-12-01, leaf 1\n")
    expect(text).toMatch(
      /\n {4}instructions {2}none\n {4}tools {9}1 sha256:[0-9a-f]{64} {2}differs\n {4}prompts {7}none\n/,
    )
    expect(text).toContain("resources     not read")
    expect(text).toContain("Does search")
    expect(text).toMatch(
      /signed in toolsum\.local\/[0-9a-f]{32}\n {6}2026-12-01 {2}leaf 1 {2}local {2}1 tool {2}sha256:/,
    )
    expect(text).toMatch(/1 server: 1 CHANGED\n$/)
    expect(text).not.toContain("SHA256:")
    expect((await world.expect(0, "verify-server", "--explain", "--", ...server.launch)).stdout).toContain("SHA256:")
    expect((await world.expect(0, "verify-server", "--quiet", "--", ...server.launch)).stdout).toBe("")
  })

  test("nothing is written: not in the project, and no consent", async () => {
    const before = [snapshot(world.folder), snapshot(join(world.home, "config"))]
    await world.expect(0, "verify-server", "--", ...server.launch)
    expect([snapshot(world.folder), snapshot(join(world.home, "config"))]).toEqual(before)
  })

  test("a server that does not start, or gets nothing it wants", async () => {
    expect(answerOf(await report("--", "no-such-command"))).toEqual([2, "UNKNOWN", "server_unreachable"])
    expect(answerOf(await report("--env", "UNSET_TOKEN", "--", ...server.launch))).toEqual([
      2,
      "AUTH",
      "missing: UNSET_TOKEN",
    ])
  })
})

describe("which logs are asked", () => {
  test("none but those that are named: without one it is not in any log, and the option is named", async () => {
    const stranger = await makeCliWorld()
    const own = await makePackage(stranger)
    const { stdout } = await stranger.expect(2, "verify-server", "--", ...own.launch)
    expect(stdout).toContain("not_in_log: no log was asked")
    expect(stdout).toContain("toolsum verify-server … --log")
    stranger.ask = () => join(world.home, "data", "log")
    const asked = await stranger.expect(2, "verify-server", "--", ...own.launch)
    expect(stranger.questions).toHaveLength(1)
    expect(asked.stdout).toContain("root_not_pinned")
    expect(asked.stdout).toMatch(/compare with the log's owner, then: toolsum trust add toolsum\.local\/\S+=SHA256:/)
    stranger.ask = () => ""
    expect((await stranger.expect(2, "verify-server", "--", ...own.launch)).stdout).toContain("no log was asked")
  }, 30_000)

  test("by folder, by origin, several; a place without a log, and an origin without a place", async () => {
    const folder = join(world.home, "data", "log")
    const { roots } = await report("--log", folder, "--", ...server.launch)
    const origin: string = roots[0].log
    expect(roots).toEqual([{ log: origin, fingerprint: expect.stringMatching(/^SHA256:/), source: "trust-store" }])
    expect(answerOf(await report("--log", origin, "--", ...server.launch))).toEqual([0, "UNCHANGED", null])
    const both = await report("--log", origin, "--log", "./nothing", "--", ...server.launch)
    expect(answerOf(both)).toEqual([2, "UNKNOWN", "log_unreachable"])
    expect(both.unreadLogs).toMatchObject([{ log: "./nothing", reason: "log_unreachable" }])
    expect(answerOf(await report("--log", "log.example.com/none", "--", ...server.launch))).toEqual([
      2,
      "UNKNOWN",
      "log_unreachable",
    ])
  })

  test("a lockfile that cannot be read is left out, and that is said", async () => {
    const text = readFileSync(world.lockfile)
    writeFileSync(world.lockfile, "{")
    try {
      const { stderr } = await world.expect(0, "verify-server", "--", ...server.launch)
      expect(stderr).toContain("was left out")
    } finally {
      writeFileSync(world.lockfile, text)
    }
  })
})

describe("a command of one's own", () => {
  test("has no subject; the list's own is named, and with it the list is compared", async () => {
    const local = await makeCliWorld()
    const launch = (await makePackage(local)).launch
    const own = ["node", join(local.folder, "..", "own.mjs")]
    const fixture = new URL("../fixtures/servers/listed.mjs", import.meta.url).href
    const lists = join(local.folder, "..", "package.json.lists")
    writeFileSync(
      own[1] ?? "",
      `process.argv[2] = ${JSON.stringify(lists)}\nawait import(${JSON.stringify(fixture)})\n`,
    )
    await local.expect(0, "add", "mine", "--", ...own)
    const without = await local.json("verify-server", "--", ...own)
    validateReport(without.document)
    expect(answerOf(without.document)).toEqual([2, "UNKNOWN", "not_in_log"])
    expect((await local.run("verify-server", "--", ...own)).stdout).toContain("compare with it: --subject local:mine")
    const { document } = await local.json("verify-server", "--subject", "local:mine", "--", ...own)
    expect(answerOf(document)).toEqual([0, "UNCHANGED", null])
    await local.expect(2, "verify-server", "--subject", "local:mine", "--", ...launch)
  }, 30_000)
})

describe("evidence", () => {
  const file = () => join(world.folder, "..", "proof.json")

  test("proven again by verify and by --offline, with the same answer, without the server", async () => {
    const saved = await saying(CHANGED, () => report("--save", file(), "--", ...server.launch))
    const starts = server.starts().length
    const again = await report("--offline", file())
    expect(again.evidence).toEqual(saved.evidence)
    const verified = (await world.json("verify", file())).document
    validateReport(verified)
    for (const document of [again, verified]) {
      expect(answerOf(document)).toEqual([1, "CHANGED", "surface"])
      expect(document.servers).toEqual(saved.servers)
      expect(document.logs).toEqual(saved.logs)
      expect(document.reading).toEqual(saved.reading)
    }
    const { stdout } = await world.expect(1, "verify", file())
    expect(stdout).toContain("not proven: that the server said this, and that no newer record was there")
    expect(server.starts()).toHaveLength(starts)
  })

  test("without a root nothing is proven; with a word changed it is refused", async () => {
    await report("--save", file(), "--", ...server.launch)
    expect((await world.expect(0, "verify", file())).stdout).toContain("UNCHANGED")
    const { roots } = (await world.json("verify", file())).document
    const stranger = await makeCliWorld()
    const unpinned = await stranger.json("verify", file())
    validateReport(unpinned.document)
    expect(answerOf(unpinned.document)).toEqual([2, "UNKNOWN", "root_not_pinned"])
    expect(unpinned.document.roots).toEqual([{ ...roots[0], source: null }])
    await stranger.expect(0, "verify", file(), "--root", roots[0].fingerprint)
    writeFileSync(file(), readFileSync(file(), "utf8").replace("Does search.", "Does searcj."))
    expect((await world.expect(3, "verify", file())).stderr).toContain("HASH_MISMATCH")
    const { document } = await world.json("verify", file())
    expect(document.error).toMatchObject({ code: "HASH_MISMATCH", kind: "rejected" })
  })

  test("what the kind of a file is, its content says", async () => {
    const proof = join(world.folder, "..", "no-ending")
    await world.expect(0, "log", "proof", "1", "--out", proof)
    expect((await world.expect(0, "verify", proof)).stdout).toContain("PROVEN")
    expect((await world.expect(0, "verify", world.lockfile)).stdout).toContain("PROVEN")
    writeFileSync(file(), "{}")
    expect((await world.expect(2, "verify", file())).stderr).toContain("LOCKFILE_MALFORMED")
    writeFileSync(file(), '{"format": "toolsum-evidence/v9"}')
    expect((await world.expect(2, "verify", file())).stderr).toContain("EVIDENCE_MALFORMED")
    await world.expect(2, "verify-server", "--offline", file(), "--", ...server.launch)
    await world.expect(2, "verify-server", "--offline", join(world.folder, "gone.json"))
  })

  test("evidence does not pass for a lockfile, nor for what is asked of one", async () => {
    const saved = await world.expect(0, "verify-server", "--save", file(), "--", ...server.launch)
    expect(saved.stdout).toContain("it holds all that @acme/notes said, and how it was reached, folders included\n")
    await world.expect(0, "verify", file())
    for (const more of [["--base", "HEAD"], ["--all"], ["--lock", world.lockfile], ["--user"]])
      expect((await world.expect(2, "verify", file(), ...more)).stderr).toContain("(USAGE)")
    const named = join(world.folder, "..", "toolsum.lock.json")
    writeFileSync(named, readFileSync(file()))
    expect((await world.expect(2, "verify", named)).stderr).toContain("LOCKFILE_MALFORMED")
    const proof = await world.expect(0, "log", "proof", "1")
    writeFileSync(named, proof.stdout)
    expect((await world.expect(2, "verify", named)).stderr).toContain("LOCKFILE_MALFORMED")
    await rm(named)
  })

  test("a list that repeats the value of a variable is not kept, and the value goes nowhere", async () => {
    world.env.TOKEN = SECRET
    const lists = { tools: [tool("search", `Sends ${SECRET}.`)] }
    const argv = ["--env", "TOKEN", "--save", file(), "--", ...server.launch]
    writeFileSync(file(), "before")
    const outcomes = await saying(lists, async () => [
      await world.run("verify-server", ...argv),
      await world.run("verify-server", "--json", ...argv),
    ])
    for (const { code, stdout, stderr } of outcomes) {
      expect(code).toBe(2)
      expect(stdout + stderr).not.toContain(SECRET)
      expect(stderr).toContain("not saved")
    }
    validateReport(JSON.parse(outcomes[1]?.stdout ?? ""))
    expect(readFileSync(file(), "utf8")).toBe("before")
    await rm(file())
    delete world.env.TOKEN
  })

  test("nothing but older evidence makes room for it: not a lockfile, what a link leads to, a folder", async () => {
    const link = join(world.folder, "..", "link")
    symlinkSync(world.lockfile, link)
    const before = readFileSync(world.lockfile, "utf8")
    for (const place of [world.lockfile, link, world.folder, join(world.folder, "no", "proof.json"), "/dev/null"]) {
      const { stdout, stderr } = await world.expect(2, "verify-server", "--save", place, "--", ...server.launch)
      expect([stdout, stderr]).toEqual([expect.stringContaining("UNCHANGED"), expect.stringMatching(/^not saved: /)])
    }
    expect([readFileSync(world.lockfile, "utf8"), lstatSync("/dev/null").isCharacterDevice()]).toEqual([before, true])
    writeFileSync(file(), "")
    for (const _ of ["an empty file", "older evidence"])
      await world.expect(0, "verify-server", "--save", file(), "--", ...server.launch)
    expect((await world.expect(2, "verify-server", "--offline", file(), "--save", link)).stderr).toContain("(USAGE)")
  })

  test("read as somebody, it says so", async () => {
    world.env.TOKEN = SECRET
    const { stdout } = await world.expect(
      2,
      "verify-server",
      "--env",
      "TOKEN",
      "--save",
      file(),
      "--",
      ...server.launch,
    )
    expect(stdout).toContain("it was read as env:TOKEN: look at it before you share it")
    expect(readFileSync(file(), "utf8")).not.toContain(SECRET)
    delete world.env.TOKEN
  })
})

test.each([
  { name: "nothing to read", argv: [] },
  { name: "a URL and a command", argv: ["https://example.com/mcp", "--", "node", "x.mjs"] },
  { name: "a subject of something else", argv: ["--subject", "pkg:npm/other", "--", "npx", "-y", "@acme/notes@1.2.3"] },
  { name: "a variable with its value", argv: ["--header", "Authorization: Bearer abc", "https://example.com/mcp"] },
  { name: "a profile that is none", argv: ["--profile", "anonymous", "--", "npx", "-y", "@acme/notes@1.2.3"] },
])("refused: $name", async ({ argv }) => {
  const { code, stderr } = await world.run("verify-server", ...argv)
  expect([code, stderr]).toEqual([2, expect.stringContaining("(USAGE)")])
})
