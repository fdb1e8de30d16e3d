// Which log `audit` reads, under what trust, and which heads it is held to: a folder, a URL, a log of the trust store, the personal log; with
// `--vkey` or `--policy` a log of another make. Nothing is read from the log here.
import { stat } from "node:fs/promises"
import { isAbsolute, resolve } from "node:path"
import { createDirLog } from "../adapters/log-dir.js"
import { listPartials } from "../adapters/log-partials.js"
import { readRegularFile } from "../adapters/regular-file.js"
import { headKey, parseCheckpoint } from "../core/checkpoint.js"
import { attempt, quote, ToolsumError } from "../core/errors.js"
import type { Lockfile } from "../core/lockfile.js"
import { MAX_NOTE_BYTES, parseNote } from "../core/note.js"
import type { Policy } from "../core/policy.js"
import { parseVkey, samePublicKey, type VerifierKey } from "../core/vkey.js"
import { logKeysFor } from "../core/witness-policy.js"
import type { AuditOptions, AuditTrust, SeenNote } from "../features/audit/audit-log.js"
import type { LogSource } from "../ports.js"
import type { Io } from "./io.js"
import { findLogFolder, peekLog } from "./logs.js"
import type { Options } from "./options.js"
import { collectRoots, collectWitnessPolicy, findProjectLockfiles, openTrustStore } from "./project.js"
import { isUrl } from "./typed-target.js"
import { readWitnessPolicy } from "./witness-policy.js"

/** A log to audit. */
export interface AuditedPlace {
  readonly source: LogSource
  /** Origin that it must have; null: whatever the trusted root or key is for. */
  readonly origin: string | null
  readonly partials: AuditOptions["partials"]
}

/** The log that was typed, or the personal one. Throws USAGE for what is neither a place nor the name of a trusted log. */
export async function findAuditedLog(word: string | undefined, options: Options, io: Io): Promise<AuditedPlace> {
  if (word === undefined) return openFolder(findLogFolder(options, io), null)
  if (options.value("log-dir") !== null) throw new ToolsumError("USAGE", "expected one of LOG and --log-dir, not both")
  if (isUrl(word)) return openUrl(word, null, io)
  const path = resolve(io.cwd, word)
  if ((await stat(path).catch(() => null))?.isDirectory()) return openFolder(path, null)
  const personal = findLogFolder(options, io)
  if ((await peekLog(personal))?.origin === word) return openFolder(personal, word)
  const place = (await openTrustStore(io).list()).find(({ name, log }) => name === word && log !== null)?.log ?? null
  if (place !== null) return isAbsolute(place) ? openFolder(place, word) : openUrl(place, word, io)
  throw new ToolsumError(
    "USAGE",
    `expected a folder, a URL or the name of a log in the trust store (toolsum trust list), got ${quote(word)}`,
  )
}

const openFolder = (folder: string, origin: string | null): AuditedPlace => ({
  source: createDirLog(folder),
  origin,
  partials: () => listPartials(folder),
})

/** A place that the user typed or trusts may be private, or on this machine. */
async function openUrl(url: string, origin: string | null, io: Io): Promise<AuditedPlace> {
  const { createHttpLog } = await import("../adapters/log-http.js")
  const source = createHttpLog(url, { env: io.env, allowPrivate: true, allowLoopbackHttp: true, signal: io.signal })
  io.atEnd(() => source.close())
  return { source, origin, partials: null }
}

/** Under what the log is audited. Throws USAGE, KEY_MALFORMED, and as `readWitnessPolicy`. */
export async function readAuditTrust(origin: string | null, options: Options, io: Io): Promise<AuditTrust> {
  const [vkeys, policyFile] = [options.values("vkey"), options.value("policy")]
  if (vkeys.length === 0 && policyFile === null) {
    return {
      kind: "roots",
      roots: await collectRoots(options, io),
      witnessPolicy: await collectWitnessPolicy(options, io),
      ...(origin === null ? {} : { expectedOrigin: origin }),
    }
  }
  if (policyFile !== null && options.value("witness-policy") !== null)
    throw new ToolsumError(
      "USAGE",
      "expected one of --policy and --witness-policy: of a log without keyrings both mean one",
    )
  const policy = policyFile === null ? await collectWitnessPolicy(options, io) : readWitnessPolicy(policyFile, io)
  const keys = vkeys.length > 0 ? vkeys.map(readVkey) : (policy?.logs ?? []).map(({ key }) => key)
  const chosen = chooseKeys(keys, options.value("origin") ?? origin)
  return { kind: "keys", ...(policy === null ? chosen : requireNamed(chosen, policy)), policy }
}

interface LogKeys {
  readonly origin: string
  readonly keys: readonly VerifierKey[]
}

/** The keys that the policy names as well, where it names any. Throws HEAD_UNPROVEN. */
function requireNamed({ origin, keys }: LogKeys, policy: Policy): LogKeys {
  const isSigner = policy.logs.some(({ key }) => keys.some((own) => samePublicKey(own, key)))
  // A log may sign under another name than its origin.
  const named = isSigner ? policy.logs.map(({ key }) => key) : logKeysFor(origin, policy)
  if (named === null) return { origin, keys }
  const both = keys.filter((own) => named.some((key) => samePublicKey(own, key)))
  if (both.length > 0) return { origin, keys: both }
  throw new ToolsumError("HEAD_UNPROVEN", `the policy names other keys for ${quote(origin)} than --vkey does`)
}

const readVkey = (text: string): VerifierKey =>
  parseVkey(text, (why) => new ToolsumError("KEY_MALFORMED", `--vkey: ${why}`))

/** The keys of one log: of the origin that was typed, else of the one that they are all named after. */
function chooseKeys(keys: readonly VerifierKey[], typed: string | null): LogKeys {
  const [name, ...more] = new Set(keys.map((key) => key.name))
  if (name === undefined) throw new ToolsumError("USAGE", "expected a log key: --vkey, or a log line in --policy")
  if (typed === null && more.length > 0)
    throw new ToolsumError("USAGE", `expected --origin: the keys are of ${more.length + 1} logs`)
  const origin = typed ?? name
  const own = keys.filter((key) => key.name === origin)
  // A log may sign under another name than its origin; then the user has said which keys are its.
  return { origin, keys: own.length > 0 ? own : keys }
}

/** Heads that the log must extend: of lockfiles, and of files by --old. Throws FILE_MISSING, and what reading a lockfile throws. */
export async function collectSeenNotes(options: Options, io: Io): Promise<readonly SeenNote[]> {
  const old = options.values("old").map((file) => readNote(file, "--old", io))
  return [...old, ...(await lockfileNotes(options, io))]
}

async function lockfileNotes(options: Options, io: Io): Promise<readonly SeenNote[]> {
  const notes: SeenNote[] = []
  for (const store of findProjectLockfiles(options, io)) {
    const lockfile = await store.read()
    if (lockfile === null && options.values("lock").length > 0)
      throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quote(store.path, 400)}`)
    if (lockfile !== null) notes.push(...notesOf(lockfile, store.path))
  }
  return notes
}

const notesOf = ({ logs }: Lockfile, path: string): readonly SeenNote[] =>
  Object.entries(logs).flatMap(([origin, log]) =>
    log.dialect === "tlog-tiles" ? Object.values(log.heads).map((note) => ({ note, from: path, origin })) : [],
  )

function readNote(file: string, option: string, io: Io): SeenNote {
  const bytes = readRegularFile(resolve(io.cwd, file), { maxBytes: MAX_NOTE_BYTES, code: "NOTE_MALFORMED" })
  if (bytes === null)
    throw new ToolsumError("FILE_MISSING", `${option}: expected a signed checkpoint at ${quote(file, 400)}`)
  return { note: bytes, from: file }
}

/** The head that `--since` names, a file or a head of a lockfile by size or key; null without the option. Throws FILE_MISSING. */
export function readSince(notes: readonly SeenNote[], options: Options, io: Io): SeenNote | null {
  const typed = options.value("since")
  if (typed === null) return null
  const known = HEAD_KEY.test(typed) ? notes.find(({ note }) => isHead(note, typed)) : undefined
  return known ?? readNote(typed, "--since, no head of the lockfile", io)
}

const HEAD_KEY = /^[1-9][0-9]{0,18}(?:-[0-9a-f]{16})?$/

/** True for the head of that size, or of that key in a lockfile. */
function isHead(note: string | Uint8Array, typed: string): boolean {
  const head = attempt(() => parseCheckpoint(parseNote(note).text))
  return !(head instanceof ToolsumError) && (headKey(head) === typed || `${head.size}` === typed)
}
