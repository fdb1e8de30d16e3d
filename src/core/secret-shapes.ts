// Recognises text that looks like a credential, so that `add` can refuse to write it into a lockfile (DESIGN 5). Known shapes only: a
// text that passes is not thereby free of secrets. The value itself never leaves this file.

const PARAMETER =
  /(?:^|[_.-])(?:token|key|apikey|secret|password|passwd|pwd|auth|credential)s?$|(?:token|apikey|secret|password)$/i

/** Shapes by name, long enough that prose does not match. Every repetition is bounded: a long text must not cost its square. */
const SHAPES: readonly (readonly [string, RegExp])[] = [
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{50})/],
  ["a GitLab token", /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_-]{20}/],
  ["a Slack token", /\b(?:xox[abeoprs]-|xapp-|xoxe\.)[A-Za-z0-9-]{10}/],
  ["a Slack webhook", /\bhooks\.slack\.com\/services\/T[A-Z0-9]{1,40}\/B[A-Z0-9]{1,40}\/[A-Za-z0-9]/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/],
  ["a Google API key", /\bAIza[A-Za-z0-9_-]{35}/],
  ["a Google OAuth token", /\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20}/],
  ["an npm token", /\bnpm_[A-Za-z0-9]{36}/],
  ["a PyPI token", /\bpypi-AgE[A-Za-z0-9_-]{20}/],
  ["a Stripe key", /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16}/],
  ["an API key of the form sk-…", /\bsk-(?=[A-Za-z0-9_-]{0,40}[0-9])[A-Za-z0-9_-]{20}/],
  ["a Hugging Face token", /\bhf_[A-Za-z0-9]{30}/],
  ["a private key", /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/],
  ["a JSON web token", /\beyJ[A-Za-z0-9_-]{8,512}\.eyJ[A-Za-z0-9_-]{8}/],
]

const MAX_NAME_CHARS = 128

/** The name of the first credential shape found in `text`, a template; null when none is. `${NAME}` is never a credential. Pure. */
export function findSecretShape(text: string): string | null {
  const known = SHAPES.find(([, shape]) => shape.test(text))
  return known ? known[0] : (findUserInfo(text) ?? findParameter(text) ?? findHeader(text))
}

/** The first word of a launch line that looks like a credential, by itself, as the value of the option before it (`--token abc`), or in a
 *  command of several words (`sh -c 'server --token abc'`), and what it looks like; null when none does. Pure. */
export function findSecretWord(words: readonly string[]): { readonly index: number; readonly shape: string } | null {
  for (const [index, word] of words.entries()) {
    const before = words[index - 1] ?? ""
    const shape =
      findSecretShape(word) ?? findOptionValue(before, word) ?? findBearer(word) ?? findInScript(before, word)
    if (shape !== null) return { index, shape }
  }
  return null
}

/** What stands after one of these is a command line of its own, and so is a first word of several. */
const SHELL_OPTION = /^(?:|-[a-z]?c|\/[cC])$/
/** What a shell puts in itself. */
const SUBSTITUTED = /\$[A-Za-z_][A-Za-z0-9_]{0,127}|\$\([^()]{0,500}\)|`[^`]{0,500}`/g

function findInScript(before: string, script: string): string | null {
  if (!SHELL_OPTION.test(before)) return null
  const words = script
    .replace(SUBSTITUTED, "${X}")
    .split(/[\s"']+/)
    .filter((word) => word !== "")
  return words.length > 1 ? (findSecretWord(words)?.shape ?? null) : null
}

/** An option that takes a value. Not one that switches something (`--no-auth`), nor one that names a method (`--auth none`). */
const OPTION = /^--?(?!(?:no|disable|enable|skip|require|without)-)([A-Za-z][\w.-]{0,127})(?<!auth)$/i
const PATH = /^(?:~|\.{0,2}|[A-Za-z]:)[\\/]/

/** The value of an option whose name says secret, unless it is another option, a file, or a variable. */
function findOptionValue(option: string, value: string): string | null {
  const name = OPTION.exec(option)?.[1]
  if (name === undefined || !PARAMETER.test(name) || value.startsWith("-") || PATH.test(value)) return null
  if (/s$/i.test(name) && /^[0-9]{1,7}$/.test(value)) return null // --max-tokens 500
  return isLiteral(withoutScheme(value)) ? `a value of option ${option}` : null
}

const HEADER = /^\s*([A-Za-z][A-Za-z0-9-]{0,127})\s*:\s*(\S.*)$/s
const SECRET_HEADER = /^(?:(?:proxy-)?authorization|cookie|api-?key)$/i

/** `Authorization: Bearer abc`, as clients hand it to a proxy, or `--header=` before it. */
function findHeader(text: string): string | null {
  const [, name = "", value = ""] = HEADER.exec(text.replace(/^--?[A-Za-z][A-Za-z-]{0,31}=/, "")) ?? []
  if (!SECRET_HEADER.test(name) && !(/^x-/i.test(name) && PARAMETER.test(name))) return null
  return isLiteral(withoutScheme(value)) ? `a value of header ${name}` : null
}

/** The value of a header without its name. */
const findBearer = (text: string): string | null =>
  isLiteral(/^bearer (\S+)$/i.exec(text)?.[1] ?? "") ? "a bearer token" : null

const withoutScheme = (value: string): string => value.replace(/^(?:bearer|basic|token|apikey)\s+/i, "")

const URL_AUTHORITY = /([A-Za-z][A-Za-z0-9+.-]{0,30}):\/\/([^/?#\s"'<>\\]*)/g

/** A password before the host of any URL in the text, or any user info of a web address. */
function findUserInfo(text: string): string | null {
  for (const [, scheme = "", authority = ""] of text.matchAll(URL_AUTHORITY)) {
    const userInfo = authority.slice(0, Math.max(0, authority.lastIndexOf("@")))
    const [user = "", ...password] = userInfo.split(":")
    if (isLiteral(password.join(":"))) return "a password in a URL"
    if (/^https?$/i.test(scheme) && isLiteral(user)) return "user info in a URL"
  }
  return null
}

/** `name=value` of a query or an option, where the name says secret and the value is no template. */
function findParameter(text: string): string | null {
  for (const [, name = "", value = ""] of text.matchAll(/(?:^|[?&;#]|^-{1,2})([A-Za-z][\w.-]*)=([^&#;\s]*)/g)) {
    if (name.length <= MAX_NAME_CHARS && PARAMETER.test(name) && isLiteral(value)) return `a value of parameter ${name}`
  }
  return null
}

/** True when something other than variables is left. */
const isLiteral = (template: string): boolean => template.replace(/\$\{[A-Za-z_][A-Za-z0-9_]*\}/g, "") !== ""
