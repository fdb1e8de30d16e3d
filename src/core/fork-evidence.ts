// Evidence of a log's misbehaviour as a file, `.tlog-fork` (FORMAT.md 20): two signed statements of one log that cannot both be an honest
// log's, what shows that, and the keyrings to check them with. Whoever has the log's root proves it offline, from the file's own bytes.
import { formatBase64, parseBase64 } from "./bytes.js"
import { parseCheckpoint, parseHash } from "./checkpoint.js"
import { type Bad, ToolsumError } from "./errors.js"
import {
  FORK_CODES,
  type ForkCode,
  type ForkFinding,
  isKeyringNote,
  isProvenFinding,
  judgeFork,
  type PrefixProof,
  type SignedPart,
} from "./fork-proof.js"
import { computeTextDigest } from "./hash.js"
import { isArray, isObject, type JsonObject, type JsonValue, parseJson } from "./json.js"
import { MAX_KEYRINGS, parseKeyring, verifyKeyring } from "./keyring.js"
import { judgeLegionFork } from "./legion/fork.js"
import { parseLegionJson } from "./legion/json.js"
import { verifyLegionKeyring } from "./legion/keyring.js"
import { parseSignedTreeHead } from "./legion/tree-head.js"
import { checkMembers, readText } from "./lockfile-reader.js"
import { joinHashes, splitHashes } from "./merkle.js"
import { parseNote } from "./note.js"
import { matchRoot, type PinnedRoot } from "./root.js"

export type { ForkCode, ForkFinding, PrefixProof, SignedKeyring, SignedPart, SignedTree, Signer } from "./fork-proof.js"

/** `format` of an evidence file. */
export const FORK_FORMAT = "toolsum-fork/v1"

/** An evidence file as read; nothing of it is verified. */
export interface ForkEvidence {
  readonly code: ForkCode
  /** Name of the log. Notes say it too; heads of a LEGION log do not. */
  readonly origin: string
  /** Words of whoever kept it. */
  readonly why: string
  /** The statement of the smaller tree, or the first of two of one size or version, verbatim: a note, or a LEGION head as JSON text. */
  readonly a: string
  readonly b: string
  /** What the tree of `b` was at the size of `a`. */
  readonly prefix: PrefixProof | null
  /** Keyring notes from 1; of a LEGION log the one text of its keyring. Empty in files of early versions: nobody can check those. */
  readonly keyrings: readonly string[]
}

/** What evidence shows under a pinned root. */
export interface VerifiedFork {
  readonly origin: string
  /** The pinned root that starts the keyrings. */
  readonly root: PinnedRoot
  readonly finding: ForkFinding
  /** True for misbehaviour by what is signed; false where that takes the word of whoever kept the file. */
  readonly isProven: boolean
  readonly a: SignedPart
  readonly b: SignedPart
  /** Version of the newest keyring in the file; null for a LEGION log. A later one may revoke a key. */
  readonly keyringVersion: bigint | null
  /** `keyring_expired`. */
  readonly warnings: readonly string[]
}

const malformed: Bad = (why) => new ToolsumError("EVIDENCE_MALFORMED", why)

/** The evidence that an error carries, or null: only one of `FORK_CODES` with both sides in it has any. Throws EVIDENCE_MALFORMED. */
export function forkEvidenceOf({ code, message, evidence = {} }: ToolsumError, origin: string): ForkEvidence | null {
  const known = FORK_CODES.find((one) => one === code)
  if (known === undefined || evidence.a === undefined || evidence.b === undefined) return null
  return readEvidence({ keyrings: "[]", ...evidence, format: FORK_FORMAT, code, origin, why: message })
}

/** Read an evidence file. Throws EVIDENCE_MALFORMED. */
export function parseForkEvidence(input: Uint8Array | string): ForkEvidence {
  const document = asMalformed(() => parseJson(input))
  if (!isObject(document)) throw malformed("expected an object")
  return readEvidence({ keyrings: "[]", ...document })
}

/** The readers that lockfiles share have the lockfile's code. */
function asMalformed<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ToolsumError) || error.code === "EVIDENCE_MALFORMED") throw error
    throw new ToolsumError("EVIDENCE_MALFORMED", error.message, { cause: error })
  }
}

const MEMBERS = {
  required: ["format", "code", "origin", "why", "a", "b", "keyrings"],
  optional: ["prefixRoot", "proof"],
}

const readEvidence = (document: JsonObject): ForkEvidence => asMalformed(() => readMembers(document))

function readMembers(document: JsonObject): ForkEvidence {
  if (document.format !== FORK_FORMAT)
    throw malformed(`expected the format "${FORK_FORMAT}": another or newer format than this version reads`)
  checkMembers(document, "", MEMBERS)
  const code = FORK_CODES.find((one) => one === document.code)
  if (code === undefined) throw malformed(`expected one of ${FORK_CODES.join(", ")} as code`)
  const text = (name: string) => readText(document, name, "")
  const [a, b] = [text("a"), text("b")]
  if (isLegionHead(a) !== isLegionHead(b)) throw malformed("expected two statements of one dialect")
  return {
    ...{ code, origin: text("origin"), why: text("why"), a, b },
    prefix: readPrefix(document),
    keyrings: readKeyrings(text("keyrings")),
  }
}

const isLegionHead = (statement: string): boolean => statement.startsWith("{")

function readPrefix(document: JsonObject): PrefixProof | null {
  if (document.prefixRoot === undefined && document.proof === undefined) return null
  return {
    rootHash: parseHash(readText(document, "prefixRoot", ""), malformed),
    proof: splitHashes(parseBase64(readText(document, "proof", ""), malformed), malformed),
  }
}

/** JSON in JSON: an error carries its evidence as texts, and the file has them as they are. */
function readKeyrings(text: string): readonly string[] {
  const list: JsonValue = parseJson(text)
  if (!isArray(list) || list.length > MAX_KEYRINGS || !list.every((note) => typeof note === "string"))
    throw malformed(`expected keyrings to be the JSON text of a list of at most ${MAX_KEYRINGS} texts`)
  return list
}

/** The text of an evidence file; `parseForkEvidence` gives the same evidence back. */
export function formatForkEvidence({ code, origin, why, a, b, prefix, keyrings }: ForkEvidence): string {
  const shown = prefix && {
    prefixRoot: formatBase64(prefix.rootHash),
    proof: formatBase64(joinHashes(prefix.proof)),
  }
  const document = { format: FORK_FORMAT, code, origin, why, a, b, ...shown, keyrings: JSON.stringify(keyrings) }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** What the file is called: `<16 hex of the origin's SHA-256>-<place>-<place>.tlog-fork`; a place is a tree size, or `k` and the version of a
 *  keyring. Throws what reading the two statements throws. */
export function nameForkEvidence({ origin, a, b }: ForkEvidence): string {
  const id = computeTextDigest(origin).slice("sha256:".length, "sha256:".length + 16)
  return `${id}-${placeOf(a)}-${placeOf(b)}.tlog-fork`
}

function placeOf(statement: string): string {
  if (isLegionHead(statement)) return String(parseSignedTreeHead(parseLegionJson(statement)).size)
  if (isKeyringNote(statement)) return `k${parseKeyring(statement).version}`
  return String(parseCheckpoint(parseNote(statement).text).size)
}

/** Prove what an evidence file shows, under roots from outside of it. `nowSec` (POSIX seconds) is for the expiry of keyrings only.
 *  Throws EVIDENCE_INVALID where a key, a signature or a proof does not hold or nothing is contradicted, EVIDENCE_MALFORMED for what cannot
 *  be read, ROOT_NOT_PINNED (with the fingerprint to compare), ROOT_MISMATCH, KEYRING_INVALID for a floor. */
export function verifyForkEvidence(p: {
  evidence: ForkEvidence
  roots: readonly PinnedRoot[]
  nowSec: bigint
}): VerifiedFork {
  const { evidence } = p
  if (evidence.keyrings.length === 0) throw malformed("the file has no keyrings to check its two sides with")
  const verified = isLegionHead(evidence.a) ? verifyLegion(p) : verifyNotes(p)
  return { ...verified, isProven: isProvenFinding(verified.finding) }
}

type Verified = Omit<VerifiedFork, "isProven">

function verifyNotes({ evidence, roots, nowSec }: Parameters<typeof verifyForkEvidence>[0]): Verified {
  const { origin, keyrings } = evidence
  const keyring = asEvidence("its keyrings: ", () => verifyKeyring({ notes: keyrings, origin, nowSec }))
  const root = matchRoot(keyring, roots)
  const judged = asEvidence("", () => judgeFork(keyring.chain, evidence))
  return { ...judged, origin, root, keyringVersion: keyring.newest.version, warnings: keyring.warnings }
}

function verifyLegion({ evidence, roots }: Parameters<typeof verifyForkEvidence>[0]): Verified {
  const { origin, keyrings } = evidence
  const [text = "", ...more] = keyrings
  if (more.length > 0) throw malformed("expected one keyring of a LEGION log")
  const keyring = asEvidence("its keyring: ", () => verifyLegionKeyring({ text }))
  const root = matchRoot({ origin, fingerprint: keyring.rootPin, requireFloor: () => {} }, roots)
  const judged = asEvidence("", () => judgeLegionFork(keyring, evidence))
  return { ...judged, origin, root, keyringVersion: null, warnings: [] }
}

/** What refutes a part of the evidence refutes the evidence; what makes a part unreadable makes the file so. `where`: the part. */
function asEvidence<T>(where: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    const code = error.kind === "malformed" ? "EVIDENCE_MALFORMED" : "EVIDENCE_INVALID"
    const says = code === "EVIDENCE_INVALID" ? "does not hold" : "cannot be read"
    throw new ToolsumError(code, `the evidence ${says}: ${where}${error.message}`, { cause: error })
  }
}
