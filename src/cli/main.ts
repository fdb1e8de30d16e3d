// Finds the command, reads its options, runs it, and turns whatever it throws into one line and an exit code.
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import { COMMANDS, type CommandSpec, GLOBAL_OPTIONS } from "./commands.js"
import { type ExitCode, exitCodeOfError } from "./exit-codes.js"
import { type Io, type ProcessIo, withMembers } from "./io.js"
import { insertSeparator, parseCommandLine } from "./options.js"

/** Run one command line (without node and script). Never throws. */
export async function main(argv: readonly string[], processIo: ProcessIo): Promise<ExitCode> {
  const closers: (() => Promise<void>)[] = []
  const io = withMembers(processIo, { atEnd: (close: () => Promise<void>) => void closers.push(close) })
  try {
    return await run(argv, io)
  } catch (error) {
    reportError(error, argv, io)
    return exitCodeOfError(error)
  } finally {
    await Promise.allSettled(closers.map((close) => close()))
  }
}

async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const first = argv[0]
  if (first === undefined || first === "help" || first.startsWith("-"))
    return (await import("./help.js")).printTopic(argv, io)
  const name = commandNameOf(argv)
  const entry = COMMANDS.get(name)
  if (!entry) throw unknownCommand(argv)
  const rest = argv.slice(name.split(" ").length)
  const spec = await entry.load()
  const specs = [...spec.options, ...GLOBAL_OPTIONS]
  const line = parseCommandLine(
    spec.launchAfter === undefined ? rest : insertSeparator(rest, specs, spec.launchAfter),
    specs,
  )
  if (line.options.flag("help")) return (await import("./help.js")).printCommandHelp(name, entry, spec, io)
  checkWords(spec, line.words.length)
  if (line.launch !== null && spec.launchAfter === undefined) {
    throw new ToolsumError("USAGE", `expected nothing after --; usage: toolsum ${spec.usage}`)
  }
  return spec.run(line, line.options.flag("no-color") ? withMembers(io, { colour: false }) : io)
}

/** The command's words: one, or the two of a group. */
const commandNameOf = (argv: readonly string[]): string =>
  COMMANDS.has(argv.slice(0, 2).join(" ")) ? argv.slice(0, 2).join(" ") : (argv[0] ?? "")

function checkWords(spec: CommandSpec, count: number): void {
  const [least, greatest] = spec.words
  if (count >= least && count <= greatest) return
  throw new ToolsumError("USAGE", `too ${count < least ? "few" : "many"} words; usage: toolsum ${spec.usage}`)
}

function unknownCommand(argv: readonly string[]): ToolsumError {
  const first = argv[0] ?? ""
  const group = [...COMMANDS.keys()].filter((name) => name.startsWith(`${first} `))
  if (group.length > 0) {
    const actions = group.map((name) => name.slice(first.length + 1)).join(", ")
    return new ToolsumError("USAGE", `expected one of ${actions} after ${first}`)
  }
  return new ToolsumError("USAGE", `unknown command ${quote(first)}; toolsum --help lists all`)
}

/** One line on stderr; with --json one document on stdout too. Anything that is not a ToolsumError is our fault: with its stack. */
function reportError(error: unknown, argv: readonly string[], io: Io): void {
  const known = error instanceof ToolsumError
  const message = known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  const line = escapeInvisible(known ? message.replaceAll("\n", " ") : message).replaceAll("\\u000a", "\n")
  io.stderr(known ? `toolsum: ${line} (${error.code})\n` : `toolsum: internal error, please report it: ${line}\n`)
  const cut = argv.indexOf("--")
  if (!(cut < 0 ? argv : argv.slice(0, cut)).includes("--json")) return
  const described = known
    ? { code: error.code, kind: error.kind, message }
    : { code: "INTERNAL", kind: "internal", message: error instanceof Error ? error.message : String(error) }
  const document = {
    schemaVersion: 1,
    command: commandNameOf(argv),
    ok: false,
    exitCode: exitCodeOfError(error),
    error: described,
  }
  io.stdout(`${JSON.stringify(document, null, 2)}\n`)
}
