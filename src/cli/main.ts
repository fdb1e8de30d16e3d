// Finds the command, reads its options, runs it, and turns whatever it throws into one line and an exit code.
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { COMMANDS, type CommandSpec, commandsOf, GLOBAL_OPTIONS, INVENTORY, isGroup } from "./commands.js"
import { sayError } from "./error-text.js"
import { type ExitCode, exitCodeOfError } from "./exit-codes.js"
import { type Io, type ProcessIo, withMembers } from "./io.js"
import { insertSeparator, parseCommandLine } from "./options.js"
import { errorMember, printDocument, toWellFormed } from "./report-json.js"

/** Run one command line (without node and script). Never throws. */
export async function main(argv: readonly string[], processIo: ProcessIo): Promise<ExitCode> {
  const closers: (() => Promise<void>)[] = []
  const io = withMembers(processIo, { atEnd: (close: () => Promise<void>) => void closers.push(close) })
  const asked = { command: commandNameOf(argv), json: isJsonAsked(argv) }
  try {
    return await run(argv, asked, io)
  } catch (error) {
    return reportError(error, asked, io)
  } finally {
    await Promise.allSettled(closers.map((close) => close()))
  }
}

/** Report what was thrown where nobody awaits it. Never throws; returns the exit code. */
export const reportUncaught = (error: unknown, io: Pick<ProcessIo, "stdout" | "stderr">): ExitCode =>
  reportError(error, { command: "", json: false }, io)

/** What a report of an error needs to know of the command line. */
interface Asked {
  readonly command: string
  json: boolean
}

/** True for `--json` among the words that are ours, not a server's. */
const isJsonAsked = (argv: readonly string[]): boolean => {
  const cut = argv.indexOf("--")
  const own = cut < 0 ? argv : argv.slice(0, cut)
  return own.includes("--json") || own.some((word, i) => word === "--format" && own[i + 1] === "json")
}

async function run(argv: readonly string[], asked: Asked, io: Io): Promise<ExitCode> {
  const { command } = asked
  if (TOPICS.includes(argv[0] ?? "")) return (await import("./help.js")).printTopic(argv, io)
  const entry = isBare(argv) ? INVENTORY : COMMANDS.get(command)
  if (!entry && isHelp(argv[1]) && isGroup(command)) return (await import("./help.js")).printGroupHelp(command, io)
  if (!entry) throw unknownCommand(argv)
  const rest = isBare(argv) ? argv : argv.slice(command.split(" ").length)
  const spec = await entry.load()
  const specs = [...spec.options, ...GLOBAL_OPTIONS]
  const words = spec.launchAfter === undefined ? rest : insertSeparator(rest, specs, spec.launchAfter)
  asked.json = isJsonAsked(words)
  const line = parseCommandLine(words, specs)
  if (line.options.flag("help")) return (await import("./help.js")).printCommandHelp(command, entry, spec, io)
  checkWords(spec, line.words.length)
  for (const word of ownOptionsIn(line.launch ?? [], spec))
    io.stderr(`note: ${word} after the command goes to the server, not to toolsum\n`)
  if (line.launch !== null && spec.launchAfter === undefined) {
    throw new ToolsumError("USAGE", `expected nothing after --; usage: toolsum ${spec.usage}`)
  }
  return spec.run(line, line.options.flag("no-color") ? withMembers(io, { colour: false }) : io)
}

/** First words that ask for help or for the version. */
const TOPICS: readonly string[] = ["help", "--help", "-h", "--version", "-v"]

const isHelp = (word: string | undefined): boolean => word === "--help" || word === "-h"

/** True where no command is named, only options are: the inventory. */
const isBare = ([first]: readonly string[]): boolean => first === undefined || first.startsWith("-")

/** The command's words: as many as make one, three at most. */
function commandNameOf(argv: readonly string[]): string {
  if (isBare(argv)) return "inventory"
  const names = [3, 2].map((count) => argv.slice(0, count).join(" "))
  return names.find((name) => COMMANDS.has(name)) ?? argv[0] ?? ""
}

/** Options of ours in a launch line: more often a slip than meant for the server. */
function ownOptionsIn(launch: readonly string[], spec: CommandSpec): readonly string[] {
  const own = new Set(spec.options.map(([form]) => form.split(" ")[0] ?? ""))
  return launch.filter((word) => own.has(word))
}

function checkWords(spec: CommandSpec, count: number): void {
  const [least, greatest] = spec.words
  if (count >= least && count <= greatest) return
  throw new ToolsumError("USAGE", `too ${count < least ? "few" : "many"} words; usage: toolsum ${spec.usage}`)
}

function unknownCommand(argv: readonly string[]): ToolsumError {
  const first = argv[0] ?? ""
  if (isGroup(first)) {
    const actions = commandsOf(first).map(([name]) => name.slice(first.length + 1))
    return new ToolsumError("USAGE", `expected one of ${actions.join(", ")} after ${first}`)
  }
  return new ToolsumError("USAGE", `unknown command ${quote(first)}; toolsum --help lists all`)
}

/** One line on stderr; with --json one document on stdout too. Anything that is not a ToolsumError is our fault: with its stack. Never
 *  throws: when stdout is what failed, the line and the exit code say so. */
function reportError(error: unknown, asked: Asked, io: Pick<ProcessIo, "stdout" | "stderr">): ExitCode {
  const exitCode = exitCodeOfError(error)
  try {
    io.stderr(describeError(error))
    if (asked.json) printDocument(io, { command: asked.command, exitCode, error: thrownMember(error) })
  } catch {
    // What could not be printed cannot be reported either.
  }
  return exitCode
}

function describeError(error: unknown): string {
  if (error instanceof ToolsumError) return `toolsum: ${sayError(error)}\n`
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `toolsum: internal error, please report it: ${text.split("\n").map(escapeInvisible).join("\n  ")}\n`
}

function thrownMember(error: unknown): JsonValue {
  if (error instanceof ToolsumError) return errorMember(error)
  const message = toWellFormed(error instanceof Error ? error.message : String(error))
  return { code: "INTERNAL", kind: "internal", message }
}
