// `toolsum verify HEAD.json`: a signed tree head of a LEGION log under its keyring and a pinned root, and what third parties prove of it:
// OpenTimestamps and Rekor, offline, with Bitcoin headers or the Rekor key that the user supplies.
import { resolve } from "node:path"
import { otherDigest, verifyP256 } from "../adapters/legion-anchor-crypto.js"
import { readRegularFile } from "../adapters/regular-file.js"
import { decodeUtf8, formatHex } from "../core/bytes.js"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import type { AnchorStatus } from "../core/legion/anchor.js"
import { type BitcoinHeader, MAX_OTS_BYTES, verifyOtsAnchor } from "../core/legion/anchor-ots.js"
import { verifyRekorAnchor } from "../core/legion/anchor-rekor.js"
import { parseHeadAnswer } from "../core/legion/answers.js"
import { MAX_BITCOIN_HEADERS_BYTES, parseBitcoinHeaders } from "../core/legion/bitcoin-headers.js"
import { type LegionKeyring, MAX_LEGION_KEYRING_BYTES, verifyLegionKeyring } from "../core/legion/keyring.js"
import { type VerifiedTreeHead, verifyTreeHead } from "../core/legion/tree-head.js"
import type { PinnedRoot } from "../core/root.js"
import { type ExitCode, worstExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { collectRoots } from "./project.js"
import { formatSec } from "./render.js"
import { printDocument } from "./report-json.js"
import { showWord } from "./shell-words.js"
import { withVendorRoots } from "./vendor-roots.js"

/** Largest file with a head. */
export const MAX_HEAD_BYTES = 64 * 1024
const MAX_KEY_BYTES = 16 * 1024

/** A head and who vouches for it. */
interface ProvenHead {
  readonly head: VerifiedTreeHead
  readonly keyring: LegionKeyring
  /** Null where no root of the user's starts the keyring: then nothing is proven. */
  readonly root: PinnedRoot | null
}

/** A proof by third parties, and what it is worth. */
export interface Anchor {
  readonly file: string
  readonly status: AnchorStatus
}

/** Judge every `--anchors` file: by that of the heads which it is about, since it does not say which. */
export function judgeAnchors(
  heads: readonly VerifiedTreeHead[],
  keyring: LegionKeyring,
  options: Options,
  io: Io,
): readonly Anchor[] {
  const read = (path: string, maxBytes: number) => readInput(path, maxBytes, io)
  const supplied = readSupplied(options, read)
  return options.values("anchors").map((file) => {
    const bytes = read(file, MAX_OTS_BYTES)
    const judged = heads.map((head) => judgeAnchor(bytes, { head, keyring }, supplied))
    const best = judged.reduce((a, b) => (RANK.indexOf(b.status) > RANK.indexOf(a.status) ? b : a))
    return { file, status: best }
  })
}

const RANK: readonly AnchorStatus["status"][] = ["failed", "unverified", "pending", "verified"]

/** What anchors end with. */
export const exitCodesOfAnchors = (anchors: readonly Anchor[]): readonly ExitCode[] =>
  anchors.map(({ status }) => EXIT_BY_STATUS[status.status])

/** Prove one head and its anchors and print it. Throws what proves the head wrong, and USAGE without a keyring. */
export async function verifyLegionHead(file: string, options: Options, io: Io): Promise<ExitCode> {
  const read = (path: string, maxBytes: number) => readInput(path, maxBytes, io)
  const keyringFile = options.value("keyring")
  if (keyringFile === null)
    throw new ToolsumError("USAGE", "a signed head is proven with the log's keyring: --keyring keyring.jsonl")
  const keyring = verifyLegionKeyring({ text: decode(read(keyringFile, MAX_LEGION_KEYRING_BYTES)) })
  const head = verifyTreeHead(keyring, parseHeadAnswer(read(file, MAX_HEAD_BYTES)))
  const roots = withVendorRoots(await collectRoots(options, io), null)
  // A head does not say of which log it is: a root of any name may be its.
  const root = roots.find(({ fingerprint }) => fingerprint === keyring.rootPin) ?? null
  const proven = { head, keyring, root }
  const anchors = judgeAnchors([head], keyring, options, io)
  const exitCode = worstExitCode([root === null ? 2 : 0, ...exitCodesOfAnchors(anchors)])
  if (options.flag("json")) print(proven, anchors, exitCode, io)
  else if (!options.flag("quiet") || exitCode !== 0) show(proven, anchors, io)
  return exitCode
}

/** An anchor that cannot be checked yet, or not from here, is no evidence against the head, and none for it. */
const EXIT_BY_STATUS: Readonly<Record<AnchorStatus["status"], ExitCode>> = {
  verified: 0,
  pending: 2,
  unverified: 2,
  failed: 3,
}

/** Bytes of a file that was named. Throws FILE_MISSING, PROOF_MALFORMED for too many. */
export function readInput(path: string, maxBytes: number, io: Io): Uint8Array {
  const bytes = readRegularFile(resolve(io.cwd, path), { maxBytes, code: "PROOF_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a file at ${quote(path, 400)}`)
  return bytes
}

const decode = (bytes: Uint8Array): string => decodeUtf8(bytes, (why) => new ToolsumError("PROOF_MALFORMED", why))

/** What the user has from elsewhere. */
interface Supplied {
  readonly headers: ReadonlyMap<bigint, BitcoinHeader>
  /** PEM. */
  readonly rekorKey: string | null
}

function readSupplied(options: Options, read: (path: string, maxBytes: number) => Uint8Array): Supplied {
  const [headers, key] = [options.value("bitcoin-headers"), options.value("rekor-key")]
  return {
    headers: headers === null ? new Map() : parseBitcoinHeaders(read(headers, MAX_BITCOIN_HEADERS_BYTES)),
    rekorKey: key === null ? null : decode(read(key, MAX_KEY_BYTES)),
  }
}

/** A Rekor entry is a JSON object, everything else is taken for the other kind. */
function judgeAnchor(
  bytes: Uint8Array,
  { head, keyring }: { head: VerifiedTreeHead; keyring: LegionKeyring },
  supplied: Supplied,
): AnchorStatus {
  const { headers, rekorKey } = supplied
  if (!/^\s*\{/.test(new TextDecoder().decode(bytes.subarray(0, 64))))
    return verifyOtsAnchor({ artifact: head.signed, ots: bytes, headers, digest: otherDigest })
  if (rekorKey === null)
    return { status: "unverified", detail: "the key of the Rekor log was not supplied: --rekor-key" }
  const issuerKey = keyring.keys.get(head.issuerPin)?.publicKey
  if (!issuerKey) throw new ToolsumError("SIGNATURE_INVALID", "the head's key is not in the keyring") // verified with it
  return verifyRekorAnchor({ artifact: head.signed, entry: bytes, rekorKey, issuerKey, verifyP256 })
}

const nameOf = ({ root, keyring }: ProvenHead): string => root?.name ?? keyring.rootPin

function print(proven: ProvenHead, anchors: readonly Anchor[], exitCode: ExitCode, io: Io): void {
  const { head, keyring, root } = proven
  const log = { log: nameOf(proven), fingerprint: keyring.rootPin, source: root?.source ?? null }
  printDocument(io, {
    ...{ command: "verify", exitCode, roots: [log] },
    ...(root ? { verdict: "PROVEN", reason: null } : { verdict: "UNKNOWN", reason: "root_not_pinned" }),
    head: { size: String(head.size), rootHash: formatHex(head.rootHash), timestamp: head.timestamp },
    anchors: anchorMembers(anchors),
  })
}

/** Anchors as members of a document. */
export const anchorMembers = (anchors: readonly Anchor[]): readonly JsonValue[] =>
  anchors.map(({ file, status }): JsonValue => ({ file, ...anchorMember(status) }))

const anchorMember = (status: AnchorStatus): { readonly [name: string]: JsonValue } => ({
  status: status.status,
  detail: status.detail,
  time: status.status === "verified" ? formatSec(status.timeSec) : null,
})

function show(proven: ProvenHead, anchors: readonly Anchor[], io: Io): void {
  const { head, root, keyring } = proven
  const what = `head ${head.size} of ${showWord(nameOf(proven))}, ${formatHex(head.rootHash)}`
  io.stdout(
    root === null
      ? `UNKNOWN  root_not_pinned: ${what}: its keyring starts from ${keyring.rootPin}\n`
      : `PROVEN  ${what}, by its own clock ${escapeInvisible(head.timestamp)}\n`,
  )
  showAnchors(anchors, io)
}

/** Say what each anchor is worth, a line each. */
export function showAnchors(anchors: readonly Anchor[], io: Io): void {
  for (const { file, status } of anchors) io.stdout(`    ${showWord(file)}: ${describeAnchor(status)}\n`)
  if (anchors.some(({ status }) => status.status === "verified"))
    io.stdout("    by the headers and keys that you supplied: they are believed, no proof of work is checked\n")
}

function describeAnchor(status: AnchorStatus): string {
  const detail = escapeInvisible(status.detail)
  switch (status.status) {
    case "verified":
      return `existed at ${formatSec(status.timeSec)}, ${detail}`
    case "unverified":
      return `not checked: ${detail}`
    default:
      return `${status.status}: ${detail}`
  }
}
