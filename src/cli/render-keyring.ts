// Keyrings in words: what one says, and what the next one changes. This is what the owner of a log reads before a root key signs, so each
// line says what holds from then on. Names come from others and are shown as words that cannot look like ours.
import { formatBase64 } from "../core/bytes.js"
import type { RootSet } from "../core/keyring.js"
import type { Keyring, LogKey } from "../core/keyring-text.js"
import { type Policy, quorumTolerance } from "../core/policy.js"
import { formatKeyId, samePublicKey, type VerifierKey } from "../core/vkey.js"
import { isOneSet } from "../features/ceremony/draft.js"
import { isInUse } from "../features/ceremony/plan.js"
import { formatSec } from "./render.js"
import { showWord } from "./shell-words.js"
import { judgeTolerance } from "./witness-policy.js"

const idOf = (key: VerifierKey): string => formatKeyId(key.id)

/** `1a2b3c4d log.example.com/tools/root-a`. */
export const showKey = (key: VerifierKey): string => `${idOf(key)} ${showWord(key.name)}`

/** What `next` changes of `before`, a line each. Empty where only version and time differ. */
export function describeChanges(before: Keyring, next: Keyring): readonly string[] {
  return [
    ...describeLogKeys(before, next),
    ...describeRoots(before, next),
    ...describePolicyChange(before, next),
    ...(before.expires === next.expires ? [] : [`it expires ${showExpiry(next)}, before: ${showExpiry(before)}`]),
  ]
}

const findLogKey = ({ logs }: Keyring, { key }: LogKey): LogKey | undefined =>
  logs.find((other) => samePublicKey(other.key, key))

function describeLogKeys(before: Keyring, next: Keyring): readonly string[] {
  const gone = before.logs.filter((key) => !findLogKey(next, key))
  return [
    ...next.logs.flatMap((key) => describeLogKey(findLogKey(before, key), key)),
    ...gone.map(
      ({ key }) =>
        `log key ${idOf(key)} is left out: heads that only it signed are proven no more; toolsum update --proofs renews them`,
    ),
  ]
}

function describeLogKey(before: LogKey | undefined, next: LogKey): readonly string[] {
  const id = idOf(next.key)
  const lines = before ? [] : [`log key ${id} is new: it signs from size ${next.from}`]
  if (before && before.from !== next.from)
    lines.push(`log key ${id} signs from size ${next.from}, before: ${before.from}`)
  if (next.closing && !before?.closing)
    lines.push(`log key ${id} is closed at size ${next.closing.size}: it signs nothing larger, and no other tree`)
  if (!next.closing && before?.closing) lines.push(`log key ${id} is open again`)
  if (next.revoked && !before?.revoked)
    lines.push(`log key ${id} is revoked: what it signed counts only as part of a tree that a key in use has signed`)
  if (!next.revoked && before?.revoked) lines.push(`log key ${id} is not revoked any more`)
  return lines
}

function describeRoots(before: Keyring, next: Keyring): readonly string[] {
  const lacks =
    ({ roots }: Keyring) =>
    (key: VerifierKey) =>
      !roots.some((root) => samePublicKey(root, key))
  const isSame = before.rootThreshold === next.rootThreshold && before.roots.length === next.roots.length
  return [
    ...next.roots.filter(lacks(before)).map((key) => `root key ${showKey(key)} is new`),
    ...before.roots.filter(lacks(next)).map((key) => `root key ${showKey(key)} goes`),
    ...(isSame ? [] : [`${showThreshold(next)} must sign each keyring, before: ${showThreshold(before)}`]),
  ]
}

const showThreshold = ({ rootThreshold, roots }: Keyring): string =>
  `${rootThreshold} of ${roots.length} root ${roots.length === 1 ? "key" : "keys"}`

function describePolicyChange(before: Keyring, next: Keyring): readonly string[] {
  const [old, now] = [before, next].map(({ policy }) => (policy ? formatBase64(policy.source) : "-"))
  return old === now ? [] : describePolicy(next.policy)
}

/** Which witnesses must cosign, and what their quorum survives. */
function describePolicy(policy: Policy | null): readonly string[] {
  if (policy === null || policy.quorum === null) return ["no witness has to cosign a checkpoint"]
  const { warns, says } = judgeTolerance(policy, quorumTolerance(policy))
  const group = policy.groups.get(policy.quorum)
  const quorum = group
    ? `${group.threshold} of ${group.members.map(showWord).join(", ")}`
    : `the witness ${showWord(policy.quorum)}`
  return [`each checkpoint must be cosigned by ${quorum}`, `${warns ? "warning: " : ""}this quorum ${says}`]
}

/** A whole keyring; `isOwn`: this account has the private part of a log key. */
export function describeKeyring(keyring: Keyring, isOwn: (key: VerifierKey) => boolean): readonly string[] {
  return [
    `issued ${formatSec(keyring.issued)}, expires ${showExpiry(keyring)}`,
    `${showThreshold(keyring)} must sign the next one`,
    ...keyring.roots.map((key) => `  root key ${showKey(key)}`),
    ...keyring.logs.flatMap((logKey) => [
      `log key ${idOf(logKey.key)} ${showUse(logKey)}${isOwn(logKey.key) ? ", on this account" : ""}`,
      ...(isInUse(logKey) ? [`  ${showWord(logKey.key.vkey)}`] : []),
    ]),
    ...describePolicy(keyring.policy),
  ]
}

function showUse({ from, closing, revoked }: LogKey): string {
  const use = closing ? `closed: it signed size ${from} to ${closing.size}` : `signs from size ${from}`
  return revoked ? `revoked${closing ? `, ${use}` : `, signed from size ${from}`}` : use
}

/** Who has signed, of how many that must; one line where the old and the new keyring want the same. */
export function describeSignatures(sets: readonly RootSet[]): readonly string[] {
  const lines = sets.map(({ version, threshold, signed }) => {
    const who = signed.length === 0 ? "nobody yet" : signed.map(showKey).join(", ")
    return { version, text: `signed by ${who} (${signed.length} of ${threshold})` }
  })
  if (isOneSet(sets)) return lines.slice(0, 1).map(({ text }) => text)
  return lines.map(({ version, text }) => `for the root keys of keyring ${version}: ${text}`)
}

/** `never`, or the instant. */
const showExpiry = ({ expires }: Keyring): string => (expires === null ? "never" : formatSec(expires))
