// Parts of a text that another reading has otherwise: the time of the answer, a version, a folder of the machine. Told from the text alone;
// what two readings disagree on is unstable.ts's, and what names this machine local-texts.ts's: both know more and offer masks.
import { quote } from "../../core/errors.js"
import { COMMON_NAMES } from "../local-texts.js"
import { type Hit, hit } from "./hit.js"

/** A moment, to the minute at least: the mask class "date" covers it. */
const MOMENT =
  /\b20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-][0-2][0-9]:?[0-5][0-9])?/g
/** Three numbers after a name or in brackets: "forecastd 1.4.2", "(v1.4.2)". */
const VERSION = /(?<=\b[A-Za-z][\w-]{1,40}[ @]|\()v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,6}(?:-[\w.]{1,30})?\b(?![.\w])/g
/** A folder below somebody's home, or the home alone. */
const HOME_PATH = /(?<![\w./\\-])(?:\/(?:home|Users)\/|[A-Za-z]:\\Users\\)([\w.-]{1,64})(?:[/\\][\w.@+-]{1,128}){0,32}/g
/** Words beside which a moment, a version or a path is an example or a requirement, and stays what it is. */
const FIXED =
  /\b(?:e\.?g\.?|i\.?e\.?|examples?|such as|like|format(?:s|ted)?|iso|rfc|since|requires?|required|until|before|after|between|from|>=?|at least|introduced|deprecated|added|supports?|compatible|default(?:s|ing)?|must|should|use|only)\b|["'`]$|[<>=^~]\s?$/i
/** Characters before it that are looked at for such a word. */
const MAX_CUE_CHARS = 60

/** One of them. */
interface Volatile {
  readonly kind: "timestamp" | "version" | "path"
  readonly start: number
  readonly end: number
}

/** Findings for parts of a prose that move. `version`: the one that the server states, null where it states none. */
export function findVolatile(text: string, version: string | null): readonly Hit[] {
  const spans = listVolatile(text)
  return (["timestamp", "version", "path"] as const).flatMap((kind) => {
    const first = spans.find((span) => span.kind === kind)
    if (first === undefined) return []
    const found = text.slice(first.start, first.end)
    const isCertain = kind !== "version" || found.replace(/^v/, "") === version || text[first.end] === ")"
    return [hit(`volatile-text.${kind}`, isCertain ? "low" : "info", MESSAGES[kind](quote(found, 60)))]
  })
}

const MESSAGES = {
  timestamp: (found: string) => `a moment stands in it, ${found}: another reading has another`,
  version: (found: string) => `a version stands in it, ${found}: every release has another`,
  path: (found: string) => `a folder of one machine stands in it, ${found}: another machine has another`,
}

/** The text with a placeholder for every such part: two texts with equal results differ in nothing else. */
export function blankVolatile(text: string): string {
  const spans = [...listVolatile(text)].sort((a, b) => a.start - b.start)
  let [blanked, at] = ["", 0]
  for (const { kind, start, end } of spans) {
    if (start < at) continue
    blanked += `${text.slice(at, start)}\0${kind}\0`
    at = end
  }
  return blanked + text.slice(at)
}

function listVolatile(text: string): readonly Volatile[] {
  return [
    ...(text.includes("20") ? spansOf(text, "timestamp", MOMENT) : []),
    ...(/[0-9]\.[0-9]/.test(text) ? spansOf(text, "version", VERSION) : []),
    ...(/home|Users/.test(text) ? spansOf(text, "path", HOME_PATH, isPersonal) : []),
  ]
}

const isPersonal = (user: string): boolean => !COMMON_NAMES.has(user.toLowerCase())

function spansOf(
  text: string,
  kind: Volatile["kind"],
  pattern: RegExp,
  isOwn: (name: string) => boolean = () => true,
): readonly Volatile[] {
  return [...text.matchAll(pattern)]
    .filter((match) => isOwn(match[1] ?? "") && !FIXED.test(cueBefore(text, match.index)))
    .map((match) => ({ kind, start: match.index, end: match.index + match[0].length }))
}

/** What stands before a position in the same sentence. */
const cueBefore = (text: string, at: number): string =>
  text
    .slice(Math.max(0, at - MAX_CUE_CHARS), at)
    .split(/[.!?]\s(?=\p{Lu})/u)
    .at(-1) ?? ""
