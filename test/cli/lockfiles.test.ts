// Reports on whole lockfiles: a log that is refuted although no pin rests on it, and several lockfiles in one report.
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type CliWorld, type Document, expectOneLine, makeCliWorld, makePinnedWorld, tool } from "../fakes/cli-world.js"
import { commitAll } from "../fakes/git.js"
import { validateReport } from "../fakes/report-schema.js"

async function report(world: CliWorld, ...argv: readonly string[]): Promise<Document> {
  const { document, stderr } = await world.json(...argv)
  validateReport(document)
  return { ...document, stderr }
}

describe("a log with a tampered head, on which no pin rests", () => {
  async function makeTampered(): Promise<{ world: CliWorld; origin: string }> {
    const { world } = await makePinnedWorld()
    const other = await makePinnedWorld()
    const [lock, foreign] = [await world.readLock(), await other.world.readLock()]
    const [[origin, log] = ["", null]] = Object.entries<Document>(foreign.logs)
    const [[key, head] = ["", ""]] = Object.entries<string>(log.heads)
    log.heads[key] = head.replace(/\n(\d+)\n/, "\n9\n")
    lock.logs[origin] = log
    await writeFile(world.lockfile, JSON.stringify(lock))
    return { world, origin }
  }

  test.each(["verify", "check"])("%s ends with 3 and says which log", async (command) => {
    const { world, origin } = await makeTampered()
    const document = await report(world, command)
    const verdict = command === "verify" ? "PROVEN" : "UNCHANGED"
    expect(document).toMatchObject({ exitCode: 3, ok: false, counts: { [verdict]: 1, REJECTED: 0 } })
    expect(document.refutedLogs).toMatchObject([{ log: origin, code: expect.any(String), message: expect.any(String) }])
    for (const options of [[], ["--quiet"]]) {
      const { stdout } = await world.expect(3, command, ...options)
      expect(stdout).toContain(`log ${origin}: ${document.refutedLogs[0].message}\n`)
    }
    await world.expect(3, command, ...(command === "check" ? ["notes"] : []))
  })

  test("a lockfile in order names none", async () => {
    const { world } = await makePinnedWorld()
    for (const command of ["verify", "check"]) expect((await report(world, command)).refutedLogs).toBeUndefined()
  })
})

describe("several lockfiles", () => {
  /** One pin in `a/` and the same in `b/`; the server of neither has changed. */
  async function makeTwo(): Promise<CliWorld> {
    const { world } = await makePinnedWorld()
    for (const folder of ["a", "b"]) {
      await mkdir(join(world.folder, folder))
      for (const name of ["toolsum.lock.json", ".mcp-tools"])
        await cp(join(world.folder, name), join(world.folder, folder, name), { recursive: true })
    }
    for (const name of ["toolsum.lock.json", ".mcp-tools"]) await rm(join(world.folder, name), { recursive: true })
    return world
  }
  const BOTH = ["--lock", "a/toolsum.lock.json", "--lock", "b/toolsum.lock.json"]
  const NAMES = ["a/toolsum.lock.json:notes", "b/toolsum.lock.json:notes"]

  test.each([
    { command: "verify", verdict: "PROVEN" },
    { command: "check", verdict: "UNCHANGED" },
  ])("$command is one report, names behind their files", async ({ command, verdict }) => {
    const world = await makeTwo()
    const document = await report(world, command, ...BOTH)
    expect(document).toMatchObject({ exitCode: 0, counts: { [verdict]: 2 } })
    expect(document.servers.map((server: Document) => server.name)).toEqual(NAMES)
    expect(document.roots).toHaveLength(1)
    const { stdout } = await world.expect(0, command, ...BOTH)
    expect(stdout).toContain(`2 servers: 2 ${verdict}\n`)
    // One that is named twice is one.
    expect(
      (await report(world, command, ...BOTH.slice(0, 2), "--lock", "./a/toolsum.lock.json")).servers,
    ).toMatchObject([{ name: "notes" }])
  })

  test.each(["verify", "check"])(
    "%s: a file that cannot be read does not hide what the others say",
    async (command) => {
      const world = await makeTwo()
      const lock = await readLock(world, "b")
      lock.servers.notes.approved = null
      await world.write("b/toolsum.lock.json", JSON.stringify(lock))
      await world.write("a/toolsum.lock.json", "{")
      const document = await report(world, command, ...BOTH, "--lock", "c/toolsum.lock.json")
      expect(document).toMatchObject({
        exitCode: 1,
        servers: [{ name: NAMES[1], reason: "unapproved" }],
        failedFiles: [
          { file: "a/toolsum.lock.json", error: { code: "LOCKFILE_MALFORMED", kind: "malformed" } },
          { file: "c/toolsum.lock.json", error: { code: "FILE_MISSING", kind: "usage" } },
        ],
      })
      expect(document.stderr.match(/^toolsum: [ac]\/toolsum\.lock\.json: /gm)).toHaveLength(2)
      const { stdout } = await world.expect(1, command, ...BOTH)
      expect(stdout).toContain(
        `toolsum approve notes --to ${document.servers[0].pin} --lock b/toolsum.lock.json --reason`,
      )
      lock.servers.notes.target.args.push("x")
      await world.write("b/toolsum.lock.json", JSON.stringify(lock))
      await world.expect(3, command, ...BOTH)
      await world.write("b/toolsum.lock.json", "{")
      expect(await world.expect(2, command, ...BOTH)).toMatchObject({ stdout: "" })
    },
  )

  const readLock = async (world: CliWorld, folder: string): Promise<Document> =>
    JSON.parse(await readFile(join(world.folder, folder, "toolsum.lock.json"), "utf8"))

  test("check of a name that only one of them has, and of one that none has", async () => {
    const world = await makeTwo()
    const lock = await readLock(world, "b")
    lock.servers = { other: lock.servers.notes }
    await world.write("b/toolsum.lock.json", JSON.stringify(lock))
    expect((await report(world, "check", "notes", ...BOTH)).servers).toMatchObject([{ name: NAMES[0] }])
    expectOneLine(await world.expect(2, "check", "third", ...BOTH), "NOT_PINNED", "third")
  })

  test("verify --all takes those below the git root, not those of packages, and follows no link", async () => {
    const world = await makeTwo()
    await mkdir(join(world.folder, "node_modules", "x"), { recursive: true })
    await cp(join(world.folder, "a", "toolsum.lock.json"), join(world.folder, "node_modules", "x", "toolsum.lock.json"))
    await symlink(join(world.folder, "a"), join(world.folder, "link"))
    await commitAll(world.folder)
    for (const from of [world.folder, join(world.folder, "b")]) {
      const { code, stdout } = await world.runIn(from, "verify", "--all", "--json")
      const names = JSON.parse(stdout).servers.map((server: Document) => server.name)
      expect([code, names]).toEqual([
        0,
        from === world.folder ? NAMES : ["../a/toolsum.lock.json:notes", "toolsum.lock.json:notes"],
      ])
    }
    const empty = await makeCliWorld()
    expectOneLine(await empty.expect(2, "verify", "--all"), "FILE_MISSING", "toolsum.lock.json")
  })

  test("check reads each server in its own circumstances", async () => {
    const world = await makeTwo()
    const { server } = await makePinnedWorld()
    await world.expect(0, "add", "more", "--lock", "b/toolsum.lock.json", "--", ...server.launch)
    server.say({ tools: [tool("search"), tool("write")] })
    const { stdout } = await world.expect(1, "check", ...BOTH)
    expect(stdout).toContain("toolsum update more --lock b/toolsum.lock.json")
    expect(stdout).toContain("3 servers: 2 UNCHANGED, 1 CHANGED")
  })
})
