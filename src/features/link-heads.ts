// Keeps a log's heads in a lockfile few and tied together: heads that no pin names are dropped, except the newest, which is the
// lockfile's memory of how far the log had come; every two neighbouring sizes get a consistency proof (formats 31).
import { formatBase64 } from "../core/bytes.js"
import { headKey, parseCheckpoint } from "../core/checkpoint.js"
import { attempt, ToolsumError } from "../core/errors.js"
import type { Hash } from "../core/hash.js"
import { parseKeyring } from "../core/keyring.js"
import type { LockedLog, Lockfile } from "../core/lockfile.js"
import { joinHashes, type TreeHead } from "../core/merkle.js"
import { parseNote, uniteNotes } from "../core/note.js"
import { judgeLog } from "../core/verify-log.js"

/** Proves that `newer` extends the tree of size `older` of the same log: the hashes of the consistency proof. */
export type ProveConsistency = (older: bigint, newer: TreeHead) => Promise<readonly Hash[]>

/** What a log adds to a lockfile. */
export interface LogUpdate {
  readonly origin: string
  readonly url: string | null
  /** All keyring notes, from version 1. */
  readonly keyring: readonly string[]
  /** The signed checkpoint under which something is proven. */
  readonly checkpoint: string
}

/** Tree head of a signed checkpoint, unverified. */
export const headOf = (checkpoint: string): TreeHead => parseCheckpoint(parseNote(checkpoint).text)

/** The lockfile with one more head of a log, or with more cosignatures of one that it has. Its links come with `linkHeads`. */
export function addHead(lockfile: Lockfile, update: LogUpdate): Lockfile {
  const { origin, url, keyring, checkpoint } = update
  const known = lockfile.logs[origin]
  const key = headKey(headOf(checkpoint))
  const log: LockedLog = {
    dialect: "tlog-tiles",
    url: url ?? known?.url ?? null,
    keyring: known && known.keyring.length > keyring.length ? known.keyring : keyring,
    heads: { ...known?.heads, [key]: uniteHeads(known?.heads[key], checkpoint) },
    links: known?.links ?? {},
  }
  return { ...lockfile, logs: { ...lockfile.logs, [origin]: log } }
}

/** One head as two readers had it: no cosignature of either is lost, as far as they fit into one note. */
function uniteHeads(known: string | undefined, next: string): string {
  const united = known === undefined ? next : attempt(() => uniteNotes(known, next))
  return united instanceof ToolsumError ? next : united
}

/** The lockfile with the heads of one log pruned and its neighbours linked. Throws what `prove` throws. */
export async function linkHeads(lockfile: Lockfile, origin: string, prove: ProveConsistency): Promise<Lockfile> {
  const known = lockfile.logs[origin]
  if (known === undefined) return lockfile
  const heads = neededHeads(lockfile, origin, known)
  const trees = Object.values(heads)
    .map(headOf)
    .sort((a, b) => (a.size < b.size ? -1 : 1))
  const ends = new Set([...trees.map(({ size }) => size), ...closingSizes(known)].map(String))
  const kept = Object.entries(known.links).filter(([key]) => key.split("-").every((size) => ends.has(size)))
  const links: Record<string, string> = Object.fromEntries(kept)
  for (const [i, newer] of trees.entries()) {
    const older = trees[i - 1]
    if (older === undefined || older.size === 0n || older.size === newer.size) continue
    const key = `${older.size}-${newer.size}`
    links[key] ??= formatBase64(joinHashes(await prove(older.size, newer)))
  }
  return { ...lockfile, logs: { ...lockfile.logs, [origin]: { ...known, heads, links } } }
}

/** Whether `verify` warns that neighbouring heads of the log are not tied together, as after a merge. */
export function isUnlinked(lockfile: Lockfile, origin: string): boolean {
  const log = lockfile.logs[origin]
  if (log === undefined) return false
  return judgeLog({ origin, log, roots: [], nowSec: 0n }).warnings.some((warning) => warning.startsWith("unlinked:"))
}

function neededHeads(lockfile: Lockfile, origin: string, log: LockedLog): LockedLog["heads"] {
  const named = new Set(
    Object.values(lockfile.servers).flatMap((pin) => (pin.log === origin && pin.head !== null ? [pin.head] : [])),
  )
  const all = Object.entries(log.heads)
  const newest = all.reduce<string | null>((best, [key, note]) => {
    return best === null || headOf(note).size > headOf(log.heads[best] ?? note).size ? key : best
  }, null)
  return Object.fromEntries(all.filter(([key]) => named.has(key) || key === newest))
}

/** Sizes at which keys were retired: a link may end there too. Throws as `parseKeyring`. */
export function closingSizes({ keyring }: Pick<LockedLog, "keyring">): readonly bigint[] {
  const newest = keyring.at(-1)
  return newest === undefined ? [] : parseKeyring(newest).logs.flatMap(({ closing }) => (closing ? [closing.size] : []))
}
