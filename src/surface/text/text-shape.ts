// What the shape of a text keeps from a reader: control characters, comments, text pushed out of view, encoded text, and sheer size.
import { parseBase64 } from "../../core/bytes.js"
import { attempt, quote, ToolsumError } from "../../core/errors.js"
import { type Hit, hit, MAX_READ_CHARS, times } from "./hit.js"
import { decodeText } from "./invisible-text.js"

/** A text of more characters is not reviewed by anybody. */
const MAX_REVIEWED_CHARS = 10_000
/** So long a line leaves the window of most viewers, wherever it is broken. */
const MAX_LINE_CHARS = 2_000
/** So many spaces push what follows out of view. */
const MIN_PADDING = 80
const MIN_BLANK_LINES = 12
/** A short comment is a marker, such as `<!-- more -->`. */
const MIN_COMMENT_CHARS = 16
const MAX_BASE64_CHARS = 4_096

const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/g
/** Escape, its 8-bit forms, back space, delete and a lone return: what is on the screen already is overwritten. */
const OVERWRITING = /[\x08\x1b\x7f\x90\x9b-\x9f\r]/

/** Findings for what the shape of a text hides. `isBinary`: base64 is what this place is for. Linear; of a text longer than MAX_READ_CHARS the
 *  beginning is read, which is said. */
export function findShapes(whole: string, isBinary: boolean): readonly Hit[] {
  const text = whole.length > MAX_READ_CHARS ? whole.slice(0, MAX_READ_CHARS) : whole
  return [
    ...findControl(text),
    ...findComments(text),
    ...findPadding(text),
    ...(isBinary ? [] : [...findBase64(text), ...findSize(whole)]),
  ]
}

function findSize(text: string): readonly Hit[] {
  const { length } = text
  if (length > MAX_READ_CHARS)
    return [
      hit(
        "oversized-text",
        "medium",
        `of ${length} characters the first ${MAX_READ_CHARS} were read, the rest was not`,
      ),
    ]
  if (length > MAX_REVIEWED_CHARS)
    return [hit("oversized-text", "low", `${length} characters are more than anybody reviews`)]
  return findLongLine(text)
}

function findControl(text: string): readonly Hit[] {
  const found = text.match(CONTROL)
  if (found === null) return []
  const points = [...new Set(found)].slice(0, 4).map((c) => `0x${c.charCodeAt(0).toString(16).padStart(2, "0")}`)
  const message = `control characters (${points.join(", ")}) stand in it ${times(found.length)}`
  return [hit("hidden-text.control", found.some((c) => OVERWRITING.test(c)) ? "critical" : "high", message)]
}

const TAG = /<\/?[A-Za-z][\w.-]{0,40}[\s/>]/

function findComments(text: string): readonly Hit[] {
  if (!text.includes("<!--")) return []
  const comments: string[] = []
  let rest = ""
  let at = 0
  for (let start = text.indexOf("<!--"); start >= 0; start = text.indexOf("<!--", at)) {
    const end = text.indexOf("-->", start + 4)
    comments.push(text.slice(start + 4, end < 0 ? text.length : end).trim())
    rest += text.slice(at, start)
    at = end < 0 ? text.length : end + 3
  }
  const long = comments.find((comment) => comment.length >= MIN_COMMENT_CHARS && comment.includes(" "))
  if (long === undefined) return []
  // Amid other markup a comment is an example of markup.
  const severity = TAG.test(rest + text.slice(at)) ? "info" : "medium"
  return [hit("hidden-text.comment", severity, `a comment, which renderers leave out, says ${quote(long, 60)}`, long)]
}

const SPACES = new RegExp(
  `(?<![ \\t\\u00a0\\u2000-\\u200a\\u3000])[ \\t\\u00a0\\u2000-\\u200a\\u3000]{${MIN_PADDING},}`,
  "g",
)
const BLANK_LINES = new RegExp(`(?:\\n[ \\t\\r]{0,20}){${MIN_BLANK_LINES},}`, "g")

function findPadding(text: string): readonly Hit[] {
  if (!/\s{12}/.test(text)) return []
  const found = [...text.matchAll(SPACES), ...text.matchAll(BLANK_LINES)].filter(
    (match) => match.index > 0 && /\S/.test(text[match.index + match[0].length] ?? ""),
  )
  const [first] = found
  if (first === undefined) return []
  const after = text.slice(first.index + first[0].length)
  const message = `${first[0].length} blank characters push text out of view: ${quote(after, 60)}`
  return [hit("hidden-text.padding", "medium", message)]
}

function findLongLine(text: string): readonly Hit[] {
  if (text.length <= MAX_LINE_CHARS) return []
  const longest = text.split("\n").reduce((most, line) => Math.max(most, line.length), 0)
  return longest <= MAX_LINE_CHARS
    ? []
    : [hit("hidden-text.long-line", "info", `a line of ${longest} characters leaves the window of most viewers`)]
}

const BASE64 = /[A-Za-z0-9+/_-]{40,}/g
const DATA_URI = /^data:[\w.+-]{1,60}\/[\w.+-]{1,60}[;,]/

function findBase64(text: string): readonly Hit[] {
  if (text.length < 40 || DATA_URI.test(text)) return []
  const runs = (text.match(BASE64) ?? []).filter(isBase64)
  if (runs.length === 0) return []
  const decoded = runs.map(decodeRun).find((prose) => prose !== null) ?? null
  const message = `${runs.length === 1 ? "a run" : `${runs.length} runs`} of base64, which nobody reads${decoded === null ? "" : ", decodes to a text"}`
  return [hit("hidden-text.base64", decoded === null ? "info" : "medium", message, decoded)]
}

/** Upper case, lower case and digits, changing often: no path, no name, no hexadecimal digest. */
function isBase64(run: string): boolean {
  const head = run.slice(0, MAX_BASE64_CHARS)
  if (/^[0-9a-f_-]+$/i.test(head) || !/[0-9]/.test(head)) return false
  const changes = head.match(/[a-z][A-Z]|[A-Z][a-z]|[A-Za-z][0-9]|[0-9][A-Za-z]/g)?.length ?? 0
  return changes > head.length / 6
}

function decodeRun(run: string): string | null {
  const standard = run.slice(0, MAX_BASE64_CHARS).replaceAll("-", "+").replaceAll("_", "/")
  const whole = standard.slice(0, standard.length - (standard.length % 4))
  const bytes = attempt(() => parseBase64(whole, (why) => new ToolsumError("JSON_MALFORMED", why)))
  if (bytes instanceof ToolsumError) return null
  const prose = decodeText([...bytes])
  return prose !== null && (prose.match(/\p{L} \p{L}/gu)?.length ?? 0) > 1 ? prose : null
}
