// `toolsum.json`, the settings of a project (FORMAT.md, "Project settings"): what it asks of its servers and of a report on them. The reader
// refuses what it does not know, so that a misspelt wish is never taken for none. Which of two files counts for what is decided in
// settings-under-base.ts: a setting that weakens anything counts only as it is outside the tree under test (DESIGN 8).
import { decodeUtf8 } from "./bytes.js"
import { isOrigin } from "./checkpoint.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { isArray, isObject, type JsonObject, type JsonValue, parseJson } from "./json.js"
import { describe, isInstant, memberPlace } from "./lockfile-reader.js"
import { type Mask, parseMasks } from "./mask.js"
import { isPinName } from "./pin.js"
import { parseRootArgument, type RootArgument } from "./root.js"
import { SEVERITIES, type Severity } from "./severity.js"
import { TIERS, type Tier } from "./tier.js"

/** Name of the settings, beside the lockfile. */
export const SETTINGS_NAME = "toolsum.json"
/** Most bytes of the file. */
export const MAX_SETTINGS_BYTES = 1024 * 1024
/** Most entries of any of its lists and maps. */
export const MAX_SETTINGS_ENTRIES = 1000

const MAX_TEXT_CHARS = 1000

/** Whether a live server is read: always, where the variables that it is given are set, or not at all. */
const LIVE_WISHES = ["required", "if-credentials", "never"] as const
/** One of them. */
export type LiveWish = (typeof LIVE_WISHES)[number]

/** What `allow` may name: that nobody answered, never that an answer was bad. */
const ALLOW_REASONS = ["server_unreachable", "timeout", "not_in_log", "auth:missing"] as const
/** One of them. */
export type AllowReason = (typeof ALLOW_REASONS)[number]

/** Wishes about one pin; null: none. */
export interface ServerSettings {
  readonly live: LiveWish | null
  readonly failOn: Severity | null
}

/** A person's word that a tool's class is another, up to and with the day `until` (YYYY-MM-DD, UTC). */
export interface ToolOverride {
  readonly server: string
  readonly tool: string
  readonly tier: Tier
  readonly reason: string
  readonly until: string
}

/** Settings of a project. */
export interface Settings {
  readonly roots: readonly RootArgument[]
  /** Logs that may be asked, by origin; null: no word on that. `private`: what matches `private` may be known there. */
  readonly logs: Readonly<Record<string, { readonly private: boolean }>> | null
  /** Patterns of subjects that no other log may hear of; `*` stands for any characters. */
  readonly private: readonly string[]
  /** Names that must be pinned. */
  readonly required: readonly string[]
  readonly servers: Readonly<Record<string, ServerSettings>>
  readonly failOn: Severity | null
  readonly allow: readonly AllowReason[]
  /** Masks that a pin may get, by its name. */
  readonly masks: Readonly<Record<string, readonly Mask[]>>
  readonly overrides: readonly ToolOverride[]
}

/** What holds where there is no file. */
export const NO_SETTINGS: Settings = {
  roots: [],
  logs: null,
  private: [],
  required: [],
  servers: {},
  failOn: null,
  allow: [],
  masks: {},
  overrides: [],
}

/** Settings and the JSON that they were read from. */
export interface SettingsFile {
  readonly settings: Settings
  readonly document: JsonObject
}

/** What there is where there is no file. */
export const NO_SETTINGS_FILE: SettingsFile = { settings: NO_SETTINGS, document: {} }

/** Read a file of settings. `where`: its name, for messages. Throws CONFIG_INVALID. */
export function parseSettings(input: Uint8Array | string, where: string): SettingsFile {
  const bad = badIn(where)
  if (input.length > MAX_SETTINGS_BYTES) throw bad(`expected at most ${MAX_SETTINGS_BYTES} bytes`)
  const document = readMembers(readJson(input, bad), "", READERS, bad)
  const read = Object.entries(document).map(([name, value]) => [name, READERS[name]?.(value, name, bad)])
  // Each reader gives the type of its member; $schema has none.
  const settings = Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Partial<Settings>
  return { settings: { ...NO_SETTINGS, ...settings }, document }
}

const badIn =
  (where: string): Bad =>
  (why) =>
    new ToolsumError("CONFIG_INVALID", `${where}: ${why}`)

function readJson(input: Uint8Array | string, bad: Bad): JsonValue {
  const text = typeof input === "string" ? input : decodeUtf8(input, bad)
  return within("", bad, () => parseJson(text))
}

type Reader = (value: JsonValue, at: string, bad: Bad) => unknown

/** Every member that there is and what reads it; `$schema` is for editors. */
const READERS: Readonly<Record<string, Reader>> = {
  $schema: (value, at, bad) => void readText(value, at, bad),
  roots: (value, at, bad) =>
    readList(value, at, bad, (text, place) => within(place, bad, () => parseRootArgument(readText(text, place, bad)))),
  logs: (value, at, bad) => readMap(value, at, bad, isOrigin, "the origin of a log", readLog),
  private: (value, at, bad) => readList(value, at, bad, readPattern),
  required: (value, at, bad) => readList(value, at, bad, readPinName),
  servers: (value, at, bad) => readMap(value, at, bad, isPinName, "a pin name", readServer),
  failOn: (value, at, bad) => readWord(value, at, bad, SEVERITIES),
  allow: (value, at, bad) => readList(value, at, bad, (word, place) => readWord(word, place, bad, ALLOW_REASONS)),
  masks: (value, at, bad) =>
    readMap(value, at, bad, isPinName, "a pin name", (list, place) => within(place, bad, () => parseMasks(list))),
  overrides: (value, at, bad) => refuseConflicts(readList(value, at, bad, readOverride), at, bad),
}

type MemberReader<T> = (value: JsonValue, at: string, bad: Bad) => T

const readLog: MemberReader<{ private: boolean }> = (value, at, bad) => {
  const { private: isPrivate = false } = readMembers(value, at, { private: true }, bad)
  if (typeof isPrivate !== "boolean") throw bad(`${at}.private: expected true or false, got ${describe(isPrivate)}`)
  return { private: isPrivate }
}

const readServer: MemberReader<ServerSettings> = (value, at, bad) => {
  const { live, failOn } = readMembers(value, at, { live: true, failOn: true }, bad)
  return {
    live: live === undefined ? null : readWord(live, `${at}.live`, bad, LIVE_WISHES),
    failOn: failOn === undefined ? null : readWord(failOn, `${at}.failOn`, bad, SEVERITIES),
  }
}

const OVERRIDE = { server: true, tool: true, tier: true, reason: true, until: true }

const readOverride: MemberReader<ToolOverride> = (value, at, bad) => {
  const object = readMembers(value, at, OVERRIDE, bad)
  const part = (name: keyof typeof OVERRIDE): JsonValue => {
    const member = object[name]
    if (member === undefined) throw bad(`${at}: expected member ${quote(name)}`)
    return member
  }
  const until = readText(part("until"), `${at}.until`, bad)
  if (!isInstant(`${until}T00:00:00Z`)) throw bad(`${at}.until: expected YYYY-MM-DD, got ${quote(until)}`)
  return {
    server: readPinName(part("server"), `${at}.server`, bad),
    tool: readText(part("tool"), `${at}.tool`, bad),
    tier: readWord(part("tier"), `${at}.tier`, bad, TIERS),
    reason: readText(part("reason"), `${at}.reason`, bad),
    until,
  }
}

/** Two words on one tool would leave it open which of them counts. */
function refuseConflicts(overrides: readonly ToolOverride[], at: string, bad: Bad): readonly ToolOverride[] {
  const keys = overrides.map(({ server, tool }) => JSON.stringify([server, tool]))
  const twice = overrides.find((_, i) => keys.indexOf(keys[i] ?? "") !== i)
  if (twice !== undefined)
    throw bad(`${at}: expected one override of a tool, got two of ${quote(twice.tool)} of ${twice.server}`)
  return overrides
}

const readPinName: MemberReader<string> = (value, at, bad) => {
  const name = readText(value, at, bad)
  if (!isPinName(name)) throw bad(`${at}: expected a pin name, got ${quote(name)}`)
  return name
}

const PATTERN = /^[!-~]{1,300}$/

const readPattern: MemberReader<string> = (value, at, bad) => {
  const pattern = readText(value, at, bad)
  if (!PATTERN.test(pattern)) throw bad(`${at}: expected a subject, * for any characters, got ${quote(pattern)}`)
  return pattern
}

function readText(value: JsonValue, at: string, bad: Bad): string {
  if (typeof value !== "string" || value === "" || value.length > MAX_TEXT_CHARS)
    throw bad(`${at}: expected text of 1 to ${MAX_TEXT_CHARS} characters, got ${describe(value)}`)
  return value
}

function readWord<W extends string>(value: JsonValue, at: string, bad: Bad, words: readonly W[]): W {
  const word = words.find((one) => one === value)
  if (word === undefined) throw bad(`${at}: expected one of ${words.join(", ")}, got ${describe(value)}`)
  return word
}

function readList<T>(value: JsonValue, at: string, bad: Bad, read: MemberReader<T>): readonly T[] {
  if (!isArray(value)) throw bad(`${at}: expected a list, got ${describe(value)}`)
  if (value.length > MAX_SETTINGS_ENTRIES) throw bad(`${at}: expected at most ${MAX_SETTINGS_ENTRIES} entries`)
  return value.map((entry, i) => read(entry, `${at}[${i}]`, bad))
}

/** Members under free names that `isName` takes. */
function readMap<T>(
  value: JsonValue,
  at: string,
  bad: Bad,
  isName: (text: string) => boolean,
  what: string,
  read: MemberReader<T>,
): Readonly<Record<string, T>> {
  if (!isObject(value)) throw bad(`${at}: expected an object, got ${describe(value)}`)
  const names = Object.keys(value)
  if (names.length > MAX_SETTINGS_ENTRIES) throw bad(`${at}: expected at most ${MAX_SETTINGS_ENTRIES} members`)
  const members: Record<string, T> = Object.create(null)
  for (const name of names) {
    const place = memberPlace(at, name)
    if (!isName(name)) throw bad(`${place}: expected ${what} as the name of a member`)
    members[name] = read(value[name] as JsonValue, place, bad) // its own key
  }
  return members
}

/** An object that has no other members than these. */
function readMembers(value: JsonValue, at: string, known: Readonly<Record<string, unknown>>, bad: Bad): JsonObject {
  const say = (why: string) => bad(at === "" ? why : `${at}: ${why}`)
  if (!isObject(value)) throw say(`expected an object, got ${describe(value)}`)
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw say(`expected no member ${quote(unknown)}: this version does not know it`)
  return value
}

/** What `read` throws, as a fault of the settings at a place. */
function within<T>(at: string, bad: Bad, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ToolsumError) || error.code === "CONFIG_INVALID") throw error
    throw bad(at === "" ? error.message : `${at}: ${error.message}`)
  }
}

/** The severity from which on a change of this pin's server is a finding; null: every change is. */
export const failOnOf = (settings: Settings, pin: string): Severity | null =>
  serverSettings(settings, pin)?.failOn ?? settings.failOn

/** Whether this pin's server is read. */
export const liveWishOf = (settings: Settings, pin: string): LiveWish =>
  serverSettings(settings, pin)?.live ?? "required"

const serverSettings = ({ servers }: Settings, pin: string): ServerSettings | null =>
  Object.hasOwn(servers, pin) ? (servers[pin] ?? null) : null

/** The overrides of a pin's tools that count on a day (YYYY-MM-DD, UTC). */
export const overridesOf = ({ overrides }: Settings, pin: string, today: string): readonly ToolOverride[] =>
  overrides.filter(({ server, until }) => server === pin && today <= until)

/** Those that counted until a day before: worth a word, so that somebody looks again. */
export const expiredOverridesOf = ({ overrides }: Settings, pin: string, today: string): readonly ToolOverride[] =>
  overrides.filter(({ server, until }) => server === pin && until < today)

/** True where the log of that origin may be asked. */
export const mayAskLog = ({ logs }: Settings, origin: string): boolean => logs === null || Object.hasOwn(logs, origin)

/** True where the log of that origin must not hear of `subject`. `isPersonal`: nobody but this account reads that log. */
export function isPrivateSubject(settings: Settings, subject: string, log: { origin: string; isPersonal: boolean }) {
  if (log.isPersonal || (settings.logs !== null && settings.logs[log.origin]?.private === true)) return false
  return settings.private.some((pattern) => matchesPattern(subject, pattern))
}

/** Whether `*` of the pattern can stand for something such that both are equal. Linear: the first place that fits is as good as any. */
function matchesPattern(text: string, pattern: string): boolean {
  const [head = "", ...rest] = pattern.split("*")
  const tail = rest.pop()
  if (tail === undefined) return text === head
  if (!text.startsWith(head) || text.length < head.length + tail.length || !text.endsWith(tail)) return false
  const end = text.length - tail.length
  let at = head.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
