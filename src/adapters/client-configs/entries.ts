// One entry of a configuration to one configured server (formats 44): its launch line as our target, names of variables only. Every
// client's entry comes in the plain shape (shapes.ts). No message and no result holds a value of a variable, a header or a credential.
import { ToolsumError } from "../../core/errors.js"
import { unwrapGuard } from "../../core/guard-wrapper.js"
import { findSecretShape, findSecretWord } from "../../core/secret-shapes.js"
import { listVariables, parseTarget, type Target } from "../../core/target.js"
import type { ConfiguredServer } from "../../ports.js"
import { insideOf, pathOf } from "./paths.js"
import { type Dialect, isReference, mapVariables, type TextPlace, upperSnake } from "./variables.js"

/** Members of an object from outside. */
export type Members = Readonly<Record<string, unknown>>

/** True for an object of names and values: not for null, a list, or what only TOML and YAML have, a date, set, ordered map or bytes. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isTagged(value)

const isTagged = (value: object): boolean =>
  value instanceof Date || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)

/** An entry that cannot be read: it is reported, the others of its file stay. */
export const badEntry = (why: string): ToolsumError => new ToolsumError("CONFIG_INVALID", why)

/** What an entry stands in. */
export interface EntryPlace {
  readonly dialect: Dialect
  /** The folder that relative paths start from, absolute; null: none that a lockfile could name (a file of the user). */
  readonly project: string | null
  readonly platform: NodeJS.Platform
}

/** A listed entry. `read`: gives the entry in the plain shape `{command, args, env, cwd}` or `{url, headers}`; throws CONFIG_INVALID. */
export interface Entry {
  readonly name: string
  readonly isDisabled: boolean
  readonly read: () => Members
}

/** Read an entry; a bad one has no target and says why. */
export function readEntry({ name, isDisabled, read }: Entry, place: EntryPlace): ConfiguredServer {
  try {
    return { name, problem: null, isDisabled, ...readLaunch(read(), place) }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    return { name, target: null, problem: error.message, literals: [], isGuarded: false, isDisabled }
  }
}

type Launch = Pick<ConfiguredServer, "target" | "literals" | "isGuarded" | "pin" | "pinVariables">

function readLaunch(plain: Members, place: EntryPlace): Launch {
  const uncovered = UNCOVERED.find((member) => plain[member] !== undefined && plain[member] !== null)
  if (uncovered !== undefined) throw badEntry(`expected no ${uncovered}: what it brings is no part of a launch line`)
  const { command } = plain
  const url = readUrl(plain)
  const hasCommand = command !== undefined && command !== null
  if (hasCommand === (url !== null)) throw badEntry(`expected a command or a url${hasCommand ? ", got both" : ""}`)
  if (url !== null) return { ...readUrlTarget(url, headersOf(plain.headers), place), isGuarded: false }
  return readCommand(readText(command, "command"), plain, place)
}

/** Members that bring variables or headers from elsewhere: a file, a program. */
const UNCOVERED = ["envFile", "headersHelper"] as const

/** The one URL, under any of the names that clients have for it. */
function readUrl(plain: Members): string | null {
  const urls = ["url", "serverUrl", "httpUrl"].filter((name) => plain[name] !== undefined && plain[name] !== null)
  const [url, other] = new Set(urls.map((name) => readText(plain[name], name)))
  if (other !== undefined) throw badEntry(`expected one URL, got different ones in ${urls.join(" and ")}`)
  return url ?? null
}

function readText(value: unknown, member: string): string {
  if (typeof value !== "string" || value === "") throw badEntry(`expected ${member} to be text that is not empty`)
  return value
}

function readCommand(command: string, plain: Members, place: EntryPlace): Launch {
  const env = readEnv(plain.env ?? {})
  const launch = unwrapGuard({ command, args: readArgs(plain.args ?? []), env: env.names })
  if ("problem" in launch) throw badEntry(launch.problem)
  const { isGuarded } = launch
  const cwd = readCwd(plain.cwd, place)
  if (cwd !== undefined && !("command" in launch)) throw badEntry("expected a toolsum guard without a cwd of its own")
  if ("pin" in launch) return readPinned(launch, env, place)
  if ("url" in launch) return { ...readGuardedUrl(launch, env.names, place), isGuarded }
  const textPlace = { dialect: place.dialect, projectIsHere: cwd === undefined && place.project !== null }
  const args = launch.args.map((arg) => mapText(arg, "args", textPlace).template)
  const target = {
    command: readProgram(launch.command, textPlace),
    args,
    env: env.names,
    ...(cwd !== undefined && { cwd }),
  }
  refuseSecret([target.command, ...args], "args")
  return { target: parseTarget(target), literals: env.literals, isGuarded }
}

/** A guard looks its pin up in the lockfile that the file's pins are in: of the project, or of the user. */
function readPinned({ pin, isOfUser }: { pin: string; isOfUser: boolean }, env: Variables, place: EntryPlace): Launch {
  if (isOfUser === (place.project !== null))
    throw badEntry(`expected a toolsum guard ${isOfUser ? "without" : "with"} --user in this file`)
  return { target: null, literals: env.literals, isGuarded: true, pin, pinVariables: env.names }
}

/** A guard that is given more variables than it sends may be changed by them. */
function readGuardedUrl(
  { url, headers }: { readonly url: string; readonly headers: HeaderList },
  variables: readonly string[],
  place: EntryPlace,
): Pick<Launch, "literals"> & { readonly target: Target } {
  const read = readUrlTarget(url, headers, place)
  const sent = listVariables(read.target)
  const unsent = variables.find((name) => !sent.includes(name))
  if (unsent !== undefined) throw badEntry(`expected no variable that no header of the guard has, got ${unsent}`)
  return read
}

function readArgs(args: unknown): readonly string[] {
  if (!Array.isArray(args) || !args.every((arg): arg is string => typeof arg === "string"))
    throw badEntry("expected args to be a list of texts")
  return args
}

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
const HEADER_NAME = /^[A-Za-z0-9_-]{1,128}$/

/** Names of variables, sorted, and those whose value stands there. */
interface Variables {
  readonly names: readonly string[]
  readonly literals: readonly string[]
}

/** A value of null takes a variable away. */
function readEnv(env: unknown): Variables {
  if (!isMembers(env)) throw badEntry("expected env to be an object")
  const entries = Object.entries(env).filter(([, value]) => value !== null)
  // A name that is none may well be a credential in the wrong place.
  if (!entries.every(([name]) => ENV_NAME.test(name))) throw badEntry("expected names of variables in env")
  for (const [name] of entries) refuseSecretName(name, "env")
  if (!entries.every(([, value]) => isScalar(value))) throw badEntry("expected texts in env")
  const names = entries.map(([name]) => name).sort()
  const literals = entries.filter(([, value]) => !isReference(String(value))).map(([name]) => name)
  return { names, literals: literals.sort() }
}

const isScalar = (value: unknown): value is string | number | bigint | boolean =>
  ["string", "number", "bigint", "boolean"].includes(typeof value)

/** The program itself is no template. */
function readProgram(command: string, place: TextPlace): string {
  const { template, names } = mapText(command, "command", place)
  if (names.length > 0) throw badEntry(`expected no variable in command, got ${names[0]}`)
  return template.replaceAll("$$", "$")
}

function mapText(text: string, member: string, place: TextPlace) {
  const mapped = mapVariables(text, place)
  if ("problem" in mapped) throw badEntry(`expected what a template can hold in ${member}, got ${mapped.problem}`)
  return mapped
}

const PROJECT_FOLDER = /^\$\{workspace(?:Folder|Root)\}(?:[\\/]+|$)/

/** Where it starts, relative to the project where it is inside; undefined for the project's folder itself. */
function readCwd(cwd: unknown, { project, platform }: EntryPlace): string | undefined {
  if (cwd === undefined || cwd === null || cwd === "") return undefined
  const { isAbsolute, resolve } = pathOf(platform)
  const text = readText(cwd, "cwd")
  const folder = text.replace(PROJECT_FOLDER, "./")
  if (/^~|[${]/.test(folder)) throw badEntry("expected cwd without ~ and variables")
  if (project === null) {
    if (!isAbsolute(folder)) throw badEntry("expected an absolute cwd in a file of the user")
    return folder
  }
  const inside = insideOf(project, resolve(project, folder), platform)
  if (inside === "") return undefined
  const isPlain = folder === text && !isAbsolute(folder)
  return isPlain || inside === null ? text : inside.replaceAll("\\", "/")
}

function refuseSecret(words: readonly string[], member: string): void {
  const found = findSecretWord(words.map((word) => word.replaceAll("$$", "$")))
  if (found !== null)
    throw badEntry(`expected no credential in ${member}, got what looks like ${found.shape}: write \${NAME} there`)
}

/** A token stands where a variable's name should: its letters are those of a name. */
function refuseSecretName(text: string, member: string): void {
  const shape = findSecretShape(text)
  if (shape !== null) throw badEntry(`expected the name of a variable in ${member}, got what looks like ${shape}`)
}

type HeaderList = readonly (readonly [name: string, value: string])[]

function headersOf(headers: unknown): HeaderList {
  if (headers === undefined || headers === null) return []
  if (!isMembers(headers)) throw badEntry("expected headers to be an object")
  return Object.entries(headers).map(([name, value]) => {
    if (!isScalar(value)) throw badEntry("expected texts in headers")
    return [name, String(value)]
  })
}

function readUrlTarget(
  url: string,
  list: HeaderList,
  { dialect }: EntryPlace,
): { target: Target; literals: readonly string[] } {
  const place = { dialect, projectIsHere: false }
  const { template } = mapText(url, "url", place)
  refuseSecret([template], "url")
  const headers: Record<string, string> = Object.create(null)
  const literals: string[] = []
  for (const [name, value] of list) {
    if (!HEADER_NAME.test(name)) throw badEntry("expected names of headers in headers")
    if (Object.hasOwn(headers, name)) throw badEntry("expected each header once")
    const kept = keepTemplate(value, place)
    refuseSecretName(kept ?? "", "headers")
    headers[name] = kept ?? `\${${variableOf(name)}}`
    if (kept === null) literals.push(name)
  }
  return { target: parseTarget({ url: template, headers }), literals: literals.sort() }
}

const variableOf = (header: string): string => upperSnake(header) ?? "HEADER"

const SCHEME = /^(?:(?:bearer|basic|token|apikey|api-key|key|bot|negotiate) +)?$/i

/** The value of a header where it is variables alone, with the word for the scheme before them; null for any other, which is dropped. */
function keepTemplate(value: string, place: TextPlace): string | null {
  const { template, names } = mapText(value, "headers", place)
  const rest = names.reduce((text, name) => text.replace(`\${${name}}`, () => ""), template)
  return names.length > 0 && SCHEME.test(rest) ? template : null
}
