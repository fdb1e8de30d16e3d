// What a person types as a server, as a target: template checks, secrets refused, consent digest (DESIGN 5 and 8).
import { compareUtf8 } from "../core/bytes.js"
import { computeJsonDigest } from "../core/canonical.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import { findSecretWord } from "../core/secret-shapes.js"
import { computeTargetDigest, formatTarget, isCommandTarget, parseTarget, type Target } from "../core/target.js"
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

/** Names of all variables that a target is given: of its environment, and those that its templates ask for. Sorted, each once. Throws
 *  TARGET_MALFORMED for what is no template. */
export function listVariables(target: Target): readonly string[] {
  const texts = isCommandTarget(target) ? target.args : [target.url, ...Object.values(target.headers)]
  const asked = texts.flatMap((text) => listTemplateNames(text))
  return [...new Set([...(isCommandTarget(target) ? target.env : []), ...asked])].sort(compareUtf8)
}

/** What a consent names: the target and the absolute `folder` that its command starts in, since that folder decides what is started:
 *  `npx x@1.0.0` runs the copy in node_modules, `node server.mjs` the file there. A URL is the same everywhere. FORMAT.md, section 5. */
export const computeConsentDigest = (target: Target, folder: string): Digest =>
  isCommandTarget(target) ? computeJsonDigest({ folder, target: formatTarget(target) }) : computeTargetDigest(target)
