// Which lists `scan` looks at, by what was typed, and how each is read: a URL or a command from the server itself, which typing it allows; a
// pin from its server under the consent that `check` needs, or from its texts; a file as it is; all pins where nothing was typed.
import { resolve } from "node:path"
import { readRegularFile } from "../adapters/regular-file.js"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES, parseJson } from "../core/json.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { requireTarget } from "../core/lockfile-pin.js"
import { SECTION_NAMES } from "../core/section.js"
import { deriveSubject } from "../core/subject.js"
import type { Target } from "../core/target.js"
import { loadPinned } from "../features/approved-surface.js"
import { readSide } from "../features/compare.js"
import { listGivenValues, redactSurface } from "../features/echoed-values.js"
import { DEFAULT_SECTIONS } from "../features/observe.js"
import { findPin, observationOf, requirePin, subjectOf } from "../features/pins.js"
import { placeholdersOf } from "../features/profile.js"
import type { ScannedList, ScanSubject } from "../features/scan.js"
import type { LockfileStore, ServerReading } from "../ports.js"
import { admit } from "./checking.js"
import type { Io } from "./io.js"
import { findLogSource } from "./logs.js"
import type { CommandLine, Options } from "./options.js"
import { readPinned } from "./read-pinned.js"
import { type Gate, openGate, openServer } from "./servers.js"
import { describeTarget, isUrl, readLimits, readTypedTarget } from "./typed-target.js"

/** One list to look at. */
export interface ListToScan extends ScanSubject {
  /** Throws a ToolsumError where it cannot be read. */
  readonly read: () => Promise<ScannedList>
}

/** The project, and what was typed. */
export interface ScanPlace {
  readonly store: LockfileStore
  readonly lockfile: Lockfile | null
  readonly options: Options
  readonly io: Io
}

/** All lists that the words name, in their order. Whoever must be asked is asked here, before anything is read. Throws USAGE, NOT_PINNED,
 *  NO_PINS, FILE_MISSING. */
export async function findLists(line: CommandLine, place: ScanPlace): Promise<readonly ListToScan[]> {
  const typed = readTypedTarget(line, place.io)
  const words = line.words.filter((word) => !isUrl(word))
  if (typed !== null) {
    if (words.length > 0) throw new ToolsumError("USAGE", "expected names, or one URL or command after --, got both")
    return [typedServer(typed, place)]
  }
  const names = words.length > 0 ? [...new Set(words)] : Object.keys(place.lockfile?.servers ?? {})
  if (names.length === 0)
    throw new ToolsumError("NO_PINS", "there is nothing to scan: no pins yet; name a URL, a file or a command after --")
  const isFile = (name: string) => findPin(place.lockfile, name) === null
  const gate = place.options.flag("approved") || names.every(isFile) ? null : await openConsent(place)
  const lists: ListToScan[] = []
  for (const name of names) lists.push(isFile(name) ? file(name, place) : await pinned(name, gate, place))
  return lists
}

const openConsent = ({ store, options, io }: ScanPlace): Promise<Gate> =>
  openGate({ lockfilePath: store.path, options, io })

/** Typed by the user: that is the consent to start or contact it, this once. */
function typedServer(target: Target, { store, options, io }: ScanPlace): ListToScan {
  const placeholders = options.values("placeholder")
  const read = async () => {
    const source = await openServer({ target, placeholders, reach: "any", lockfilePath: store.path, options, io })
    const sections = options.flag("resources") ? SECTION_NAMES : DEFAULT_SECTIONS
    const reading = await source.read({ sections, limits: readLimits(options), signal: io.signal })
    return listOf(reading, { target, placeholders }, io)
  }
  const { subject, version } = deriveSubject(target)
  return { name: describeTarget(target), source: "live", subject, version, pin: null, read }
}

async function pinned(name: string, gate: Gate | null, place: ScanPlace): Promise<ListToScan> {
  const { pin } = requirePin(place.lockfile, name)
  const { version } = pin.evidence === undefined ? observationOf(pin) : { version: "-" }
  const known = { name, subject: subjectOf(pin), version: version === "-" ? null : version, pin: name }
  if (gate === null) return { ...known, source: "pinned", read: () => readTexts(name, pin, place) }
  const { store, options, io } = place
  const readLive = await admit({ name, pin, gate, read: (reach) => readPinned(pin, reach, { store, options, io }) })
  const given = () => ({
    target: requireTarget(pin),
    placeholders: placeholdersOf(observationOf(pin).profile),
  })
  return { ...known, source: "live", read: async () => listOf(await readLive(), given(), io) }
}

/** The texts that a pin has. Throws RESOURCE_MISSING. */
async function readTexts(name: string, pin: Pin, { store, lockfile, options, io }: ScanPlace): Promise<ScannedList> {
  const log = await findLogSource(pin.log, lockfile, options, io)
  const surface = await loadPinned({ store, name, pin, log })
  if (surface !== null) return { surface, unread: {} }
  throw new ToolsumError("RESOURCE_MISSING", "its texts are neither in .mcp-tools nor in the log's archive")
}

function file(name: string, { lockfile, io }: ScanPlace): ListToScan {
  const bytes = readRegularFile(resolve(io.cwd, name), { maxBytes: MAX_JSON_BYTES, code: "SURFACE_MALFORMED" })
  if (bytes === null) {
    if (!/[/\\.]/.test(name)) requirePin(lockfile, name) // says which pins there are
    throw new ToolsumError("FILE_MISSING", `expected a pin, a file, a URL or a command after --, got ${quote(name)}`)
  }
  const read = async () => ({ surface: readSide(parseJson(bytes)).surface, unread: {} })
  return { name, source: "file", subject: null, version: null, pin: null, read }
}

/** What was read, without the values that the server was given and may repeat. */
function listOf(
  { surface, failures }: ServerReading,
  given: { target: Target; placeholders: readonly string[] },
  { env: environment }: Io,
): ScannedList {
  const unread = Object.fromEntries(Object.entries(failures).map(([section, error]) => [section, error.message]))
  return { surface: redactSurface(surface, listGivenValues({ ...given, environment })), unread }
}
