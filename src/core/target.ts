// How a server is reached (DESIGN 2 and 7, formats 32): a command with arguments and the names of variables, or a URL with headers.
// Values are templates (template.ts); no secret is ever in here. Its canonical form is what pins and consent are bound to.
import { compareUtf8 } from "./bytes.js"
import { computeJsonDigest } from "./canonical.js"
import { quote, ToolsumError } from "./errors.js"
import type { Digest } from "./hash.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "./json.js"
import { listTemplateNames, parseTemplate } from "./template.js"

/** A process that speaks over stdio. `args`: templates, without the command. `env`: names of variables, sorted, none twice.
 *  `cwd`: relative to the folder of the lockfile. */
export interface CommandTarget {
  readonly command: string
  readonly args: readonly string[]
  readonly env: readonly string[]
  readonly cwd?: string
}

/** A server behind a URL. `url` and the values of `headers` are templates; header names are as configured, unique without case. */
export interface UrlTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** How a server is reached. */
export type Target = CommandTarget | UrlTarget

/** True for a target that starts a process. */
export const isCommandTarget = (target: Target): target is CommandTarget => "command" in target

const bad = (why: string): ToolsumError => new ToolsumError("TARGET_MALFORMED", why)

// Names that a record's profile can hold (formats 10).
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
const HEADER_NAME = /^[A-Za-z0-9_-]{1,128}$/

/** Read a target: exactly `{command, args, env}` with `cwd` when set, or `{url, headers}`. Throws TARGET_MALFORMED. */
export function parseTarget(value: JsonValue): Target {
  if (!isObject(value)) throw bad("expected an object")
  return "url" in value ? parseUrlTarget(value) : parseCommandTarget(value)
}

/** Check that arguments, or URL and header values, are templates: what nobody can start or contact is no target of a pin.
 *  Throws TARGET_MALFORMED. */
export function checkTemplates(target: Target): void {
  const texts = isCommandTarget(target) ? target.args : [target.url, ...Object.values(target.headers)]
  for (const text of texts) if (text.includes("$")) parseTemplate(text)
}

/** Names of all variables that a target is given: of its environment, and those that its templates ask for. Sorted, each once. Throws
 *  TARGET_MALFORMED for what is no template. */
export function listVariables(target: Target): readonly string[] {
  const texts = isCommandTarget(target) ? target.args : [target.url, ...Object.values(target.headers)]
  const asked = texts.flatMap((text) => listTemplateNames(text))
  return [...new Set([...(isCommandTarget(target) ? target.env : []), ...asked])].sort(compareUtf8)
}

/** The target as the JSON object that lockfiles hold, members in canonical order; the exact inverse of `parseTarget`. */
export function formatTarget(target: Target): JsonObject {
  if (!isCommandTarget(target)) return { headers: target.headers, url: target.url }
  const { args, command, cwd, env } = target
  return cwd === undefined ? { args, command, env } : { args, command, cwd, env }
}

/** Digest of the canonical target (formats 32): what consent is given to. */
export const computeTargetDigest = (target: Target): Digest => computeJsonDigest(formatTarget(target))

function parseCommandTarget(value: JsonObject): CommandTarget {
  checkMembers(value, ["command", "args", "env"], "cwd")
  const command = parseText(value.command, "command")
  const args = parseList(value.args, "args")
  const env = parseList(value.env, "env")
  env.forEach((name, i) => {
    if (!ENV_NAME.test(name)) throw bad(`expected the name of a variable in env, got ${quote(name)}`)
    const previous = env[i - 1]
    if (previous !== undefined && compareUtf8(previous, name) >= 0)
      throw bad(`expected env sorted and unique, got ${quote(name)} after ${quote(previous)}`)
  })
  return "cwd" in value ? { command, args, env, cwd: parseText(value.cwd, "cwd") } : { command, args, env }
}

function parseUrlTarget(value: JsonObject): UrlTarget {
  checkMembers(value, ["url", "headers"])
  const url = parseText(value.url, "url")
  if (!isObject(value.headers)) throw bad("expected headers to be an object")
  const headers: Record<string, string> = Object.create(null)
  const seen = new Set<string>()
  for (const [name, text] of Object.entries(value.headers)) {
    if (!HEADER_NAME.test(name)) throw bad(`expected the name of a header, got ${quote(name)}`)
    if (seen.has(name.toLowerCase())) throw bad(`expected headers unique without case, got ${quote(name)} again`)
    seen.add(name.toLowerCase())
    if (typeof text !== "string" || /[\0\r\n]/.test(text))
      throw bad(`expected text on one line in header ${quote(name)}`)
    headers[name] = text
  }
  return { url, headers }
}

function checkMembers(value: JsonObject, required: readonly string[], optional?: string): void {
  const missing = required.find((name) => !(name in value))
  if (missing !== undefined) throw bad(`expected member ${missing}`)
  const unknown = Object.keys(value).find((name) => !required.includes(name) && name !== optional)
  if (unknown !== undefined) throw bad(`expected no member ${quote(unknown)}`)
}

function parseText(value: JsonValue | undefined, name: string): string {
  if (typeof value !== "string" || value === "" || value.includes("\0"))
    throw bad(`expected ${name} to be text that is not empty`)
  return value
}

function parseList(value: JsonValue | undefined, name: string): readonly string[] {
  if (!isArray(value)) throw bad(`expected ${name} to be a list`)
  if (!value.every((text) => typeof text === "string" && !text.includes("\0")))
    throw bad(`expected text only in ${name}`)
  return value as readonly string[] // every element was checked just now
}
