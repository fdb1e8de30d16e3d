// Tells from the words of a server that it wants a credential (DESIGN 9: AUTH is not "unreachable"): an error that it answered, or what
// it wrote to stderr before it ended. Sparing on purpose: what is not plainly about a credential is no sign of one. Pure.
import { ToolsumError } from "../core/errors.js"
import { isObject } from "../core/json.js"
import { type RpcError, readMember } from "./mcp-messages.js"

/** SERVER_AUTH for an error that a server answered, with its words as `evidence.wants`; null for an error of another kind. */
export function authErrorOf({ code, data, ...error }: RpcError): ToolsumError | null {
  const message = error.message.slice(0, MAX_TEXT_CHARS)
  const detail = isObject(data) ? readMember(data, "error") : data
  if (SCOPE.test(message) || (typeof detail === "string" && SCOPE.test(detail)))
    return authError("insufficient_scope", message)
  const reason = readReason(message)
  if (reason) return authError(reason, message)
  const isRefused = code === 401 || code === 403 || (code === SESSION_OR_AUTH && DENIED.test(message))
  return isRefused ? authError("refused", message) : null
}

/** The same for what a server wrote to stderr before it ended without an answer. Warnings, lines of source code and what npm says of its
 *  own registry do not count. */
export function authErrorOfStderr(stderr: string): ToolsumError | null {
  const lines = stderr.slice(-MAX_TEXT_CHARS).replaceAll(COLOUR, "").split(/\r?\n/)
  for (const [i, line] of lines.entries()) {
    if (line.length > MAX_LINE_CHARS || NO_COMPLAINT.test(line) || CARET.test(lines[i + 1] ?? "")) continue
    const reason = readReason(line)
    if (reason === null) continue
    // The variable may be named in the sentence that follows.
    const more = `${line.trim()} ${(lines[i + 1] ?? "").trim()}`.slice(0, MAX_LINE_CHARS)
    const fuller = reason === "refused" && ABSENT.test(line) ? readReason(more) : reason
    return fuller === null || fuller === reason ? authError(reason, line) : authError(fuller, more)
  }
  return null
}

/** How much of a text is looked at. */
const MAX_TEXT_CHARS = 8192
/** Longer lines are source code: Node prints the line of a bundle that threw. */
const MAX_LINE_CHARS = 500
/** How much of a server's words is kept. */
const MAX_WANTS_CHARS = 300

/** Used for "unauthorized" as well as, by SDKs, for "session not found". */
const SESSION_OR_AUTH = -32001

const SCOPE = /\binsufficient[_ ]scopes?\b/i
const DENIED = /\b(?:forbidden|access denied|permission denied|(?<!method )not allowed(?! before\b))\b/i
const COLOUR = /\u001b\[[0-9;]*m/g
const NO_COMPLAINT =
  /\bwarn(?:ing)?\b|\boptional\b|\bdisabled\b|\bfall(?:s|ing)? ?back\b|\bskipp|\bdeprecat|\bcontinuing\b|\busing (?:the )?defaults?\b|\banonymous|\b(?:demo|limited|offline|read-only) mode\b|^\s*npm\b|^\s*at /i
const CARET = /^\s*\^+\s*$/

function authError(reason: string, words: string): ToolsumError {
  const wants = words.trim().slice(0, MAX_WANTS_CHARS)
  return new ToolsumError("SERVER_AUTH", reason, wants === "" ? {} : { evidence: { wants } })
}

/** That something is not there. */
const ABSENT =
  /\b(?:missing|required?s?(?!\()|requires|undefined|unset|empty|needed|KeyError)\b|\b(?:not|n't)(?: be| been)? (?:set|provided|found|defined|configured|specified|given|present)\b|\bmust (?:be |have )?(?:set|provided?|specif(?:y|ied)|supply|supplied|defined?|configured?)\b|\bplease (?:set|provide|specify|export|supply|configure)\b|\bno (?:[\w-]+ ){0,3}(?:provided|found|set|specified|given|configured|passed)\b|\b(?:was|were) not passed\b/i

/** A credential in words. A bare "token" or "key" may be anything. */
const CREDENTIAL =
  /\b(?:api|access|secret|auth|authentication|bearer|bot|personal access|license)[ _-]?(?:key|token|secret)s?\b|\b(?:PAT|credentials?|client[ _-]secret)\b/i

/** That a credential was not taken. */
const REFUSED =
  /\bunauthori[sz]ed\b|\bunauthenticated\b|\bnot authenticated\b|\bmissing authori[sz]ation\b|\bauthori[sz]ation (?:header )?(?:is )?(?:required|missing)\b|\bauthentication (?:is )?(?:required|failed)\b|\bfailed to authenticate\b|\bapi[ _-]?key (?:is |provided )?(?:invalid|expired|incorrect)\b|\bstatus(?: code)?:? 401\b/i
const BAD_CREDENTIAL =
  /\b(?:invalid|expired|bad|wrong|incorrect) (?:[\w-]+ )?(?:api[ _-]?key|(?:access |auth |bearer |api )?token|credentials?)\b/i

/** A token that is a place in a list or a piece of a text. */
const OTHER_TOKEN =
  /\bcursor\b|\b(?:page|paging|pagination|continuation|next)[ _-]?token\b|\btoken\b.{0,20}\b(?:position|line|column|JSON)\b/i

/** `missing: NAME`, `refused`, or null where the text speaks of no credential. */
function readReason(text: string): string | null {
  const isAbsent = ABSENT.test(text)
  const name = isAbsent ? findVariable(text) : null
  if (name !== null) return `missing: ${name}`
  const isBad = BAD_CREDENTIAL.test(text) && !OTHER_TOKEN.test(text)
  return isBad || REFUSED.test(text) || (isAbsent && CREDENTIAL.test(text)) ? "refused" : null
}

const VARIABLE = /(?<![A-Za-z0-9_{$-])(?=[A-Z0-9_]{3,128}(?![A-Za-z0-9_]))[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+/g
const SECRET_WORDS: ReadonlySet<string> = new Set([
  ...[
    "KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "PAT",
    "JWT",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
  ],
])
/** What the name of a setting ends in that is no secret, though it speaks of one: `AUTH_URL`, `TOKEN_TYPE`. */
const PLAIN_ENDS: ReadonlySet<string> = new Set([
  ...["URL", "URI", "HOST", "PORT", "MODE", "TYPE", "ENDPOINT", "REGION", "METHOD", "TIMEOUT", "TTL"],
])

/** The first variable in a text whose name says that it holds a credential. */
function findVariable(text: string): string | null {
  const names = text.match(VARIABLE) ?? []
  const isSecret = (name: string) => {
    const words = name.split("_")
    return words.some((word) => SECRET_WORDS.has(word)) && !PLAIN_ENDS.has(words.at(-1) ?? "")
  }
  return names.find(isSecret) ?? null
}
