// Which logs `verify-server` asks (DESIGN 8): those that `--log` names; else those of the lockfile here, where it has pins of this subject;
// else the personal log and those with a place in the trust store; else those that a person at the terminal names. Nobody else is asked.
import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { createDirLog } from "../adapters/log-dir.js"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_KEYRING_BYTES, parseKeyring } from "../core/keyring.js"
import type { Lockfile } from "../core/lockfile.js"
import { observationOf } from "../features/pins.js"
import type { AskedLog } from "../features/verify-server.js"
import type { LogSource } from "../ports.js"
import type { Io } from "./io.js"
import { findLogFolder, findLogSource, peekLog } from "./logs.js"
import { tryToOpenLog } from "./open-log.js"
import type { Options } from "./options.js"
import { findProjectLockfile, openTrustStore } from "./project.js"
import { isUrl } from "./typed-target.js"

/** A log that may be asked, not opened yet. */
export interface LogPlace {
  /** Origin, folder or URL, for people. */
  readonly name: string
  readonly open: () => Promise<AskedLog>
}

/** The logs to ask about a subject (null: about a list only). Throws USAGE for a `--log` that names none. */
export async function findLogsToAsk(subject: string | null, options: Options, io: Io): Promise<readonly LogPlace[]> {
  const lockfile = await readLockfileHere(options, io)
  const place = { lockfile, options, io }
  const named = options.values("log")
  if (named.length > 0) return named.map((text) => readPlace(text, place))
  const pinned = logsOfPins(lockfile, subject)
  // A colleague's personal log is nowhere from here: then one's own logs may know the server.
  const reachable = (await Promise.all(pinned.map((origin) => isSomewhere(origin, place)))).includes(true)
  const own = reachable ? [] : await ownLogs(options, io)
  const origins = own.length > 0 ? own : pinned
  if (origins.length > 0) return origins.map((origin) => placeOfOrigin(origin, place))
  if (io.ask === null) return []
  const answer = (
    await io.ask("Which log has signed lists of it? A folder, an https URL or an origin; empty for none: ")
  ).trim()
  return answer === "" ? [] : [readPlace(answer, place)]
}

interface Place {
  readonly lockfile: Lockfile | null
  readonly options: Options
  readonly io: Io
}

/** A lockfile here says where logs are and how far they had come. One that cannot be read says nothing, and that is said. */
async function readLockfileHere(options: Options, io: Io): Promise<Lockfile | null> {
  const store = await findProjectLockfile(options, io)
  try {
    return await store.read()
  } catch (error) {
    if (!(error instanceof ToolsumError) || options.values("lock").length > 0) throw error
    io.stderr(`warning: ${quote(store.path, 400)} was left out: ${error.message}\n`)
    return null
  }
}

function logsOfPins(lockfile: Lockfile | null, subject: string | null): readonly string[] {
  const pins = Object.values(lockfile?.servers ?? {}).filter((pin) => {
    // A pin whose record cannot be read, or is of another dialect, names no subject.
    if (subject === null || pin.evidence !== undefined) return false
    try {
      return observationOf(pin).subject === subject
    } catch (error) {
      if (error instanceof ToolsumError) return false
      throw error
    }
  })
  return [...new Set(pins.map(({ log }) => log))]
}

/** Whether anything here says where a log is. An error is for its opening to meet again. */
async function isSomewhere(origin: string, { lockfile, options, io }: Place): Promise<boolean> {
  try {
    return (await findLogSource(origin, lockfile, options, io)) !== null
  } catch (error) {
    if (error instanceof ToolsumError) return true
    throw error
  }
}

/** The personal log, and logs that the user trusts and has said the place of. */
async function ownLogs(options: Options, io: Io): Promise<readonly string[]> {
  const personal = await peekLog(findLogFolder(options, io))
  const trusted = (await openTrustStore(io).list()).flatMap(({ name, log }) =>
    name !== null && log !== null ? [name] : [],
  )
  return [...new Set([...(personal ? [personal.origin] : []), ...trusted])]
}

/** A log as it was typed: a URL, a folder, or the origin of one whose place is known here. */
function readPlace(text: string, place: Place): LogPlace {
  const { io } = place
  if (isUrl(text)) return placeOfSource(text, () => openTypedUrl(text, io), place)
  const folder = resolve(io.cwd, text)
  const isFolder = existsSync(folder) && statSync(folder).isDirectory()
  if (isFolder || /^[./~\\]|^[A-Za-z]:[\\/]/.test(text))
    return placeOfSource(text, async () => createDirLog(folder), place)
  return placeOfOrigin(text, place)
}

/** The log at a URL that the user typed. */
export async function openTypedUrl(url: string, io: Io): Promise<LogSource> {
  const { createHttpLog } = await import("../adapters/log-http.js")
  // Typed by the user, so it may be private.
  const log = createHttpLog(url, { env: io.env, allowPrivate: true, allowLoopbackHttp: true, signal: io.signal })
  io.atEnd(() => log.close())
  return log
}

function placeOfOrigin(origin: string, { lockfile, options, io }: Place): LogPlace {
  const find = () => findLogSource(origin, lockfile, options, io)
  return {
    name: origin,
    open: async () => {
      const { state } = await tryToOpenLog(origin, find, { lockfile, options, io })
      return { name: origin, state: state ?? nowhere(origin) }
    },
  }
}

const nowhere = (origin: string): ToolsumError =>
  new ToolsumError(
    "LOG_UNAVAILABLE",
    `nothing here says where the log ${quote(origin, 300)} is: give its folder or URL, or toolsum trust add … --log PLACE`,
  )

/** A log by its place: which one it is, only its own first keyring says, and the pinned roots judge that. */
function placeOfSource(name: string, open: () => Promise<LogSource>, place: Place): LogPlace {
  return {
    name,
    open: async () => {
      try {
        const source = await open()
        const origin = await readOrigin(source)
        const { state } = await tryToOpenLog(origin, async () => source, place)
        return { name: origin, state: state ?? nowhere(origin) }
      } catch (error) {
        if (error instanceof ToolsumError) return { name, state: error }
        throw error
      }
    },
  }
}

async function readOrigin(source: LogSource): Promise<string> {
  const bytes = await source.read("keyring/1", MAX_KEYRING_BYTES)
  if (bytes !== null) return parseKeyring(bytes).origin
  throw new ToolsumError("LOG_UNAVAILABLE", `${quote(source.location, 300)} has no keyring: is it the folder of a log?`)
}
