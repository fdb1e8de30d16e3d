// The next keyring of a log, as one of its ceremonies wants it (DESIGN 6, brief 3.3). Pure: nothing is signed, written or published here.
// Keys are valid by tree size: a key is closed at a tree that the log has, and from there on another key must be in use.
import { equalBytes } from "../../core/bytes.js"
import { quote, ToolsumError } from "../../core/errors.js"
import { computeKeyringDigest, type KeyringNote } from "../../core/keyring.js"
import { type Keyring, type LogKey, MAX_KEYRING_KEYS } from "../../core/keyring-text.js"
import type { TreeHead } from "../../core/merkle.js"
import type { Policy } from "../../core/policy.js"
import { formatKeyId, samePublicKey, type VerifierKey } from "../../core/vkey.js"

/** The log that a keyring is planned for. */
export interface CeremonyLog {
  /** Its newest keyring. */
  readonly keyring: KeyringNote
  /** Its newest tree. */
  readonly head: TreeHead
  /** POSIX seconds. */
  readonly nowSec: bigint
  /** When the next keyring expires; undefined: as the newest one. */
  readonly expires?: bigint | null | undefined
}

const usage = (why: string) => new ToolsumError("USAGE", why)

/** True for a key that signs, now or from a later size. */
export const isInUse = ({ closing, revoked }: LogKey): boolean => closing === null && !revoked

/** True while two keys are in use: the older one is to be closed. */
export const isChanging = ({ logs }: Keyring): boolean => logs.filter(isInUse).length > 1

/** The key that stays when a change of keys is finished: the one that came last. */
export const findNewestKey = ({ logs }: Keyring): LogKey | null =>
  logs.filter(isInUse).reduce<LogKey | null>((best, key) => (best !== null && best.from > key.from ? best : key), null)

/** A new log key beside those in use, from size `from` on. Throws USAGE while another change is under way, and for a size that the log
 *  has passed. */
export function planRotation(log: CeremonyLog, { key, from }: { key: VerifierKey; from: bigint }): Keyring {
  const newest = findNewestKey(log.keyring)
  if (isChanging(log.keyring) && newest !== null) {
    const id = formatKeyId(newest.key.id)
    const why = `a change of keys is under way: key ${id} signs from size ${newest.from}, the log has ${log.head.size}`
    throw usage(`${why}; end it with toolsum log rotate --finish`)
  }
  if (from <= log.head.size) throw usage(`the log has ${log.head.size} entries: expected a larger size, got ${from}`)
  return nextOf(log, { logs: [...log.keyring.logs, liveFrom(key, from)] })
}

/** A new log key in the place of those in use, whose private parts are gone: they are closed at the tree as it is; one that has not signed
 *  yet is revoked, since no tree of its own could be named. */
export function planReplacement(log: CeremonyLog, key: VerifierKey): Keyring {
  const { size } = log.head
  const waits = (logKey: LogKey) => isInUse(logKey) && logKey.from > size
  const logs = closeAt(log, (logKey) => !waits(logKey))
  const revoked = logs.map((logKey) => (waits(logKey) ? { ...logKey, revoked: true } : logKey))
  return nextOf(log, { logs: [...revoked, liveFrom(key, size + 1n)] })
}

/** The end of a change of keys: all but the newest key are closed at the tree as it is. Throws USAGE without one that can go on alone. */
export function planFinish(log: CeremonyLog): Keyring {
  const newest = findNewestKey(log.keyring)
  if (newest === null || !isChanging(log.keyring))
    throw usage("no change of keys is under way: there is nothing to finish")
  const { size } = log.head
  if (newest.from > size + 1n) {
    const id = formatKeyId(newest.key.id)
    throw usage(
      `key ${id} signs from size ${newest.from}, and the log has ${size} entries: the old key is still needed`,
    )
  }
  return nextOf(log, { logs: closeAt(log, (logKey) => logKey !== newest) })
}

/** A revoked log key. `replacement`: a new key, for when no other one is in use. Throws USAGE for a key that the keyring has not, that is
 *  revoked already, and where no key would be left. */
export function planRevocation(
  log: CeremonyLog,
  { revoked, replacement }: { revoked: LogKey; replacement: VerifierKey | null },
): Keyring {
  if (revoked.revoked) throw usage(`log key ${formatKeyId(revoked.key.id)} is revoked already`)
  const logs = log.keyring.logs.map((logKey) => (logKey === revoked ? { ...logKey, revoked: true } : logKey))
  const next = replacement === null ? logs : [...logs, liveFrom(replacement, log.head.size + 1n)]
  if (!next.some((logKey) => isInUse(logKey) && logKey.from <= log.head.size + 1n))
    throw usage("no key would be left to sign the next tree")
  return nextOf(log, { logs: next })
}

/** Other witnesses. Throws USAGE where nothing would change. */
export function planPolicy(log: CeremonyLog, policy: Policy | null): Keyring {
  const { policy: before, expires } = log.keyring
  const isSame = before === null || policy === null ? before === policy : equalBytes(before.source, policy.source)
  if (isSame && (log.expires === undefined || log.expires === expires))
    throw usage(`nothing would change: ${policy === null ? "no witness has to cosign" : "that is the policy"} already`)
  return nextOf(log, { policy })
}

/** What may change of the root keys. */
export interface RootEdit {
  readonly added: readonly VerifierKey[]
  readonly removed: readonly VerifierKey[]
  /** Null: as before. */
  readonly threshold: number | null
}

/** Other root keys, another threshold, or only another expiry. Throws USAGE where nothing would change. */
export function planEdit(log: CeremonyLog, { added, removed, threshold }: RootEdit): Keyring {
  const { roots, rootThreshold, expires } = log.keyring
  const logKeys = log.keyring.logs.map(({ key }) => key)
  const witnesses = [...(log.keyring.policy?.witnesses.values() ?? [])].map(({ key }) => key)
  for (const [i, key] of added.entries()) {
    const isSame = (other: VerifierKey) => samePublicKey(other, key)
    if (roots.some(isSame)) throw usage(`${quote(key.vkey)} is a root key already`)
    if (added.slice(0, i).some(isSame))
      throw usage(`${quote(key.vkey)} is given twice: one key counts once, whatever its names`)
    if ([...logKeys, ...witnesses].some(isSame))
      throw usage(`${quote(key.vkey)} is the key of a log or of a witness already`)
  }
  const next = [...roots.filter((root) => !removed.includes(root)), ...added]
  const wanted = threshold ?? rootThreshold
  if (wanted > next.length) throw usage(`${next.length} root keys are left, and ${wanted} must sign: give --threshold`)
  const isSame = added.length + removed.length === 0 && wanted === rootThreshold
  if (isSame && (log.expires === undefined || log.expires === expires))
    throw usage("nothing would change: give --add-root, --remove-root, --threshold or --expires")
  return nextOf(log, { roots: next, rootThreshold: wanted })
}

/** The root key, or the log key, of a keyring that a person names by its vkey or its key ID. Throws USAGE for none and for several. */
export function findKey<T>(keys: readonly T[], text: string, keyOf: (key: T) => VerifierKey): T {
  const named = keys.filter((one) => keyOf(one).vkey === text || formatKeyId(keyOf(one).id) === text)
  const [only] = named
  if (only !== undefined && named.length === 1) return only
  const ids = keys.map((one) => formatKeyId(keyOf(one).id)).join(", ")
  throw usage(`expected the vkey or key ID of one of ${ids}, got ${quote(text)}`)
}

const liveFrom = (key: VerifierKey, from: bigint): LogKey => ({ key, from, closing: null, revoked: false })

/** The log keys, those in use that `which` picks closed at the log's tree. */
function closeAt({ keyring, head }: CeremonyLog, which: (key: LogKey) => boolean): readonly LogKey[] {
  return keyring.logs.map((logKey) => {
    if (!isInUse(logKey) || !which(logKey)) return logKey
    if (logKey.from > head.size)
      throw usage(`key ${formatKeyId(logKey.key.id)} has not signed yet: revoke it instead of closing it`)
    return { ...logKey, closing: { size: head.size, rootHash: head.rootHash } }
  })
}

function nextOf(log: CeremonyLog, changes: Partial<Keyring>): Keyring {
  const { note: _, ...before } = log.keyring
  const issued = log.nowSec
  const expires = log.expires === undefined ? before.expires : log.expires
  if (expires !== null && expires <= issued) throw usage("the next keyring would have expired already: give --expires")
  const { logs = before.logs } = changes
  return {
    ...before,
    ...changes,
    version: before.version + 1n,
    prev: computeKeyringDigest(log.keyring),
    issued,
    expires,
    logs: makeRoom(logs),
  }
}

/** At most as many log keys as a keyring holds: the oldest that is not in use goes. */
function makeRoom(logs: readonly LogKey[]): readonly LogKey[] {
  if (logs.length <= MAX_KEYRING_KEYS) return logs
  const oldest = logs
    .filter((key) => !isInUse(key))
    .reduce<LogKey | null>((best, key) => (best !== null && best.from <= key.from ? best : key), null)
  if (oldest === null) throw usage(`${MAX_KEYRING_KEYS} log keys are in use, and a keyring holds no more`)
  return makeRoom(logs.filter((key) => key !== oldest))
}
