// The log entry `toolsum-record/v1`: what an observer saw of one subject once (DESIGN 4, formats 10 to 12). Printable ASCII,
// one line per field in a fixed order, one spelling. An observation is the same text without its seq and prev lines: a record
// that no log has numbered yet (formats 38). What a value means in a stream or a lockfile is left to the callers.
import { decodeUtf8, formatHex, parseDecimal, parseHex } from "./bytes.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { computeTextDigest, type Digest, type Hash } from "./hash.js"
import { isPinName } from "./pin.js"
import { formatSurfaceLines, type SurfaceLines } from "./section.js"

/** First line of a record: the type of the log entry. */
export const RECORD_TYPE = "toolsum-record/v1"
/** Largest record in bytes, the final newline included. */
export const MAX_RECORD_BYTES = 4096

/** Where the previous record of the stream lies: its index in the log and its leaf hash (32 bytes). */
export interface PreviousRecord {
  readonly index: bigint
  readonly leafHash: Hash
}

/** A record before a log has given it a place in its stream. `observed`: POSIX seconds, the observer's claim. */
export interface Observation {
  readonly subject: string
  readonly version: string
  readonly profile: string
  readonly how: Digest
  readonly observer: string
  readonly mask: Digest | "-"
  readonly state: "listed" | "auth"
  readonly lines: SurfaceLines
  readonly surface: Digest
  readonly observed: bigint
}

/** A parsed record: well-formed, and `surface` covers its lines. Nothing here is proven yet. `seq` counts within the stream. */
export interface ToolRecord extends Observation {
  readonly seq: bigint
  readonly prev: PreviousRecord | null
}

// The grammar (formats 10), one line each: the label, the form of the value, and what a refusal says was expected. Every form stops at
// the line feed, so the expression for the whole text is read without going back.
type Line = readonly [label: string, form: string, expected: string]

const DIGEST = "sha256:[0-9a-f]{64}"
const NUMBER = "(?:0|[1-9][0-9]{0,18})"
const SECTION = `(?:${NUMBER} ${DIGEST}|none|-)`
const SINGLE = `(?:${DIGEST}|none|-)`

const STREAM_LINES: readonly Line[] = [
  ["subject", "[!-~]{1,1024}", "1 to 1024 printable characters"],
  ["version", "[!-~]{1,128}", "1 to 128 printable characters"],
  ["profile", "[!-~]+", "a profile"],
  ["how", DIGEST, "a digest"],
  ["observer", "[a-z0-9][a-z0-9._-]{0,127}", "1 to 128 characters a-z, 0-9 and . _ -"],
  ["mask", `(?:${DIGEST}|-)`, "a digest or -"],
]
const ORDER_LINES: readonly Line[] = [
  ["seq", NUMBER, "a decimal number"],
  ["prev", `(?:${NUMBER} ${DIGEST}|-)`, "an index and a digest, or -"],
]
const SEEN_LINES: readonly Line[] = [
  ["state", "(?:listed|auth)", "listed or auth"],
  ...["tools", "prompts", "templates", "resources"].map((l): Line => [l, SECTION, "a count and a digest, none or -"]),
  ...["instructions", "server"].map((label): Line => [label, SINGLE, "a digest, none or -"]),
  ["surface", DIGEST, "a digest"],
  ["observed", NUMBER, "a decimal number"],
]

interface Grammar {
  readonly lines: readonly Line[]
  readonly text: RegExp
}

const grammarOf = (lines: readonly Line[]): Grammar => ({
  lines,
  text: new RegExp(`^${RECORD_TYPE}\n${lines.map(([label, form]) => `${label} (${form})\n`).join("")}$`),
})
const RECORD = grammarOf([...STREAM_LINES, ...ORDER_LINES, ...SEEN_LINES])
const OBSERVATION = grammarOf([...STREAM_LINES, ...SEEN_LINES])

const PRINTABLE = /^[ -~]+$/
const SUBJECT = /^[!-~]{1,1024}$/
const VERSION = /^[!-~]{1,128}$/
const OBSERVER = /^[a-z0-9][a-z0-9._-]{0,127}$/
const PROFILE_PART = /^(?:(?:env|placeholder):[A-Za-z_][A-Za-z0-9_]{0,127}|header:[a-z0-9_-]{1,128})$/
const NOTHING = computeTextDigest("")

const bad: Bad = (why) => new ToolsumError("RECORD_MALFORMED", why)

/** True for a subject: 1 to 1024 printable ASCII characters without space. */
export const isSubject = (text: string): boolean => SUBJECT.test(text)

/** True for a version: 1 to 128 printable ASCII characters without space; `-` means none. */
export const isVersion = (text: string): boolean => VERSION.test(text)

/** True for the name of an observer: 1 to 128 characters `a-z 0-9 . _ -`, the first a letter or digit. */
export const isObserver = (text: string): boolean => OBSERVER.test(text)

/** True for a profile: `anonymous`, a chosen name of pin-name form, or parts `env:NAME`, `placeholder:NAME` (the variable had a
 *  dummy text) and `header:name` joined by `+`, sorted, none twice. */
export function isProfile(text: string): boolean {
  if (isPinName(text)) return true
  const parts = text.split("+")
  return parts.every((part, i) => PROFILE_PART.test(part) && (i === 0 || (parts[i - 1] ?? "") < part))
}

/** Read a record. Throws RECORD_MALFORMED for anything but its one spelling. */
export function parseRecord(input: string | Uint8Array): ToolRecord {
  const text = readText(input)
  const value = matchLines(text, RECORD)
  const seq = parseDecimal(value(STREAM_LINES.length), bad)
  const prevText = value(STREAM_LINES.length + 1)
  const prev = prevText === "-" ? null : parsePrevious(prevText)
  if ((seq === 0n) !== (prev === null)) throw bad("expected prev - exactly when seq is 0")
  const { subject, version, profile, how, observer, mask, state, lines, surface, observed } = toObservation(
    value,
    STREAM_LINES.length + ORDER_LINES.length,
    text,
  )
  // Written out: a spread costs as much as matching the text.
  return { subject, version, profile, how, observer, mask, seq, prev, state, lines, surface, observed }
}

/** Write a record; the exact inverse of `parseRecord`. Values are taken as they are: they come from a parser or a digest. */
export function formatRecord(record: ToolRecord): string {
  const prev = record.prev === null ? "-" : `${record.prev.index} sha256:${formatHex(record.prev.leafHash)}`
  return `${formatStream(record)}seq ${record.seq}\nprev ${prev}\n${formatSeen(record)}`
}

/** Read an observation: a record without its seq and prev lines. Throws RECORD_MALFORMED. */
export function parseObservation(input: string | Uint8Array): Observation {
  const text = readText(input)
  return toObservation(matchLines(text, OBSERVATION), STREAM_LINES.length, text)
}

/** Write an observation, or the observation in a record; the exact inverse of `parseObservation`. */
export const formatObservation = (observation: Observation): string =>
  formatStream(observation) + formatSeen(observation)

/** The stream of a record: its subject, version, profile, how, observer and mask, joined by spaces. Equal texts, same stream. */
export const streamKey = (observation: Observation): string => streamValues(observation).join(" ")

/** Type of a log entry, given in bytes or as its text: its first line, 1 to 255 printable ASCII characters; null when it begins otherwise. */
export function entryType(entry: Uint8Array | string): string | null {
  const line = typeof entry === "string" ? firstLine(entry) : firstLineOfBytes(entry)
  return line.length < 256 && PRINTABLE.test(line) ? line : null
}

function firstLine(entry: string): string {
  const start = entry.slice(0, 256)
  const end = start.indexOf("\n")
  return end < 0 ? start : start.slice(0, end)
}

// Of what is no text, nothing is turned into one: other logs have such entries by the million.
function firstLineOfBytes(entry: Uint8Array): string {
  let line = ""
  for (let i = 0; i < 256 && i < entry.length; i++) {
    const byte = entry[i] ?? 0
    if (byte === LINE_FEED) break
    if (byte < 32 || byte > 126) return ""
    line += String.fromCharCode(byte)
  }
  return line
}

const LINE_FEED = 10

function readText(input: string | Uint8Array): string {
  if (input.length > MAX_RECORD_BYTES) throw bad(`expected at most ${MAX_RECORD_BYTES} bytes`)
  return typeof input === "string" ? input : decodeUtf8(input, bad)
}

/** The values of the lines after the first, by their number from 0. A record is read without making arrays: a check of many spends
 *  more on them than on the text. */
function matchLines(text: string, grammar: Grammar): (line: number) => string {
  const match = grammar.text.exec(text)
  if (match === null) throw bad(explainMismatch(text, grammar))
  return (line) => match[line + 1] ?? ""
}

/** What is wrong with a text that the grammar does not take: the first thing a person would fix. */
function explainMismatch(text: string, { lines }: Grammar): string {
  const [type = "", ...rest] = text.split("\n")
  if (type !== RECORD_TYPE) return `expected the first line ${RECORD_TYPE}, got ${quote(type)}`
  for (const [i, [label, form, expected]] of lines.entries()) {
    const line = rest[i] ?? ""
    if (!line.startsWith(`${label} `)) return `expected line ${label}, got ${quote(line)}`
    const value = line.slice(label.length + 1)
    if (!new RegExp(`^${form}$`).test(value)) return `line ${label}: expected ${expected}, got ${quote(value)}`
  }
  return `expected ${lines.length + 1} lines, each with its line feed, and nothing after them`
}

/** The cross rules (formats 12) on values that have their form. `seen`: number of the line state. */
function toObservation(value: (line: number) => string, seen: number, text: string): Observation {
  const profile = value(2)
  const state = value(seen)
  const lines = {
    tools: value(seen + 1),
    prompts: value(seen + 2),
    templates: value(seen + 3),
    resources: value(seen + 4),
    instructions: value(seen + 5),
    server: value(seen + 6),
  }
  if (!isProfile(profile)) throw bad(`line profile: expected anonymous, a name or sorted parts, got ${quote(profile)}`)
  checkSections(lines)
  checkState(state, lines)
  const surface = value(seen + 7)
  if (computeTextDigest(surfaceText(text)) !== surface)
    throw bad("line surface: expected the digest of the lines from state to server")
  return {
    subject: value(0),
    version: value(1),
    profile,
    how: value(3) as Digest, // has its form
    observer: value(4),
    mask: value(5) as Digest | "-", // has its form
    state: state as Observation["state"], // has its form
    lines,
    surface: surface as Digest, // has its form
    observed: parseDecimal(value(seen + 8), bad),
  }
}

/** The seven lines that the surface digest covers, of a text that has its form. */
const surfaceText = (text: string): string => text.slice(text.indexOf("\nstate ") + 1, text.indexOf("\nsurface ") + 1)

function checkSections({ tools, prompts, templates, resources }: SurfaceLines): void {
  for (const value of [tools, prompts, templates, resources]) {
    const at = value.indexOf(" ")
    if (at < 0) continue
    const count = value.slice(0, at)
    parseDecimal(count, bad)
    if ((count === "0") !== value.endsWith(NOTHING)) throw bad("expected count 0 exactly for the digest of nothing")
  }
}

function checkState(state: string, { tools, prompts, templates, resources, instructions, server }: SurfaceLines): void {
  const asked = tools + prompts + templates + resources + instructions + server !== "------"
  if (state === "auth" && asked) throw bad("expected - in every section of state auth")
  if (state === "listed" && !asked) throw bad("expected a section other than - in state listed")
}

function parsePrevious(value: string): PreviousRecord {
  const [index = "", digest = ""] = value.split(" ")
  return { index: parseDecimal(index, bad), leafHash: parseHex(digest.slice("sha256:".length), bad) }
}

const streamValues = (o: Observation): readonly string[] => [o.subject, o.version, o.profile, o.how, o.observer, o.mask]

const formatStream = (observation: Observation): string => {
  const values = streamValues(observation)
  return `${RECORD_TYPE}\n${STREAM_LINES.map(([label], i) => `${label} ${values[i]}\n`).join("")}`
}

const formatSeen = ({ state, lines, surface, observed }: Observation): string =>
  `${formatSurfaceLines(state, lines)}surface ${surface}\nobserved ${observed}\n`
