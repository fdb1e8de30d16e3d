import { spawnSync } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { MERGE_DRIVER } from "../../src/adapters/git-merge-driver.js"
import { formatLockfile, type Lockfile, parseLockfile } from "../../src/core/lockfile.js"
import { formatRootArgument } from "../../src/core/root.js"
import { mergeLockfiles } from "../../src/features/merge-lockfiles.js"
import { EMPTY_LOCKFILE } from "../../src/features/pins.js"
import { buildCli } from "../fakes/built-cli.js"
import { expectOneLine, makeCliWorld } from "../fakes/cli-world.js"
import { commitAll, git } from "../fakes/git.js"
import { editPin, type LockedProject, makeLockedProject, ROOT, removeFrom, renameIn } from "../fakes/locked-project.js"
import { validateReport } from "../fakes/report-schema.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const NAME = "toolsum.lock.json"
const text = formatLockfile

let built: string
let bin: string
let project: LockedProject
let base: Lockfile
let left: Lockfile
let right: Lockfile
let disputedLeft: Lockfile
let disputedRight: Lockfile
let refuted: Lockfile

beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), "toolsum-built-"))
  bin = await buildCli(built)
  project = await makeLockedProject()
  const pin = (lockfile: Lockfile, name: string, ...tools: string[]) => project.pin(lockfile, { name, tools })
  base = EMPTY_LOCKFILE
  for (const name of ["keep", "left", "right", "old-left", "old-right"]) base = await pin(base, name, "a")
  left = removeFrom(await pin(await pin(base, "new-left", "a"), "left", "a", "b"), "old-left")
  right = removeFrom(await pin(await pin(base, "new-right", "a"), "right", "a", "c"), "old-right")
  disputedLeft = await pin(left, "keep", "x")
  disputedRight = await pin(right, "keep", "y")
  refuted = editPin(right, "keep", (one) => ({ ...one, record: (one.record ?? "").replace("npm/", "npn/") }))
})

afterAll(() => rm(built, { recursive: true, force: true }))

/** A repository whose two branches have `ours` and `theirs` since `from`; null: no lockfile. Checked out: ours. */
async function makeRepository(p: {
  from: string | null
  ours: string
  theirs: string
  path?: string
}): Promise<Repository> {
  const folder = await makeTempFolder()
  const path = p.path ?? NAME
  const write = async (content: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
    await commitAll(folder)
  }
  await writeFile(join(folder, ".gitattributes"), `${NAME} merge=${MERGE_DRIVER}\n`)
  await commitAll(folder)
  git(folder, "config", `merge.${MERGE_DRIVER}.driver`, `"${process.execPath}" "${bin}" lock merge %O %A %B %P`)
  if (p.from !== null) await write(p.from)
  git(folder, "branch", "theirs")
  await write(p.ours)
  git(folder, "switch", "--quiet", "theirs")
  await write(p.theirs)
  git(folder, "switch", "--quiet", "-")
  return {
    folder,
    read: () => readFile(join(folder, path), "utf8"),
    write: (content) => writeFile(join(folder, path), content),
    git: (...args) => tryGit(folder, args),
    verify: () => {
      const { status, stderr } = spawnSync(
        process.execPath,
        [bin, "verify", path, "--root", formatRootArgument(ROOT), "--no-definitions"],
        { cwd: folder, encoding: "utf8" },
      )
      return { code: status ?? -1, stderr, stdout: "" }
    },
  }
}

interface Repository {
  readonly folder: string
  readonly read: () => Promise<string>
  readonly write: (content: string) => Promise<void>
  /** Exit code of git, and everything it said. */
  readonly git: (...args: readonly string[]) => { code: number; said: string }
  readonly verify: () => { code: number; stderr: string; stdout: string }
}

function tryGit(folder: string, args: readonly string[]): { code: number; said: string } {
  try {
    return { code: 0, said: git(folder, ...args) }
  } catch (error) {
    if (!(error instanceof Error && "status" in error && "stdout" in error && "stderr" in error)) throw error
    return { code: Number(error.status), said: `${error.stdout}${error.stderr}` }
  }
}

const takeSide = (conflict: string, side: "ours" | "theirs"): string =>
  conflict.replace(/^<{7} ours\n([\s\S]*?)^={7}\n([\s\S]*?)^>{7} theirs\n/gm, side === "ours" ? "$1" : "$2")

describe("git", () => {
  test("merges two branches that each added, updated and removed pins; the result is proven", async () => {
    const repository = await makeRepository({ from: text(base), ours: text(left), theirs: text(right) })
    expect(repository.git("merge", "--no-edit", "theirs")).toMatchObject({ code: 0 })
    const merged = await repository.read()
    expect(merged).toBe(text(mergeLockfiles({ base, ours: left, theirs: right }).lockfile))
    expect(Object.keys(parseLockfile(merged).servers).sort()).toEqual([
      "keep",
      "left",
      "new-left",
      "new-right",
      "right",
    ])
    expect(repository.verify().code).toBe(0)
  })

  test.each([
    { name: "rebases", args: ["rebase", "theirs"] },
    { name: "picks a commit", args: ["cherry-pick", "theirs"] },
  ])("$name", async ({ args }) => {
    const repository = await makeRepository({ from: text(base), ours: text(left), theirs: text(right) })
    expect(repository.git(...args).code).toBe(0)
    expect(await repository.read()).toBe(text(mergeLockfiles({ base, ours: left, theirs: right }).lockfile))
  })

  test("merges a lockfile that both branches began, in a folder with a space and a quote", async () => {
    const [ours, theirs] = [
      { ...left, removed: {} },
      { ...left, removed: {}, servers: right.servers, logs: right.logs },
    ]
    const path = `it's here/${NAME}`
    const repository = await makeRepository({ from: null, ours: text(ours), theirs: text(theirs), path })
    const outcome = repository.git("merge", "--no-edit", "theirs")
    const { conflicts } = mergeLockfiles({ base: EMPTY_LOCKFILE, ours, theirs })
    expect(conflicts.map(({ name }) => name)).toEqual(["left", "right"])
    expect(outcome.code).toBe(1)
    expect(outcome.said).toContain(`it's here/${NAME}: merged but for what both sides changed:`)
  })

  test("leaves one conflict for a pin that both sides updated: refused by every command, and either side is a lockfile", async () => {
    const [ours, theirs] = [disputedLeft, disputedRight]
    const repository = await makeRepository({ from: text(base), ours: text(ours), theirs: text(theirs) })
    const { code, said } = repository.git("merge", "--no-edit", "theirs")
    expect(code).toBe(1)
    expect(said).toContain("pin keep: updated differently on both sides\n")
    expect(said).toContain("the same side of .mcp-tools/keep.json")
    expect(repository.git("status", "--porcelain").said).toBe(`UU ${NAME}\n`)
    const conflict = await repository.read()
    expect(conflict.match(/^<{7} ours$/gm)).toHaveLength(1)
    const refusal = repository.verify()
    expect(refusal.code).toBe(2)
    expectOneLine(refusal, NAME, "conflict markers", "LOCKFILE_MALFORMED")
    const merged = mergeLockfiles({ base, ours, theirs })
    for (const [side, expected] of [
      ["ours", merged.lockfile],
      ["theirs", merged.otherwise],
    ] as const) {
      await repository.write(takeSide(conflict, side))
      expect(await repository.read()).toBe(text(expected))
      expect(repository.verify().code).toBe(0)
    }
  })

  test("leaves a conflict for a pin that one side removed and the other updated", async () => {
    const ours = removeFrom(left, "keep")
    const repository = await makeRepository({ from: text(base), ours: text(ours), theirs: text(disputedRight) })
    expect(repository.git("merge", "--no-edit", "theirs").code).toBe(1)
    const conflict = await repository.read()
    expect(parseLockfile(takeSide(conflict, "ours")).servers.keep).toBeUndefined()
    expect(parseLockfile(takeSide(conflict, "theirs")).servers.keep).toEqual(disputedRight.servers.keep)
  })

  test("takes in nothing of a side whose evidence fails; both are in the file, between markers", async () => {
    const repository = await makeRepository({ from: text(base), ours: text(left), theirs: text(refuted) })
    const { code, said } = repository.git("merge", "--no-edit", "theirs")
    expect(code).toBe(1)
    expect(said).toMatch(/^toolsum: theirs: keep: .* \(INCLUSION_INVALID\)$/m)
    const conflict = await repository.read()
    expect(takeSide(conflict, "ours")).toBe(text(left))
    expect(takeSide(conflict, "theirs")).toBe(text(refuted))
    expect(repository.verify().code).toBe(2)
  })

  test("takes in nothing of a side that this version cannot read", async () => {
    const newer = text(right).replace("toolsum-lock/v1", "toolsum-lock/v2")
    const repository = await makeRepository({ from: text(base), ours: text(left), theirs: newer })
    const { code, said } = repository.git("merge", "--no-edit", "theirs")
    expect(code).toBe(1)
    expect(said).toContain(`theirs of "${NAME}": format: `)
    expect(takeSide(await repository.read(), "theirs")).toBe(newer)
  })

  test("merges branches that have merged each other before", async () => {
    const repository = await makeRepository({ from: text(base), ours: text(left), theirs: text(right) })
    const run = (...args: string[]) => expect(repository.git(...args)).toMatchObject({ code: 0 })
    // Each takes in the other's first commit, so that there are two common ancestors.
    run("branch", "left-1")
    run("branch", "right-1", "theirs")
    run("merge", "--no-edit", "right-1")
    await repository.write(text(renameIn(parseLockfile(await repository.read()), "new-left", "newest-left")))
    run("commit", "--quiet", "--all", "--message", "rename")
    run("switch", "--quiet", "theirs")
    run("merge", "--no-edit", "left-1")
    await repository.write(text(removeFrom(parseLockfile(await repository.read()), "right")))
    run("commit", "--quiet", "--all", "--message", "remove")
    expect(repository.git("merge-base", "--all", "theirs", "@{-1}").said.trim().split("\n")).toHaveLength(2)
    run("switch", "--quiet", "-")
    run("merge", "--no-edit", "theirs")
    expect(Object.keys(parseLockfile(await repository.read()).servers).sort()).toEqual([
      "keep",
      "left",
      "new-right",
      "newest-left",
    ])
    expect(repository.verify().code).toBe(0)
  })
})

describe("lock merge", () => {
  async function makeFiles(contents: { base: string; ours: string; theirs: string | Uint8Array }) {
    const world = await makeCliWorld()
    for (const [name, content] of Object.entries(contents)) await world.write(name, content)
    return {
      world,
      merge: (...more: string[]) => world.run("lock", "merge", "base", "ours", "theirs", ...more),
      ours: () => readFile(join(world.folder, "ours"), "utf8"),
    }
  }

  test("is silent when all is merged, and has one document with --json", async () => {
    const { merge, ours } = await makeFiles({ base: "", ours: text(base), theirs: text(left) })
    expect(await merge("shown.json")).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("shown.json: ") })
    const clean = await makeFiles({ base: text(base), ours: text(left), theirs: text(right) })
    expect(await clean.merge()).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(await clean.ours()).toBe(text(mergeLockfiles({ base, ours: left, theirs: right }).lockfile))
    const { code, document } = await clean.world.json("lock", "merge", "base", "ours", "theirs")
    expect({ code, document }).toMatchObject({ code: 0, document: { command: "lock merge", conflicts: [] } })
    validateReport(document)
    expect(await ours()).toContain("<<<<<<< ours")
  })

  test("names conflicts in its document", async () => {
    const files = { base: text(base), ours: text(disputedLeft), theirs: text(disputedRight) }
    const { world } = await makeFiles(files)
    const { code, document } = await world.json("lock", "merge", "base", "ours", "theirs")
    const conflicts = [{ kind: "pin", name: "keep", what: "updated differently on both sides" }]
    expect({ code, document }).toMatchObject({ code: 1, document: { ok: false, exitCode: 1, conflicts } })
    validateReport(document)
  })

  test("leaves another spelling of the result as it is", async () => {
    const spelled = JSON.stringify(JSON.parse(text(left)))
    const { merge, ours } = await makeFiles({ base: text(base), ours: spelled, theirs: text(base) })
    expect((await merge()).code).toBe(0)
    expect(await ours()).toBe(spelled)
  })

  test.each<{ name: string; files: () => Parameters<typeof makeFiles>[0]; code: number; said: string }>([
    {
      name: "ours that is no lockfile",
      files: () => ({ base: text(base), ours: "{}", theirs: text(right) }),
      code: 2,
      said: 'ours of "ours": ',
    },
    {
      name: "a common ancestor with conflict markers",
      files: () => ({ base: "<<<<<<< ours\n", ours: text(left), theirs: text(right) }),
      code: 2,
      said: "the common ancestor of ",
    },
    {
      name: "theirs with evidence that fails",
      files: () => ({ base: text(base), ours: text(left), theirs: text(refuted) }),
      code: 3,
      said: "INCLUSION_INVALID",
    },
  ])("puts markers around everything that differs for $name", async ({ files, code, said }) => {
    const contents = files()
    const { merge, ours } = await makeFiles(contents)
    const outcome = await merge()
    expect(outcome).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(said) })
    expect(outcome.stderr).toMatch(/^ours was not merged: .*\ntoolsum: .*\n$/)
    const conflict = await ours()
    expect(takeSide(conflict, "ours")).toBe(contents.ours.endsWith("\n") ? contents.ours : `${contents.ours}\n`)
    expect(takeSide(conflict, "theirs")).toBe(contents.theirs)
  })

  test.each([
    { name: "bytes that are no text", theirs: new Uint8Array([0xff, 0xfe]) },
    { name: "more than any lockfile has", theirs: new Uint8Array(16 * 1024 * 1024 + 1) },
  ])("leaves ours alone for $name", async ({ theirs }) => {
    const { merge, ours } = await makeFiles({ base: text(base), ours: text(left), theirs })
    const outcome = await merge()
    expect(outcome.code).toBe(2)
    expectOneLine(outcome)
    expect(await ours()).toBe(text(left))
  })

  test.each([
    { name: "two files", words: ["base", "ours"], code: "USAGE" },
    { name: "files and --install", words: ["base", "ours", "theirs", "--install"], code: "USAGE" },
    { name: "a missing file", words: ["base", "ours", "nothing"], code: "FILE_MISSING" },
    { name: "a missing common ancestor", words: ["nothing", "ours", "theirs"], code: "FILE_MISSING" },
    { name: "a folder", words: ["base", "ours", "."], code: "LOCKFILE_MALFORMED" },
  ])("refuses $name", async ({ words, code }) => {
    const { world, ours } = await makeFiles({ base: text(base), ours: text(left), theirs: text(right) })
    const outcome = await world.run("lock", "merge", ...words)
    expect(outcome.code).toBe(2)
    expectOneLine(outcome, code)
    expect(await ours()).toBe(text(left))
  })
})

describe("lock merge --install", () => {
  test("sets git up once; without it the lines are shown", async () => {
    const world = await makeCliWorld()
    await world.write("bin/toolsum", "")
    world.env.PATH = `${join(world.folder, "bin")}${delimiter}${process.env.PATH ?? ""}`
    const shown = await world.expect(0, "lock", "merge")
    expect(shown.stdout).toContain(`git config merge.toolsum-lock.driver 'toolsum lock merge %O %A %B %P'`)
    expect(shown.stdout).toContain(`${NAME} text eol=lf merge=toolsum-lock`)
    await world.write(".gitattributes", "*.txt text")
    await world.write("sub/file", "")
    await commitAll(world.folder)
    expect((await world.runIn(join(world.folder, "sub"), "lock", "merge", "--install")).code).toBe(0)
    expect(git(world.folder, "config", "merge.toolsum-lock.driver")).toBe("toolsum lock merge %O %A %B %P\n")
    expect(git(world.folder, "check-attr", "merge", `sub/${NAME}`)).toContain("merge: toolsum-lock")
    const attributes = await readFile(join(world.folder, ".gitattributes"), "utf8")
    expect(attributes).toBe(`*.txt text\n${NAME} text eol=lf merge=toolsum-lock\n`)
    const again = await world.json("lock", "merge", "--install")
    expect(again.document).toMatchObject({ installed: true, added: false })
    validateReport(again.document)
    expect(await readFile(join(world.folder, ".gitattributes"), "utf8")).toBe(attributes)
  })

  test("starts this very script where nothing of that name is on the path", async () => {
    const world = await makeCliWorld()
    world.env.PATH = join(world.folder, "nothing")
    const { document } = await world.json("lock", "merge")
    const driver = `"${process.execPath}" "${process.argv[1]}" lock merge %O %A %B %P`
    expect(document).toMatchObject({ config: { "merge.toolsum-lock.driver": driver } })
  })

  test("starts it through npx where npm started it", async () => {
    const world = await makeCliWorld()
    world.env.npm_command = "exec"
    await commitAll(world.folder)
    await world.expect(0, "lock", "merge", "--install")
    expect(git(world.folder, "config", "merge.toolsum-lock.driver")).toBe("npx toolsum lock merge %O %A %B %P\n")
  })

  test("is refused outside git", async () => {
    const outcome = await (await makeCliWorld()).run("lock", "merge", "--install")
    expect(outcome.code).toBe(2)
    expectOneLine(outcome, "git work tree", "USAGE")
  })
})
