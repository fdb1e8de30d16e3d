// Which log, where it is, and the keys for it: the wiring of adapters for every command that reads or writes a log (DESIGN 6, 8).
import { isAbsolute, join, resolve } from "node:path"
import { createDirLog } from "../adapters/log-dir.js"
import { createFileState } from "../adapters/state-fs.js"
import { createFsStore, isInsideGitWorkTree } from "../adapters/store-fs.js"
import { findUserDirs } from "../adapters/user-dirs.js"
import { type LogClient, openLogClient, type PreviousHead } from "../client/open-log.js"
import type { ProvenEntry } from "../client/prove.js"
import { parseMemory } from "../client/remember.js"
import { recall, UNAVAILABLE } from "../client/usable-state.js"
import { parseDecimal } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { fingerprintOf, parseKeyring } from "../core/keyring.js"
import type { Lockfile } from "../core/lockfile.js"
import { judgeLog, type LogJudgement } from "../core/verify-log.js"
import type { LogSource, State } from "../ports.js"
import { type LogWriter, type OpenOptions, openLog } from "../writer/log.js"
import type { KnownHead } from "../writer/state.js"
import { keepEvidence } from "./evidence.js"
import type { Io } from "./io.js"
import { requireLogKeys } from "./local-keys.js"
import type { OptionSpec, Options } from "./options.js"
import { collectRoots, collectWitnessPolicy, openTrustStore } from "./project.js"
import { openWitnessing } from "./witnessing.js"

/** Option of commands whose answer depends on how old a log's head may be. */
export const MAX_AGE_OPTION: OptionSpec = [
  "--max-age <seconds>",
  "Leave the answer unknown where a log's head was not cosigned by its quorum within this time",
]

/** The most seconds that `--max-age` allows; null without it. Throws USAGE. */
export function readMaxAge(options: Options): number | null {
  const text = options.value("max-age")
  return text === null ? null : Number(parseDecimal(text, (why) => new ToolsumError("USAGE", `--max-age: ${why}`)))
}

/** Throws LOG_BEHIND for a log whose head is older than `--max-age`, or has nothing that says how old it is. */
export function requireFresh({ origin, ageSec }: { origin: string; ageSec: number | null }, options: Options): void {
  const most = readMaxAge(options)
  if (most === null || (ageSec !== null && ageSec <= most)) return
  const age = ageSec === null ? "has no cosignature that says how old it is" : `was cosigned ${ageSec} s ago`
  throw new ToolsumError("LOG_BEHIND", `the head of ${quote(origin)} ${age}; expected at most ${most} s`)
}

/** Options of every command that reads or writes a log. */
export const LOG_OPTIONS: readonly OptionSpec[] = [
  ["--log-dir <folder>", "The log's folder; without it your personal log"],
]

/** The folder of the log to use: `--log-dir`, or the personal log. */
export function findLogFolder(options: Options, io: Io): string {
  const given = options.value("log-dir")
  return given === null ? join(findUserDirs(io.env, io.platform).data, "log") : resolve(io.cwd, given)
}

/** Refuse a folder in a git work tree: branches and merges would fork the log. Throws USAGE. */
export async function refuseWorkTree(folder: string): Promise<void> {
  if (await isInsideGitWorkTree(folder)) {
    throw new ToolsumError(
      "USAGE",
      `${quote(folder)} is inside a git work tree, where branches and merges would fork a log; choose another --log-dir`,
    )
  }
}

/** What a log on disk says of itself, unverified: whose keys to look for. Null where no log is. */
export async function peekLog(folder: string): Promise<{ origin: string; fingerprint: string } | null> {
  const bytes = await createDirLog(folder).read("keyring/1", 16 * 1024)
  if (bytes === null) return null
  return { origin: parseKeyring(bytes).origin, fingerprint: fingerprintOf(bytes) }
}

/** The user's memory of heads. */
export const openState = (io: Io): State => createFileState(findUserDirs(io.env, io.platform).state)

/** Passphrase from the variable that `--passphrase-env` names. */
export function readPassphrase(options: Options, io: Io): string | null {
  const name = options.value("passphrase-env")
  if (name === null) return null
  const value = io.env[name]
  if (!value) throw new ToolsumError("USAGE", `--passphrase-env: ${quote(name)} is not set`)
  return value
}

/** Open a log on disk for writing, held to everything that this user and this project have seen of it.
 *  `change`: the keyring that is published first, and the keys before it. Throws FILE_MISSING when the key is not here, LOG_REFUSED and what
 *  `openLog` throws. */
export async function openLogForWriting(
  folder: string,
  lockfile: Lockfile | null,
  io: Io,
  change: Pick<OpenOptions, "nextKeyring" | "earlierKeys" | "failOpen"> = {},
): Promise<LogWriter> {
  const log = await peekLog(folder)
  if (log === null)
    throw new ToolsumError("LOG_UNAVAILABLE", `expected a log in ${quote(folder)}; toolsum init makes one`)
  await refuseWorkTree(folder)
  const keys = await requireLogKeys(log.origin, io)
  const next = change.nextKeyring === undefined ? undefined : parseKeyring(change.nextKeyring)
  const { cosign, knownHeads: witnessed } = await openWitnessing(folder, io, next)
  const knownHeads = [...(await rememberedHeads(log, io)), ...lockfileHeads(lockfile, log, io), ...witnessed]
  const signers = keys.map(({ key }) => key)
  return openLog({ store: createFsStore(folder), signers, knownHeads, cosign, waitMs: 0, ...change })
}

async function rememberedHeads(log: { origin: string; fingerprint: string }, io: Io): Promise<readonly KnownHead[]> {
  const identity = { origin: log.origin, root: log.fingerprint }
  const state = openState(io)
  const recalled = await recall(state, identity, parseMemory)
  // Whoever signs must know what was seen: here a memory that cannot be read is no warning.
  if (recalled === UNAVAILABLE)
    throw new ToolsumError(
      "IO_FAILED",
      `what is remembered of this log cannot be read: ${quote(state.placeOf(identity), 400)}`,
    )
  const { memory } = recalled
  return (memory ? [memory.head, ...memory.earlier] : []).map(({ size, rootHash }) => ({
    size,
    rootHash,
    from: "this user's memory",
  }))
}

/** Heads of the lockfile that this log's keys have signed. A refuted one stops the writing: throws what refutes it. */
function lockfileHeads(
  lockfile: Lockfile | null,
  log: { origin: string; fingerprint: string },
  io: Io,
): readonly KnownHead[] {
  const locked = lockfile?.logs[log.origin]
  if (locked === undefined || locked.dialect !== "tlog-tiles") return []
  const root = {
    dialect: "tlog-tiles",
    name: log.origin,
    fingerprint: log.fingerprint,
    floor: null,
    source: "trust-store",
  } as const
  const { heads, fault } = judgeLog({ origin: log.origin, log: locked, roots: [root], nowSec: BigInt(io.nowSec()) })
  if (fault) throw fault
  return [...heads.values()].map(({ size, rootHash }) => ({ size, rootHash, from: "the lockfile" }))
}

/** Where the log of that origin can be read from here: `--log-dir`, the personal log, the trust store, the lockfile's URL. Null: nowhere. A
 *  place in the trust store was named by the user, so it may be private. Throws TARGET_NOT_ACCEPTED for a URL of the lockfile that is, and
 *  LOG_UNAVAILABLE where `--log-dir` names a folder without a log: another log's answer is not the one that was asked for. */
export async function findLogSource(
  origin: string,
  lockfile: Lockfile | null,
  options: Options,
  io: Io,
): Promise<LogSource | null> {
  const folder = findLogFolder(options, io)
  const there = await peekLog(folder)
  if (there === null && options.value("log-dir") !== null)
    throw new ToolsumError("LOG_UNAVAILABLE", `--log-dir: expected a log in ${quote(folder, 300)}`)
  if (there?.origin === origin) return createDirLog(folder)
  const trusted = (await openTrustStore(io).list()).find((root) => root.name === origin && root.log !== null)?.log
  const place = trusted ?? urlOf(await judgeLockedLog(origin, lockfile, options, io), lockfile)
  if (place === null) return null
  if (isAbsolute(place)) return createDirLog(place)
  const { createHttpLog } = await import("../adapters/log-http.js")
  const isTrusted = trusted !== undefined
  const reach = { allowPrivate: isTrusted, allowLoopbackHttp: isTrusted }
  const log = createHttpLog(place, { env: io.env, ...reach, signal: io.signal })
  io.atEnd(() => log.close())
  return log
}

/** The log as the lockfile has it, under the user's roots. */
async function judgeLockedLog(
  origin: string,
  lockfile: Lockfile | null,
  options: Options,
  io: Io,
): Promise<LogJudgement | null> {
  const log = lockfile?.logs[origin]
  if (log === undefined || log.dialect !== "tlog-tiles") return null
  return judgeLog({ origin, log, roots: await collectRoots(options, io), nowSec: BigInt(io.nowSec()) })
}

/** The URL of a lockfile is followed only when its log stands under a root of the user: a stranger's lockfile contacts nobody. */
const urlOf = (judged: LogJudgement | null, lockfile: Lockfile | null): string | null =>
  judged === null || judged.fault !== null ? null : (lockfile?.logs[judged.origin]?.url ?? null)

/** Open a log for reading under the user's roots and witness policy, held to what this user and this project have seen of it; its head is
 *  remembered. Evidence of a fork or rollback is kept before the error leaves. Throws LOG_BEHIND for a head that is older than `--max-age`. */
export async function openLogForReading(p: {
  source: LogSource
  origin: string
  lockfile: Lockfile | null
  options: Options
  io: Io
}): Promise<LogClient> {
  const { source, origin, lockfile, options, io } = p
  const [roots, witnessPolicy] = [await collectRoots(options, io), await collectWitnessPolicy(options, io)]
  const judged = await judgeLockedLog(origin, lockfile, options, io)
  const [previousHeads, previousKeyrings] = [headsToHold(judged, lockfile), keyringsToHold(judged, lockfile)]
  const held = { roots, witnessPolicy, previousHeads, previousKeyrings, expectedOrigin: origin }
  const client = await keepEvidence(origin, io, () =>
    openLogClient({ source, ...held, state: openState(io), clock: io.nowSec }),
  )
  requireFresh(client, options)
  return client
}

/** Heads of the lockfile that the served head must extend: the newest is enough where links tie the others to it, unless the log is behind it. */
function headsToHold(judged: LogJudgement | null, lockfile: Lockfile | null): readonly PreviousHead[] {
  if (judged === null || judged.fault !== null) return []
  const notes = lockfile?.logs[judged.origin]?.heads ?? {}
  const heads = [...judged.heads.values()]
    .filter(({ state }) => state !== "unproven")
    .map(({ key, size, rootHash }) => ({ size, rootHash, note: notes[key] ?? "" }))
    .sort((a, b) => (a.size < b.size ? -1 : 1))
  const isLinked = !judged.warnings.some((warning) => warning.startsWith("unlinked:"))
  return isLinked ? heads.slice(-1).map((newest) => ({ ...newest, earlier: heads.slice(0, -1) })) : heads
}

/** Keyrings of the lockfile that the served chain must contain. */
const keyringsToHold = (judged: LogJudgement | null, lockfile: Lockfile | null): readonly string[] =>
  judged === null || judged.fault !== null ? [] : (lockfile?.logs[judged.origin]?.keyring ?? [])

/** Entry `index`, proven. Throws USAGE for one that the log does not have: a typo is no evidence against a log. */
export function proveEntry(client: LogClient, index: bigint): Promise<ProvenEntry> {
  const { size } = client.head
  if (index < size) return client.proveInclusion(index)
  throw new ToolsumError("USAGE", `the log has ${size} entries, 0 to ${size - 1n}; got ${index}`)
}
