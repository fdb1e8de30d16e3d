// The table of test/client/corrupt-fork-unavailable.test.ts for the commands: damaged files of our own, a log that forked or went back, and
// bytes that do not come, each with the exit code of every command that reads a log. No command says "fork" but where it has written evidence
// that `verify` proves. The logs are real ones, whose folder or key was copied; what is served over http is served by a plain file server.
import { existsSync, readFileSync, statSync } from "node:fs"
import { cp, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type CliWorld, type ListedServer, makePinnedWorld, NOW, type Outcome, saying } from "../fakes/cli-world.js"
import { serveFiles } from "../fakes/served-log.js"

const DAY = 86_400
const logOf = (world: CliWorld) => join(world.home, "data", "log")
const stateOf = (world: CliWorld) => join(world.home, "state")
const publicOf = (world: CliWorld, path: string) => join(logOf(world), "public", path)
const aside = (world: CliWorld, name: string) => join(world.home, "..", name)

async function replaceFolder(to: string, from: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await cp(from, to, { recursive: true, preserveTimestamps: true })
}

interface Seen {
  readonly world: CliWorld
  readonly server: ListedServer
  /** Where the log is, for `log compare` and `--log`. */
  readonly place: string
}

/** A log of size 3 that this user has seen, a pin in it, and its folder as it was at size 2, beside it. */
async function makeSeen(): Promise<Seen> {
  const { world, server } = await makePinnedWorld()
  await cp(logOf(world), aside(world, "at-2"), { recursive: true })
  server.say(saying("second"))
  await world.expect(1, "update", "notes")
  const { document } = await world.json("show")
  await world.expect(0, "approve", "notes", "--to", document.servers[0].pin)
  await world.expect(0, "check", "--log-only")
  return { world, server, place: logOf(world) }
}

/** The key's owner goes on from size 2 differently. */
const fork = (size: 3 | 4) => async (seen: Seen) => {
  const { world, server } = seen
  await rename(stateOf(world), aside(world, "state"))
  await replaceFolder(logOf(world), aside(world, "at-2"))
  const lock = "../fork.lock.json"
  server.say(saying("another story"))
  await world.expect(0, "add", "notes", "--lock", lock, "--", ...server.launch)
  if (size === 4) {
    server.say(saying("and more"))
    await world.expect(1, "update", "notes", "--lock", lock)
  }
  await rm(stateOf(world), { recursive: true })
  await rename(aside(world, "state"), stateOf(world))
  server.say(saying("second"))
  return seen
}

/** The same log on a host that serves `folder` without what it hides, and is asked so many seconds later. */
const serveFrom = (folder: (world: CliWorld) => string, options: { late?: number; hide?: RegExp } = {}) =>
  async function serve({ world, server }: Seen): Promise<Seen> {
    const { roots } = (await world.json("verify")).document
    await rename(logOf(world), aside(world, "served"))
    const place = await serveFiles(async (path) =>
      options.hide?.test(path) ? null : readFile(join(folder(world), "public", path)).catch(() => null),
    )
    await world.expect(0, "trust", "add", `${roots[0].log}=${roots[0].fingerprint}`, "--log", place)
    world.nowSec = NOW + (options.late ?? 0)
    return { world, server, place }
  }

const stateFile = async ({ world }: Seen) => {
  const [name = ""] = (await readdir(stateOf(world)).catch(() => [])).filter((one) => one.endsWith(".json"))
  return join(stateOf(world), name)
}

interface Case {
  readonly name: string
  readonly happens: (seen: Seen) => Promise<Seen>
  /** Exit codes of check, verify-server, log compare and add; null: that command has nothing to do with it. */
  readonly exits: readonly [check: number, verifyServer: number, compare: number, add: number | null]
  /** A code that each command with that exit names. */
  readonly says: RegExp
}

const CASES: readonly Case[] = [
  {
    name: "nothing",
    happens: async (seen) => seen,
    exits: [0, 0, 0, 0],
    says: /UNCHANGED|agree|pinned/,
  },
  {
    name: "a state file of zeros",
    happens: async (seen) => {
      const file = await stateFile(seen)
      await writeFile(file, new Uint8Array((await readFile(file)).length))
      return seen
    },
    exits: [2, 2, 2, 2],
    says: /damaged/,
  },
  {
    name: "a state folder that cannot be read",
    happens: async (seen) => {
      await rm(stateOf(seen.world), { recursive: true })
      await symlink(stateOf(seen.world), stateOf(seen.world)) // whoever opens it gets an error, root too
      return seen
    },
    exits: [0, 0, 2, 2],
    says: /UNCHANGED|IO_FAILED/,
  },
  {
    name: "an entry bundle cut short",
    happens: async (seen) => {
      await truncate(publicOf(seen.world, "tile/entries/000.p/3"), 40)
      return seen
    },
    exits: [2, 2, 0, 2],
    says: /bundle|LOG_REFUSED|agree/,
  },
  {
    name: "missing tiles and entries",
    happens: async (seen) => {
      await rm(publicOf(seen.world, "tile"), { recursive: true })
      return seen
    },
    exits: [2, 2, 0, 2],
    says: /has no tile|is missing|agree/,
  },
  {
    name: "an old backup of the log's folder",
    happens: async (seen) => {
      await replaceFolder(logOf(seen.world), aside(seen.world, "at-2"))
      return seen
    },
    exits: [3, 3, 0, 2],
    says: /rollback|LOG_REFUSED|1 entry behind/,
  },
  { name: "a fork of the same size", happens: fork(3), exits: [3, 3, 3, 2], says: /fork|LOG_REFUSED/ },
  { name: "a fork of a larger size", happens: fork(4), exits: [3, 3, 3, 2], says: /fork|LOG_REFUSED/ },
  {
    name: "a stale mirror, within a day",
    happens: serveFrom((world) => aside(world, "at-2"), { late: DAY - 1 }),
    exits: [2, 2, 0, null],
    says: /was seen before|1 entry behind/,
  },
  {
    name: "the same after a day",
    happens: serveFrom((world) => aside(world, "at-2"), { late: DAY }),
    exits: [3, 3, 0, null],
    says: /rollback|1 entry behind/,
  },
  {
    name: "a host that has lost its entries, or a cached 404 of them",
    happens: serveFrom((world) => aside(world, "served"), { hide: /^tile\/entries/ }),
    exits: [2, 2, 0, null],
    says: /has no tile|agree/,
  },
]

/** `add` only where the log is this account's own. */
async function outcomesOf({ world, server, place }: Seen, isOwn: boolean): Promise<readonly Outcome[]> {
  return [
    await world.run("check", "--log-only"),
    await world.run("verify-server", "--log", place, "--subject", "local:notes", "--", ...server.launch),
    await world.run("log", "compare", world.lockfile, "state", place),
    ...(isOwn ? [await world.run("add", "other", "--", ...server.launch)] : []),
  ]
}

/** Exit codes of `verify` for all evidence that was written. */
async function proveEvidence(world: CliWorld): Promise<readonly number[]> {
  const folder = join(stateOf(world), "evidence")
  const names = await readdir(folder).catch(() => [])
  return Promise.all(names.map(async (name) => (await world.run("verify", join(folder, name))).code))
}

test.each(CASES)("$name", { timeout: 60_000 }, async ({ name, happens, exits, says }) => {
  const seen = await happens(await makeSeen())
  const remembered = async () => {
    const file = await stateFile(seen)
    return existsSync(file) && statSync(file).isFile() ? readFileSync(file) : null
  }
  const before = await remembered()
  const outcomes = await outcomesOf(seen, exits[3] !== null)
  expect(outcomes.map(({ code }) => code)).toEqual(exits.filter((exit) => exit !== null))
  for (const { stdout, stderr } of outcomes) expect(stdout + stderr).toMatch(says)
  const text = outcomes
    .map(({ stdout, stderr }) => stdout + stderr)
    .join("")
    .replaceAll(".tlog-fork", "")
  const proven = await proveEvidence(seen.world)
  const isFork = name.startsWith("a fork")
  expect(/\bforks?\b|contradict/.test(text)).toBe(isFork)
  expect(proven.includes(1)).toBe(isFork)
  expect(proven.filter((code) => code === 3)).toEqual([])
  // What is remembered is neither deleted nor written over where something is wrong.
  if (exits[0] !== 0) expect(await remembered()).toEqual(before)
})

test("damaged evidence is not evidence", { timeout: 60_000 }, async () => {
  const { world } = await fork(3)(await makeSeen())
  await world.expect(3, "check", "--log-only")
  const [name = ""] = await readdir(join(stateOf(world), "evidence"))
  const text = await readFile(join(stateOf(world), "evidence", name), "utf8")
  const damaged = [
    { bytes: text.replace(/(\\n3\\n)(.)/, (_, size, first) => `${size}${first === "A" ? "B" : "A"}`), code: 3 },
    { bytes: text.slice(0, 400), code: 2 },
    { bytes: new Uint8Array(text.length), code: 2 },
    { bytes: "", code: 2 },
  ]
  for (const { bytes, code } of damaged) {
    await world.write("damaged.tlog-fork", bytes)
    await world.expect(code, "verify", "damaged.tlog-fork")
  }
})
