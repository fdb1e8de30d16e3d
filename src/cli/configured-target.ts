// Launch lines that `add` takes from client configurations: held to what a typed one is held to, with the variables and headers that were
// typed beside its name. Nothing is started here.
import { dirname, resolve } from "node:path"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import type { Lockfile } from "../core/lockfile.js"
import { isCommandTarget, listVariables, type Target } from "../core/target.js"
import { type Candidate, chooseServer } from "../features/choose-server.js"
import { isSameServer, takeInventory } from "../features/inventory.js"
import { buildCommandTarget, buildUrlTarget } from "../features/targets.js"
import type { ClientConfig, LockfileStore } from "../ports.js"
import { readConfigurations, readConfigurationsOf } from "./configurations.js"
import type { Io } from "./io.js"
import type { CommandLine, Options } from "./options.js"
import { isUserLockfile } from "./project.js"
import type { StartPlace } from "./servers.js"
import { readVariables, withTypedHeaders } from "./typed-target.js"

/** The one server that the name of a command line stands for, to be pinned. Throws USAGE and CONFIG_INVALID as `chooseServer`, and as
 *  `checkCandidate`. */
export async function chooseConfigured(
  { words: [name = ""], options }: CommandLine,
  lockfile: LockfileStore,
  io: Io,
): Promise<Candidate> {
  const configs = isUserLockfile(options)
    ? await readConfigurationsOf(lockfile, options, io)
    : await readConfigurations(dirname(lockfile.path), io)
  const file = options.value("from")
  const isFrom = file === null ? null : (config: ClientConfig) => isCalled(config, file, io)
  if (isFrom !== null && !configs.some(isFrom))
    throw new ToolsumError("USAGE", `--from: no client configuration is ${quote(file ?? "")}`)
  const chosen = chooseServer(configs, name, { isFrom, pinName: options.value("as") })
  return checkCandidate(chosen, options, io)
}

/** A configuration by the name that pins have for it, or by its path; shells write `~` out. */
const isCalled = ({ file, path }: ClientConfig, typed: string, io: Io): boolean =>
  typed === file || resolve(io.cwd, typed) === path

/** The candidate with typed headers. Throws USAGE for a secret in its launch line, and for options that do not fit it. */
export function checkCandidate(candidate: Candidate, options: Options, io: Io): Candidate {
  if (options.value("cwd") !== null)
    throw new ToolsumError("USAGE", "--cwd is for a launch line that is typed; this one has the folder of its file")
  const configured = isCommandTarget(candidate.target)
    ? candidate.target
    : withTypedHeaders(candidate.target, options, io)
  const target = rebuild(configured, io)
  const { env, placeholders } = readVariables(options)
  const has = listVariables(target)
  const unknown = [...env, ...placeholders].find((variable) => !has.includes(variable))
  if (unknown !== undefined && !options.flag("all"))
    throw new ToolsumError(
      "USAGE",
      `expected one of its variables${listWords(has)}, got ${quote(unknown)}; type a launch line to give it others`,
    )
  return { ...candidate, target }
}

const listWords = (names: readonly string[]): string =>
  names.length === 0 ? " (it has none)" : ` (${names.join(", ")})`

/** Through the same checks as what is typed. */
function rebuild(target: Target, io: Io): Target {
  if (isCommandTarget(target)) {
    const { command, args, env, cwd = null } = target
    return buildCommandTarget({ launch: [command, ...args], env, cwd, environment: io.env })
  }
  const headers = Object.entries(target.headers).map(([name, value]) => `${name}: ${value}`)
  return buildUrlTarget({ url: target.url, headers, environment: io.env })
}

/** The launch line that the client configurations have for a pin now, where that is not the pinned one any more and all agree on it; null
 *  while one of them starts the pinned line, or none has the server. Throws USAGE where they differ, and for a secret in it. */
export async function findUpdateLine(name: string, lockfile: Lockfile, place: StartPlace): Promise<Target | null> {
  const { lockfilePath, options, io } = place
  const configs = isUserLockfile(options)
    ? await readConfigurationsOf({ path: lockfilePath }, options, io)
    : await readConfigurations(dirname(lockfilePath), io)
  const locks = isUserLockfile(options) ? { project: null, user: lockfile } : { project: lockfile, user: null }
  const rows = takeInventory(configs, locks).rows.filter(({ pin, target }) => pin?.name === name && target !== null)
  const changed = rows.filter(({ state }) => state === "launch_changed")
  const [first, ...rest] = changed.flatMap(({ server }) => server ?? [])
  if (first?.target === undefined || first.target === null) return null
  // What stands in no file, and what a file still starts, is read as it is pinned.
  if (rows.some(({ config, state }) => config !== null && state !== "launch_changed")) return null
  if (rest.some((server) => !isSameServer(first, server))) {
    const files = changed.flatMap(({ config }) => (config ? [quote(config.file)] : []))
    throw new ToolsumError(
      "USAGE",
      `${name} has different launch lines in ${files.join(" and ")}; type the one to read`,
    )
  }
  return rebuild(first.target, io)
}

/** Placeholders of the command line that this server has a use for. */
export function placeholdersFor({ target }: Candidate, options: Options): readonly string[] {
  const has = new Set(listVariables(target))
  return readVariables(options).placeholders.filter((name) => has.has(name))
}

/** A value that stands in the file is not taken from there: say which variable it has to come from. Lines for stderr. */
export function noteLiterals(
  { pinName, literals, target, from }: Candidate,
  options: Options,
  io: Io,
): readonly string[] {
  const placeholders = readVariables(options).placeholders
  const unset = listVariables(target).filter((name) => io.env[name] === undefined && !placeholders.includes(name))
  if (literals.length === 0 || unset.length === 0) return []
  const names = unset.join(", ")
  const text = `${pinName}: the value of ${literals.join(", ")} stands in ${from[0]?.file ?? "a file"} and is not taken from there; set ${names}, or give --placeholder`
  return [`note: ${escapeInvisible(text)}\n`]
}
