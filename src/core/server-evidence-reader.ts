// The parts of an evidence file (FORMAT.md, section 17) and their readers: exact members, types and spellings, shared with lockfiles. An
// error names the place; server-evidence.ts gives it the file's own code.
import { parseBase64, parseDecimal } from "./bytes.js"
import { canonicalize } from "./canonical.js"
import type { Hash } from "./hash.js"
import type { JsonValue } from "./json.js"
import {
  checkMembers,
  malformed,
  malformedAt,
  memberPlace,
  readInstant,
  readList,
  readObject,
  readText,
  readTextOrNull,
} from "./lockfile-reader.js"
import { splitHashes } from "./merkle.js"
import { isProfile, isSubject, isVersion } from "./record.js"
import { parseSurface, SECTION_NAMES, type SectionName, type Surface } from "./section.js"
import type { ReadFailure } from "./server-verdict.js"
import { checkTemplates, parseTarget, type Target } from "./target.js"
import { UNKNOWN_REASONS, type UnknownReason, VERDICTS, type Verdict } from "./verdict.js"

/** How a server was reached, under which conditions it was read, and what came. */
export interface EvidenceReading {
  /** When, `YYYY-MM-DDTHH:MM:SSZ`, by the clock of whoever read. */
  readonly at: string
  /** Without any value. */
  readonly target: Target
  /** What was looked for in the logs; null where the target has no subject. */
  readonly subject: string | null
  /** Exact or resolved version of the package; `-` for none. */
  readonly version: string
  readonly profile: string
  /** The lists that were asked for, in the order of SECTION_NAMES. */
  readonly sections: readonly SectionName[]
  /** Protocol version that was agreed on; null where nothing was read. */
  readonly protocol: string | null
  /** Circumstances such as platform and node. */
  readonly read: Readonly<Record<string, string>>
  /** True when the server marked a list as meant for that reader alone. */
  readonly isPrivate: boolean
  /** As received; null exactly when there is a failure. */
  readonly surface: Surface | null
  /** Lists that were not read to their end, and why. */
  readonly incomplete: Readonly<Partial<Record<SectionName, string>>>
  readonly failure: ReadFailure | null
}

/** One record of a log with its proof. `lists`: section texts; `surface`: the recorded one, null where not all of it was at hand. */
export interface EvidenceRecord {
  readonly index: bigint
  /** The whole entry. */
  readonly entry: string
  /** Sibling hashes, leaf side first. */
  readonly proof: readonly Hash[]
  readonly lists: Readonly<Partial<Record<SectionName, string>>>
  readonly surface: Surface | null
}

/** One log: keyring notes from 1, one checkpoint, and records under it, ascending. `newest`: how whoever read looked for newer ones. */
export interface EvidenceLog {
  readonly keyring: readonly string[]
  readonly checkpoint: string
  readonly newest: "scanned" | "hint"
  readonly records: readonly EvidenceRecord[]
}

/** A log that was asked and said nothing that counts. `log`: its origin or where it should have been. */
export interface UnreadLog {
  readonly log: string
  readonly reason: UnknownReason
  readonly detail: string
}

/** An evidence file as read; nothing of it is proven. */
export interface ServerEvidence {
  readonly reading: EvidenceReading
  readonly logs: readonly EvidenceLog[]
  readonly unread: readonly UnreadLog[]
  readonly verdict: { readonly verdict: Verdict; readonly reason: string | null }
}

/** Most records of one log in a file. */
export const MAX_EVIDENCE_RECORDS = 4096

const READING = {
  required: [
    ...["at", "failure", "incomplete", "private", "profile", "protocol", "read", "sections", "subject", "surface"],
    ...["target", "version"],
  ],
}
const FAILURE = { required: ["detail", "reason", "verdict"] }
const LOG = { required: ["checkpoint", "keyring", "newest", "records"] }
const RECORD = { required: ["entry", "index", "lists", "proof", "surface"] }
const UNREAD = { required: ["detail", "log", "reason"] }
const VERDICT = { required: ["reason", "verdict"] }
const SURFACE = { required: ["instructions", "prompts", "resourceTemplates", "resources", "serverInfo", "tools"] }

/** How a server was reached and what came. */
export function readReading(value: JsonValue | undefined): EvidenceReading {
  const at = "reading"
  const object = readObject(value, at)
  checkMembers(object, at, READING)
  const sections = readSections(object.sections, `${at}.sections`)
  const surface = readSurfaceOrNull(object.surface, `${at}.surface`)
  const failure = object.failure === null ? null : readFailure(object.failure, `${at}.failure`)
  if ((surface === null) !== (failure !== null)) throw malformed(at, "expected either a surface or a failure")
  const target = parseTarget(object.target ?? null)
  checkTemplates(target)
  const subject = readTextOrNull(object, "subject", at)
  if (subject !== null && !isSubject(subject)) throw malformed(`${at}.subject`, "expected a subject or null")
  const [version, profile] = [readText(object, "version", at), readText(object, "profile", at)]
  if (!isVersion(version)) throw malformed(`${at}.version`, "expected a version or -")
  if (!isProfile(profile)) throw malformed(`${at}.profile`, "expected a profile")
  if (typeof object.private !== "boolean") throw malformed(`${at}.private`, "expected true or false")
  return {
    at: readInstant(object, "at", at),
    target,
    subject,
    version,
    profile,
    sections,
    protocol: readTextOrNull(object, "protocol", at),
    read: readTexts(object.read, `${at}.read`),
    isPrivate: object.private,
    surface,
    incomplete: readBySection(object.incomplete, `${at}.incomplete`, surface === null ? [] : sections),
    failure,
  }
}

function readSections(value: JsonValue | undefined, at: string): readonly SectionName[] {
  const list = readList(value, at)
  const sections = SECTION_NAMES.filter((section) => list.includes(section))
  if (list.length === 0 || canonicalize(sections) !== canonicalize(list))
    throw malformed(at, `expected some of ${SECTION_NAMES.join(", ")}, in this order`)
  return sections
}

function readSurfaceOrNull(value: JsonValue | undefined, at: string): Surface | null {
  if (value === null) return null
  const object = readObject(value, at)
  checkMembers(object, at, SURFACE)
  return parseSurface(object)
}

function readFailure(value: JsonValue | undefined, at: string): ReadFailure {
  const object = readObject(value, at)
  checkMembers(object, at, FAILURE)
  const detail = readText(object, "detail", at)
  if (object.verdict === "AUTH") return { verdict: "AUTH", reason: readText(object, "reason", at), detail }
  if (object.verdict !== "UNKNOWN") throw malformed(`${at}.verdict`, "expected AUTH or UNKNOWN")
  return { verdict: "UNKNOWN", reason: readReason(object.reason, `${at}.reason`), detail }
}

function readReason(value: JsonValue | undefined, at: string): UnknownReason {
  const reason = UNKNOWN_REASONS.find((known) => known === value)
  if (reason === undefined) throw malformed(at, "expected a reason of UNKNOWN")
  return reason
}

/** Members that are text. */
function readTexts(value: JsonValue | undefined, at: string): Readonly<Record<string, string>> {
  const object = readObject(value, at)
  for (const name of Object.keys(object)) readText(object, name, at)
  return object as Readonly<Record<string, string>> // every member was checked just now
}

function readBySection(
  value: JsonValue | undefined,
  at: string,
  allowed: readonly SectionName[],
): Readonly<Partial<Record<SectionName, string>>> {
  const texts = readTexts(value, at)
  const other = Object.keys(texts).find((name) => !allowed.some((section) => section === name))
  if (other !== undefined) throw malformed(memberPlace(at, other), "expected a section that was asked for")
  return texts
}

/** One log with its records. */
export function readLog(value: JsonValue | undefined, at: string): EvidenceLog {
  const object = readObject(value, at)
  checkMembers(object, at, LOG)
  const keyring = readList(object.keyring, `${at}.keyring`)
  if (!keyring.every((note) => typeof note === "string")) throw malformed(`${at}.keyring`, "expected texts only")
  const { newest } = object
  if (newest !== "scanned" && newest !== "hint") throw malformed(`${at}.newest`, "expected scanned or hint")
  const records = readList(object.records, `${at}.records`).map((one, i) => readRecord(one, `${at}.records[${i}]`))
  if (records.length > MAX_EVIDENCE_RECORDS)
    throw malformed(`${at}.records`, `expected at most ${MAX_EVIDENCE_RECORDS}`)
  if (records.some(({ index }, i) => index <= (records[i - 1]?.index ?? -1n)))
    throw malformed(`${at}.records`, "expected ascending indexes, none twice")
  // every element of keyring was checked just now
  return { keyring: keyring as readonly string[], checkpoint: readText(object, "checkpoint", at), newest, records }
}

function readRecord(value: JsonValue | undefined, at: string): EvidenceRecord {
  const object = readObject(value, at)
  checkMembers(object, at, RECORD)
  const proof = parseBase64(readText(object, "proof", at), malformedAt(`${at}.proof`))
  return {
    index: parseDecimal(readText(object, "index", at), malformedAt(`${at}.index`)),
    entry: readText(object, "entry", at),
    proof: splitHashes(proof, malformedAt(`${at}.proof`)),
    lists: readBySection(object.lists, `${at}.lists`, SECTION_NAMES),
    surface: readSurfaceOrNull(object.surface, `${at}.surface`),
  }
}

/** A log that said nothing that counts. */
export function readUnread(value: JsonValue | undefined, at: string): UnreadLog {
  const object = readObject(value, at)
  checkMembers(object, at, UNREAD)
  const [log, detail] = [readText(object, "log", at), readText(object, "detail", at)]
  return { log, reason: readReason(object.reason, `${at}.reason`), detail }
}

/** The verdict that the file claims. */
export function readVerdict(value: JsonValue | undefined): ServerEvidence["verdict"] {
  const object = readObject(value, "verdict")
  checkMembers(object, "verdict", VERDICT)
  const verdict: Verdict | undefined = VERDICTS.find((known) => known === object.verdict)
  if (verdict === undefined) throw malformed("verdict.verdict", "expected a verdict")
  return { verdict, reason: readTextOrNull(object, "reason", "verdict") }
}
