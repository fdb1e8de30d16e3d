// Compares the head that a log serves with one seen before, in all cases (DESIGN 8, brief 2.1 step 8): larger, equal, smaller. "Fork" is
// only said with evidence that verifies from its own bytes: two signed notes and, for different sizes, a consistency proof that the larger
// tree had another root at the smaller size. Missing bytes are unavailable, never a fork.
import { equalBytes, formatBase64, formatHex } from "../core/bytes.js"
import { attempt, ToolsumError } from "../core/errors.js"
import { type ForkJudgement, judgeFork } from "../core/fork-proof.js"
import type { Hash } from "../core/hash.js"
import { formatKeyrings, type VerifiedKeyring } from "../core/keyring.js"
import { joinHashes, type TreeHead } from "../core/merkle.js"
import type { LogSource } from "../ports.js"
import { type ProvenPrefix, proveConsistency } from "./prove.js"
import { createVerifiedTree, type VerifiedTree } from "./tiles.js"

/** A head whose signatures were verified, with its note verbatim. */
export interface KnownHead extends TreeHead {
  readonly note: string
}

/** How a served head relates to a known one. `ahead`: `proof` shows that it extends the known one; empty where that is the empty tree.
 *  `behind`: it is smaller and proven to be a prefix of the known one. */
export type Relation =
  | { readonly kind: "same" }
  | { readonly kind: "ahead"; readonly proof: readonly Hash[] }
  | { readonly kind: "behind" }

/** One log while its heads are compared: trees are read once, however many heads are compared. */
export interface LogView {
  treeOf(head: TreeHead): VerifiedTree
  /** The log's keys, which tell whose a tree is, and which evidence needs; null for a log without keyrings. */
  readonly keyring: VerifiedKeyring | null
}

/** A view of the log `source`, whose keyrings were verified. */
export function createLogView<K extends VerifiedKeyring | null>(
  source: LogSource,
  keyring: K,
): LogView & { readonly keyring: K } {
  const trees = new Map<string, VerifiedTree>()
  return {
    keyring,
    treeOf: (head) => {
      // The whole root: a short key of another head with the same beginning would give it this tree's hashes.
      const key = `${head.size} ${formatHex(head.rootHash)}`
      const tree = trees.get(key) ?? createVerifiedTree(source, head)
      trees.set(key, tree)
      return tree
    },
  }
}

/** Compare `served` with `known`. `earlier`: heads known to be prefixes of `known`, which can show where a smaller head belongs.
 *  Throws LOG_INCONSISTENT with evidence that `verifyForkEvidence` proves: `a`, `b` (the notes, the smaller tree first), `keyrings` (JSON list
 *  of notes) and, for different sizes, `prefixRoot` (root of b's tree at a's size, base64) and `proof` (joined hashes, base64);
 *  KEY_NOT_VALID_AT_SIZE for a contradiction that is the doing of a key which counts no more, not the log's; HEAD_UNPROVEN when a smaller
 *  head can be neither proven nor refuted with what the log serves; and what reading throws. */
export async function compareHeads(p: {
  view: LogView
  known: KnownHead
  served: KnownHead
  earlier?: readonly KnownHead[]
}): Promise<Relation> {
  const { view, known, served } = p
  if (served.size === known.size) {
    if (!equalBytes(served.rootHash, known.rootHash)) throw fork(view, known, served)
    return { kind: "same" }
  }
  if (served.size > known.size) {
    return { kind: "ahead", proof: await proveExtension(view, known, served) }
  }
  await compareWithEarlier(view, served, p.earlier ?? [])
  if (!isKnown(served, p.earlier ?? [])) await provePrefix(view, served, known)
  return { kind: "behind" }
}

/** The proof that `larger` extends `smaller`, from the tiles of `larger`. */
async function proveExtension(view: LogView, smaller: KnownHead, larger: KnownHead): Promise<readonly Hash[]> {
  const prefix = await proveConsistency(view.treeOf(larger), smaller.size)
  if (!equalBytes(prefix.older.rootHash, smaller.rootHash)) throw fork(view, smaller, larger, prefix)
  return prefix.proof
}

/** A log that went back may have gone on differently from there: the served tree must extend every earlier head, of which the newest
 *  one that is not larger shows it. */
async function compareWithEarlier(view: LogView, served: KnownHead, earlier: readonly KnownHead[]): Promise<void> {
  const below = earlier.filter(({ size }) => size <= served.size)
  const newest = below.reduce<KnownHead | null>((best, head) => (best && best.size >= head.size ? best : head), null)
  if (newest === null) return
  if (newest.size < served.size) await proveExtension(view, newest, served)
  else if (!equalBytes(newest.rootHash, served.rootHash)) throw fork(view, newest, served)
}

const isKnown = (head: TreeHead, heads: readonly KnownHead[]): boolean =>
  head.size === 0n || heads.some(({ size, rootHash }) => size === head.size && equalBytes(rootHash, head.rootHash))

/** Show that the smaller served head is a prefix of the known one. That takes tiles of the known tree, which the log may not have any more. */
async function provePrefix(view: LogView, served: KnownHead, known: KnownHead): Promise<void> {
  try {
    await proveExtension(view, served, known)
  } catch (error) {
    // Bytes that do not belong to the known tree prove as little as missing ones.
    if (!(error instanceof ToolsumError) || !UNPROVEN.includes(error.code)) throw error
    const sizes = `size ${served.size}, and ${known.size} was seen before`
    throw new ToolsumError(
      "HEAD_UNPROVEN",
      `the log serves ${sizes}; what would prove the one a prefix of the other is missing`,
      {
        cause: error,
      },
    )
  }
}

const UNPROVEN: readonly string[] = ["RESOURCE_MISSING", "HASH_MISMATCH", "TILE_MALFORMED"]

/** The error for two trees that contradict each other: a fork where whoever gets the evidence finds one, too. */
function fork(view: LogView, a: KnownHead, b: KnownHead, prefix?: ProvenPrefix): ToolsumError {
  const shown = prefix ? { rootHash: prefix.older.rootHash, proof: prefix.proof } : null
  const notes = { a: a.note, b: b.note, ...(view.keyring ? { keyrings: formatKeyrings(view.keyring) } : {}) }
  if (view.keyring !== null) {
    const claim = { ...notes, prefix: shown, code: "LOG_INCONSISTENT" } as const
    const { chain } = view.keyring
    const judged = attempt(() => judgeFork(chain, claim))
    if (isDoingOfAKey(judged)) return notOfTheLog(a, b)
    if (judged instanceof ToolsumError) return judged
  }
  if (shown === null) {
    return new ToolsumError("LOG_INCONSISTENT", `fork: the log signed two trees of size ${a.size}`, {
      evidence: notes,
    })
  }
  const prefixRoot = formatBase64(shown.rootHash)
  const proof = formatBase64(joinHashes(shown.proof))
  return new ToolsumError(
    "LOG_INCONSISTENT",
    `fork: the log signed a tree of size ${b.size} that does not contain the one of size ${a.size} that it signed`,
    { evidence: { ...notes, prefixRoot, proof } },
  )
}

/** A key that was revoked, or closed below that size, may have been stolen: its second tree is not the log's (FORMAT.md 13). */
const isDoingOfAKey = (judged: ForkJudgement | ToolsumError): boolean =>
  judged instanceof ToolsumError ? judged.code === "KEY_NOT_VALID_AT_SIZE" : judged.finding === "revoked_key"

const notOfTheLog = (a: TreeHead, b: TreeHead): ToolsumError =>
  new ToolsumError(
    "KEY_NOT_VALID_AT_SIZE",
    `the trees of size ${a.size} and ${b.size} contradict each other, and one has only a key behind it that the root keys have revoked or closed: that key's doing, not the log's`,
  )
