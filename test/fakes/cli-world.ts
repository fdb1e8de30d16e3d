// A project folder, a user's home and a process that is only data: what commands need to run inside a test. Commands are real down to
// files and servers; output, environment, clock and the person at the terminal belong to the test.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect } from "vitest"
import type { ProcessIo } from "../../src/cli/io.js"
import { main } from "../../src/cli/main.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { validateReport } from "./report-schema.js"
import { makeTempFolder } from "./temp-folder.js"

/** 2026-12-01T00:00:00Z. */
export const NOW = 1_796_083_200

/** What a command line did. */
export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A JSON document as tests read it. */
// biome-ignore lint/suspicious/noExplicitAny: documents are read by path and compared with literals
export type Document = any

/** Where a test's commands run. */
export interface CliWorld {
  readonly home: string
  readonly folder: string
  readonly lockfile: string
  readonly env: Record<string, string | undefined>
  /** Questions that were asked, in order. */
  readonly questions: string[]
  /** The person at the terminal; null: there is no terminal. */
  ask: ((question: string) => string) | null
  /** POSIX seconds. */
  nowSec: number
  io(over?: Partial<ProcessIo>): { io: ProcessIo; out: { stdout: string; stderr: string } }
  run(...argv: readonly string[]): Promise<Outcome>
  /** Run in another folder. */
  runIn(cwd: string, ...argv: readonly string[]): Promise<Outcome>
  /** Run with `--json`; stdout must be one document. */
  json(...argv: readonly string[]): Promise<{ code: number; document: Document; stderr: string }>
  /** Run and expect this exit code. */
  expect(code: number, ...argv: readonly string[]): Promise<Outcome>
  readLock(): Promise<Document>
  write(path: string, text: string | Uint8Array): Promise<void>
}

const SERVER = fileURLToPath(new URL("../fixtures/servers/listed.mjs", import.meta.url))

/** A new project, outside git, and a new home: below `base`, or in a folder that goes with the test. */
export async function makeCliWorld(given?: string): Promise<CliWorld> {
  const base = given ?? (await makeTempFolder())
  const [home, folder] = [join(base, "home"), join(base, "project")]
  await mkdir(folder)
  // Not the test runner's own: what is handed to servers is under test.
  const env: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    HOME: join(base, "user"),
    TOOLSUM_HOME: home,
  }
  const world: CliWorld = {
    home,
    folder,
    lockfile: join(folder, "toolsum.lock.json"),
    env,
    questions: [],
    ask: null,
    nowSec: NOW,
    io: (over = {}) => createTestIo(world, over),
    run: (...argv) => world.runIn(folder, ...argv),
    runIn: async (cwd, ...argv) => {
      const { io, out } = world.io({ cwd })
      return { code: await main(argv, io), ...out }
    },
    json: async (...argv) => {
      // Before `--`: what comes after it is a server's launch line.
      const cut = argv.indexOf("--") < 0 ? argv.length : argv.indexOf("--")
      const { code, stdout, stderr } = await world.run(...argv.slice(0, cut), "--json", ...argv.slice(cut))
      return { code, document: JSON.parse(stdout), stderr }
    },
    expect: async (code, ...argv) => {
      const outcome = await world.run(...argv)
      expect(outcome.code, `${argv.join(" ")}\n${outcome.stdout}${outcome.stderr}`).toBe(code)
      return outcome
    },
    readLock: async () => JSON.parse(await readFile(world.lockfile, "utf8")),
    write: async (path, text) => {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    },
  }
  return world
}

function createTestIo(world: CliWorld, over: Partial<ProcessIo>): ReturnType<CliWorld["io"]> {
  const out = { stdout: "", stderr: "" }
  const ask = world.ask
  const io: ProcessIo = {
    stdout: (text) => {
      out.stdout += text
    },
    stderr: (text) => {
      out.stderr += text
    },
    env: world.env,
    cwd: world.folder,
    platform: process.platform,
    colour: false,
    progress: false,
    ask:
      ask &&
      (async (question) => {
        world.questions.push(question)
        return ask(question)
      }),
    nowSec: () => world.nowSec,
    signal: new AbortController().signal,
    ...over,
  }
  return { io, out }
}

/** One tool as a server lists it. */
export const tool = (name: string, description = `Does ${name}.`): Document => ({
  name,
  description,
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
})

/** Lists of one tool with that description. */
export const saying = (description: string): Document => ({ tools: [tool("search", description)] })

/** The document of a command, held to the schema. */
export async function report(world: CliWorld, ...argv: readonly string[]): Promise<Document> {
  const { document } = await world.json(...argv)
  validateReport(document)
  return document
}

/** A server whose lists a test changes between readings. */
export interface ListedServer {
  /** Words that start it. */
  readonly launch: readonly string[]
  /** Let it say this from now on. */
  say(lists: Document): void
  /** Its starts so far. */
  starts(): readonly { readonly cwd: string; readonly env: readonly string[]; readonly pid: number }[]
}

/** A server with its lists in `file`. */
export function makeServer(file: string, lists: Document = { tools: [tool("search")] }): ListedServer {
  const say = (next: Document) => writeFileSync(file, JSON.stringify(next))
  say(lists)
  return {
    launch: ["node", SERVER, file],
    say,
    starts: () =>
      existsSync(`${file}.starts`)
        ? readFileSync(`${file}.starts`, "utf8")
            .split("\n")
            .slice(0, -1) // a line that is being written has no end yet
            .map((line) => JSON.parse(line))
        : [],
  }
}

/** The same server as a package: an `npx` of the test's own comes first on the path and starts it, whatever it is asked for. */
export async function makePackage(world: CliWorld, lists?: Document): Promise<ListedServer> {
  const server = makeServer(join(world.folder, "..", "package.json.lists"), lists)
  const bin = join(world.folder, "..", "bin")
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, "npx"), `#!/bin/sh\nexec ${server.launch.map((word) => `'${word}'`).join(" ")}\n`, {
    mode: 0o755,
  })
  world.env.PATH = `${bin}:${process.env.PATH}`
  return { ...server, launch: ["npx", "-y", "@acme/notes@1.2.3"] }
}

/** A world with one pin "notes", and its server. */
export async function makePinnedWorld(
  lists?: Document,
  base?: string,
): Promise<{ world: CliWorld; server: ListedServer }> {
  const world = await makeCliWorld(base)
  const server = makeServer(join(world.folder, "..", "lists.json"), lists)
  await world.expect(0, "add", "notes", "--", ...server.launch)
  return { world, server }
}

/** One pinned world for all tests of a file or group that change nothing in it. */
export function sharePinnedWorld(): () => CliWorld {
  let world: CliWorld | null = null
  let base = ""
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "toolsum-test-"))
    world = (await makePinnedWorld(undefined, base)).world
  }, 30_000)
  afterAll(() => rm(base, { recursive: true, force: true }))
  return () => {
    if (world === null) throw new Error("the shared world is not made yet")
    return world
  }
}

/** Everything below a folder: kind, mode, and content or goal, by path. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {}
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
  return Object.fromEntries(names.map((name) => [name, describeFile(join(folder, name))]))
}

function describeFile(path: string): string {
  const status = lstatSync(path)
  if (status.isSymbolicLink()) return `link ${readlinkSync(path)}`
  if (!status.isFile()) return status.isDirectory() ? "folder" : "other"
  const content = status.size > 2 ** 24 ? `${status.size} bytes` : computeTextDigest(readFileSync(path, "latin1"))
  return `file ${content} ${status.mode.toString(8)} ${status.mtimeMs}`
}

/** Exactly one line on stderr that names what is wrong, without a stack. */
export function expectOneLine({ stderr }: Outcome, ...parts: readonly string[]): void {
  expect(stderr).toMatch(/^toolsum: [^\n]+\n$/)
  expect(stderr).not.toMatch(/ {4}at |internal error/)
  for (const part of parts) expect(stderr).toContain(part)
}
