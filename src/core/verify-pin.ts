// Judges one pin of a lockfile, in the order REJECTED, CHANGED(unapproved), UNKNOWN, PROVEN (formats 36, 38, 39, 42, 43).
// Inclusion comes before the record is parsed; then the record must say what target, masks, digests and definitions say.
import { encodeUtf8 } from "./bytes.js"
import { parseDefinitions } from "./definitions.js"
import { attempt, type ErrorCode, ToolsumError } from "./errors.js"
import { type Digest, type Hash, hashLeaf } from "./hash.js"
import { isObject } from "./json.js"
import type { ProvenRecord } from "./legion/check.js"
import { reasonOfFailure } from "./legion/judge-log.js"
import { computeLockedPinDigest, verifyLockedPin } from "./legion/locked-pin.js"
import type { Pin } from "./lockfile.js"
import { requireTarget } from "./lockfile-pin.js"
import { computeMaskDigest } from "./mask.js"
import { verifyInclusion } from "./merkle.js"
import { computePinDigest } from "./pin.js"
import { entryType, type Observation, parseObservation, parseRecord, RECORD_TYPE, type ToolRecord } from "./record.js"
import { computeSectionOfDigests, computeSurface, SECTION_NAMES, type SectionName, surfaceMember } from "./section.js"
import { computeHow, deriveSubject, isRegistryId, localSubject, type ReadConditions } from "./subject.js"
import { isCommandTarget, type Target } from "./target.js"
import { listTemplateNames } from "./template.js"
import type { VerifiedHead } from "./tree-heads.js"
import type { UnknownReason } from "./verdict.js"
import type { LogJudgement } from "./verify-log.js"

/** What a pin proves by itself. */
export interface PinJudgement {
  /** Evidence that fails, if any. */
  readonly rejected: ToolsumError | null
  /** True when no approval names this pin digest; where no digest can be computed, when there is no approval. */
  readonly unapproved: boolean
  /** Why nothing is proven although nothing is refuted. */
  readonly unknown: { readonly reason: UnknownReason; readonly detail: string } | null
  /** The record or observation, when it could be read. */
  readonly observed: Observation | null
  /** The proven record of a pin of dialect legion. */
  readonly legion: ProvenRecord | null
  readonly pinDigest: Digest | null
  readonly warnings: readonly string[]
}

/** Judge the pin `name`. `definitions`: bytes of its definitions file, null when missing, undefined when not to be checked. */
export function judgePin(p: {
  name: string
  pin: Pin
  log: LogJudgement
  definitions: Uint8Array | null | undefined
  underBase: boolean
}): PinJudgement {
  const { name, pin, log } = p
  // Without a record there is no pin digest that an approval could be compared with: it counts as unapproved where there is none.
  const nothing = { unapproved: pin.approved === null, observed: null, legion: null, pinDigest: null, warnings: [] }
  if (pin.evidence !== undefined) {
    const judged = judgeEvidence(pin.evidence, p)
    return judged instanceof ToolsumError ? { ...nothing, ...failed(judged) } : judged
  }
  const entry = attempt(() => readEntry(pin, log))
  if (entry instanceof ToolsumError) return { ...nothing, rejected: entry, unknown: null }
  if (entry.observed === null) return { ...nothing, rejected: null, unknown: entry.unknown }
  const { observed } = entry
  const { subject, version, profile, mask, surface } = observed
  const pinDigest = computePinDigest({ log: pin.log, subject, version, target: pin.target, profile, mask, surface })
  const unapproved = pin.approved?.pin !== pinDigest
  const rejected = findContradiction(name, pin, observed, p.definitions)
  const proven = { unapproved, observed, legion: null, pinDigest }
  if (rejected) return { ...proven, rejected, unknown: null, warnings: [] }
  const { unknown, warnings } = judgeMissing(p)
  return { ...proven, rejected: null, unknown: entry.unknown ?? unknown, warnings }
}

/** What a missing definitions file means. */
function judgeMissing(p: { name: string; definitions: Uint8Array | null | undefined; underBase: boolean }) {
  const missing = p.definitions === null
  const unknown = missing && p.underBase ? unknownBecause("incomplete", "its definitions file is missing") : null
  return { unknown, warnings: missing ? [`definitions_missing:${p.name}`] : [] }
}

/** A pin of dialect legion, or the error that stands in its way. */
function judgeEvidence(evidence: string, p: Parameters<typeof judgePin>[0]): PinJudgement | ToolsumError {
  const { pin, log, definitions = null } = p
  const { fault, legion: keyring } = log
  if (fault?.kind === "rejected") return fault
  if (keyring === null) return fault ?? new ToolsumError("KEYRING_MALFORMED", "its log has no keys of this dialect")
  const legion = attempt(() => verifyLockedPin({ pin, evidence, keyring, definitions }))
  if (legion instanceof ToolsumError) return legion
  const pinDigest = computeLockedPinDigest(pin, legion.record)
  const { unknown, warnings } = judgeMissing(p)
  return {
    rejected: null,
    unapproved: pin.approved?.pin !== pinDigest,
    unknown: fault ? unknownOfFault(fault) : unknown,
    observed: null,
    legion,
    pinDigest,
    warnings,
  }
}

const failed = (error: ToolsumError): Pick<PinJudgement, "rejected" | "unknown"> =>
  error.kind === "rejected"
    ? { rejected: error, unknown: null }
    : { rejected: null, unknown: unknownBecause(reasonOfFailure(error), error.message) }

/** What of the pin and its definitions the record contradicts. */
function findContradiction(
  name: string,
  pin: Pin,
  observed: Observation,
  definitions: Uint8Array | null | undefined,
): ToolsumError | null {
  try {
    checkTarget(name, pin, observed)
    // An auth record says nothing of any list: there is nothing that the pinned items could contradict (formats 43).
    if (observed.state === "auth") return null
    checkSections(pin, observed)
    if (definitions) checkDefinitions(definitions, pin, observed)
    return null
  } catch (error) {
    if (error instanceof ToolsumError) return error
    throw error
  }
}

const unknownBecause = (reason: UnknownReason, detail: string) => ({ reason, detail })

interface Entry {
  readonly observed: Observation | null
  readonly unknown: PinJudgement["unknown"]
}

/** The record behind the pin, proven as far as the log allows. Throws what refutes it. */
function readEntry(pin: Pin, log: LogJudgement): Entry {
  if (log.fault?.kind === "rejected") throw log.fault
  if (pin.record === null || pin.head === null || pin.index === null || pin.proof === null) {
    return {
      observed: parseObservation(pin.observation ?? ""),
      unknown: unknownBecause("not_logged", "the log has not taken it yet"),
    }
  }
  const head = log.heads.get(pin.head)
  if (head) requireLogged(encodeUtf8(pin.record), pin.index, pin.proof, head)
  const type = entryType(pin.record)
  if (type !== RECORD_TYPE && type?.startsWith("toolsum-record/")) {
    const newer = unknownBecause("newer_format", `the record is a ${type}; a newer toolsum is needed`)
    // Only what is proven to be in the log can be a newer format; the rest is text that somebody wrote.
    return {
      observed: null,
      unknown: log.fault ? unknownOfFault(log.fault) : (unknownOfHead("listed", head?.state) ?? newer),
    }
  }
  const record = readRecord(pin.record)
  return { observed: record, unknown: log.fault ? unknownOfFault(log.fault) : unknownOfHead(record.state, head?.state) }
}

function readRecord(text: string): ToolRecord {
  try {
    return parseRecord(text)
  } catch (cause) {
    if (!(cause instanceof ToolsumError)) throw cause
    throw new ToolsumError("RECORD_INVALID", `the logged entry is no record: ${cause.message}`, { cause })
  }
}

/** Inclusion, in the words of a lockfile: somebody changed the record, its index or its proof. */
function requireLogged(entry: Uint8Array, index: bigint, proof: readonly Hash[], head: VerifiedHead): void {
  try {
    verifyInclusion({ leafHash: hashLeaf(entry), index, proof, head })
  } catch (cause) {
    if (!(cause instanceof ToolsumError)) throw cause
    const what = `the record is not what the log signed as leaf ${index} of ${head.size}`
    throw new ToolsumError("INCLUSION_INVALID", `${what}: record, index or proof was changed`, { cause })
  }
}

/** HEAD_UNPROVEN: a witness policy that says nothing of this log. */
const REASONS_OF_FAULTS: Readonly<Partial<Record<ErrorCode, UnknownReason>>> = {
  ROOT_NOT_PINNED: "root_not_pinned",
  HEAD_UNPROVEN: "incomplete",
}

function unknownOfFault(fault: ToolsumError): PinJudgement["unknown"] {
  return unknownBecause(REASONS_OF_FAULTS[fault.code] ?? "malformed", fault.message)
}

function unknownOfHead(state: Observation["state"], head: string | undefined): PinJudgement["unknown"] {
  if (head === "unproven")
    return unknownBecause("incomplete", "its head is by a retired key, and nothing ties it to the closing tree")
  if (head === undefined) return unknownBecause("malformed", "its head cannot be read")
  return state === "auth" ? unknownBecause("incomplete", "the server wanted credentials, no list was recorded") : null
}

const contradicts = (why: string) => new ToolsumError("RECORD_INVALID", why)

/** Subject, version, how, mask and profile of the record against the launch line or URL. Formats 36. */
function checkTarget(name: string, pin: Pin, observed: Observation): void {
  const target = requireTarget(pin)
  const derived = deriveSubject(target)
  const subject = derived.subject ?? localSubject(name)
  if (observed.subject !== subject && !isFiledByRegistryId(target, observed.subject)) {
    throw contradicts(`the record is about ${observed.subject}, the target about ${subject}`)
  }
  const exact = derived.floating ? observed.version : (derived.version ?? "-")
  if (observed.version !== exact)
    throw contradicts(`the record is of version ${observed.version}, the target asks for ${exact}`)
  if (observed.mask !== computeMaskDigest(pin.masks)) throw contradicts("the mask list is not the one in the record")
  if (observed.state === "listed" && observed.how !== computeHow(target, readingOf(pin, observed), derived).digest) {
    throw contradicts("arguments, variables, headers or sections are not those in the record")
  }
  if (!profileFits(observed.profile, target))
    throw contradicts(`the profile ${observed.profile} names nothing of the target`)
}

/** A URL pin may be filed under its id in the official registry (formats 20). */
export const isFiledByRegistryId = (target: Target, subject: string): boolean =>
  !isCommandTarget(target) && isRegistryId(subject)

function readingOf(pin: Pin, observed: Observation): ReadConditions {
  const { capabilities, client, language } = pin.read
  return {
    sections: SECTION_NAMES.filter((section) => observed.lines[section] !== "-"),
    ...(isObject(capabilities) ? { capabilities } : {}),
    ...(typeof client === "string" ? { client } : {}),
    ...(typeof language === "string" ? { language } : {}),
  }
}

/** Each part `env:`, `placeholder:` or `header:` must name something that the target has; a name the user chose may be anything. */
export function profileFits(profile: string, target: Target): boolean {
  if (!profile.includes(":")) return true
  const variables = new Set(isCommandTarget(target) ? target.env : [])
  const texts = isCommandTarget(target) ? target.args : [target.url, ...Object.values(target.headers)]
  for (const text of texts) for (const name of listTemplateNames(text)) variables.add(name)
  const headers = new Set(
    isCommandTarget(target) ? [] : Object.keys(target.headers).map((header) => header.toLowerCase()),
  )
  return profile.split("+").every((part) => {
    const [kind, name = ""] = part.split(":")
    return kind === "header" ? headers.has(name) : variables.has(name)
  })
}

/** Item digests of the lockfile against the section digests of the record. */
function checkSections(pin: Pin, observed: Observation): void {
  for (const section of SECTION_NAMES) {
    const line = observed.lines[section]
    const pinned = section === "resources" ? pin.resources : pin[section]
    if (section === "resources" && (pinned !== undefined) !== isCounted(line))
      throw contradicts("resources are pinned but not recorded, or the reverse")
    const keys = Object.keys(pinned ?? {})
    if (!isCounted(line)) {
      if (keys.length > 0) throw contradicts(`${section} are pinned but not in the record`)
      continue
    }
    const { count, digest } = computeSectionOfDigests(keys.map((key) => ({ key, digest: pinned?.[key] as Digest }))) // its own keys
    if (`${count} ${digest}` !== line) throw contradicts(`${section} differ from the section digest of the record`)
  }
}

const isCounted = (line: string): boolean => line !== "-" && line !== "none"

/** The definitions file must have exactly the recorded sections, and their digests. Formats 39. */
function checkDefinitions(bytes: Uint8Array, pin: Pin, observed: Observation): void {
  const definitions = attempt(() => parseDefinitions(bytes))
  if (definitions instanceof ToolsumError) throw contradicts(`definitions: ${definitions.message}`)
  const asked = SECTION_NAMES.filter((section) => observed.lines[section] !== "-")
  const { lines } = computeSurface(definitions.surface, asked, pin.masks)
  const lineNames: readonly (SectionName | "instructions" | "server")[] = [...SECTION_NAMES, "instructions", "server"]
  for (const name of lineNames) {
    const member = name === "server" ? "serverInfo" : name === "instructions" ? name : surfaceMember(name)
    if (definitions.present.has(member) !== isCounted(observed.lines[name]))
      throw contradicts(`definitions: ${member} is there, the record has none, or the reverse`)
    if (isCounted(observed.lines[name]) && lines[name] !== observed.lines[name])
      throw contradicts(`definitions: ${member} differs from the record`)
  }
}
