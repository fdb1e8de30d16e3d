// What is left to do once a keyring is published, for its owner: the end of a change of keys, heads that lack a new quorum, files of keys that
// sign nothing more, and, after a revocation, the floor under which a thief's keyrings count for nobody.
import { equalBytes } from "../core/bytes.js"
import { escapeInvisible } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { formatKeyringText, type Keyring, type LogKey } from "../core/keyring-text.js"
import { formatKeyId, samePublicKey } from "../core/vkey.js"
import { findNewestKey, isChanging, isInUse } from "../features/ceremony/plan.js"
import { type LocalKey, verifierOf } from "./local-keys.js"
import type { Options } from "./options.js"
import { pasteLine } from "./shell-words.js"

/** The line that ends a change of keys. */
function finishLine(options: Options): string {
  const folder = options.values("log-dir").flatMap((dir) => ["--log-dir", dir])
  return pasteLine("toolsum", "log", "rotate", "--finish", ...folder) ?? "toolsum log rotate --finish"
}

/** What to do after `next` was published, which followed `before`. `root`: fingerprint; `keys`: the log's keys on this account. */
export function describeNextSteps(
  p: { readonly before: Keyring; readonly next: Keyring; readonly root: string; readonly keys: readonly LocalKey[] },
  options: Options,
): readonly string[] {
  const changed = (is: (key: LogKey) => boolean) =>
    p.next.logs.filter((key) => {
      const old = p.before.logs.find((other) => samePublicKey(other.key, key.key))
      return is(key) && old !== undefined && !is(old)
    })
  const isClosed = ({ closing }: LogKey) => closing !== null
  return [
    ...describeWitnesses(p.before, p.next),
    ...describeChange(p.next, options),
    ...describeQuorum(p.before, p.next),
    ...describeFiles(changed(isClosed), p.keys),
    ...(changed(({ revoked }) => revoked).length > 0 ? describeFloor(p.next, p.root) : []),
  ]
}

function describeChange(next: Keyring, options: Options): readonly string[] {
  const newest = findNewestKey(next)
  if (!isChanging(next) || newest === null) return []
  return [
    `From size ${newest.from} on key ${formatKeyId(newest.key.id)} signs too. Then close the old one, at any time:`,
    `  ${finishLine(options)}`,
  ]
}

/** Witnesses that the policy names do not read keyrings: each must be told a new key. */
function describeWitnesses(before: Keyring, { logs, policy }: Keyring): readonly string[] {
  const known = (key: LogKey) => before.logs.some((old) => samePublicKey(old.key, key.key))
  const added = logs.filter((key) => isInUse(key) && !known(key))
  if (policy === null || policy.quorum === null || added.length === 0) return []
  return [
    "Each witness must know the new key before it signs alone. Start them again with this besides their other options:",
    ...added.map(({ key }) => `  ${pasteLine("--log", key.vkey) ?? "--log VKEY"}`),
  ]
}

/** Heads from before other witnesses were named lack their cosignatures. */
function describeQuorum({ policy: before }: Keyring, { policy }: Keyring): readonly string[] {
  if (policy === null || policy.quorum === null || (before && equalBytes(policy.source, before.source))) return []
  return [
    "Heads that lockfiles have from before may lack this quorum; each lockfile renews them with:",
    "  toolsum update --proofs",
  ]
}

/** Files of closed keys. */
function describeFiles(closed: readonly LogKey[], keys: readonly LocalKey[]): readonly string[] {
  const files = keys.filter(({ key }) => closed.some((old) => !isInUse(old) && samePublicKey(old.key, verifierOf(key))))
  return files.map(
    ({ path }) => `The closed key signs nothing any more. Its file can be deleted: ${escapeInvisible(path)}`,
  )
}

/** How to make everybody want this keyring: an older chain is true too, and a thief would show that one. */
function describeFloor(next: Keyring, root: string): readonly string[] {
  const digest = computeTextDigest(formatKeyringText(next)).slice("sha256:".length)
  return [
    "Whoever has the key can go on showing the keyrings before this one. A root pinned with this floor refuses them:",
    `  toolsum trust add ${escapeInvisible(`${next.origin}=${root}@${next.version}:${digest}`)}`,
    "Lockfiles take the new keyring in with toolsum update --proofs; a floor refuses those that have not.",
  ]
}
