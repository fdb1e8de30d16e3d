// The Go tools of ../../../shared/interop: built once per version of their sources into a cache folder, never beside the sources.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { sharedPath } from "../shared.js"

/** Names of the tools that are used here. */
export type Tool = "checklog" | "checkproof" | "makeproof" | "makelog" | "notecheck" | "witness"

const SOURCES = sharedPath("interop")

/** Path of a tool; builds all of them the first time. */
export function toolPath(tool: Tool): string {
  const folder = join(cacheFolder(), digestOfSources())
  if (!existsSync(folder)) build(folder)
  return join(folder, tool)
}

const cacheFolder = (): string =>
  process.env.TOOLSUM_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "toolsum-interop")

function digestOfSources(): string {
  const hash = createHash("sha256")
  const names = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?:\.go|go\.mod|go\.sum)$/.test(name),
  )
  for (const name of names.sort()) hash.update(`${name}\n`).update(readFileSync(join(SOURCES, name)))
  return hash.digest("hex").slice(0, 16)
}

/** Built aside and moved, so that a folder that is there is whole. */
function build(folder: string): void {
  const aside = `${folder}.${randomBytes(4).toString("hex")}`
  mkdirSync(aside, { recursive: true })
  try {
    execFileSync("go", ["build", "-buildvcs=false", "-o", `${aside}/`, "./cmd/..."], { cwd: SOURCES, stdio: "inherit" })
    renameSync(aside, folder)
  } catch (cause) {
    rmSync(aside, { recursive: true, force: true })
    if (existsSync(folder)) return // another run was faster
    throw new Error("could not build the interop tools; they need Go 1.26 and a module proxy the first time", { cause })
  }
}

/** What a tool said. `report`: the JSON document on its stdout, null when that is something else. */
export interface Ran {
  readonly code: number | null
  readonly stdout: Uint8Array
  readonly report: Readonly<Record<string, unknown>> | null
  readonly stderr: string
}

/** Run a tool to its end. Exit 0: all checks hold; 1: some check fails; 2: it could not run. */
export function runTool(tool: Tool, args: readonly string[], input: string | Uint8Array = ""): Ran {
  const { status, stdout, stderr, error } = spawnSync(toolPath(tool), args, { input, maxBuffer: 1 << 28 })
  if (error) throw error
  return { code: status, stdout, report: parseReport(stdout), stderr: stderr.toString() }
}

/** The same without blocking this process, for several at once. */
export async function startTool(tool: Tool, args: readonly string[]): Promise<Ran> {
  const child = spawn(toolPath(tool), args, { stdio: ["ignore", "pipe", "pipe"] })
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on("data", (chunk) => out.push(chunk))
  child.stderr.on("data", (chunk) => err.push(chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  const stdout = Buffer.concat(out)
  return { code, stdout, report: parseReport(stdout), stderr: Buffer.concat(err).toString() }
}

/** Another implementation's witness, running. */
export interface RunningWitness {
  readonly url: string
  readonly vkey: string
  stop(): Promise<void>
}

/** Run the Go witness for a log; it ends with `stop`, or with this process. */
export async function startGoWitness(logVkey: string): Promise<RunningWitness> {
  const args = ["--log-vkey", logVkey, "--until-eof"]
  const child = spawn(toolPath("witness"), args, { stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const said = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.once("error", reject)
    child.once("close", () => reject(new Error("the witness ended before it said where it is")))
    child.stdout.on("data", (part) => {
      text += part
      if (text.includes("\n")) resolve(text)
    })
  })
  const { url, vkey } = JSON.parse(said)
  return {
    url,
    vkey,
    stop: () => {
      child.stdin.end()
      return ended
    },
  }
}

function parseReport(stdout: Uint8Array): Ran["report"] {
  try {
    return JSON.parse(new TextDecoder().decode(stdout))
  } catch {
    return null
  }
}
