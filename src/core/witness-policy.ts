// The witness policy of whoever reads a log, beside the one in its keyring (C2SP tlog-policy, brief 3.3 rule 11). Both must be met, so that
// it can only make things stricter. Log lines in it say which logs it is for: a log that it does not name is not judged under it at all.
import { type VerifiedCheckpoint, verifyCheckpoint } from "./checkpoint.js"
import { quote, ToolsumError } from "./errors.js"
import type { Policy } from "./policy.js"
import { samePublicKey, type VerifierKey } from "./vkey.js"

/** Hold a checkpoint, which its keyring has vouched for already, to `policy` too: signed by a log key that the policy names, where it names any,
 *  and cosigned by its quorum. `keys`: the keyring's log keys; `counted`: witnesses that the keyring's own policy has counted. With `nowSec`
 *  (POSIX seconds) cosignatures that lie more than DEFAULT_SKEW_SEC after it do not count. Returns the checkpoint with the cosignatures of both.
 *  Throws HEAD_UNPROVEN for a log that the policy does not name, QUORUM_NOT_MET, and SIGNATURE_INVALID. */
export function holdToWitnessPolicy(
  opened: VerifiedCheckpoint,
  p: { policy: Policy; keys: readonly VerifierKey[]; counted: readonly VerifierKey[]; nowSec?: bigint },
): VerifiedCheckpoint {
  const { policy, counted, nowSec } = p
  const { origin } = opened.checkpoint
  const keys = logKeysFor(origin, policy) ?? p.keys
  const times = nowSec === undefined ? {} : { nowSec }
  const own = inWordsOfPolicy(opened.checkpoint.size, () =>
    verifyCheckpoint({ note: opened.note, origin, keys, policy, ...times }),
  )
  const isNew = (key: VerifierKey | undefined) => key && !counted.some((known) => samePublicKey(known, key))
  const { verified, cosignatures } = opened.note
  const isUnseen = (key: VerifierKey) => !verified.some(({ vkey }) => vkey === key.vkey)
  return {
    ...opened,
    note: {
      ...opened.note,
      verified: [...verified, ...own.note.verified.filter(isUnseen)],
      cosignatures: [...cosignatures, ...own.note.cosignatures.filter(({ key }) => isUnseen(key))],
    },
    counted: [...opened.counted, ...own.counted.filter((name) => isNew(policy.witnesses.get(name)?.key))],
  }
}

/** Refuse a log that nobody can cosign, such as one of dialect legion, where `policy` demands a quorum. Throws as `holdToWitnessPolicy`. */
export function refuseWithoutWitnesses(policy: Policy, origin: string): void {
  logKeysFor(origin, policy)
  if (policy.quorum !== null)
    throw new ToolsumError("QUORUM_NOT_MET", `the witness policy wants cosignatures, and ${quote(origin)} has none`)
}

/** Names of the witnesses that count, as keys. */
export const keysOfWitnesses = (policy: Policy | null, names: readonly string[]): readonly VerifierKey[] =>
  names.flatMap((name) => policy?.witnesses.get(name)?.key ?? [])

/** The log keys that a policy accepts for an origin; null where it names no log at all, and so is for any. Throws HEAD_UNPROVEN for a log that
 *  it does not name. */
export function logKeysFor(origin: string, policy: Policy): readonly VerifierKey[] | null {
  if (policy.logs.length === 0) return null
  const keys = policy.logs.map(({ key }) => key).filter(({ name }) => name === origin)
  if (keys.length > 0) return keys
  throw new ToolsumError(
    "HEAD_UNPROVEN",
    `the witness policy is for other logs: it has no log line for ${quote(origin)}`,
  )
}

function inWordsOfPolicy<T>(size: bigint, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof ToolsumError)) throw cause
    throw new ToolsumError(cause.code, `witness policy: head ${size}: ${cause.message}`, { cause })
  }
}
