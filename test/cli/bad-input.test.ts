// Bad input of every kind: one clear line, the right exit code, nothing changed on disk.
import { execFileSync } from "node:child_process"
import { mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import {
  type CliWorld,
  expectOneLine,
  makeCliWorld,
  makePinnedWorld,
  makeServer,
  sharePinnedWorld,
  snapshot,
} from "../fakes/cli-world.js"
import { commitAll } from "../fakes/git.js"

/** Run, and hold it to one line, exit 2 and an untouched disk. */
async function refuse(world: CliWorld, argv: readonly string[], ...parts: readonly string[]): Promise<void> {
  const before = [snapshot(world.folder), snapshot(world.home)]
  const outcome = await world.expect(2, ...argv)
  expectOneLine(outcome, ...parts)
  expect(outcome.stdout).toBe("")
  expect([snapshot(world.folder), snapshot(world.home)]).toEqual(before)
}

const EMPTY = '{"format":"toolsum-lock/v1","logs":{},"removed":{},"servers":{}}'

/** Commands that read the lockfile, each with words that fit. */
const READERS: readonly (readonly string[])[] = [
  ["verify"],
  ["check"],
  ["show"],
  ["add", "notes", "--", "node", "server.mjs"],
  ["update", "notes"],
  ["approve", "notes", "--to", `sha256:${"0".repeat(64)}`],
  ["remove", "notes"],
  ["rename", "notes", "other"],
  ["diff", "notes", "other"],
]

const BAD_LOCKFILES: readonly {
  readonly name: string
  readonly make: (path: string) => Promise<unknown>
  readonly parts: readonly string[]
}[] = [
  { name: "a folder", make: (path) => mkdir(path), parts: ["LOCKFILE_MALFORMED", "a folder"] },
  {
    name: "binary",
    make: (path) => writeFile(path, new Uint8Array([0, 255, 254, 1])),
    parts: ["LOCKFILE_MALFORMED", "toolsum.lock.json"],
  },
  {
    name: "a gigabyte",
    make: async (path) => {
      await writeFile(path, "")
      await truncate(path, 2 ** 30)
    },
    parts: ["LOCKFILE_MALFORMED", "at most 16777216 bytes, got 1073741824"],
  },
  {
    name: "left in conflict by git",
    make: (path) => writeFile(path, `{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> topic\n}\n`),
    parts: ["LOCKFILE_MALFORMED", "conflict markers"],
  },
  {
    name: "of a newer format",
    make: (path) => writeFile(path, EMPTY.replace("/v1", "/v2")),
    parts: ["LOCKFILE_MALFORMED", "newer format"],
  },
  {
    name: "with a name twice",
    make: (path) => writeFile(path, EMPTY.replace('"logs":{}', '"logs":{},"logs":{}')),
    parts: ["LOCKFILE_MALFORMED", "logs"],
  },
  {
    name: "with a wrong type",
    make: (path) => writeFile(path, EMPTY.replace('"servers":{}', '"servers":[]')),
    parts: ["LOCKFILE_MALFORMED", "servers: expected an object, got a list"],
  },
  {
    name: "with an unknown member",
    make: (path) => writeFile(path, EMPTY.replace("{", '{"extra\\u001b":1,')),
    parts: ["LOCKFILE_MALFORMED", "expected no member"],
  },
  { name: "empty", make: (path) => writeFile(path, ""), parts: ["LOCKFILE_MALFORMED"] },
  {
    name: "a named pipe",
    make: async (path) => execFileSync("mkfifo", [path]),
    parts: ["LOCKFILE_MALFORMED", "something else"],
  },
  { name: "a link to itself", make: (path) => symlink(path, path), parts: ["IO_FAILED", "ELOOP"] },
  {
    name: "below a file",
    make: async (path) => {
      await rm(dirname(path), { recursive: true })
      await writeFile(dirname(path), "")
    },
    parts: [],
  },
]

describe.each(BAD_LOCKFILES)("a lockfile that is $name", ({ make, parts, name }) => {
  test.each(READERS.map((argv) => ({ argv })))("$argv.0", async ({ argv }) => {
    const world = await makeCliWorld()
    const path = join(world.folder, "lock", "toolsum.lock.json")
    await mkdir(dirname(path))
    await make(path)
    await writeFile(join(world.folder, "server.mjs"), "")
    const isMissing = name === "below a file" && argv[0] === "add"
    if (isMissing) return // a lockfile that cannot be made: below
    const cut = argv.indexOf("--") < 0 ? argv.length : argv.indexOf("--")
    await refuse(world, [...argv.slice(0, cut), "--lock", "lock/toolsum.lock.json", ...argv.slice(cut)], ...parts)
  })
})

describe("without a lockfile", () => {
  test.each(READERS.filter(([name]) => name !== "add").map((argv) => ({ argv })))("$argv.0", async ({ argv }) => {
    await refuse(await makeCliWorld(), argv)
  })
  test("add into a folder that is not there", async () => {
    const world = await makeCliWorld()
    const server = makeServer(join(world.folder, "..", "lists.json"))
    const outcome = await world.expect(2, "add", "notes", "--lock", "nowhere/lock.json", "--", ...server.launch)
    expectOneLine(outcome, "IO_FAILED", "nowhere")
    expect(snapshot(world.folder)).toEqual({})
  })
  test("an empty one proves nothing", async () => {
    const world = await makeCliWorld()
    await writeFile(world.lockfile, EMPTY)
    for (const command of ["verify", "check", "show", "update"]) await refuse(world, [command], "NO_PINS")
  })
})

describe("command lines", () => {
  const shared = sharePinnedWorld()
  const DIGEST = `sha256:${"0".repeat(64)}`
  test.each([
    { argv: ["frobnicate"], parts: ["USAGE", "unknown command", "frobnicate"] },
    { argv: ["\u001b[31mx\n"], parts: ["USAGE", "\\u001b[31mx\\n"] },
    { argv: ["log"], parts: ["USAGE", "expected one of create, append, "] },
    { argv: ["log", "burn"], parts: ["USAGE", "expected one of create, append, "] },
    { argv: ["help", "frobnicate"], parts: ["USAGE", "frobnicate"] },
    { argv: ["--frobnicate"], parts: ["USAGE", "--frobnicate"] },
    { argv: ["verify", "--frobnicate"], parts: ["USAGE", "--frobnicate"] },
    { argv: ["verify", "--quiet=yes"], parts: ["USAGE", "--quiet"] },
    { argv: ["verify", "--lock"], parts: ["USAGE", "--lock"] },
    { argv: ["verify", "a", "b"], parts: ["USAGE", "too many words"] },
    { argv: ["verify", "--", "node"], parts: ["USAGE", "nothing after --"] },
    { argv: ["approve"], parts: ["USAGE", "too few words"] },
    { argv: ["approve", "notes"], parts: ["USAGE", "--to"] },
    { argv: ["approve", "notes", "--to", "sha256:abc"], parts: ["USAGE", "--to"] },
    { argv: ["approve", "notes", "--to", DIGEST.toUpperCase()], parts: ["USAGE", "--to"] },
    { argv: ["approve", "notes", "--to", DIGEST], parts: ["USAGE", "is pinned at sha256:"] },
    { argv: ["approve", "notes", "--to", DIGEST, "--to", DIGEST], parts: ["USAGE", "--to was given 2 times"] },
    { argv: ["approve", "other", "--to", DIGEST], parts: ["NOT_PINNED", "pinned: notes"] },
    { argv: ["show", "--lock", "a", "--lock", "b"], parts: ["USAGE", "--lock was given 2 times"] },
    { argv: ["verify", "a.json", "--lock", "b.json"], parts: ["USAGE", "not both"] },
    { argv: ["verify", "--all", "--lock", "b.json"], parts: ["USAGE", "not both"] },
    { argv: ["verify", "--root", "SHA256:short"], parts: ["USAGE", "--root"] },
    { argv: ["verify", "nowhere.tlog-proof"], parts: ["FILE_MISSING", "nowhere.tlog-proof"] },
    { argv: ["check", "other"], parts: ["NOT_PINNED"] },
    { argv: ["show", "other"], parts: ["NOT_PINNED"] },
    { argv: ["remove", "__proto__"], parts: ["NOT_PINNED"] },
    { argv: ["rename", "notes", "Bad Name"], parts: ["USAGE", "Bad Name"] },
    { argv: ["rename", "notes", "notes"], parts: ["USAGE", "pinned already"] },
    { argv: ["diff", "notes"], parts: ["USAGE", "too few words"] },
    { argv: ["diff", "notes", "nowhere.json"], parts: ["FILE_MISSING", "nowhere.json"] },
    { argv: ["diff", "notes", "leaf:99"], parts: ["USAGE", "entries", "99"] },
    { argv: ["log", "cat", "99"], parts: ["USAGE", "entries", "99"] },
    { argv: ["trust", "add", "nonsense"], parts: ["KEY_MALFORMED"] },
    { argv: ["log", "cat", "007"], parts: ["USAGE", "index"] },
    { argv: ["log", "cat", "-1"], parts: ["USAGE"] },
    { argv: ["log", "append", "nowhere"], parts: ["FILE_MISSING"] },
    { argv: ["log", "append", "toolsum.lock.json"], parts: ["RECORD_MALFORMED"] },
    { argv: ["init", "--passphrase-env", "NO_SUCH", "--log-dir", "../new"], parts: ["USAGE", "NO_SUCH"] },
    { argv: ["init", "--origin", "bad origin", "--log-dir", "../new"], parts: ["KEY_MALFORMED"] },
    { argv: ["add", "Bad Name", "--", "node", "x"], parts: ["USAGE", "Bad Name"] },
    { argv: ["add", "notes", "--", "node", "x"], parts: ["USAGE", "pinned already"] },
    { argv: ["add", "other"], parts: ["USAGE", "command"] },
    { argv: ["add", "other", "--"], parts: ["USAGE", "command"] },
    { argv: ["add", "other", "http://example.com/mcp"], parts: ["USAGE", "https://"] },
    { argv: ["add", "other", "https://ada:pw@example.com/mcp"], parts: ["USAGE", "user info"] },
    { argv: ["add", "other", "https://example.com/mcp", "--", "node", "x"], parts: ["USAGE", "one server"] },
    { argv: ["add", "other", "https://example.com/mcp", "--env", "TOKEN"], parts: ["USAGE", "${TOKEN}"] },
    { argv: ["add", "other", "https://example.com/mcp", "--header", "X-Key: abc"], parts: ["USAGE", "variable"] },
    { argv: ["add", "other", "https://example.com/mcp", "--cwd", "x"], parts: ["USAGE", "--cwd"] },
    { argv: ["add", "other", "--timeout", "0", "--", "node", "x"], parts: ["USAGE", "1 to 3600"] },
    { argv: ["add", "other", "--env", "BAD NAME", "--", "node", "x"], parts: ["TARGET_MALFORMED"] },
    { argv: ["add", "other", "--", "node", "${unclosed"], parts: ["TARGET_MALFORMED"] },
    { argv: ["update", "--", "node", "x"], parts: ["USAGE", "name"] },
    { argv: ["update", "other"], parts: ["NOT_PINNED"] },
  ])("toolsum $argv", async ({ argv, parts }) => refuse(shared(), argv, ...parts))

  test("without any words it prints the help", async () => {
    const world = await makeCliWorld()
    const { stdout } = await world.expect(2)
    expect(stdout).toContain("Commands")
    await world.expect(0, "--help")
    await world.expect(0, "--version")
    await world.expect(0, "verify", "--help")
    await world.expect(0, "help", "log", "cat")
  })

  test("TOOLSUM_ROOT is read as --root is", async () => {
    const { world } = await makePinnedWorld()
    world.env.TOOLSUM_ROOT = "SHA256:short"
    await refuse(world, ["verify"], "USAGE", "TOOLSUM_ROOT")
  })

  test("with --json the error is one document too", async () => {
    const world = await makeCliWorld()
    const { code, document, stderr } = await world.json("trust", "add", "nonsense")
    expect(code).toBe(2)
    expect(document).toMatchObject({
      command: "trust add",
      ok: false,
      exitCode: 2,
      error: { code: "KEY_MALFORMED", kind: "malformed" },
    })
    expectOneLine({ code, stdout: "", stderr })
  })
})

describe("secrets in a launch line are refused", () => {
  test.each([
    { name: "a GitHub token", arg: `ghp_${"a".repeat(36)}` },
    { name: "a password in a URL", arg: "postgres://user:geheim@db.example.com/x" },
    { name: "an option with a key", arg: "--api-key=abcdef" },
    { name: "the value of a variable", arg: "the-value-of-a-variable" },
  ])("$name", async ({ arg }) => {
    const world = await makeCliWorld()
    world.env.MY_VARIABLE = "the-value-of-a-variable"
    const before = snapshot(join(world.folder, ".."))
    const outcome = await world.expect(2, "add", "notes", "--", "node", "server.mjs", arg)
    expectOneLine(outcome, "USAGE", "argument 2")
    expect(outcome.stderr).not.toContain(arg)
    expect(snapshot(join(world.folder, ".."))).toEqual(before)
  })
})

describe("where a log may be made", () => {
  test("no personal log in CI", async () => {
    const world = await makeCliWorld()
    world.env.CI = "true"
    await refuse(world, ["init"], "USAGE", "CI is set")
    await refuse(world, ["add", "notes", "--", "node", "server.mjs"], "USAGE", "CI is set")
    await world.expect(0, "init", "--log-dir", join(world.folder, "..", "log"))
  })

  test.each(["init", "add", "log create"])("%s makes none in a git work tree", async (command) => {
    const world = await makeCliWorld()
    await commitAll(world.folder)
    const launch = command === "add" ? ["notes", "--log-dir", "sub/log", "--", "node", "x"] : ["--log-dir", "sub/log"]
    await refuse(world, [...command.split(" "), ...launch], "USAGE", "git work tree")
  })

  test("nothing is appended to one that was put into a git work tree", async () => {
    const { world, server } = await makePinnedWorld()
    execFileSync("mv", [join(world.home, "data", "log"), join(world.folder, "log")])
    await commitAll(world.folder)
    const argv = ["add", "other", "--log-dir", "log", "--", ...server.launch]
    const before = snapshot(join(world.folder, "log"))
    expectOneLine(await world.expect(2, ...argv), "USAGE", "git work tree")
    expect(snapshot(join(world.folder, "log"))).toEqual(before)
  })
})

describe("damaged files of the user", () => {
  let world: CliWorld
  beforeEach(async () => {
    ;({ world } = await makePinnedWorld())
  })

  test.each(["", "{", "[]", '{"format":"toolsum-trust/v2","roots":[]}', '{"format":"toolsum-trust/v1","roots":[{}]}'])(
    "trust store %j",
    async (text) => {
      await writeFile(join(world.home, "config", "trust.json"), text)
      await refuse(world, ["verify"], "STATE_CORRUPT", "trust.json")
      await refuse(world, ["trust", "list"], "STATE_CORRUPT", "trust.json")
      await refuse(world, ["trust", "add", `SHA256:${"A".repeat(43)}`], "STATE_CORRUPT", "trust.json")
    },
  )

  test("consent store", async () => {
    await writeFile(join(world.home, "config", "consent.json"), "{")
    await refuse(world, ["update", "notes"], "STATE_CORRUPT", "consent.json")
    await refuse(world, ["add", "other", "--", "node", "x"], "STATE_CORRUPT", "consent.json")
    const { document, code } = await world.json("check")
    expect([code, document.servers[0].verdict, document.servers[0].reason]).toEqual([2, "UNKNOWN", "malformed"])
    expect(document.servers[0].detail).toContain("consent.json")
  })

  test("state of a log: unknown, never a fork", async () => {
    const [file] = Object.keys(snapshot(join(world.home, "state"))).filter((name) => name.endsWith(".json"))
    await writeFile(join(world.home, "state", file ?? ""), "{}")
    const before = snapshot(world.home)
    const { document, code } = await world.json("check", "--log-only")
    expect([code, document.servers[0].verdict, document.servers[0].reason]).toEqual([2, "UNKNOWN", "malformed"])
    expect(snapshot(world.home)).toEqual(before)
    await refuse(world, ["update", "notes"], "STATE_CORRUPT")
  })

  test("a client configuration", async () => {
    await world.write(".mcp.json", "{")
    const { stdout, stderr } = await world.expect(2, "verify")
    expect(stdout).toContain("1 PROVEN")
    expect(stderr).toMatch(/^toolsum: \.mcp\.json: .* \(CONFIG_INVALID\)\n$/)
    const { document } = await world.json("verify")
    expect(document).toMatchObject({
      exitCode: 2,
      failedFiles: [{ file: ".mcp.json", error: { code: "CONFIG_INVALID" } }],
    })
    await world.expect(0, "verify", "--no-config")
  })

  test("a log key", async () => {
    const keys = Object.keys(snapshot(join(world.home, "config", "keys"))).filter((name) => name.endsWith(".log.key"))
    await writeFile(join(world.home, "config", "keys", keys[0] ?? ""), "PRIVATE+KEY+nonsense")
    await refuse(world, ["update", "notes"], "KEY_MALFORMED")
  })

  test("no home folder", async () => {
    world.env.TOOLSUM_HOME = undefined
    world.env.HOME = undefined
    await refuse(world, ["verify"], "CONFIG_INVALID", "TOOLSUM_HOME")
    world.env.TOOLSUM_HOME = "relative"
    await refuse(world, ["verify"], "CONFIG_INVALID", "TOOLSUM_HOME")
  })

  test("definitions that are a folder or a link to elsewhere", async () => {
    await rm(join(world.folder, ".mcp-tools"), { recursive: true })
    await mkdir(join(world.folder, ".mcp-tools", "notes.json"), { recursive: true })
    const { document, code } = await world.json("verify")
    expect([code, document.servers[0].verdict]).toEqual([3, "REJECTED"])
    await rm(join(world.folder, ".mcp-tools"), { recursive: true })
    await mkdir(join(world.folder, "..", "elsewhere"))
    await symlink(join(world.folder, "..", "elsewhere"), join(world.folder, ".mcp-tools"))
    const { stderr } = await world.expect(2, "update", "notes")
    expect(stderr).toContain("symbolic link")
    expect(snapshot(join(world.folder, "..", "elsewhere"))).toEqual({})
  })
})
