// Gossip without servers (brief 4.4): what lockfiles, this account's memory, logs, witnesses and loose checkpoints have seen of one log, each
// head held against every other. Equal sizes need equal roots; of different sizes the smaller must be a prefix of the larger, by a proof that
// some view has or by tiles that some view serves. Where neither is there, nothing is said. Reads, remembers nothing.
import { compareHeads, createLogView, type KnownHead } from "../client/heads.js"
import { equalBytes } from "../core/bytes.js"
import { attempt, attemptAsync, ToolsumError } from "../core/errors.js"
import { openSignedTree, type SignedTree } from "../core/fork-proof.js"
import type { VerifiedKeyring } from "../core/keyring.js"
import { splitHashes, verifyConsistency } from "../core/merkle.js"
import type { PinnedRoot } from "../core/root.js"
import type { LogSource } from "../ports.js"
import { createOrder, type Order, treeKey } from "./head-order.js"
import { chooseKeyring, holdKeyringsOf, NO_SOURCE } from "./view-keyrings.js"

/** What one view has of one log; nothing of it is verified. */
export interface ViewedLog {
  readonly origin: string
  /** Keyring notes, all from version 1 or only a newest one. */
  readonly keyrings: readonly string[]
  /** Checkpoint notes, in any order. */
  readonly heads: readonly string[]
  /** Consistency proofs by `m-n`, the hashes joined. */
  readonly links: Readonly<Record<string, Uint8Array>>
  /** True where whoever kept the heads had each proven a prefix of the next: this account's memory. */
  readonly isOrdered: boolean
  /** Where tiles can be read; null: nowhere. */
  readonly source: LogSource | null
}

/** One place where something is known of logs. */
export interface View {
  /** For people. */
  readonly name: string
  readonly logs: readonly ViewedLog[]
}

/** How the newest head of a view lies to the newest of all. `newest`: it is that. `behind`: a proven prefix of it. `unlinked`: nothing here
 *  proves or refutes that. `forked`: it contradicts a head of another view. */
export type Standing = "newest" | "behind" | "unlinked" | "forked"

/** One view of one log, compared. */
export interface ComparedView {
  readonly name: string
  /** The newest head with a good signature; null where the view has none. */
  readonly newest: SignedTree | null
  readonly standing: Standing | null
  /** Heads with a good signature, and how many of them nothing ties to the newest of all. */
  readonly heads: number
  readonly unplaced: number
  /** Heads and keyrings that do not count, and why. */
  readonly problems: readonly ToolsumError[]
}

/** One log, in every view that has something of it. */
export interface ComparedLog {
  readonly origin: string
  /** Fingerprint that its keyrings start from; null where no view has readable ones. */
  readonly fingerprint: string | null
  readonly root: PinnedRoot | null
  readonly views: readonly ComparedView[]
  /** Contradictions of the log with itself, each LOG_INCONSISTENT with evidence. */
  readonly forks: readonly ToolsumError[]
  /** Why nothing could be compared: no keyring, no pinned root; null where something could. */
  readonly fault: ToolsumError | null
}

/** Compare all views log by log, in the order in which they name them. `nowSec`: POSIX seconds. */
export async function compareViews(p: {
  views: readonly View[]
  roots: readonly PinnedRoot[]
  nowSec: bigint
}): Promise<readonly ComparedLog[]> {
  const origins = [...new Set(p.views.flatMap(({ logs }) => logs.map(({ origin }) => origin)))]
  const compared: ComparedLog[] = []
  for (const origin of origins) {
    const seen = p.views.flatMap(({ name, logs }) =>
      logs.filter((log) => log.origin === origin).map((log) => ({ name, log, problems: [] as ToolsumError[] })),
    )
    compared.push(await compareLog(origin, seen, p))
  }
  return compared
}

interface Seen {
  readonly name: string
  readonly log: ViewedLog
  readonly problems: ToolsumError[]
}

async function compareLog(
  origin: string,
  seen: readonly Seen[],
  { roots, nowSec }: { roots: readonly PinnedRoot[]; nowSec: bigint },
): Promise<ComparedLog> {
  const chosen = chooseKeyring(origin, seen, { roots, nowSec })
  const nothing = {
    origin,
    forks: [],
    views: seen.map((one) => ({ ...NOTHING, name: one.name, problems: one.problems })),
  }
  if (chosen instanceof ToolsumError) return { ...nothing, fingerprint: null, root: null, fault: chosen }
  const { keyring, root } = chosen
  if (root instanceof ToolsumError) return { ...nothing, fingerprint: keyring.fingerprint, root: null, fault: root }
  const forks: ToolsumError[] = []
  for (const one of seen) holdKeyringsOf(one, { keyring, nowSec, forks })
  const opened = seen.map((one) => ({ ...one, heads: openHeads(one, keyring) }))
  const { order, forked } = await orderHeads(opened, keyring, forks)
  const views = opened.map((one) => describeView(one, order, forked))
  return { ...{ origin, fingerprint: keyring.fingerprint, root, fault: null }, views, forks }
}

const NOTHING = { newest: null, standing: null, heads: 0, unplaced: 0 }

/** A head with a good signature. */
export interface OpenedHead extends KnownHead {
  readonly tree: SignedTree
}

interface OpenedView extends Seen {
  readonly heads: readonly OpenedHead[]
}

function openHeads({ log, problems }: Seen, { chain }: VerifiedKeyring): readonly OpenedHead[] {
  const heads = log.heads.flatMap((note) => {
    const tree = attempt(() => openSignedTree(chain, note))
    if (!(tree instanceof ToolsumError)) return [{ size: tree.size, rootHash: tree.rootHash, note, tree }]
    problems.push(tree)
    return []
  })
  return heads.sort((a, b) => (a.size < b.size ? -1 : 1))
}

/** Most contradictions that are told of one log: after a fork every later head contradicts the other side. */
const MAX_FORKS = 16

/** Every tree that some view has seen, and what is proven of their order. Contradictions go to `forks`, their trees to `forked`. */
async function orderHeads(
  views: readonly OpenedView[],
  keyring: VerifiedKeyring,
  forks: ToolsumError[],
): Promise<{ order: Order<OpenedHead>; forked: ReadonlySet<string> }> {
  const trees = [...new Map(views.flatMap(({ heads }) => heads.map((head) => [treeKey(head), head] as const))).values()]
  const order = createOrder(trees)
  for (const { log, heads } of views) {
    addLinks(log, order)
    if (log.isOrdered) for (const [i, head] of heads.entries()) if (i > 0) order.add(heads[i - 1] ?? head, head)
  }
  const forked = new Set<string>()
  const refute = (error: ToolsumError, a: OpenedHead, b: OpenedHead) => {
    order.contradict(a, b)
    const stolen = [a, b].filter(isRevoked)
    if (error.code === "LOG_INCONSISTENT") {
      if (forks.length < MAX_FORKS) forks.push(error)
      for (const head of [a, b]) forked.add(treeKey(head))
    } else
      for (const { heads, problems } of views) if (heads.some((head) => stolen.some(isHead(head)))) problems.push(error)
  }
  await compareAll({ order, views, keyring, refute })
  return { order, forked }
}

const isRevoked = ({ tree }: OpenedHead): boolean => tree.signers.every(({ standing }) => standing === "revoked")

/** The newest tree that a key in use, or a retired one, stands behind. */
const topOf = ({ trees }: Order<OpenedHead>): OpenedHead | undefined =>
  trees.findLast((head) => !isRevoked(head)) ?? trees.at(-1)

const isHead =
  (one: KnownHead) =>
  ({ size, rootHash }: KnownHead): boolean =>
    size === one.size && equalBytes(rootHash, one.rootHash)

function addLinks({ links }: ViewedLog, order: Order<OpenedHead>): void {
  const bad = (why: string) => new ToolsumError("PROOF_MALFORMED", why)
  for (const [key, bytes] of Object.entries(links)) {
    const proof = attempt(() => splitHashes(bytes, bad))
    if (proof instanceof ToolsumError) continue // it proves nothing, and refutes nothing
    const [m, n] = key.split("-")
    for (const older of order.ofSize(m ?? "")) {
      for (const newer of order.ofSize(n ?? "")) {
        if (!(attempt(() => verifyConsistency({ older, newer, proof })) instanceof ToolsumError))
          order.add(older, newer)
      }
    }
  }
}

/** Compare what is not ordered yet: trees of one size at once, others through tiles. First with the newest head of each log that serves
 *  some, which then ties many together, then the rest with the newest of all. */
async function compareAll(p: {
  order: Order<OpenedHead>
  views: readonly OpenedView[]
  keyring: VerifiedKeyring
  refute: (error: ToolsumError, a: OpenedHead, b: OpenedHead) => void
}): Promise<void> {
  const { order, views, keyring, refute } = p
  const readable = views.flatMap(({ log: { source }, heads }) =>
    source === null ? [] : [{ view: createLogView(source, keyring), newest: heads.at(-1) }],
  )
  const tryIn = async (sources: typeof readable, smaller: OpenedHead, larger: OpenedHead) => {
    for (const { view } of sources) {
      const answer = await attemptAsync(() => compareHeads({ view, known: smaller, served: larger }))
      if (!(answer instanceof ToolsumError)) return order.add(smaller, larger)
      if (REFUTES.includes(answer.code)) return refute(answer, smaller, larger)
    }
  }
  const lone = [{ view: createLogView(NO_SOURCE, keyring), newest: undefined }]
  for (const [a, b] of order.rivals()) await tryIn(lone, a, b)
  for (const one of readable) {
    for (const head of order.trees) {
      if (one.newest && head.size !== one.newest.size && !order.isSettled(head, one.newest))
        await tryIn(head.size < one.newest.size ? [one] : readable, ...bySize(head, one.newest))
    }
  }
  const top = topOf(order)
  for (const head of order.trees)
    if (top && head.size < top.size && !order.isSettled(head, top)) await tryIn(readable, head, top)
}

const REFUTES: readonly string[] = ["LOG_INCONSISTENT", "KEY_NOT_VALID_AT_SIZE"]

const bySize = (a: OpenedHead, b: OpenedHead): [OpenedHead, OpenedHead] => (a.size < b.size ? [a, b] : [b, a])

function describeView(
  { name, heads, problems }: OpenedView,
  order: Order<OpenedHead>,
  forked: ReadonlySet<string>,
): ComparedView {
  const newest = heads.at(-1)
  const top = topOf(order)
  if (newest === undefined || top === undefined) return { ...NOTHING, name, problems }
  const unplaced = heads.filter((head) => !order.isPrefix(head, top)).length
  const isForked = heads.some((head) => forked.has(treeKey(head)))
  const standing = isForked
    ? "forked"
    : isHead(newest)(top)
      ? "newest"
      : order.isPrefix(newest, top)
        ? "behind"
        : "unlinked"
  return { name, newest: newest.tree, standing, heads: heads.length, unplaced, problems }
}
