// What a person types as a server: a launch line or a URL, with names of variables and headers. Nothing is started or contacted here.
import { quote, ToolsumError } from "../core/errors.js"
import { isCommandTarget, listVariables, type Target, type UrlTarget } from "../core/target.js"
import { buildCommandTarget, buildUrlTarget } from "../features/targets.js"
import { DEFAULT_READ_LIMITS, type ReadLimits } from "../ports.js"
import type { Io } from "./io.js"
import type { CommandLine, OptionSpec, Options } from "./options.js"

/** Options of commands that read servers, whoever names them. */
export const READ_OPTIONS: readonly OptionSpec[] = [
  [
    "--client-credentials <name>",
    "Get the token ${<name>} by OAuth, with <name>_CLIENT_ID and <name>_CLIENT_SECRET; repeatable",
  ],
  ["--timeout <seconds>", "How long a server may take to start, and for each answer; 120 and 30 unless given"],
]

/** Options of commands that take a launch line or a URL. */
export const LAUNCH_OPTIONS: readonly OptionSpec[] = [
  ["--env <name>", "Variable that the server gets, by name; repeatable"],
  ["--placeholder <name>", "Variable that the server gets as a dummy text, so that it starts; repeatable"],
  ["--header <line>", "Header for a URL with variables in it, 'Authorization: Bearer ${TOKEN}'; repeatable"],
  ["--cwd <folder>", "Folder to start the server in, relative to the lockfile's"],
  ["--resources", "Read the list of resources too"],
  ...READ_OPTIONS,
]

/** True for a word that is a server's address, not a name. */
export const isUrl = (word: string): boolean => /^https?:\/\//i.test(word)

/** The target that a command line names, or null when it names none. Throws USAGE for two, for what cannot be reached that way, and for a
 *  secret in it; TARGET_MALFORMED. */
export function readTypedTarget({ words, launch, options }: CommandLine, io: Io): Target | null {
  const [url, ...more] = words.filter(isUrl)
  if (url === undefined && launch === null) return null
  if (more.length > 0 || (url !== undefined && launch !== null))
    throw new ToolsumError("USAGE", "expected one server, a URL or a command after --, got both or several")
  const { env, placeholders } = readVariables(options)
  if (url === undefined) return readCommand(launch ?? [], options, io)
  if (options.value("cwd") !== null) throw new ToolsumError("USAGE", "--cwd is for servers that are started")
  const target = buildUrlTarget({ url, headers: options.values("header"), environment: io.env })
  requireUsed(target, [...env, ...placeholders, ...options.values("client-credentials")])
  return target
}

/** The same where a server must be named. Throws USAGE for none. */
export function readTarget(line: CommandLine, io: Io): Target {
  const target = readTypedTarget(line, io)
  if (target !== null) return target
  throw new ToolsumError(
    "USAGE",
    "expected the server's command or its URL, such as: -- npx -y some-server@1.2.3, or https://example.com/mcp",
  )
}

function readCommand(launch: readonly string[], options: Options, io: Io): Target {
  if (launch.length === 0) throw new ToolsumError("USAGE", "expected the server's command after --")
  for (const option of ["header", "client-credentials"])
    if (options.values(option).length > 0)
      throw new ToolsumError("USAGE", `--${option} is for servers behind a URL; a command gets variables by --env`)
  const { env, placeholders } = readVariables(options)
  return buildCommandTarget({
    launch,
    env: [...env, ...placeholders],
    cwd: options.value("cwd"),
    environment: io.env,
  })
}

/** A variable that no header and no query has would never get anywhere. */
function requireUsed(target: Target, names: readonly string[]): void {
  const used = listVariables(target)
  const unused = names.find((name) => !used.includes(name))
  if (unused !== undefined)
    throw new ToolsumError(
      "USAGE",
      `expected \${${unused}} in a header or in the URL's query: --header 'Authorization: Bearer \${${unused}}'`,
    )
}

/** Names of variables that were typed: those that get their value, and those that get a dummy text. Throws USAGE for one that is both. */
export function readVariables(options: Options): { env: readonly string[]; placeholders: readonly string[] } {
  const [env, placeholders] = [options.values("env"), options.values("placeholder")]
  for (const option of ["env", "client-credentials"]) {
    const both = options.values(option).find((name) => placeholders.includes(name))
    if (both !== undefined)
      throw new ToolsumError("USAGE", `expected ${quote(both)} after --${option} or after --placeholder, got both`)
  }
  return { env, placeholders }
}

/** A URL with the headers that were typed: each takes the place of the one of its name. Throws USAGE. */
export function withTypedHeaders(pinned: UrlTarget, options: Options, io: Io): Target {
  const headers = options.values("header")
  if (headers.length === 0) return pinned
  const typed = buildUrlTarget({ url: pinned.url, headers, environment: io.env }).headers
  const names = new Set(Object.keys(typed).map((name) => name.toLowerCase()))
  const kept = Object.entries(pinned.headers).filter(([name]) => !names.has(name.toLowerCase()))
  return { url: pinned.url, headers: { ...Object.fromEntries(kept), ...typed } }
}

/** Longest time that can be asked for, in seconds. */
const MAX_TIMEOUT_SEC = 3600

/** Bounds of a reading, with `--timeout`. Throws USAGE. */
export function readLimits(options: Options): ReadLimits {
  const text = options.value("timeout")
  if (text === null) return DEFAULT_READ_LIMITS
  const seconds = /^[1-9][0-9]{0,3}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > MAX_TIMEOUT_SEC)
    throw new ToolsumError("USAGE", `--timeout: expected 1 to ${MAX_TIMEOUT_SEC} seconds, got ${quote(text)}`)
  return { ...DEFAULT_READ_LIMITS, startTimeoutMs: seconds * 1000, requestTimeoutMs: seconds * 1000 }
}

/** A target for people, as it would be typed. Untrusted: escape it before it is shown. */
export function describeTarget(target: Target): string {
  return isCommandTarget(target) ? [target.command, ...target.args].map(quoteWord).join(" ") : target.url
}

const quoteWord = (word: string): string => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))
