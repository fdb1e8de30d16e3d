// The log entry `toolsum-record/v1`: what an observer saw of one subject once (DESIGN 4, formats 10 to 12). Printable ASCII,
// one line per field in a fixed order, one spelling. An observation is the same text without its seq and prev lines: a record
// that no log has numbered yet (formats 38). What a value means in a stream or a lockfile is left to the callers.
import { decodeUtf8, formatHex, parseDecimal, parseHex } from "./bytes.js"
import { quote, ToolsumError } from "./errors.js"
import { computeTextDigest, type Digest, type Hash, parseDigest } from "./hash.js"
import { isPinName } from "./pin.js"
import { computeSurfaceDigest, type SurfaceLines } from "./section.js"

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

const STREAM_LABELS = ["subject", "version", "profile", "how", "observer", "mask"] as const
const ORDER_LABELS = ["seq", "prev"] as const
const SECTION_LABELS = ["tools", "prompts", "templates", "resources"] as const
const SURFACE_LABELS = ["state", ...SECTION_LABELS, "instructions", "server", "surface", "observed"] as const
const OBSERVATION_LABELS = [...STREAM_LABELS, ...SURFACE_LABELS] as const
const RECORD_LABELS = [...STREAM_LABELS, ...ORDER_LABELS, ...SURFACE_LABELS] as const

type ObservationValues = Readonly<Record<(typeof OBSERVATION_LABELS)[number], string>>
type RecordValues = Readonly<Record<(typeof RECORD_LABELS)[number], string>>

const PRINTABLE_LINES = /^[\n -~]*$/
const PRINTABLE = /^[ -~]+$/
const SUBJECT = /^[!-~]{1,1024}$/
const VERSION = /^[!-~]{1,128}$/
const OBSERVER = /^[a-z0-9][a-z0-9._-]{0,127}$/
const PROFILE_PART = /^(?:(?:env|placeholder):[A-Za-z_][A-Za-z0-9_]{0,127}|header:[a-z0-9_-]{1,128})$/
const NOTHING = computeTextDigest("")

const bad = (why: string): ToolsumError => new ToolsumError("RECORD_MALFORMED", why)

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
  const values: RecordValues = readValues(input, RECORD_LABELS)
  const seq = parseDecimal(values.seq, badLine("seq"))
  const prev = values.prev === "-" ? null : parsePrevious(values.prev)
  if ((seq === 0n) !== (prev === null)) throw bad("expected prev - exactly when seq is 0")
  return { ...readObservation(values), seq, prev }
}

/** Write a record; the exact inverse of `parseRecord`. Values are taken as they are: they come from a parser or a digest. */
export function formatRecord(record: ToolRecord): string {
  const prev = record.prev === null ? "-" : `${record.prev.index} sha256:${formatHex(record.prev.leafHash)}`
  return `${formatStream(record)}seq ${record.seq}\nprev ${prev}\n${formatSeen(record)}`
}

/** Read an observation: a record without its seq and prev lines. Throws RECORD_MALFORMED. */
export const parseObservation = (input: string | Uint8Array): Observation =>
  readObservation(readValues(input, OBSERVATION_LABELS))

/** Write an observation, or the observation in a record; the exact inverse of `parseObservation`. */
export const formatObservation = (observation: Observation): string =>
  formatStream(observation) + formatSeen(observation)

/** The stream of a record: its subject, version, profile, how, observer and mask, joined by spaces. Equal texts, same stream. */
export const streamKey = (observation: Observation): string =>
  STREAM_LABELS.map((label) => observation[label]).join(" ")

/** Type of a log entry: its first line, 1 to 255 printable ASCII characters; null when it begins otherwise. */
export function entryType(entry: Uint8Array): string | null {
  const end = entry.subarray(0, 256).indexOf(10)
  const line = entry.subarray(0, end < 0 ? 256 : end)
  const text = line.length > 255 ? "" : String.fromCharCode(...line)
  return PRINTABLE.test(text) ? text : null
}

function readValues<L extends string>(input: string | Uint8Array, labels: readonly L[]): Readonly<Record<L, string>> {
  if (input.length > MAX_RECORD_BYTES) throw bad(`expected at most ${MAX_RECORD_BYTES} bytes`)
  const text = typeof input === "string" ? input : decodeUtf8(input, bad)
  if (!PRINTABLE_LINES.test(text)) throw bad("expected printable ASCII")
  if (!text.endsWith("\n")) throw bad("expected a final newline")
  const lines = text.slice(0, -1).split("\n")
  if (lines[0] !== RECORD_TYPE) throw bad(`expected the first line ${RECORD_TYPE}, got ${quote(lines[0] ?? "")}`)
  if (lines.length !== labels.length + 1) throw bad(`expected ${labels.length + 1} lines, got ${lines.length}`)
  const values: Partial<Record<L, string>> = {}
  labels.forEach((label, i) => {
    const line = lines[i + 1] ?? ""
    if (!line.startsWith(label) || line[label.length] !== " ") throw bad(`expected line ${label}, got ${quote(line)}`)
    values[label] = line.slice(label.length + 1)
  })
  return values as Record<L, string> // every label was set just now
}

function readObservation(values: ObservationValues): Observation {
  const { subject, version, profile, observer, mask, state } = values
  expectLine("subject", subject, isSubject(subject))
  expectLine("version", version, isVersion(version))
  expectLine("profile", profile, isProfile(profile))
  const how = parseDigest(values.how, badLine("how"))
  expectLine("observer", observer, isObserver(observer))
  const masked = mask === "-" ? mask : parseDigest(mask, badLine("mask"))
  if (state !== "listed" && state !== "auth") throw badLine("state")(`expected listed or auth, got ${quote(state)}`)
  const lines = readSurfaceLines(values)
  checkState(state, lines)
  const surface = parseDigest(values.surface, badLine("surface"))
  if (computeSurfaceDigest(state, lines) !== surface)
    throw badLine("surface")("expected the digest of lines state to server")
  const observed = parseDecimal(values.observed, badLine("observed"))
  return { subject, version, profile, how, observer, mask: masked, state, lines, surface, observed }
}

function readSurfaceLines(values: ObservationValues): SurfaceLines {
  for (const label of SECTION_LABELS) checkSection(label, values[label])
  for (const label of ["instructions", "server"] as const) {
    const value = values[label]
    if (value !== "none" && value !== "-") parseDigest(value, badLine(label))
  }
  const { tools, prompts, templates, resources, instructions, server } = values
  return { tools, prompts, templates, resources, instructions, server }
}

function checkSection(label: string, value: string): void {
  if (value === "none" || value === "-") return
  const at = value.indexOf(" ")
  if (at < 0) throw badLine(label)(`expected a count and a digest, none or -, got ${quote(value)}`)
  const count = parseDecimal(value.slice(0, at), badLine(label))
  const digest = parseDigest(value.slice(at + 1), badLine(label))
  if ((count === 0n) !== (digest === NOTHING))
    throw badLine(label)("expected count 0 exactly for the digest of nothing")
}

function checkState(state: "listed" | "auth", lines: SurfaceLines): void {
  const asked = Object.values(lines).some((value) => value !== "-")
  if (state === "auth" && asked) throw bad("expected - in every section of state auth")
  if (state === "listed" && !asked) throw bad("expected a section other than - in state listed")
}

function parsePrevious(value: string): PreviousRecord {
  const at = value.indexOf(" ")
  if (at < 0) throw badLine("prev")(`expected an index and a digest, got ${quote(value)}`)
  const index = parseDecimal(value.slice(0, at), badLine("prev"))
  const digest = parseDigest(value.slice(at + 1), badLine("prev"))
  return { index, leafHash: parseHex(digest.slice(7), badLine("prev")) }
}

const formatStream = (o: Observation): string =>
  `${RECORD_TYPE}\n${STREAM_LABELS.map((label) => `${label} ${o[label]}\n`).join("")}`

function formatSeen({ state, lines, surface, observed }: Observation): string {
  const { tools, prompts, templates, resources, instructions, server } = lines
  return (
    `state ${state}\ntools ${tools}\nprompts ${prompts}\ntemplates ${templates}\nresources ${resources}\n` +
    `instructions ${instructions}\nserver ${server}\nsurface ${surface}\nobserved ${observed}\n`
  )
}

const badLine =
  (label: string) =>
  (why: string): ToolsumError =>
    bad(`line ${label}: ${why}`)

function expectLine(label: string, value: string, good: boolean): void {
  if (!good) throw badLine(label)(`got ${quote(value)}`)
}
