// What a person types as a server, as a target: template checks, secrets refused, consent digest (DESIGN 5 and 8).
import { computeJsonDigest } from "../core/canonical.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import { parseLaunch } from "../core/launchers.js"
import { findSecretShape, findSecretWord } from "../core/secret-shapes.js"
import { listSpellings } from "../core/secret-values.js"
import { computeUrlSubject } from "../core/subject-url.js"
import {
  computeTargetDigest,
  formatTarget,
  isCommandTarget,
  parseTarget,
  type Target,
  type UrlTarget,
} from "../core/target.js"
import { listTemplateNames, parseTemplate } from "../core/template.js"

/** Values of variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The target of a launch line. `env`: names of variables that the server gets besides the usual small set.
 *  Throws USAGE for a secret, TARGET_MALFORMED for what is no template. */
export function buildCommandTarget(p: {
  launch: readonly string[]
  env: readonly string[]
  cwd: string | null
  environment: Environment
}): Target {
  const [command = "", ...args] = p.launch
  const env = [...new Set(p.env)].sort()
  const target = parseTarget({ command, args, env, ...(p.cwd === null ? {} : { cwd: p.cwd }) })
  refuseSecrets(args, p.environment)
  return target
}

/** The target of a URL. `headers`: lines such as `Authorization: Bearer ${TOKEN}`. Throws USAGE for a header without a variable and for any
 *  secret, which are not repeated, and for a URL that no log could name; TARGET_MALFORMED for what is no template. */
export function buildUrlTarget(p: { url: string; headers: readonly string[]; environment: Environment }): UrlTarget {
  refuseUrl(p.url)
  refuseUrlSecrets(p.url, p.environment)
  const lines = p.headers.map(readHeader)
  const target = parseTarget({ url: p.url, headers: Object.fromEntries(lines) })
  if (isCommandTarget(target) || Object.keys(target.headers).length < lines.length)
    throw new ToolsumError("USAGE", "--header: expected each header once")
  return target
}

/** An address that a subject can be made of, or one on this machine (formats 19). */
function refuseUrl(url: string): void {
  const at = /^([a-z]+):\/\/([^/?#]*)/i.exec(url)
  if (at?.[2]?.includes("@")) throw new ToolsumError("USAGE", "expected a URL without user info; use --header")
  if (url.includes("#")) throw new ToolsumError("USAGE", "expected a URL without # and what follows it")
  if (computeUrlSubject(url) !== null) return
  const isPlain = at?.[1]?.toLowerCase() === "http"
  if (isPlain && computeUrlSubject(`https${url.slice(4)}`) !== null && isLoopbackUrl(url)) return
  const why = isPlain ? "https://, or http:// to this machine" : "https://host/path, with variables in its query only"
  throw new ToolsumError("USAGE", `expected a URL of the form ${why}, got ${quote(url, 200)}`)
}

const isLoopbackUrl = (url: string): boolean =>
  /^http:\/\/(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?:[:/?]|$)/i.test(url)

function refuseUrlSecrets(url: string, environment: Environment): void {
  parseTemplate(url)
  const shape = findSecretShape(url)
  if (shape !== null) throw new ToolsumError("USAGE", `the URL has ${shape} in it: write \${NAME} there`)
  const parts = new Set(url.split(/[/?&=;]/))
  const names = Object.keys(environment).filter((name) => !isPlainVariable(name))
  const same = listSpellings(names, environment, MIN_SECRET_CHARS).find(({ text }) => parts.has(text))?.name
  if (same !== undefined)
    throw new ToolsumError("USAGE", `the URL has the value of ${quote(same)} in it: write \${${same}} there`)
}

/** Headers that the protocol itself writes. */
const OWN_HEADERS: readonly string[] = [
  ...["accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"],
  ...["last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id", "te", "trailer", "upgrade"],
]

/** Name and value template of a header line. Its value is never repeated in an error: it may be the secret itself. */
function readHeader(line: string): readonly [name: string, value: string] {
  const [, name, value = ""] = /^([A-Za-z0-9_-]{1,128}):[ \t]*(.*)$/s.exec(line) ?? []
  if (name === undefined)
    throw new ToolsumError("USAGE", "--header: expected 'Name: value' with a variable in the value")
  const bad = (why: string) => new ToolsumError("USAGE", `--header ${name}: ${why}`)
  if (OWN_HEADERS.includes(name.toLowerCase())) throw bad("the protocol sets this one itself")
  if (namesIn(value).length === 0)
    throw bad(
      `expected a variable in its value, such as '${name}: Bearer \${TOKEN}'; a value itself is never written down`,
    )
  if (findSecretShape(value) !== null) throw bad("its value looks like a secret beside the variable")
  return [name, value.trimEnd()]
}

/** Names in a template; none in what is no template. */
function namesIn(value: string): readonly string[] {
  try {
    return listTemplateNames(value)
  } catch (error) {
    if (error instanceof ToolsumError) return []
    throw error
  }
}

/** Variables whose value may well stand in a launch line. */
const PLAIN_VARIABLES = new Set([
  "PWD",
  "OLDPWD",
  "INIT_CWD",
  "HOME",
  "SHELL",
  "USER",
  "LOGNAME",
  "LANG",
  "TERM",
  "EDITOR",
  "PAGER",
  "HOSTNAME",
  "TMPDIR",
])
/** Shorter values are words such as `true` and `production`, not credentials. */
export const MIN_SECRET_CHARS = 8

/** True for a variable that says where and who one is, no credential. */
export const isPlainVariable = (name: string): boolean => PLAIN_VARIABLES.has(name) || isNpmVariable(name)

/** What npm tells the scripts it runs, and us under npx: folders and settings, unless the name says otherwise. */
const isNpmVariable = (name: string): boolean => name.startsWith("npm_") && !/auth|token|passw|secret|otp/i.test(name)

/** An absolute path names a folder or file; it is none of the credentials that stand in variables. */
const isPath = (value: string): boolean => /^(?:\/|[A-Za-z]:[\\/])/.test(value)

function refuseSecrets(words: readonly string[], environment: Environment): void {
  for (const word of words) parseTemplate(word)
  const found = findSecretWord(words)
  if (found)
    throw new ToolsumError(
      "USAGE",
      `argument ${found.index + 1} looks like ${found.shape}: write \${NAME} there and give --env NAME`,
    )
  for (const [i, word] of words.entries()) refuseValue(word, i, environment)
}

function refuseValue(word: string, index: number, environment: Environment): void {
  if (word.length < MIN_SECRET_CHARS || isPath(word)) return
  const same = Object.entries(environment).find(([name, value]) => value === word && !isPlainVariable(name))
  if (same)
    throw new ToolsumError(
      "USAGE",
      `argument ${index + 1} is the value of ${quote(same[0])}: write \${${same[0]}} there and give --env ${same[0]}`,
    )
}

/** What a consent names: the target and the absolute `folder` that its command starts in, since that folder decides what is started:
 *  `npx x@1.0.0` runs the copy in node_modules, `node server.mjs` the file there. A URL is the same everywhere. FORMAT.md, section 5. */
export const computeConsentDigest = (target: Target, folder: string): Digest =>
  isCommandTarget(target) ? computeJsonDigest({ folder, target: formatTarget(target) }) : computeTargetDigest(target)

/** The package, image or the like that a target starts, such as `npm @acme/notes@1.2.3`; null for a target of none. Two starts of one at once
 *  may collide in its launcher's cache. */
export function packageOf(target: Target): string | null {
  const launch = isCommandTarget(target) ? parseLaunch(target) : null
  return launch && `${launch.launcher.ecosystem} ${launch.spec}`
}
