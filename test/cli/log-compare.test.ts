import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createFileState } from "../../src/adapters/state-fs.js"
import { openLogClient } from "../../src/client/open-log.js"
import { headKey } from "../../src/core/checkpoint.js"
import { type ForkEvidence, formatForkEvidence } from "../../src/core/fork-evidence.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"
import { formatProofFile } from "../../src/core/proof-file.js"
import { type CliWorld, makeCliWorld, NOW } from "../fakes/cli-world.js"
import { entries, logOf } from "../fakes/client-world.js"
import { HostileLog } from "../fakes/hostile-log.js"
import { validateReport } from "../fakes/report-schema.js"
import { serveFiles, writeLog } from "../fakes/served-log.js"

/** A lockfile that has these heads of a log, and no pin. */
const lockfileOf = (log: HostileLog, sizes: readonly bigint[]): string =>
  formatPrettyJson({
    format: "toolsum-lock/v1",
    logs: {
      [log.origin]: {
        ...{ dialect: "tlog-tiles", url: null, keyring: log.keyrings, links: {} },
        heads: Object.fromEntries(sizes.map((size) => [headKey(log.headAt(size)), log.headAt(size).note])),
      },
    },
    servers: {},
    removed: {},
  })

/** A world that pins the root of `log`. */
async function makeWorld(log: HostileLog): Promise<CliWorld> {
  const world = await makeCliWorld()
  world.env.TOOLSUM_ROOT = `${log.origin}=${log.root.fingerprint}`
  return world
}

/** Let this account see the log at each of these sizes. */
async function remember(world: CliWorld, log: HostileLog, ...sizes: readonly bigint[]): Promise<void> {
  const state = createFileState(join(world.home, "state"))
  for (const size of sizes) {
    log.servedSize = size
    await openLogClient({ source: log, roots: [log.root], state, clock: () => NOW })
  }
  log.servedSize = null
}

const rows = (stdout: string) => stdout.split("\n").filter((line) => line.startsWith("  "))

test("every kind of view, compared with the newest", async () => {
  const log = logOf(20)
  const world = await makeWorld(log)
  await remember(world, log, 5n, 12n)
  await world.write("a.lock.json", lockfileOf(log, [3n, 8n]))
  await world.write("head", log.headAt(9n).note)
  const proof = { extra: null, index: 0n, proof: [], checkpoint: log.headAt(1n).note }
  await world.write("one.tlog-proof", formatProofFile(proof))
  await writeLog(log, join(world.folder, "log"))
  const host = await serveFiles(async (path) => (path === "mirror/checkpoint" ? log.headAt(7n).note : null))
  const views = ["a.lock.json", "head", "one.tlog-proof", "log", "state", `${host}mirror/`, `${host}mirror/checkpoint`]
  const { stdout, stderr } = await world.expect(0, "log", "compare", ...views)
  expect(stderr).toBe("")
  expect(stdout.split("\n")[0]).toBe(`log.example/test  root ${log.root.fingerprint} (env)`)
  expect(rows(stdout).map((row) => row.trim().split(/ {2,}/))).toMatchObject(
    [
      ["view", "newest", "root"],
      ["a.lock.json", "8", /./, "agrees: a proven prefix, 12 entries behind"],
      ["head", "9", /./, "agrees: a proven prefix, 11 entries behind"],
      ["one.tlog-proof", "1", /./, "agrees: a proven prefix, 19 entries behind"],
      ["log", "20", /./, "the newest"],
      ["state", "12", /./, "agrees: a proven prefix, 8 entries behind"],
      [`${host}mirror/`, "7", /./, "agrees: a proven prefix, 13 entries behind"],
      [`${host}mirror/checkpoint`, "7", /./, "agrees: a proven prefix, 13 entries behind"],
    ].map((row) => row.map((cell) => (cell instanceof RegExp ? expect.stringMatching(cell) : cell))),
  )
  expect(stdout).toMatch(/\n1 log in 7 views: 7 agree\n$/)
  const { document } = await world.json("log", "compare", ...views)
  validateReport(document)
  expect(document.logs[0].views[3]).toMatchObject({ name: "log", standing: "newest", newest: { size: "20" } })
})

test("a log behind a URL, with its tiles", async () => {
  const log = logOf(20)
  const world = await makeWorld(log)
  await world.write("head", log.headAt(9n).note)
  const url = await serveFiles((path) => log.read(path, 2 ** 24))
  expect((await world.expect(0, "log", "compare", url, "head")).stdout).toContain("11 entries behind")
})

test("a fork: exit code 3, and evidence that verify proves", async () => {
  const log = logOf(20)
  const twin = log.fork(10n).append(...entries(100, 120))
  const world = await makeWorld(log)
  await world.write("a.lock.json", lockfileOf(log, [20n]))
  await writeLog(twin, join(world.folder, "twin"))
  const { code, document } = await world.json("log", "compare", "a.lock.json", "twin")
  validateReport(document)
  expect(code).toBe(3)
  expect(document.logs[0].forks).toMatchObject([{ code: "LOG_INCONSISTENT", kind: "rejected" }])
  const { stdout } = await world.expect(3, "log", "compare", "a.lock.json", "twin")
  expect(stdout).toContain("1 log in 2 views: 1 contradiction of a log with itself\n")
  const [file = ""] = await readdir(join(world.home, "state", "evidence"))
  expect(stdout).toContain(`evidence: ${join(world.home, "state", "evidence", file)}`)
  await world.expect(1, "verify", join(world.home, "state", "evidence", file))
  // The evidence is a view, too.
  await world.write("kept.tlog-fork", await readFile(join(world.home, "state", "evidence", file)))
  await world.expect(3, "log", "compare", "kept.tlog-fork", "twin")
})

describe("exit code 2", () => {
  test("where nothing ties two heads together", async () => {
    const log = logOf(20)
    const world = await makeWorld(log)
    await world.write("a", log.headAt(9n).note)
    await world.write("b.lock.json", lockfileOf(log, [20n]))
    const { stdout } = await world.expect(2, "log", "compare", "a", "b.lock.json")
    expect(stdout).toContain("not comparable: no proof here ties it to the newest")
    expect(stdout).toMatch(/\n1 log in 2 views: 1 not comparable: give the log's folder or URL as a view, too\n$/)
  })

  test("where no two views have seen one log", async () => {
    const [log, other] = [logOf(3), new HostileLog("log.example/other").append("x")]
    const world = await makeWorld(log)
    await world.write("a.lock.json", lockfileOf(log, [3n]))
    await world.write("b.lock.json", lockfileOf(other, [1n]))
    world.env.TOOLSUM_ROOT = `${log.root.fingerprint} ${other.root.fingerprint}`
    expect((await world.expect(2, "log", "compare", "a.lock.json", "b.lock.json")).stdout).toContain("nothing compared")
    expect((await world.expect(2, "log", "compare", "a.lock.json", "state")).stdout).toContain("nothing compared")
  })

  test("for a root that is not pinned, with what to compare", async () => {
    const log = logOf(3)
    const world = await makeCliWorld()
    await world.write("a.lock.json", lockfileOf(log, [3n]))
    await world.write("b", log.headAt(3n).note)
    const { stdout } = await world.expect(2, "log", "compare", "a.lock.json", "b")
    expect(stdout).toContain(
      `not compared: no root is pinned for this log; its keyring starts from ${log.root.fingerprint}`,
    )
  })

  test.each([
    { name: "nothing", view: "nowhere", code: "FILE_MISSING" },
    { name: "a file that is no view", view: "garbage", code: "NOTE_MALFORMED" },
    { name: "a folder without a log", view: ".", code: "RESOURCE_MISSING" },
    { name: "a host without a log", view: "http://127.0.0.1:9/", code: "LOG_UNAVAILABLE" },
  ])("for $name, and the others are compared", async ({ view, code }) => {
    const log = logOf(3)
    const world = await makeWorld(log)
    await world.write("a.lock.json", lockfileOf(log, [3n]))
    await world.write("b", log.headAt(3n).note)
    await world.write("garbage", "garbage\n")
    const { code: exit, document } = await world.json("log", "compare", "a.lock.json", "b", view)
    validateReport(document)
    expect(exit).toBe(2)
    expect(document.logs[0].views).toMatchObject([{ standing: "newest" }, { standing: "newest" }])
    expect(document.unreadViews).toMatchObject([{ name: view, error: { code } }])
    if (code !== "FILE_MISSING") return
    const { stdout, stderr } = await world.expect(2, "log", "compare", "a.lock.json", "b", view)
    expect(stdout).toContain("2 agree; 1 could not be read")
    expect(stderr).toMatch(/^toolsum: nowhere: .*\(FILE_MISSING\)\n$/)
  })
})

describe("verify FILE.tlog-fork", () => {
  const log = logOf(10)
  const twin = log.fork(9n).append("other")
  const evidence: ForkEvidence = {
    ...{ code: "LOG_INCONSISTENT", origin: log.origin, why: "kept\u202e", prefix: null, keyrings: log.keyrings },
    ...{ a: log.headAt(10n).note, b: twin.headAt(10n).note },
  }
  const text = formatForkEvidence(evidence)

  test("says what was signed by which key, what that proves and what not: exit code 1", async () => {
    const world = await makeWorld(log)
    await world.write("x.tlog-fork", text)
    const { stdout } = await world.expect(1, "verify", "x.tlog-fork")
    expect(stdout).toMatch(/^PROVEN {2}log\.example\/test: signed two trees of size 10\n/)
    for (const part of ["signed by log.example/test+", "    proven: ", "    not proven: ", log.root.fingerprint])
      expect(stdout).toContain(part)
    const { document } = await world.json("verify", "x.tlog-fork")
    validateReport(document)
    expect(document).toMatchObject({ verdict: "PROVEN", finding: "two_trees", roots: [{ source: "env" }] })
  })

  test("is known by its content, and not by what it is called alone", async () => {
    const world = await makeWorld(log)
    await world.write("evidence.json", text)
    await world.expect(1, "verify", "evidence.json")
    await world.write("toolsum.lock.json", text)
    await world.expect(2, "verify", "toolsum.lock.json")
    await world.write("x.tlog-fork", "{}")
    expect((await world.expect(2, "verify", "x.tlog-fork")).stderr).toContain("(EVIDENCE_MALFORMED)")
  })

  test.each([
    { name: "a rollback", over: { code: "LOG_ROLLBACK", a: log.headAt(5n).note }, says: "went_back", code: 2 },
    { name: "one tree twice", over: { b: log.headAt(10n).note }, says: "EVIDENCE_INVALID", code: 3 },
    { name: "no keyrings", over: { keyrings: [] }, says: "EVIDENCE_MALFORMED", code: 2 },
  ] as const)("$name: exit code $code", async ({ over, says, code }) => {
    const world = await makeWorld(log)
    await world.write("x.tlog-fork", formatForkEvidence({ ...evidence, ...over }))
    const outcome = await world.json("verify", "x.tlog-fork")
    validateReport(outcome.document)
    expect(outcome.code).toBe(code)
    expect(outcome.document.finding ?? outcome.document.error.code).toBe(says)
    const { stdout } = await world.run("verify", "x.tlog-fork")
    if (says === "went_back") expect(stdout).toContain('kept because: "kept\\u202e"')
  })

  test("without a pinned root it says what to compare; options of lockfiles are refused", async () => {
    const world = await makeCliWorld()
    await world.write("x.tlog-fork", text)
    const { stderr } = await world.expect(2, "verify", "x.tlog-fork")
    expect(stderr).toContain(`its keyring starts from ${log.root.fingerprint}; compare that with`)
    expect((await world.expect(2, "verify", "x.tlog-fork", "--all")).stderr).toContain("--all is for lockfiles")
  })
})
