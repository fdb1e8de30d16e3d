// Proof files `.tlog-proof` (C2SP tlog-proof@v1, brief 1.6): index, inclusion proof and checkpoint of one entry, checkable offline.
// `verifyProofFile` does every step: signatures, quorum, inclusion; the trust comes from the caller, never from the file.
import { decodeUtf8, formatBase64, parseBase64, parseDecimal } from "./bytes.js"
import { parseHash, verifyCheckpoint } from "./checkpoint.js"
import type { Cosignature } from "./cosignature.js"
import { type Bad, ToolsumError } from "./errors.js"
import { type Hash, hashLeaf } from "./hash.js"
import type { VerifiedKeyring } from "./keyring.js"
import { type TreeHead, verifyInclusion } from "./merkle.js"
import { MAX_NOTE_BYTES } from "./note.js"
import type { Policy } from "./policy.js"
import { verifyHead } from "./tree-heads.js"
import type { VerifierKey } from "./vkey.js"

/** Most hashes of a proof: no tree needs more. */
export const MAX_PROOF_HASHES = 63
/** Most bytes of extra data: an entry of any log fits. */
export const MAX_EXTRA_BYTES = 96 * 1024
/** Longest file. */
export const MAX_PROOF_FILE_BYTES = MAX_NOTE_BYTES + (MAX_EXTRA_BYTES / 3) * 4 + MAX_PROOF_HASHES * 45 + 1024

const HEADER = "c2sp.org/tlog-proof@v1"

/** What a proof file says; nothing is verified. */
export interface ProofFile {
  /** Opaque, not authenticated by itself. toolsum puts the entry there. Null when there is none: an empty one has no spelling. */
  readonly extra: Uint8Array | null
  readonly index: bigint
  /** Sibling hashes, leaf side first. */
  readonly proof: readonly Hash[]
  /** The checkpoint's note, verbatim. */
  readonly checkpoint: string
}

/** What the caller trusts: a log's keyring, whose fingerprint was compared with a pinned root; or keys, a policy, or both, for an
 *  origin. A policy without keys: its own log keys of that origin. `witnessPolicy`: what the checkpoint must meet beside its keyring's. */
export type ProofTrust =
  | { readonly keyring: VerifiedKeyring; readonly witnessPolicy?: Policy | null }
  | { readonly origin: string; readonly keys?: readonly VerifierKey[]; readonly policy?: Policy | null }

/** What is proven: `entry` is number `index` of the tree `head` of the log `origin`. */
export interface VerifiedProof {
  readonly origin: string
  readonly entry: Uint8Array
  readonly index: bigint
  readonly head: TreeHead
  /** Good cosignatures by known witnesses, one per line: one witness may have several times. */
  readonly cosignatures: readonly Cosignature[]
}

const malformed: Bad = (why) => new ToolsumError("PROOF_MALFORMED", why)

/** Read a proof file; the checkpoint is only cut out. Throws PROOF_MALFORMED. */
export function parseProofFile(input: Uint8Array | string): ProofFile {
  if (input.length > MAX_PROOF_FILE_BYTES) throw malformed("proof file too long")
  const file = typeof input === "string" ? input : decodeUtf8(input, malformed)
  const split = file.indexOf("\n\n")
  if (split < 0) throw malformed("expected an empty line before the checkpoint")
  const lines = file.slice(0, split).split("\n")
  if (lines.shift() !== HEADER) throw malformed(`expected ${HEADER}`)
  const extra = lines[0]?.startsWith("extra ") ? readExtra(lines.shift()?.slice(6) ?? "") : null
  const index = lines.shift()
  if (!index?.startsWith("index ")) throw malformed("expected an index line")
  if (lines.length > MAX_PROOF_HASHES) throw malformed(`more than ${MAX_PROOF_HASHES} hashes`)
  return {
    extra,
    index: parseDecimal(index.slice(6), malformed),
    proof: lines.map((line) => parseHash(line, malformed)),
    checkpoint: file.slice(split + 2),
  }
}

/** Exact inverse of `parseProofFile`. Throws PROOF_MALFORMED for extra data that is empty or too long, and too many hashes. */
export function formatProofFile({ extra, index, proof, checkpoint }: ProofFile): string {
  if (proof.length > MAX_PROOF_HASHES) throw malformed(`more than ${MAX_PROOF_HASHES} hashes`)
  const lines = [
    HEADER,
    ...(extra === null ? [] : [`extra ${formatBase64(requireExtra(extra))}`]),
    `index ${index}`,
    ...proof.map(formatBase64),
  ]
  return `${lines.join("\n")}\n\n${checkpoint}`
}

/** Prove one entry from a proof file and the caller's trust. `entry`: the bytes that should be in the log; when left out they are the
 *  file's extra data, and only those in the result are proven. With `nowSec` (POSIX seconds) cosignatures from further in the future
 *  than DEFAULT_SKEW_SEC do not count for a quorum. Throws PROOF_MALFORMED, INCLUSION_INVALID, HEAD_UNPROVEN (signed by
 *  a retired key below its closing tree: a link is needed), and what `verifyCheckpoint` and `verifyHead` throw. */
export function verifyProofFile(
  p: { file: Uint8Array | string; entry?: Uint8Array; nowSec?: bigint } & ProofTrust,
): VerifiedProof {
  const { extra, index, proof, checkpoint } = parseProofFile(p.file)
  const entry = p.entry ?? extra
  if (!entry) throw malformed("expected the entry: none was given and the file has no extra data")
  const { origin, head, cosignatures } = openCheckpoint(checkpoint, p)
  verifyInclusion({ leafHash: hashLeaf(entry), index, proof, head })
  return { origin, entry, index, head, cosignatures }
}

type OpenedCheckpoint = Pick<VerifiedProof, "origin" | "head" | "cosignatures">

function openCheckpoint(note: string, trust: ProofTrust & { nowSec?: bigint }): OpenedCheckpoint {
  if ("keyring" in trust) return openUnderKeyring({ ...trust, note })
  const { checkpoint, note: opened } = verifyCheckpoint({ note, ...trust })
  const { origin, size, rootHash } = checkpoint
  return { origin, head: { size, rootHash }, cosignatures: opened.cosignatures }
}

function openUnderKeyring(p: {
  keyring: VerifiedKeyring
  witnessPolicy?: Policy | null
  note: string
  nowSec?: bigint
}): OpenedCheckpoint {
  const { origin, size, rootHash, state, note } = verifyHead(p)
  if (state === "unproven") {
    throw new ToolsumError("HEAD_UNPROVEN", `head of size ${size} is signed by a retired key, and nothing links it`)
  }
  return { origin, head: { size, rootHash }, cosignatures: note.cosignatures }
}

const readExtra = (field: string): Uint8Array => requireExtra(parseBase64(field, malformed))

function requireExtra(extra: Uint8Array): Uint8Array {
  if (extra.length === 0 || extra.length > MAX_EXTRA_BYTES)
    throw malformed(`expected 1 to ${MAX_EXTRA_BYTES} bytes of extra data`)
  return extra
}
