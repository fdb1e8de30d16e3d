// Help texts, from the commands' own table.
import { readFileSync } from "node:fs"
import { quote, ToolsumError } from "../core/errors.js"
import {
  COMMANDS,
  type CommandEntry,
  type CommandSpec,
  commandsOf,
  GLOBAL_OPTIONS,
  INVENTORY,
  isGroup,
} from "./commands.js"
import type { ExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"

/** The version of this package. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
  return manifest !== null && typeof manifest === "object" && "version" in manifest
    ? String(manifest.version)
    : "unknown"
}

/** `toolsum help [command or group]`, `toolsum --help`, `toolsum --version`. */
export async function printTopic(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [first, ...rest] = argv
  if (first === "--version" || first === "-v") {
    io.stdout(`${readVersion()}\n`)
    return 0
  }
  if (first !== "help" || rest.length === 0) {
    io.stdout(overview())
    return 0
  }
  const name = rest.join(" ")
  const entry = COMMANDS.get(name)
  if (entry) return printCommandHelp(name, entry, await entry.load(), io)
  if (isGroup(name)) return printGroupHelp(name, io)
  throw new ToolsumError("USAGE", `unknown command ${quote(name)}; toolsum --help lists all`)
}

/** The commands of a group, such as `log`. */
export function printGroupHelp(group: string, io: Io): ExitCode {
  io.stdout(
    `${group}\n\nCommands\n${listCommands(commandsOf(group))}\ntoolsum help ${group} <command> shows its options.\n`,
  )
  return 0
}

/** Help of one command. */
export function printCommandHelp(name: string, entry: CommandEntry, spec: CommandSpec, io: Io): ExitCode {
  const options = columns([...spec.options, ...GLOBAL_OPTIONS])
  const examples = spec.examples ? `\nExamples\n${spec.examples.map((e) => `  ${e}\n`).join("")}` : ""
  io.stdout(`${name}: ${entry.summary}\n\nUsage\n  toolsum ${spec.usage}\n\nOptions\n${options}${examples}`)
  return 0
}

/** All commands. */
export const overview = (): string =>
  `toolsum ${readVersion()}: pins what MCP servers tell your agent, and proves it\n\nUsage\n${columns([
    ["toolsum", INVENTORY.summary],
    ["toolsum <command>", "One of these"],
  ])}\nCommands\n${listCommands([...COMMANDS])}\ntoolsum help <command> shows its options. Exit codes: 0 clean, 1 findings, 2 could not check, 3 evidence that fails.\n`

const listCommands = (commands: readonly (readonly [string, CommandEntry])[]): string =>
  columns(commands.map(([name, entry]) => [name, entry.summary] as const))

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("")
}
