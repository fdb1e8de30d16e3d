// What `log succeed` is about to do: which log cannot go on, why, how far it is proven, which pins go over, and where the new one goes.
// Whatever says that the old log can go on stops it here: a log is not given up while one of its keys can save it.
import { existsSync } from "node:fs"
import { isAbsolute } from "node:path"
import { createDirLog } from "../adapters/log-dir.js"
import { attempt, attemptAsync, quote, ToolsumError } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { formatNote } from "../core/note.js"
import type { VerifiedHead } from "../core/tree-heads.js"
import { type MovedPin, sortPins } from "../features/ceremony/move-pins.js"
import { parseSuccession } from "../features/ceremony/succession.js"
import type { LockfileStore } from "../ports.js"
import type { Io } from "./io.js"
import { hasLogKey, keyPath } from "./local-keys.js"
import { findLogFolder, findLogSource, openLogForReading, openLogForWriting, peekLog } from "./logs.js"
import type { Options } from "./options.js"
import { collectRoots, findProjectLockfiles, openTrustStore } from "./project.js"

/** The log that ends, and where its successor goes. */
export interface SuccessionPlan {
  readonly origin: string
  /** Fingerprint of the old log's root. */
  readonly root: string
  /** Why it cannot go on. */
  readonly why: string
  /** Its last proven checkpoint, verbatim. */
  readonly checkpoint: string
  readonly size: bigint
  /** True when its witnesses had to cosign that. */
  readonly isWitnessed: boolean
  readonly stores: readonly LockfileStore[]
  readonly movable: number
  readonly stuck: readonly MovedPin[]
  readonly folder: string
  /** Where the old log's folder goes; null: it stays, or is not here. */
  readonly aside: string | null
}

/** Find out what `log succeed` would do; writes nothing. `named`: origin of the old log; null: the one that the pins are in. Throws USAGE when
 *  nothing has to be succeeded or the place is taken, NO_PINS, and what refutes the old log in a lockfile. */
export async function planSuccession(named: string | null, options: Options, io: Io): Promise<SuccessionPlan> {
  const stores = findProjectLockfiles(options, io)
  const origin = named ?? (await findOldOrigin(stores))
  const roots = await collectRoots(options, io)
  const nowSec = BigInt(Math.floor(io.nowSec()))
  const found = []
  for (const store of stores) {
    const lockfile = await store.read()
    if (lockfile?.logs[origin] !== undefined) found.push({ store, ...sortPins(lockfile, { origin, roots, nowSec }) })
  }
  const heads = found
    .flatMap(({ judged }) => [...(judged?.heads.values() ?? [])])
    .filter(({ state }) => state !== "unproven")
  const newest = heads.reduce((best, head) => (head.size > best.size ? head : best), heads[0] ?? noHead(origin))
  const root = found[0]?.judged?.fingerprint ?? ""
  const old = await findOldFolder(origin, options, io)
  const why = await findReason(origin, old, io)
  const served = await readServedHead(origin, found[0]?.store ?? null, options, io)
  const isServed = served !== null && served.size > newest.size
  return {
    origin,
    root,
    why,
    checkpoint: isServed ? served.note : formatNote(newest.note),
    size: isServed ? served.size : newest.size,
    isWitnessed: [newest, served].some((head) => head?.policies.some(({ quorum }) => quorum !== null)),
    stores: found.map(({ store }) => store),
    movable: found.reduce((count, { movable }) => count + movable.length, 0),
    stuck: found.flatMap(({ stuck }) => stuck),
    ...(await findPlace({ origin, root }, old, options, io)),
  }
}

function noHead(origin: string): never {
  throw new ToolsumError("NO_PINS", `no lockfile here proves anything of the log ${quote(origin, 300)}`)
}

/** The one log that pins are in. Throws USAGE where it must be named. */
async function findOldOrigin(stores: readonly LockfileStore[]): Promise<string> {
  const lockfiles = await Promise.all(stores.map((store) => store.read()))
  const origins = new Set(
    lockfiles.flatMap((lockfile) =>
      Object.values(lockfile?.servers ?? {}).flatMap(({ log, evidence }) => (evidence === undefined ? [log] : [])),
    ),
  )
  const [only] = origins
  if (only === undefined)
    throw new ToolsumError("NO_PINS", "no lockfile here has pins: there is nothing to move; --lock names one")
  if (origins.size === 1) return only
  throw new ToolsumError(
    "USAGE",
    `pins are in several logs, name the one that cannot go on: ${[...origins].join(", ")}`,
  )
}

/** Where the old log is on this machine, or null. */
async function findOldFolder(origin: string, options: Options, io: Io): Promise<string | null> {
  const trusted = (await openTrustStore(io).list()).flatMap(({ name, log }) =>
    name === origin && log !== null ? [log] : [],
  )
  for (const folder of [findLogFolder(options, io), ...trusted.filter(isAbsolute)]) {
    const peeked = await attemptAsync(() => peekLog(folder))
    if (!(peeked instanceof ToolsumError) && peeked?.origin === origin) return folder
  }
  return null
}

/** Why the old log cannot go on. Throws USAGE when it can: with its key, or with its root key. */
async function findReason(origin: string, folder: string | null, io: Io): Promise<string> {
  if (folder === null) return "its folder is not on this machine"
  const rotate = "toolsum log rotate --lost --root-key FILE"
  const hasRoot = existsSync(keyPath(origin, "root", io))
  if (!hasLogKey(origin, io)) {
    if (!hasRoot)
      return `no key of it is on this account. If you have its root key, stop here: ${rotate} keeps this log`
    throw new ToolsumError(
      "USAGE",
      `its root key is here (${quote(keyPath(origin, "root", io), 400)}): ${rotate} keeps this log`,
    )
  }
  try {
    await (await openLogForWriting(folder, null, io)).close()
  } catch (error) {
    if (error instanceof ToolsumError) return error.message
    throw error
  }
  throw new ToolsumError(
    "USAGE",
    "its key is here and it is in order: nothing to succeed; toolsum log rotate changes its key",
  )
}

/** The head that the old log serves, where it is in order; null where it is not, or cannot be read. */
async function readServedHead(
  origin: string,
  store: LockfileStore | null,
  options: Options,
  io: Io,
): Promise<(Pick<VerifiedHead, "size" | "policies"> & { readonly note: string }) | null> {
  const lockfile = (await store?.read()) ?? null
  try {
    const source = await findLogSource(origin, lockfile, options, io)
    if (source === null) return null
    const { head, headNote } = await openLogForReading({ source, origin, lockfile, options, io })
    return { size: head.size, policies: head.policies, note: headNote }
  } catch (error) {
    if (error instanceof ToolsumError) return null // what the lockfile proves is enough
    throw error
  }
}

async function findPlace(
  before: { readonly origin: string; readonly root: string },
  old: string | null,
  options: Options,
  io: Io,
): Promise<Pick<SuccessionPlan, "folder" | "aside">> {
  const folder = findLogFolder(options, io)
  const there = await peekLog(folder)
  if (there === null) return { folder, aside: null }
  if (folder !== old) {
    await requireSuccessor(folder, before, options, io)
    return { folder, aside: null }
  }
  if (options.value("log-dir") !== null)
    throw new ToolsumError("USAGE", "--log-dir: that is the log that cannot go on; name another folder for the new one")
  const aside = `${folder}-${computeTextDigest(before.origin).slice("sha256:".length, "sha256:".length + 16)}`
  if (existsSync(aside))
    throw new ToolsumError("FILE_EXISTS", `expected nothing at ${quote(aside, 400)}, where the old log goes`)
  return { folder, aside }
}

/** A log that is there already must be the successor, or one in which nothing is yet. Throws USAGE. */
async function requireSuccessor(
  folder: string,
  before: { readonly origin: string; readonly root: string },
  options: Options,
  io: Io,
): Promise<void> {
  const origin = (await peekLog(folder))?.origin ?? ""
  const client = await openLogForReading({ source: createDirLog(folder), origin, lockfile: null, options, io })
  if (client.head.size === 1n) return
  const { entry } = await client.proveInclusion(1n)
  const said = attempt(() => parseSuccession(entry))
  if (!(said instanceof ToolsumError) && said.head.origin === before.origin && said.root === before.root) return
  throw new ToolsumError("USAGE", `${quote(folder, 400)} has another log; --log-dir names a folder for the new one`)
}
