// The heads of one log under its verified keyring (formats 27, 30, 31): who signed each and whether that key may sign that size,
// forks, and the consistency proofs ("links") that order them. Inclusion of entries under a head is the caller's.
// A head is opened once per keyring and note: good answers are kept, failures are not, nor anything that depends on a time.
import { equalBytes, formatHex } from "./bytes.js"
import { type Checkpoint, headKey, requireQuorum, type VerifiedCheckpoint, verifyCheckpoint } from "./checkpoint.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import type { Hash } from "./hash.js"
import { formatKeyrings, type VerifiedKeyring } from "./keyring.js"
import type { LogKey } from "./keyring-text.js"
import { splitHashes, type TreeHead, verifyConsistency } from "./merkle.js"
import { formatNote, type OpenedNote, parseNote } from "./note.js"
import { computeQuorumTime, DEFAULT_SKEW_SEC, type Policy } from "./policy.js"
import { holdToWitnessPolicy, keysOfWitnesses } from "./witness-policy.js"

/** `live`: signed by a key in use. `retired`: by an older key, and the tree is proven to be the one it closed with or a prefix of
 *  that or of a live head. `unproven`: by a retired key below its closing size, and no link proves it: not refuted, not usable. */
export type HeadState = "live" | "retired" | "unproven"

/** A head whose signatures hold. Only `live` and `retired` ones vouch for anything. */
export interface VerifiedHead extends TreeHead {
  /** Its name in a lockfile. */
  readonly key: string
  readonly origin: string
  readonly state: HeadState
  /** How many witnesses of these policies cosigned it. */
  readonly cosigners: number
  /** The policies that it meets: the keyring's, and the reader's, as far as there are any. */
  readonly policies: readonly Policy[]
  readonly note: OpenedNote
}

/** All heads of a log, which do not contradict one another as far as they are linked. */
export interface VerifiedHeads {
  readonly heads: ReadonlyMap<string, VerifiedHead>
  /** `unlinked:m-n` for neighbouring head sizes that no link ties together. */
  readonly warnings: readonly string[]
}

type Standing = "live" | "retired" | "revoked"

interface OpenHead {
  readonly key: string
  readonly opened: VerifiedCheckpoint
  readonly standing: Standing
}

/** Check all heads and links of a log. `heads`: checkpoint notes by their name `size-16 hex`; `links`: joined proof hashes by `m-n`.
 *  One refuted head or link refuses all: KEY_NOT_VALID_AT_SIZE, HASH_MISMATCH (filed under another name), LOG_INCONSISTENT (fork,
 *  with both notes as evidence), CONSISTENCY_INVALID, and what `verifyCheckpoint` throws. Only when nothing is refuted does an
 *  unreadable head (NOTE_MALFORMED, CHECKPOINT_MALFORMED) or link (PROOF_MALFORMED, also between sizes that are no heads) throw.
 *  There is no time: a cosignature from the future counts, so that a lockfile does not depend on the reader's clock.
 *  `witnessPolicy`: the reader's own, which every head must meet too; throws as `holdToWitnessPolicy`. */
export function verifyHeads(p: {
  keyring: VerifiedKeyring
  witnessPolicy?: Policy | null
  heads: Readonly<Record<string, string>>
  links: Readonly<Record<string, Uint8Array>>
}): VerifiedHeads {
  const { keyring, witnessPolicy = null } = p
  const trust = { keyring, witnessPolicy }
  const unreadable: ToolsumError[] = []
  const heads = Object.entries(p.heads).flatMap(([key, note]) =>
    unlessUnreadable(unreadable, () => openNamedHead(trust, key, note)),
  )
  const trees = collectTrees(keyring, heads)
  const links = Object.entries(p.links).flatMap(([key, proof]) =>
    unlessUnreadable(unreadable, () => verifyLink(key, proof, trees)),
  )
  if (unreadable[0]) throw unreadable[0]
  return judge(trust, heads, links)
}

/** Check one head without links, such as a log serves. With `nowSec` (POSIX seconds) cosignatures that lie more than DEFAULT_SKEW_SEC
 *  after it do not count for a quorum. Throws as `verifyHeads`. */
export function verifyHead(p: HeadTrust & { note: Uint8Array | string }): VerifiedHead {
  const head = openHead(p, typeof p.note === "string" ? p.note : formatNote(parseNote(p.note)))
  collectTrees(p.keyring, [head])
  return settle(head, judgeAnchors(p.keyring, [head], []), p)
}

/** Seconds since a head was last vouched for: by the quorums of its policies (`computeQuorumTime`), and where those are nobody's by any witness
 *  of them. Cosignatures that lie more than DEFAULT_SKEW_SEC after `nowSec` are left out. Null without any: a checkpoint itself has no time. */
export function computeHeadAge({ note, policies }: VerifiedHead, nowSec: bigint): number | null {
  const latest = nowSec + DEFAULT_SKEW_SEC
  const demanding = policies.filter(({ quorum }) => quorum !== null)
  const times =
    demanding.length === 0
      ? [newestTime(note, latest)]
      : demanding.map((policy) => computeQuorumTime(policy, note, latest))
  const ages = times.map((time) => (time === null ? null : Math.max(0, Number(nowSec - time))))
  return ages.reduce((oldest, age) => (oldest === null || age === null ? null : Math.max(oldest, age)), 0)
}

const newestTime = ({ cosignatures }: OpenedNote, latest: bigint): bigint | null =>
  cosignatures.reduce<bigint | null>(
    (best, { timestamp }) => (timestamp <= latest && (best === null || timestamp > best) ? timestamp : best),
    null,
  )

const opened = new Map<string, VerifiedCheckpoint>()
const MAX_OPENED = 4096

/** Under what heads are opened. `witnessPolicy`: the reader's own, beside the keyring's. */
interface HeadTrust {
  readonly keyring: VerifiedKeyring
  readonly witnessPolicy?: Policy | null
  readonly nowSec?: bigint
}

function openHead(trust: HeadTrust, note: string): OpenHead {
  const { logs, policy } = trust.keyring.newest
  const { nowSec } = trust
  const known = openOnce(trust.keyring, note)
  const timely =
    policy && nowSec !== undefined ? { ...known, counted: requireQuorum(policy, known.note, { nowSec }) } : known
  const held = holdToReader(timely, trust)
  return { key: headKey(held.checkpoint), opened: held, standing: standingOf(held, logs) }
}

function holdToReader(opened: VerifiedCheckpoint, { keyring, witnessPolicy, nowSec }: HeadTrust): VerifiedCheckpoint {
  if (!witnessPolicy) return opened
  const { logs, policy } = keyring.newest
  return holdToWitnessPolicy(opened, {
    policy: witnessPolicy,
    keys: logs.map(({ key }) => key),
    counted: keysOfWitnesses(policy, opened.counted),
    ...(nowSec === undefined ? {} : { nowSec }),
  })
}

function openOnce(keyring: VerifiedKeyring, note: string): VerifiedCheckpoint {
  const memo = `${formatHex(keyring.digest)}\n${note}`
  const known = opened.get(memo)
  if (known) return known
  const { origin, newest } = keyring
  const keys = newest.logs.map(({ key }) => key)
  const checked = verifyCheckpoint({ note, origin, keys, policy: newest.policy })
  if (opened.size >= MAX_OPENED) opened.clear()
  opened.set(memo, checked)
  return checked
}

function openNamedHead(trust: HeadTrust, key: string, note: string): OpenHead {
  const head = openHead(trust, note)
  if (head.key === key) return head
  throw new ToolsumError("HASH_MISMATCH", `head ${quote(head.key)} is filed under ${quote(key)}`)
}

/** The best standing among the keys that signed: one key that may sign this size is enough. */
function standingOf({ checkpoint, logKeys }: VerifiedCheckpoint, logs: readonly LogKey[]): Standing {
  const { size } = checkpoint
  const standings = logs
    .filter(
      ({ key, from, closing }) =>
        logKeys.some(({ vkey }) => vkey === key.vkey) && from <= size && (!closing || size <= closing.size),
    )
    .map(({ closing, revoked }): Standing => (revoked ? "revoked" : closing ? "retired" : "live"))
  const best = (["live", "retired", "revoked"] as const).find((standing) => standings.includes(standing))
  if (best) return best
  throw new ToolsumError("KEY_NOT_VALID_AT_SIZE", `no signature by a log key that may sign size ${size}`)
}

interface KnownTree extends TreeHead {
  readonly source: string
}

/** The one tree of each size: the closing trees that the root keys vouch for, then the heads. Two roots of one size are a fork,
 *  unless a revoked key is all there is behind the second: that is a stolen key's tree, not the log's. */
function collectTrees(keyring: VerifiedKeyring, heads: readonly OpenHead[]): ReadonlyMap<bigint, KnownTree> {
  const trees = new Map<bigint, KnownTree>()
  const source = formatNote(keyring.newest.note)
  for (const { closing } of keyring.newest.logs) if (closing) addTree(trees, { ...closing, source }, keyring)
  const vouched = heads.filter(({ standing }) => standing !== "revoked")
  for (const { opened } of vouched) addTree(trees, { ...opened.checkpoint, source: formatNote(opened.note) }, keyring)
  for (const { opened, standing } of heads) {
    const { size, rootHash } = opened.checkpoint
    const known = trees.get(size)
    if (known && !equalBytes(known.rootHash, rootHash)) throw revokedHead(size)
    if (standing === "revoked") trees.set(size, { size, rootHash, source: formatNote(opened.note) })
  }
  return trees
}

function addTree(trees: Map<bigint, KnownTree>, tree: KnownTree, keyring: VerifiedKeyring): void {
  const known = trees.get(tree.size)
  if (known && !equalBytes(known.rootHash, tree.rootHash)) {
    throw new ToolsumError("LOG_INCONSISTENT", `fork: two roots of size ${tree.size}`, {
      evidence: { a: known.source, b: tree.source, keyrings: formatKeyrings(keyring) },
    })
  }
  trees.set(tree.size, tree)
}

interface Link {
  readonly older: bigint
  readonly newer: bigint
}

const malformedLink: Bad = (why) => new ToolsumError("PROOF_MALFORMED", why)

function verifyLink(key: string, bytes: Uint8Array, trees: ReadonlyMap<bigint, TreeHead>): Link {
  const [, m, n] = /^([1-9][0-9]{0,18})-([1-9][0-9]{0,18})$/.exec(key) ?? []
  if (m === undefined || n === undefined || BigInt(m) >= BigInt(n))
    throw malformedLink(`link ${quote(key)}: expected m-n`)
  const older = trees.get(BigInt(m))
  const newer = trees.get(BigInt(n))
  if (!older || !newer) throw malformedLink(`link ${key} between sizes that are no heads`)
  const proof: readonly Hash[] = splitHashes(bytes, malformedLink)
  try {
    verifyConsistency({ older, newer, proof })
  } catch (cause) {
    throw new ToolsumError("CONSISTENCY_INVALID", `link ${key} does not prove that one tree extends the other`, {
      cause,
    })
  }
  return { older: older.size, newer: newer.size }
}

function judge(trust: HeadTrust, heads: readonly OpenHead[], links: readonly Link[]): VerifiedHeads {
  const anchors = judgeAnchors(trust.keyring, heads, links)
  const settled = new Map(heads.map((head) => [head.key, settle(head, anchors, trust)]))
  return {
    heads: settled,
    warnings: unlinked(
      heads.map(({ opened }) => opened.checkpoint),
      links,
    ),
  }
}

interface Anchors {
  /** Sizes that are proven prefixes of a live head. */
  readonly live: ReadonlySet<bigint>
  /** Sizes that are proven prefixes of a live head or of a closing tree of a key that is not revoked. */
  readonly vouched: ReadonlySet<bigint>
}

function judgeAnchors(keyring: VerifiedKeyring, heads: readonly OpenHead[], links: readonly Link[]): Anchors {
  const live = heads.filter(({ standing }) => standing === "live").map(({ opened }) => opened.checkpoint.size)
  const closing = keyring.newest.logs.flatMap((log) => (log.closing && !log.revoked ? [log.closing.size] : []))
  return { live: prefixesOf(live, links), vouched: prefixesOf([...live, ...closing], links) }
}

/** Every size from which links lead up to one of `sizes`; the empty tree is a prefix of any. */
function prefixesOf(sizes: readonly bigint[], links: readonly Link[]): ReadonlySet<bigint> {
  const proven = new Set(sizes)
  const descending = [...links].sort((a, b) => (a.newer < b.newer ? 1 : -1))
  for (const { older, newer } of descending) if (proven.has(newer)) proven.add(older)
  return proven.size > 0 ? proven.add(0n) : proven
}

function settle({ key, opened, standing }: OpenHead, anchors: Anchors, trust: HeadTrust): VerifiedHead {
  const { origin, size, rootHash }: Checkpoint = opened.checkpoint
  if (standing === "revoked" && !anchors.live.has(size)) throw revokedHead(size)
  const proven = standing !== "retired" || anchors.vouched.has(size)
  const state = standing === "live" ? "live" : proven ? "retired" : "unproven"
  const policies = [trust.keyring.newest.policy, trust.witnessPolicy ?? null].filter((policy) => policy !== null)
  return { key, origin, size, rootHash, state, cosigners: opened.counted.length, policies, note: opened.note }
}

const revokedHead = (size: bigint) =>
  new ToolsumError(
    "KEY_NOT_VALID_AT_SIZE",
    `head of size ${size} is signed by a revoked key and in no live head's tree`,
  )

/** Neighbouring head sizes that no path of links joins. Links from one size to two larger ones do not order those two. */
function unlinked(heads: readonly TreeHead[], links: readonly Link[]): readonly string[] {
  const sizes = heads.map(({ size }) => size).filter((size) => size > 0n)
  const ascending = [...new Set(sizes)].sort((a, b) => (a < b ? -1 : 1))
  const below = new Map<bigint, bigint[]>()
  for (const { older, newer } of links) {
    const sizesBelow = below.get(newer) ?? []
    sizesBelow.push(older)
    below.set(newer, sizesBelow)
  }
  return ascending.flatMap((newer, i) => {
    const older = ascending[i - 1]
    return older === undefined || leadsDown(newer, older, below) ? [] : [`unlinked:${older}-${newer}`]
  })
}

// Between neighbours lie at most the closing sizes, so that this looks at few links.
const leadsDown = (from: bigint, to: bigint, below: ReadonlyMap<bigint, readonly bigint[]>): boolean =>
  from === to || (below.get(from) ?? []).some((size) => size >= to && leadsDown(size, to, below))

// A refutation says more than something unreadable beside it (formats 42), so that reading goes on.
function unlessUnreadable<T>(unreadable: ToolsumError[], work: () => T): T[] {
  try {
    return [work()]
  } catch (error) {
    if (!(error instanceof ToolsumError) || error.kind !== "malformed") throw error
    unreadable.push(error)
    return []
  }
}
