// `verify --base` and `check --base` on a real repository: a good case, a bad one for each rule, and the same with what is printed accepted.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import {
  type CliWorld,
  type Document,
  expectOneLine,
  type ListedServer,
  makePinnedWorld,
  tool,
} from "../fakes/cli-world.js"
import { commitAll, git } from "../fakes/git.js"
import { validateReport } from "../fakes/report-schema.js"

let base = ""
let world: CliWorld
let server: ListedServer

const LOCK = "toolsum.lock.json"
const FILES = [LOCK, ".mcp-tools"]

function edit(change: (lock: Document) => void): void {
  const path = join(world.folder, LOCK)
  const lock = JSON.parse(readFileSync(path, "utf8"))
  change(lock)
  writeFileSync(path, JSON.stringify(lock))
}

const write = (file: string, value: unknown): void => writeFileSync(join(world.folder, file), JSON.stringify(value))

async function held(ref: string, ...options: readonly string[]) {
  const { code, document, stderr } = await world.json("verify", "--no-config", "--base", ref, ...options)
  validateReport(document)
  const findings: Document[] = document.bases?.[0]?.findings ?? []
  return { code, document, findings, stderr, kinds: findings.map(({ kind, status }) => `${kind} ${status}`) }
}

/** Every open difference accepted. */
const acceptAll = (findings: readonly Document[]): readonly string[] =>
  findings.flatMap(({ accept, status }) => (status === "open" ? ["--accept", accept] : []))

async function update(description: string): Promise<void> {
  server.say({ tools: [tool("search", description)] })
  await world.run("update", "notes") // ends with 1: what is new waits for approval
}

async function approve(): Promise<void> {
  const { servers } = (await world.json("verify", "--no-config")).document
  await world.expect(0, "approve", "notes", "--to", servers[0].pin, "--reason", "read", "--by", "ada@example.com")
}

const commitOn = async (branch: string, from: string, change: () => Promise<void> | void): Promise<void> => {
  git(world.folder, "checkout", "--quiet", "-b", branch, from)
  await change()
  await commitAll(world.folder)
}

/** Branches: main pins A; good B, approved; waiting B, not approved; twice C after B; back A again, made from good. */
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "toolsum-test-"))
  ;({ world, server } = await makePinnedWorld(undefined, base))
  await commitAll(world.folder)
  git(world.folder, "branch", "--move", "main")
  await commitOn("waiting", "main", () => update("Searches again."))
  await commitOn("good", "waiting", approve)
  await commitOn("twice", "good", async () => {
    await update("Searches a third time.")
    await approve()
  })
  await commitOn("back", "good", () => void git(world.folder, "checkout", "main", "--", ...FILES))
}, 120_000)

beforeEach(() => {
  git(world.folder, "checkout", "--quiet", "--force", "main")
  git(world.folder, "clean", "-ffdq")
})

afterAll(() => rm(base, { recursive: true, force: true }))

describe("what passes", () => {
  test("nothing differs", async () => {
    expect(await held("main")).toMatchObject({ code: 0, findings: [] })
    expect((await world.expect(0, "verify", "--no-config", "--base", "main")).stdout).toContain("nothing differs")
  })

  test("a pin that was changed, proven and approved; who approved it is a claim", async () => {
    git(world.folder, "checkout", "--quiet", "good")
    const { code, findings } = await held("main")
    expect({ code, findings }).toMatchObject({
      code: 0,
      findings: [{ kind: "pin", name: "notes", status: "passed", claimedBy: "ada@example.com", accept: null }],
    })
    const { stdout } = await world.expect(0, "verify", "--no-config", "--base", "main")
    expect(stdout).toContain('claimed by "ada@example.com"')
  })

  test("a base that has gone on since: the tree did not change what it did not touch", async () => {
    expect(await held("good")).toMatchObject({ code: 0, findings: [] })
  })

  test("a pin with a note that it was removed", async () => {
    await world.expect(0, "remove", "notes", "--by", "bob@example.com", "--reason", "unused")
    const { code, findings } = await held("main")
    expect({ code, findings }).toMatchObject({ code: 0, findings: [{ kind: "removed", claimedBy: "bob@example.com" }] })
  })

  test("a tree without a branch, and a lockfile in a folder below", async () => {
    const tree = join(base, "tree")
    git(world.folder, "worktree", "add", "--quiet", "--detach", tree, "good")
    const { io, out } = world.io({ cwd: tree })
    const { main } = await import("../../src/cli/main.js")
    expect(await main(["verify", "--no-config", "--base", "main", "--json"], io)).toBe(0)
    expect(JSON.parse(out.stdout).bases[0].findings).toMatchObject([{ kind: "pin", status: "passed" }])
    git(world.folder, "worktree", "remove", "--force", tree)
  })

  test("two branches that were merged", async () => {
    await commitOn("other", "main", () => write("README", "text"))
    git(world.folder, "-c", "user.name=t", "-c", "user.email=t@example.com", "merge", "--quiet", "--no-edit", "good")
    expect(await held("main")).toMatchObject({ code: 0, kinds: ["pin passed"] })
    expect(await held("good")).toMatchObject({ code: 0, findings: [] })
  })
})

/** What a tree does, and what is found. `accepted`: the exit code once all of it is accepted. */
const RULES: readonly { name: string; act: () => Promise<unknown> | unknown; kinds: string[]; accepted: number }[] = [
  { name: "the lockfile is gone", act: () => rm(join(world.folder, LOCK)), kinds: ["lockfile open"], accepted: 0 },
  {
    name: "a pin is gone without a note",
    act: () => edit((lock) => delete lock.servers.notes),
    kinds: ["removed open"],
    accepted: 0,
  },
  {
    name: "definitions are gone",
    act: () => rm(join(world.folder, ".mcp-tools"), { recursive: true }),
    kinds: ["definitions open"],
    accepted: 0,
  },
  {
    name: "a log is elsewhere",
    act: () =>
      edit((lock) => Object.assign(Object.values(lock.logs)[0] as object, { url: "https://log.example.com/" })),
    kinds: ["log open"],
    accepted: 0,
  },
  {
    name: "a setting lowers what counts",
    act: () => write("toolsum.json", { allow: ["timeout"] }),
    kinds: ["settings open"],
    accepted: 0,
  },
  {
    name: "a root is new",
    act: () => write("toolsum.json", { roots: ["SHA256:moN+mxiHNt4h7HlxlMQGuRi2jnl27EYiw6qyoTb/AI4"] }),
    kinds: ["root open"],
    accepted: 0,
  },
]

describe("what is to be accepted from outside the tree", () => {
  test.each(RULES)("$name", async ({ act, kinds, accepted }) => {
    await act()
    const first = await held("main")
    expect({ code: first.code, kinds: first.kinds }).toEqual({ code: 1, kinds })
    const again = await held("main", ...acceptAll(first.findings))
    expect({ code: again.code, kinds: again.kinds }).toEqual({
      code: accepted,
      kinds: kinds.map((k) => k.replace("open", "accepted")),
    })
    expect(await held("main", "--accept", `sha256:${"0".repeat(64)}`)).toMatchObject({ code: 1, kinds })
  })

  test("the line to paste accepts it", async () => {
    await rm(join(world.folder, LOCK))
    const { stdout } = await world.expect(1, "verify", "--no-config", "--base", "main")
    const line = /if all of that is wanted: toolsum (.*)/.exec(stdout)?.[1] ?? ""
    await world.expect(0, ...line.split(" "), "--no-config")
  })

  test("an approval of something else than the base has", async () => {
    git(world.folder, "checkout", "--quiet", "twice")
    const first = await held("main")
    expect(first).toMatchObject({ code: 1, kinds: ["chain open"] })
    expect(await held("main", ...acceptAll(first.findings))).toMatchObject({ code: 0, kinds: ["chain accepted"] })
    expect(await held("good")).toMatchObject({ code: 0, kinds: ["pin passed"] })
  })

  test("an older record, approved long ago, is played again", async () => {
    git(world.folder, "checkout", "--quiet", "back")
    const first = await held("good")
    expect(first).toMatchObject({ code: 1, kinds: ["order open", "chain open"] })
    expect(await held("good", ...acceptAll(first.findings))).toMatchObject({ code: 0 })
  })

  test("a server that the base demands", async () => {
    await commitOn("demanding", "main", () => write("toolsum.json", { required: ["notes", "mail"] }))
    const { code, findings } = await held("demanding")
    expect({ code, findings }).toMatchObject({
      code: 1,
      findings: [{ kind: "required", name: "mail", status: "open" }],
    })
    expect(await held("demanding", ...acceptAll(findings))).toMatchObject({ code: 0 })
  })
})

describe("what cannot be accepted", () => {
  test("a pin that nobody has approved", async () => {
    git(world.folder, "checkout", "--quiet", "waiting")
    const { code, kinds, findings } = await held("main")
    expect({ code, kinds, accept: findings[0].accept }).toEqual({ code: 1, kinds: ["unapproved open"], accept: null })
  })

  test("a changed pin without a root from outside", async () => {
    git(world.folder, "checkout", "--quiet", "good")
    const home = world.env.TOOLSUM_HOME
    world.env.TOOLSUM_HOME = join(base, "stranger")
    try {
      expect(await held("main")).toMatchObject({ code: 1, kinds: ["evidence open"] })
    } finally {
      world.env.TOOLSUM_HOME = home
    }
  })

  test("evidence that fails is worse than any difference", async () => {
    edit((lock) => {
      lock.servers.notes.record = lock.servers.notes.record.replace("observer", "observed")
    })
    expect(await held("main")).toMatchObject({ code: 3 })
  })
})

describe("errors", () => {
  test("--accept without --base", async () => {
    const outcome = await world.expect(2, "verify", "--accept", `sha256:${"0".repeat(64)}`)
    expectOneLine(outcome, "--base", "USAGE")
  })

  test("a digest of nothing is told", async () => {
    const { stderr } = await held("main", "--accept", `sha256:${"0".repeat(64)}`)
    expect(stderr).toContain("no change has this digest")
  })

  test("a history without a common commit", async () => {
    git(world.folder, "checkout", "--quiet", "--orphan", "alone")
    await commitAll(world.folder)
    expectOneLine(await world.expect(2, "verify", "--base", "main"), "no common ancestor", "USAGE")
  })

  test("a clone that has only a part of the history", async () => {
    const clone = join(base, "shallow")
    git(base, "clone", "--quiet", "--depth=1", "--branch=good", "--no-single-branch", `file://${world.folder}`, clone)
    expectOneLine(await world.runIn(clone, "verify", "--base", "origin/main"), "only a part of the history", "USAGE")
    expect((await world.runIn(clone, "verify", "--no-config", "--base", "origin/good")).code).toBe(0)
  })

  test("a link in the lockfile's place", async () => {
    git(world.folder, "mv", LOCK, "elsewhere.json")
    await symlink("elsewhere.json", join(world.folder, LOCK))
    expectOneLine(await world.expect(2, "verify", "--base", "main"), "symbolic link", "CONFIG_INVALID")
  })

  test("a folder that only looks like a repository is none", async () => {
    const folder = join(world.folder, "sub")
    mkdirSync(folder)
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", ".")
    writeFileSync(join(folder, LOCK), readFileSync(join(world.folder, LOCK)))
    const { document, code } = await world.json("verify", "--no-config", "--lock", `sub/${LOCK}`, "--base", "main")
    expect(document.bases[0].lockfile).toBe(`sub/${LOCK}`)
    expect(code).toBe(1) // the log is new there: the repository around it has no such lockfile
  })
})

describe("check", () => {
  test("holds a lockfile to the base as verify does, and reads the server", async () => {
    await rm(join(world.folder, ".mcp-tools"), { recursive: true })
    server.say({ tools: [tool("search")] })
    const { code, document } = await world.json("check", "--base", "main")
    validateReport(document)
    expect({ code, kind: document.bases[0].findings[0].kind }).toEqual({ code: 1, kind: "definitions" })
  })

  test("settings of the base count, those of the tree do not", async () => {
    await commitOn("quiet", "main", () => write("toolsum.json", { servers: { notes: { live: "never" } } }))
    const before = server.starts().length
    await world.run("check", "--base", "quiet")
    expect(server.starts().length).toBe(before)
    git(world.folder, "checkout", "--quiet", "main")
    write("toolsum.json", { servers: { notes: { live: "never" } } })
    await world.run("check", "--base", "main")
    expect(server.starts().length).toBeGreaterThan(before)
  })
})
