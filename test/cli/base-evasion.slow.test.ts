// A pull request that wants `--base` to hold something else than what it changes: another file, another name, another revision, another place.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import {
  type CliWorld,
  type Document,
  expectOneLine,
  type ListedServer,
  makeCliWorld,
  makePackage,
  saying,
} from "../fakes/cli-world.js"
import { commitAll, git } from "../fakes/git.js"
import { validateReport } from "../fakes/report-schema.js"

const LOCK = "toolsum.lock.json"
const VERIFY = ["verify", "--no-config"] as const

let base = ""
let world: CliWorld
let server: ListedServer

const place = (...parts: readonly string[]): string => join(world.folder, ...parts)
const write = (file: string, value: unknown): void => writeFileSync(place(file), JSON.stringify(value))

function edit(change: (lock: Document) => void): void {
  const lock = JSON.parse(readFileSync(place(LOCK), "utf8"))
  change(lock)
  write(LOCK, lock)
}

async function commitOn(branch: string, change: () => void): Promise<void> {
  git(world.folder, "checkout", "--quiet", "-b", branch)
  change()
  await commitAll(world.folder)
}

/** What is found, as `kind name status`. */
function findingsOf(document: Document): readonly string[] {
  validateReport(document)
  return document.bases.flatMap(({ lockfile, findings }: Document) =>
    findings.map(({ kind, name, status }: Document) => `${lockfile} ${kind} ${name} ${status}`),
  )
}

async function held(cwd: string, ...argv: readonly string[]) {
  const { code, stdout } = await world.runIn(cwd, ...VERIFY, ...argv, "--json")
  return { code, findings: findingsOf(JSON.parse(stdout)) }
}

/** Branches: first pins the first list of a package, main the second, both approved. */
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "toolsum-test-"))
  world = await makeCliWorld(base)
  server = await makePackage(world, saying("One."))
  await world.expect(0, "add", "notes", "--", ...server.launch)
  await commitAll(world.folder)
  git(world.folder, "branch", "--move", "first")
  server.say(saying("Two."))
  await world.run("update", "notes")
  const { servers } = (await world.json(...VERIFY)).document
  await world.expect(0, "approve", "notes", "--to", servers[0].pin, "--reason", "read", "--by", "ada@example.com")
  git(world.folder, "checkout", "--quiet", "-b", "main")
  await commitAll(world.folder)
}, 120_000)

beforeEach(() => {
  git(world.folder, "checkout", "--quiet", "--force", "main")
  git(world.folder, "clean", "-ffdq")
})

afterAll(() => rm(base, { recursive: true, force: true }))

/** The pin of the first branch under another name. */
function replayAs(name: string): void {
  const first = JSON.parse(git(world.folder, "show", `first:${LOCK}`))
  edit((lock) => {
    lock.servers[name] = first.servers.notes
    for (const [origin, log] of Object.entries<Document>(lock.logs)) Object.assign(log.heads, first.logs[origin].heads)
  })
  writeFileSync(place(".mcp-tools", `${name}.json`), git(world.folder, "show", "first:.mcp-tools/notes.json"))
}

describe("another name", () => {
  test("an older record does not come back by it, whether the newer pin stays or is removed", async () => {
    replayAs("again")
    expect(await held(world.folder, "--base", "main")).toEqual({ code: 1, findings: [`${LOCK} order again open`] })
    edit((lock) => {
      delete lock.servers.notes
      lock.removed = { notes: { at: "2026-12-01T00:00:00Z", by: "bob@example.com", reason: "unused" } }
    })
    rmSync(place(".mcp-tools", "notes.json"))
    const gone = await held(world.folder, "--base", "main")
    expect(gone).toEqual({ code: 1, findings: [`${LOCK} removed notes passed`, `${LOCK} order again open`] })
  })

  test.each([
    [{ live: "never" }, "open", 1],
    [{ failOn: "critical" }, "open", 1],
    [{ live: "required" }, "passed", 0],
  ])("of which the base asks %j", async (wishes, status, code) => {
    await commitOn(`asks-${Object.entries(wishes).join("-").replace(",", "-")}`, () =>
      write("toolsum.json", { servers: { other: wishes } }),
    )
    edit((lock) => {
      lock.servers.other = lock.servers.notes
      delete lock.servers.notes
    })
    renameSync(place(".mcp-tools", "notes.json"), place(".mcp-tools", "other.json"))
    const branch = git(world.folder, "branch", "--show-current").trim()
    expect(await held(world.folder, "--base", branch)).toEqual({ code, findings: [`${LOCK} removed notes ${status}`] })
  })

  test("a launch line that starts something else than what was recorded", async () => {
    edit((lock) => {
      lock.servers.other = { ...lock.servers.notes, target: { command: "sh", args: ["-c", "true"], env: [] } }
    })
    cpSync(place(".mcp-tools", "notes.json"), place(".mcp-tools", "other.json"))
    expect((await held(world.folder, "--base", "main")).code).toBe(3)
  })
})

describe("a lockfile that is not found", () => {
  const NESTED = `sub/${LOCK}`

  beforeAll(async () => {
    git(world.folder, "checkout", "--quiet", "--force", "main")
    await commitOn("nested", () => {
      mkdirSync(place("sub"))
      cpSync(place(LOCK), place(NESTED))
      cpSync(place(".mcp-tools"), place("sub", ".mcp-tools"), { recursive: true })
    })
  })

  beforeEach(() => void git(world.folder, "checkout", "--quiet", "--force", "nested"))

  test("nothing differs while it is there", async () => {
    expect(await held(world.folder, "--all", "--base", "nested")).toEqual({ code: 0, findings: [] })
    expect(await held(place("sub"), "--base", "nested")).toEqual({ code: 0, findings: [] })
  })

  test("it is gone: among all, and from where its pins were the nearest", async () => {
    rmSync(place(NESTED))
    const gone = { code: 1, findings: [`${NESTED} lockfile  open`] }
    expect(await held(world.folder, "--all", "--base", "nested")).toEqual(gone)
    expect(await held(place("sub"), "--base", "nested")).toEqual(gone)
  })

  test("its folder is gone, too, or every lockfile is", async () => {
    rmSync(place("sub"), { recursive: true })
    expect(await held(world.folder, "--all", "--base", "nested")).toEqual({
      code: 1,
      findings: [`${NESTED} lockfile  open`],
    })
    rmSync(place(LOCK))
    expect((await held(world.folder, "--all", "--base", "nested")).findings).toHaveLength(2)
  })

  test.each([
    [
      "a symbolic link",
      () => {
        renameSync(place("sub"), place("elsewhere"))
        symlinkSync("elsewhere", place("sub"))
      },
    ],
    ["another repository", () => void git(place("sub"), "init", "--quiet")],
  ])("%s is in its folder's place", async (what, act) => {
    act()
    const outcome = await world.expect(2, ...VERIFY, "--lock", NESTED, "--base", "nested")
    expectOneLine(outcome, what, "CONFIG_INVALID")
    expect((await world.run(...VERIFY, "--all", "--base", "nested")).code).toBeGreaterThan(0)
  })
})

test("a lockfile of another kind in its place", async () => {
  await commitOn("custom", () => cpSync(place(LOCK), place("pins.json")))
  write("pins.json", { format: "mcp-tools-lock/v1" })
  const outcome = await world.run(...VERIFY, "--lock", "pins.json", "--base", "custom")
  expect(outcome.code).toBe(2)
  expect(outcome.stdout).toBe("")
})

test("a tag called as the branch is", async () => {
  await commitOn("topic", () => undefined)
  git(world.folder, "tag", "topic", "first")
  expectOneLine(await world.expect(2, ...VERIFY, "--base", "topic"), "more than one", "USAGE")
  await world.expect(0, ...VERIFY, "--base", "refs/heads/topic")
})

describe("every format of check", () => {
  test.each(["json", "markdown", "html", "sarif", "github", "text"])(
    "%s tells what to accept, once",
    async (format) => {
      rmSync(place(".mcp-tools"), { recursive: true })
      const { code, stdout } = await world.run("check", "--format", format, "--base", "main")
      expect(code).toBe(1)
      expect(format === "json" ? stdout : stdout.replace(/\s+/g, " ")).toMatch(
        /--accept sha256:[0-9a-f]{64}|"accept": "sha256:[0-9a-f]{64}"/,
      )
      if (format === "json") expect(findingsOf(JSON.parse(stdout))).toEqual([`${LOCK} definitions notes open`])
      if (format === "sarif") expect(JSON.parse(stdout)).toMatchObject({ version: "2.1.0" })
    },
  )
})
