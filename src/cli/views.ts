// The views that `toolsum log compare` was given, read: lockfiles, logs in folders and behind URLs, witnesses' monitoring URLs, checkpoint,
// proof and evidence files, and this account's memory. Nothing here is verified. A view that cannot be read does not hide the others.
import { statSync } from "node:fs"
import { resolve } from "node:path"
import { createDirLog } from "../adapters/log-dir.js"
import { readRegularFile } from "../adapters/regular-file.js"
import { fetchKeyrings, fetchText } from "../client/open-log.js"
import { parseMemory } from "../client/remember.js"
import { recall, UNAVAILABLE } from "../client/usable-state.js"
import { decodeUtf8, parseBase64 } from "../core/bytes.js"
import { parseCheckpoint } from "../core/checkpoint.js"
import { attempt, quote, ToolsumError } from "../core/errors.js"
import { parseForkEvidence } from "../core/fork-evidence.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { verifyKeyring } from "../core/keyring.js"
import { parseLockfile } from "../core/lockfile.js"
import { MAX_NOTE_BYTES, parseNote } from "../core/note.js"
import { parseProofFile } from "../core/proof-file.js"
import { parseServerEvidence } from "../core/server-evidence.js"
import type { View, ViewedLog } from "../features/compare-views.js"
import type { LogIdentity, LogSource, State } from "../ports.js"
import { EVIDENCE_FILE, FORK_FILE, PROOF_FILE } from "./file-kind.js"
import type { Io } from "./io.js"
import { openState } from "./logs.js"
import type { Options } from "./options.js"
import { collectRoots } from "./project.js"
import { isUrl } from "./typed-target.js"

/** What this account's memory is called among views. */
const STATE_VIEW = "state"

/** A view, or why it could not be read. */
export type LoadedView = View | { readonly name: string; readonly error: ToolsumError }

/** Read the views that were named, in that order. */
export async function loadViews(names: readonly string[], options: Options, io: Io): Promise<readonly LoadedView[]> {
  const places = names.filter((name) => name !== STATE_VIEW)
  const read = new Map(
    await Promise.all(places.map(async (name) => [name, await loadView(name, () => readPlace(name, io))] as const)),
  )
  const loaded = [...read.values()].flatMap((view) => ("logs" in view ? [view] : []))
  // The memory is kept by origin and root: which logs to look up, the other views and the pinned roots say.
  if (names.includes(STATE_VIEW))
    read.set(
      STATE_VIEW,
      await loadView(STATE_VIEW, async () => readState(await findLogs(loaded, options, io), openState(io))),
    )
  return names.flatMap((name) => read.get(name) ?? [])
}

async function loadView(name: string, read: () => Promise<readonly ViewedLog[]>): Promise<LoadedView> {
  try {
    return { name, logs: await read() }
  } catch (error) {
    if (error instanceof ToolsumError) return { name, error }
    throw error
  }
}

async function readPlace(name: string, io: Io): Promise<readonly ViewedLog[]> {
  if (isUrl(name)) return [await readUrl(name, io)]
  const path = resolve(io.cwd, name)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [await readLog(createDirLog(path))]
  const bytes = readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "USAGE" })
  if (bytes === null)
    throw new ToolsumError(
      "FILE_MISSING",
      `expected a file, a folder, a URL or "${STATE_VIEW}", got nothing at ${quote(name, 400)}`,
    )
  return readFile(bytes)
}

/** A log, or a witness that serves the checkpoint it cosigned last. The user typed it, so that it may be private. */
async function readUrl(url: string, io: Io): Promise<ViewedLog> {
  const { createHttpLog } = await import("../adapters/log-http.js")
  const reach = { allowPrivate: true, allowLoopbackHttp: true }
  const log = createHttpLog(url.replace(/\/checkpoint$/, "/"), { env: io.env, ...reach, signal: io.signal })
  io.atEnd(() => log.close())
  return readLog(log)
}

/** Checkpoint first, see `openLogClient`. Without keyrings there are no tiles either: a witness, or a lone checkpoint. */
async function readLog(source: LogSource): Promise<ViewedLog> {
  const head = await fetchText(source, "checkpoint", MAX_NOTE_BYTES)
  if (head === null) throw new ToolsumError("RESOURCE_MISSING", `${quote(source.location, 400)} has no checkpoint`)
  const keyrings = await fetchKeyrings(source).catch((error: unknown) => {
    if (error instanceof ToolsumError && error.code === "RESOURCE_MISSING") return []
    throw error
  })
  return { ...headsOnly([head], keyrings), source: keyrings.length > 0 ? source : null }
}

/** Heads of one log, which names itself in the first. Throws as `parseNote` and `parseCheckpoint`. */
function headsOnly(heads: readonly [string, ...string[]], keyrings: readonly string[]): ViewedLog {
  const { origin } = parseCheckpoint(parseNote(heads[0]).text)
  return { origin, keyrings, heads, links: {}, isOrdered: false, source: null }
}

/** A file by its content. */
function readFile(bytes: Uint8Array): readonly ViewedLog[] {
  const text = decodeUtf8(bytes, (why) => new ToolsumError("USAGE", `expected a text file: ${why}`))
  if (PROOF_FILE.test(text)) return [headsOnly([parseProofFile(bytes).checkpoint], [])]
  if (!text.trimStart().startsWith("{")) return [headsOnly([text], [])]
  if (FORK_FILE.test(text)) return readFork(bytes)
  if (EVIDENCE_FILE.test(text))
    return parseServerEvidence(bytes).logs.map(({ checkpoint, keyring }) => headsOnly([checkpoint], keyring))
  return readLockfile(bytes)
}

/** Heads of LEGION logs are in their pins, and held to one another by `check`. */
function readLockfile(bytes: Uint8Array): readonly ViewedLog[] {
  const bad = (why: string) => new ToolsumError("LOCKFILE_MALFORMED", `link: ${why}`)
  return Object.entries(parseLockfile(bytes).logs).flatMap(([origin, { dialect, keyring, heads, links }]) => {
    if (dialect !== "tlog-tiles") return []
    const proofs = Object.fromEntries(Object.entries(links).map(([key, proof]) => [key, parseBase64(proof, bad)]))
    return [{ origin, keyrings: keyring, heads: Object.values(heads), links: proofs, isOrdered: false, source: null }]
  })
}

function readFork(bytes: Uint8Array): readonly ViewedLog[] {
  const { a, b, origin, keyrings } = parseForkEvidence(bytes)
  if (a.startsWith("{"))
    throw new ToolsumError("USAGE", "evidence of a LEGION log is proven by toolsum verify, not compared here")
  const heads = [a, b].filter((note) => !(attempt(() => headsOnly([note], [])) instanceof ToolsumError))
  return [{ origin, keyrings, heads, links: {}, isOrdered: false, source: null }]
}

/** Logs that this account may remember something of: those of the other views, and those whose root is pinned by name. */
async function findLogs(views: readonly View[], options: Options, io: Io): Promise<readonly LogIdentity[]> {
  const roots = await collectRoots(options, io)
  const pinned = roots.flatMap(({ name, fingerprint, dialect }) =>
    name === null || dialect !== "tlog-tiles" ? [] : [{ origin: name, root: fingerprint }],
  )
  const seen = views.flatMap(({ logs }) =>
    logs.flatMap(({ origin, keyrings }) => {
      const keyring = attempt(() => verifyKeyring({ notes: keyrings, origin }))
      return keyring instanceof ToolsumError ? [] : [{ origin, root: keyring.fingerprint }]
    }),
  )
  return [...new Map([...pinned, ...seen].map((log) => [JSON.stringify([log.origin, log.root]), log])).values()]
}

async function readState(logs: readonly LogIdentity[], state: State): Promise<readonly ViewedLog[]> {
  const remembered: ViewedLog[] = []
  for (const log of logs) {
    const recalled = await recall(state, log, parseMemory)
    if (recalled === UNAVAILABLE)
      throw new ToolsumError("IO_FAILED", `what is remembered cannot be read: ${quote(state.placeOf(log), 400)}`)
    const { memory } = recalled
    if (memory === null) continue
    const heads = [...memory.earlier, memory.head].map(({ note }) => note)
    const { origin } = log
    remembered.push({ origin, keyrings: [memory.keyring.note], heads, links: {}, isOrdered: true, source: null })
  }
  return remembered
}
