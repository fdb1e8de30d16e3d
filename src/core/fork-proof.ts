// What two signed statements of one log prove of it (FORMAT.md 20): two trees of one size, a tree that does not contain an earlier one, a
// closing tree that was not kept, two keyrings of one version; or less than that. The keyrings are a verified chain; whose root starts it is
// the caller's. The client says "fork" only where this does, so that whoever gets the evidence finds the same.
import { equalBytes } from "./bytes.js"
import { type Checkpoint, verifyCheckpoint } from "./checkpoint.js"
import { quote, ToolsumError } from "./errors.js"
import type { Hash } from "./hash.js"
import { type KeyringNote, parseKeyring } from "./keyring.js"
import { type TreeHead, verifyConsistency } from "./merkle.js"
import { openNote, parseNote } from "./note.js"
import { countPublicKeys, samePublicKey, type VerifierKey } from "./vkey.js"

/** What is shown. Proven misbehaviour: `two_trees` (one size, two roots), `not_extended` (the larger tree has another root at the smaller
 *  size), `closing_tree` (a log key signed a tree without the one that the root keys closed another key with), `two_keyrings` (of one
 *  version). Not proven by what is signed: `went_back` (a smaller head or keyring, said to have been served later), `rewritten` (no proof
 *  that one tree begins with the other), `revoked_key` (a contradiction with only a revoked key behind one side). */
export type ForkFinding =
  | "two_trees"
  | "not_extended"
  | "closing_tree"
  | "two_keyrings"
  | "went_back"
  | "rewritten"
  | "revoked_key"

const PROVEN: readonly ForkFinding[] = ["two_trees", "not_extended", "closing_tree", "two_keyrings"]

/** True for a finding that is misbehaviour by what is signed, whoever tells of it. */
export const isProvenFinding = (finding: ForkFinding): boolean => PROVEN.includes(finding)

/** A key behind a statement. `key`: its vkey, or 64 hex digits of a LEGION key. `standing`: by the last keyring that lists it. */
export interface Signer {
  readonly key: string
  readonly standing: "live" | "retired" | "revoked" | "root"
}

/** A signed tree; `closing`: one that a keyring closes a key with. `cosigners`: witnesses of the keyring's policy, by name. */
export interface SignedTree extends TreeHead {
  readonly kind: "head" | "closing"
  readonly signers: readonly Signer[]
  readonly cosigners: readonly string[]
}

/** A signed keyring. */
export interface SignedKeyring {
  readonly kind: "keyring"
  readonly version: bigint
  readonly signers: readonly Signer[]
}

/** One of the two statements. */
export type SignedPart = SignedTree | SignedKeyring

/** Root of the tree of `b` at the size of `a`, and the consistency proof from there to `b`. */
export interface PrefixProof {
  readonly rootHash: Hash
  readonly proof: readonly Hash[]
}

/** What was found, and in what. */
export interface ForkJudgement {
  readonly finding: ForkFinding
  readonly a: SignedPart
  readonly b: SignedPart
}

/** Codes that evidence is kept with. */
export const FORK_CODES = ["LOG_INCONSISTENT", "LOG_ROLLBACK", "CONSISTENCY_INVALID"] as const

/** What a log was caught in, by whoever kept the evidence. */
export type ForkCode = (typeof FORK_CODES)[number]

/** Two statements as they were kept. */
export interface ForkClaim {
  readonly a: string
  readonly b: string
  readonly prefix: PrefixProof | null
  readonly code: ForkCode
}

const invalid = (why: string, cause?: unknown) => new ToolsumError("EVIDENCE_INVALID", why, { cause })

/** Judge two statements under the verified keyrings `chain` (from 1) of their log. Throws EVIDENCE_INVALID where they contradict nothing, and
 *  as `openSignedTree` and `parseKeyring`. */
export function judgeFork(chain: readonly KeyringNote[], claim: ForkClaim): ForkJudgement {
  if (isKeyringNote(claim.b)) return judgeKeyrings(chain, claim)
  const b = openSignedTree(chain, claim.b)
  if (isKeyringNote(claim.a)) return judgeClosing(chain, claim, b)
  const a = openSignedTree(chain, claim.a)
  const finding = compareTrees(a, b, claim)
  return { finding: isProvenFinding(finding) && (isRevoked(a) || isRevoked(b)) ? "revoked_key" : finding, a, b }
}

const isRevoked = ({ signers }: SignedPart): boolean => signers.every(({ standing }) => standing === "revoked")

/** True for a note that calls itself a keyring. */
export const isKeyringNote = (note: string): boolean => note.startsWith("toolsum-keyring/")

/** What two trees that one log signed say of each other. Throws EVIDENCE_INVALID where that is no contradiction. */
export function compareTrees(
  a: TreeHead,
  b: TreeHead,
  { prefix, code }: Pick<ForkClaim, "prefix" | "code">,
): ForkFinding {
  if (a.size === b.size) {
    if (equalBytes(a.rootHash, b.rootHash)) throw invalid(`both sides are the same tree of size ${a.size}`)
    return "two_trees"
  }
  if (prefix === null) {
    if (code === "LOG_ROLLBACK") return "went_back"
    if (code === "CONSISTENCY_INVALID") return "rewritten"
    throw invalid(`sizes ${a.size} and ${b.size}, and nothing that shows the one not to contain the other`)
  }
  requireOtherPrefix(a, b, prefix)
  return "not_extended"
}

/** The tree of `b` had another root when it was as large as `a`. */
function requireOtherPrefix(a: TreeHead, b: TreeHead, { rootHash, proof }: PrefixProof): void {
  if (equalBytes(rootHash, a.rootHash)) throw invalid(`the tree of size ${b.size} begins with that of size ${a.size}`)
  try {
    verifyConsistency({ older: { size: a.size, rootHash }, newer: b, proof })
  } catch (cause) {
    throw invalid(`nothing shows what the tree of size ${b.size} was at size ${a.size}`, cause)
  }
}

/** The root keys vouch for closing trees: a log key must have gone on from each. */
function judgeClosing(chain: readonly KeyringNote[], claim: ForkClaim, b: SignedTree): ForkJudgement {
  const { text } = parseNote(claim.a)
  const keyring = chain.find(({ note }) => note.text === text)
  if (!keyring) throw invalid("the keyring with the closing tree is none of those in the file")
  for (const { closing } of keyring.logs) {
    if (closing === null || closing.size > b.size) continue
    try {
      compareTrees(closing, b, { ...claim, code: "LOG_INCONSISTENT" })
    } catch (error) {
      if (error instanceof ToolsumError) continue
      throw error
    }
    const a = { ...closing, kind: "closing" as const, signers: rootSigners(keyring, chain), cosigners: [] }
    return { finding: isRevoked(b) ? "revoked_key" : "closing_tree", a, b }
  }
  throw invalid(`no closing tree of keyring ${keyring.version} contradicts the tree of size ${b.size}`)
}

/** Two keyrings of one version by the keys that may sign it. `a` need not follow the chain: whoever signed it should not have. */
function judgeKeyrings(chain: readonly KeyringNote[], { a, b, code }: ForkClaim): ForkJudgement {
  const [one, two] = [partOfKeyring(chain, a), partOfKeyring(chain, b)]
  if (parseNote(a).text === parseNote(b).text) throw invalid(`both sides are the same keyring ${one.version}`)
  if (one.version !== two.version) {
    if (code === "LOG_ROLLBACK") return { finding: "went_back", a: one, b: two }
    throw invalid(`keyrings ${one.version} and ${two.version} do not contradict each other`)
  }
  return { finding: "two_keyrings", a: one, b: two }
}

function partOfKeyring(chain: readonly KeyringNote[], note: string): SignedKeyring {
  const keyring = parseKeyring(note)
  const origin = chain[0]?.origin
  if (keyring.origin !== origin) throw invalid(`keyring ${keyring.version} is of another log: ${quote(keyring.origin)}`)
  const signers = rootSigners(keyring, chain)
  if (signers.length > 0) return { kind: "keyring", version: keyring.version, signers }
  throw invalid(`keyring ${keyring.version} is not signed by the root keys that may`)
}

/** The root keys behind a keyring: those of the keyring before it, and of its own in version 1; of a version that the chain does not reach,
 *  those of the newest. None where they are fewer than that keyring wants. */
function rootSigners(keyring: KeyringNote, chain: readonly KeyringNote[]): readonly Signer[] {
  const before = keyring.version <= 1n ? chain[0] : (chain[Number(keyring.version) - 2] ?? chain.at(-1))
  if (!before) return []
  const { verified } = openNote(keyring.note, before.roots)
  const signed = before.roots.filter((root) => verified.some((key) => samePublicKey(key, root)))
  return countPublicKeys(signed) < before.rootThreshold
    ? []
    : signed.map(({ vkey }) => ({ key: vkey, standing: "root" as const }))
}

/** Check that keys of the log signed a checkpoint that they may sign, whether or not a quorum of witnesses stands behind it: what a log signs
 *  binds it. A key that a later keyring dropped is judged by the last one that lists it. Throws as `verifyCheckpoint`; KEY_NOT_VALID_AT_SIZE
 *  where no key may sign that size. */
export function openSignedTree(chain: readonly KeyringNote[], note: string): SignedTree {
  let failure: unknown = null
  for (const keyring of [...chain].reverse()) {
    try {
      return openUnder(keyring, chain, note)
    } catch (error) {
      // A key of the same name and ID in another keyring would take a good signature for a bad one.
      if (!(error instanceof ToolsumError)) throw error
      failure ??= error
    }
  }
  throw failure ?? invalid("no keyring")
}

function openUnder(keyring: KeyringNote, chain: readonly KeyringNote[], note: string): SignedTree {
  const { origin, logs, policy } = keyring
  const { checkpoint, logKeys } = verifyCheckpoint({ note, origin, keys: logs.map(({ key }) => key) })
  const signers = logKeys.flatMap((key) => signerOf(key, checkpoint, chain))
  const { size, rootHash } = checkpoint
  if (signers.length === 0)
    throw new ToolsumError("KEY_NOT_VALID_AT_SIZE", `no signature by a log key that may sign size ${size}`)
  const witnesses = [...(policy?.witnesses.values() ?? [])]
  const { verified } = openNote(note, [...logs.map(({ key }) => key), ...witnesses.map(({ key }) => key)])
  const cosigners = witnesses.filter(({ key }) => verified.includes(key)).map(({ name }) => name)
  return { kind: "head", size, rootHash, signers, cosigners }
}

function signerOf(key: VerifierKey, { size }: Checkpoint, chain: readonly KeyringNote[]): readonly Signer[] {
  const { logs = [] } = chain.findLast((keyring) => keyring.logs.some((log) => log.key.vkey === key.vkey)) ?? {}
  return logs
    .filter((log) => log.key.vkey === key.vkey && log.from <= size && (!log.closing || size <= log.closing.size))
    .map(({ closing, revoked }) => ({
      key: key.vkey,
      standing: revoked ? "revoked" : closing ? "retired" : "live",
    }))
}
