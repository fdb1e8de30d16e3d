// A launch line or URL that somebody else wrote, for people: what looks like a credential in it, and what is the value of a variable here,
// is left out (field-notes C46). For showing only: what is left is no target.
import { findSecretShape, findSecretWord } from "../core/secret-shapes.js"
import { isCommandTarget, type Target } from "../core/target.js"
import { type Environment, isPlainVariable, MIN_SECRET_CHARS } from "./targets.js"

/** What stands in the place of a secret. */
const HIDDEN = "${…}"
/** What stands in the place of a query. */
const HIDDEN_QUERY = "?…"

/** The target without secrets; a URL without user info, query and fragment too. */
export function hideSecrets(target: Target, environment: Environment): Target {
  if (!isCommandTarget(target)) return { ...target, url: hideInUrl(target.url, environment) }
  const [command = "", ...args] = hideInWords([target.command, ...target.args], environment)
  return { ...target, command, args }
}

/** The same to derive a subject from, which has no query: one that would hold a secret is none. */
export function hideForSubject(target: Target, environment: Environment): Target {
  const shown = hideSecrets(target, environment)
  return isCommandTarget(shown) ? shown : { ...shown, url: shown.url.replace(HIDDEN_QUERY, "") }
}

function hideInWords(words: readonly string[], environment: Environment): readonly string[] {
  const left = words.map((word) => (isValue(word, environment) ? HIDDEN : word))
  // A variable is no secret, so each word is found once at most.
  for (let found = findSecretWord(left); found !== null; found = findSecretWord(left)) left[found.index] = "${HIDDEN}"
  return left.map((word) => (word === "${HIDDEN}" ? HIDDEN : word))
}

function isValue(word: string, environment: Environment): boolean {
  if (word.length < MIN_SECRET_CHARS || /^(?:\/|[A-Za-z]:[\\/])/.test(word)) return false
  return Object.entries(environment).some(([name, value]) => value === word && !isPlainVariable(name))
}

function hideInUrl(url: string, environment: Environment): string {
  const [, scheme = "", host = "", path = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^/?#]*)([^?#]*)/i.exec(url) ?? []
  const parts = path.split("/")
  const isHidden = findSecretShape(path) !== null || parts.some((part) => isValue(part, environment))
  return `${scheme}${host}${isHidden ? `/${HIDDEN}` : path}${url.includes("?") ? HIDDEN_QUERY : ""}`
}
