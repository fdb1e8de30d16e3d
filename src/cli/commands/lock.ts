// `toolsum lock merge|complete`: lockfiles of two branches as one, and pins that were written without the log's key.
// Whenever a merge does not end with 0, the file holds git's conflict markers around what could not be united: nobody takes it for
// merged, every command refuses it with one line, and nothing of either side is lost.
import { resolve } from "node:path"
import { replaceFile } from "../../adapters/durable-file.js"
import { readLockfileBytes } from "../../adapters/lockfile-fs.js"
import { decodeUtf8, encodeUtf8 } from "../../core/bytes.js"
import { escapeInvisible, quote, ToolsumError } from "../../core/errors.js"
import { formatLockfile, type Lockfile, parseLockfile } from "../../core/lockfile.js"
import { formatConflict } from "../../features/conflict-text.js"
import { type MergeConflict, type MergedLockfiles, mergeVerified } from "../../features/merge-lockfiles.js"
import { EMPTY_LOCKFILE } from "../../features/pins.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS } from "../dry-run.js"
import type { ExitCode } from "../exit-codes.js"
import type { Io } from "../io.js"
import { LOG_OPTIONS } from "../logs.js"
import type { CommandLine, Options } from "../options.js"
import { LOCKFILE_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"
import { showWord } from "../shell-words.js"

export const lockMergeCommand: CommandSpec = {
  usage: "lock merge <base> <ours> <theirs> [name] | lock merge [--install]",
  words: [0, 4],
  options: [["--install", "Make git merge toolsum.lock.json with this; without files or --install: show how"]],
  examples: ["toolsum lock merge --install", "toolsum lock merge base.json ours.json theirs.json"],
  run: async (line, io) => {
    const { words, options } = line
    if (words.length === 0) return (await import("../merge-driver.js")).setUpMergeDriver(options, io)
    if (words.length < 3 || options.flag("install"))
      throw new ToolsumError(
        "USAGE",
        `expected three files, or --install alone; usage: toolsum ${lockMergeCommand.usage}`,
      )
    return mergeFiles(line, io)
  },
}

export const lockCompleteCommand: CommandSpec = {
  usage: "lock complete [name…]",
  words: [0, 1000],
  options: [...LOG_OPTIONS, ...LOCKFILE_OPTIONS, ...ROOT_OPTIONS, ...DRY_RUN_OPTIONS],
  run: async (line, io) => (await import("../complete.js")).completeProject(line, io),
}

/** The paths that git gives: common ancestor, ours (the result goes there), theirs, and how the file is called. */
interface MergeFiles {
  readonly base: string
  readonly ours: string
  readonly theirs: string
  readonly shown: string
}

async function mergeFiles({ words, options }: CommandLine, io: Io): Promise<ExitCode> {
  const [base = "", ours = "", theirs = "", shown = ours] = words
  const at = (path: string) => resolve(io.cwd, path)
  const files = { base: at(base), ours: at(ours), theirs: at(theirs), shown }
  try {
    const sides = {
      base: await readSide(files.base, "the common ancestor", shown),
      ours: await readSide(files.ours, "ours", shown),
      theirs: await readSide(files.theirs, "theirs", shown),
    }
    const merged = mergeVerified(sides)
    await writeMerged(files.ours, sides.ours, merged)
    return report(merged.conflicts, shown, options, io)
  } catch (error) {
    if (isAboutContent(error) && (await markAll(files)))
      io.stderr(`${escapeInvisible(shown)} was not merged: both versions are in it, between conflict markers\n`)
    throw error
  }
}

/** False where a file cannot be had at all; a fault of ours counts, since git goes on all the same. */
const isAboutContent = (error: unknown): boolean =>
  !(error instanceof ToolsumError) || error.kind === "malformed" || error.kind === "rejected"

/** One side. Git gives an empty file where both sides added the lockfile. */
async function readSide(path: string, who: string, shown: string): Promise<Lockfile> {
  const bytes = await readLockfileBytes(path)
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quote(path)}, got nothing`)
  if (who === "the common ancestor" && bytes.length === 0) return EMPTY_LOCKFILE
  try {
    return parseLockfile(bytes)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    throw new ToolsumError(error.code, `${who} of ${quote(shown)}: ${error.message}`, { cause: error })
  }
}

/** Another spelling of the same content stays as it is. */
async function writeMerged(path: string, before: Lockfile, merged: MergedLockfiles): Promise<void> {
  const text = formatLockfile(merged.lockfile)
  const isConflict = merged.conflicts.length > 0
  if (!isConflict && text === formatLockfile(before)) return
  await replaceFile(path, encodeUtf8(isConflict ? formatConflict(text, formatLockfile(merged.otherwise)) : text))
}

/** Put both texts, as they are, into the result, with markers where they differ. False when that cannot be done. */
async function markAll({ ours, theirs }: MergeFiles): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([ours, theirs].map(readText))
    if (a === undefined || b === undefined || a === b) return false
    await replaceFile(ours, encodeUtf8(formatConflict(a, b)))
    return true
  } catch (error) {
    if (error instanceof ToolsumError) return false // what stopped the merge is reported; this only came after it
    throw error
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readLockfileBytes(path)
  return decodeUtf8(bytes ?? new Uint8Array(0), (why) => new ToolsumError("LOCKFILE_MALFORMED", why))
}

function report(conflicts: readonly MergeConflict[], shown: string, options: Options, io: Io): ExitCode {
  const exitCode = conflicts.length > 0 ? 1 : 0
  if (options.flag("json")) {
    const rows = conflicts.map(({ kind, name, what }) => ({ kind, name, what }))
    printDocument(io, { command: "lock merge", exitCode, conflicts: rows })
  } else if (exitCode === 1) {
    // To stderr: stdout belongs to the git command that merges.
    io.stderr(describe(conflicts, escapeInvisible(shown)))
  }
  return exitCode
}

function describe(conflicts: readonly MergeConflict[], shown: string): string {
  const lines = conflicts.map(({ kind, name, what }) => `  ${kind} ${showWord(name)}: ${escapeInvisible(what)}\n`)
  const pins = conflicts.filter(({ kind }) => kind === "pin").map(({ name }) => `.mcp-tools/${name}.json`)
  const definitions = pins.length === 0 ? "" : `, and the same side of ${pins.join(", ")}`
  return `${shown}: merged but for what both sides changed:\n${lines.join("")}Take one side of each conflict in the file${definitions}. Then: toolsum verify, and git add\n`
}
