// `toolsum demo`: the story in ten seconds, in a temporary folder: real commands and a tiny server that changes a description.
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseLockfile } from "../../core/lockfile.js"
import { pinDigestOf, requirePin } from "../../features/pins.js"
import type { CommandSpec } from "../commands.js"
import { DEMO_SERVER } from "../demo-server-path.js"
import type { ExitCode } from "../exit-codes.js"
import type { Io } from "../io.js"
import { printDocument } from "../report-json.js"

export const demoCommand: CommandSpec = {
  usage: "demo [--keep]",
  words: [0, 0],
  options: [["--keep", "Keep the temporary folder"]],
  run: async ({ options }, io) => {
    const folder = await mkdtemp(join(tmpdir(), "toolsum-demo-"))
    const json = options.flag("json")
    const quiet = json || options.flag("quiet")
    const stage: Io = quiet ? { ...io, stdout: () => {} } : io
    try {
      const told = await tellStory(folder, stage)
      const exitCode = io.signal.aborted ? 2 : 0
      if (json) printDocument(io, { command: "demo", exitCode, scenes: told.map((one) => ({ ...one })) })
      return exitCode
    } finally {
      if (options.flag("keep")) stage.stdout(`\nKept: ${folder}\n`)
      else await rm(folder, { recursive: true, force: true })
    }
  },
}

/** A command line that was run, and how it ended. */
interface ToldScene {
  readonly argv: readonly string[]
  readonly exitCode: ExitCode
}

/** One step: what happens, the command that is run, and the exit code that the story needs. */
interface Scene {
  readonly say: string
  readonly act?: (folder: string) => Promise<void>
  readonly argv: (folder: string) => Promise<readonly string[]>
  readonly exit: ExitCode
}

const words = (line: string) => async () => line.split(" ")

const STORY: readonly Scene[] = [
  {
    say: "A server tells your agent in plain text what its tools do. Pin that text:",
    argv: words("add notes -- node server.mjs"),
    exit: 0,
  },
  { say: "Anybody can prove the pin, without a network:", argv: words("verify"), exit: 0 },
  {
    say: "The server gets an update. Same name, same launch line:",
    act: (folder) => writeFile(join(folder, "updated"), ""),
    argv: words("check"),
    exit: 1,
  },
  { say: "Take the change in. It is recorded, not approved:", argv: words("update notes"), exit: 1 },
  {
    say: "A person has read it and accepts exactly that:",
    argv: async (folder) => [
      "approve",
      "notes",
      "--to",
      await pinOf(folder),
      "--reason",
      "read and wanted",
      "--by",
      "you",
    ],
    exit: 0,
  },
  { say: "Somebody edits the lockfile by hand:", act: editLockfile, argv: words("verify"), exit: 3 },
]

async function tellStory(folder: string, io: Io): Promise<readonly ToldScene[]> {
  const told: ToldScene[] = []
  await copyFile(DEMO_SERVER, join(folder, "server.mjs"))
  const env = { ...io.env, TOOLSUM_HOME: join(folder, "home"), CI: undefined, TOOLSUM_ROOT: undefined }
  const stage: Io = { ...io, env, cwd: folder, ask: null, progress: false }
  const { main } = await import("../main.js")
  for (const { say, act, argv, exit } of STORY) {
    await act?.(folder)
    const line = await argv(folder)
    io.stdout(`\n# ${say}\n$ toolsum ${line.map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ")}\n`)
    const code = await main(line, stage)
    io.stdout(`exit ${code}\n`)
    told.push({ argv: line, exitCode: code })
    if (io.signal.aborted) return told
    if (code !== exit) throw new Error(`the demo needs exit ${exit} here, got ${code}`)
  }
  io.stdout("\nYour own servers: toolsum lists them, toolsum add --all pins them\n")
  return told
}

const lockfileAt = (folder: string): string => join(folder, "toolsum.lock.json")

async function pinOf(folder: string): Promise<string> {
  return pinDigestOf(requirePin(parseLockfile(await readFile(lockfileAt(folder))), "notes").pin)
}

/** Another digest in the record: what an edit that wants to pass a changed list would have to do. */
async function editLockfile(folder: string): Promise<void> {
  const text = await readFile(lockfileAt(folder), "utf8")
  const edited = text.replace(
    /(\\nsurface sha256:)([0-9a-f])/,
    (_, head, digit) => `${head}${digit === "0" ? "1" : "0"}`,
  )
  await writeFile(lockfileAt(folder), edited)
}
