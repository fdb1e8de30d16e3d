// `toolsum verify FILE.tlog-fork`: what evidence of a log's misbehaviour shows, offline, under a root from outside of it, and in words for
// somebody who has nothing else of that log. Exit code 1: the evidence holds, which is a finding about the log, no success of it.
import { resolve } from "node:path"
import { readRegularFile } from "../adapters/regular-file.js"
import { formatBase64, formatHex } from "../core/bytes.js"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import {
  type ForkEvidence,
  type ForkFinding,
  parseForkEvidence,
  type SignedPart,
  type Signer,
  type VerifiedFork,
  verifyForkEvidence,
} from "../core/fork-evidence.js"
import { type JsonValue, MAX_JSON_BYTES } from "../core/json.js"
import type { PinnedRoot } from "../core/root.js"
import type { ExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { loadPaint, type Paint } from "./paint.js"
import { collectRoots } from "./project.js"
import { printDocument } from "./report-json.js"
import { showWord } from "./shell-words.js"
import { describeWarning } from "./warnings.js"

/** Prove one evidence file and print what it proves. Throws FILE_MISSING, ROOT_NOT_PINNED with what to do, and as `verifyForkEvidence`. */
export async function verifyForkFile(file: string, options: Options, io: Io): Promise<ExitCode> {
  const evidence = readForkFile(resolve(io.cwd, file))
  const roots = await collectForkRoots(evidence, options, io)
  const fork = explainRoot(() => verifyForkEvidence({ evidence, roots, nowSec: BigInt(io.nowSec()) }))
  const exitCode = exitCodeOfFork(fork)
  if (options.flag("json")) printDocument(io, { command: "verify", exitCode, ...forkMembers(fork) })
  else {
    for (const warning of fork.warnings) io.stderr(`warning: ${describeWarning(warning)}\n`)
    if (!options.flag("quiet") || exitCode !== 0) io.stdout(renderFork(fork, evidence, await loadPaint(io.colour)))
  }
  return exitCode
}

/** 1: the log, or its root keys, did it; 2: what is signed leaves it open. */
export const exitCodeOfFork = ({ isProven }: Pick<VerifiedFork, "isProven">): ExitCode => (isProven ? 1 : 2)

/** Read an evidence file at an absolute path. Throws FILE_MISSING, EVIDENCE_MALFORMED. */
function readForkFile(path: string): ForkEvidence {
  const bytes = readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "EVIDENCE_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a file at ${quote(path, 400)}`)
  return parseForkEvidence(bytes)
}

/** The user's roots, and the shipped one of a known LEGION log. */
async function collectForkRoots({ a, origin }: ForkEvidence, options: Options, io: Io): Promise<readonly PinnedRoot[]> {
  const roots = await collectRoots(options, io)
  if (!a.startsWith("{")) return roots
  return (await import("./vendor-roots.js")).withVendorRoots(roots, [origin])
}

function explainRoot<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ToolsumError) || error.code !== "ROOT_NOT_PINNED") throw error
    const advice = "compare that with the log's owner or with a lockfile you have, then give it with --root"
    throw new ToolsumError(error.code, `${error.message}; ${advice}`, { cause: error })
  }
}

const NOT_WHO = "who that was or when, which of the two is the true one, or that no key was stolen"

/** What a finding proves, and what it does not, for a third party. */
const MEANING: Readonly<Record<ForkFinding, { readonly proves: string; readonly not: string }>> = {
  two_trees: {
    proves: "whoever holds these keys signed two histories of one log; an honest log has one",
    not: NOT_WHO,
  },
  not_extended: {
    proves:
      "whoever holds these keys signed two histories of one log: the larger tree had another root at the smaller size",
    not: NOT_WHO,
  },
  closing_tree: {
    proves: "a log key went on from another tree than the one that the root keys vouch for",
    not: NOT_WHO,
  },
  two_keyrings: {
    proves: "whoever holds the root keys gave this log two lists of keys",
    not: "who that was or when, or which list is the true one",
  },
  revoked_key: {
    proves: "a key that the root keys have revoked signed a tree that contradicts the log's",
    not: "that the log's owner did: a revoked key may have been stolen",
  },
  went_back: {
    proves: "the log signed both",
    not: "that it served the smaller one after the larger one: every log has signed smaller trees, so that this is the word of whoever kept the file",
  },
  rewritten: {
    proves: "the log signed both",
    not: "that the larger tree does not begin with the smaller one: that the log could not show it is the word of whoever kept the file",
  },
}

function headlineOf({ finding, a, b }: VerifiedFork): string {
  const [one, two] = [placeOf(a), placeOf(b)]
  switch (finding) {
    case "two_trees":
      return `signed two trees of ${one}`
    case "not_extended":
      return `signed a tree of ${two} that does not contain the one of ${one} that it signed`
    case "closing_tree":
      return `signed a tree of ${two} without the tree of ${one} that its root keys closed a key with`
    case "two_keyrings":
      return `has two keyrings of ${one}, both signed by its root keys`
    case "revoked_key":
      return `trees of ${one} and ${two} contradict each other, and only a revoked key stands behind one of them`
    case "went_back":
      return `${one} is said to have been served after ${two}`
    case "rewritten":
      return `the tree of ${two} is said not to begin with that of ${one}`
  }
}

const placeOf = (part: SignedPart): string =>
  part.kind === "keyring" ? `version ${part.version}` : `size ${part.size}`

function renderFork(fork: VerifiedFork, { why }: ForkEvidence, paint: Paint): string {
  const { proves, not } = MEANING[fork.finding]
  const word = fork.isProven ? paint.red("PROVEN") : paint.yellow("UNPROVEN")
  const both = cosignedBoth(fork)
  const upTo =
    fork.keyringVersion === null ? "" : ` Keyrings up to version ${fork.keyringVersion}; a later one may revoke a key.`
  const lines = [
    ...[fork.a, fork.b].flatMap((part, i) => describePart(i === 0 ? "a" : "b", part, fork)),
    ...(both.length > 0 ? [`cosigned both: ${both.map(showWord).join(", ")}`] : []),
    `proven: ${proves}`,
    `not proven: ${not}`,
    ...(fork.isProven ? [] : [`kept because: ${quote(why, 300)}`]),
    `root ${fork.root.fingerprint} (${fork.root.source}): compare it with what the log's owner published.${upTo}`,
  ]
  return `${word}  ${showWord(fork.origin)}: ${headlineOf(fork)}\n${lines.map((line) => `    ${line}\n`).join("")}`
}

/** Witnesses that vouched for both sides, which none should. */
function cosignedBoth({ a, b, isProven }: VerifiedFork): readonly string[] {
  if (a.kind === "keyring" || b.kind === "keyring" || !isProven) return []
  const { cosigners } = b
  return a.cosigners.filter((name) => cosigners.includes(name))
}

function describePart(name: string, part: SignedPart, fork: VerifiedFork): readonly string[] {
  const what = part.kind === "keyring" ? `keyring ${part.version}` : `size ${part.size}, root ${showRoot(part, fork)}`
  return [`${name}: ${what}`, ...part.signers.map((signer) => `   signed by ${showSigner(signer)}`)]
}

/** A root hash as the statement spells it. */
const showRoot = ({ rootHash }: { readonly rootHash: Uint8Array }, { keyringVersion }: VerifiedFork): string =>
  keyringVersion === null ? formatHex(rootHash) : formatBase64(rootHash)

const STANDING: Readonly<Record<Signer["standing"], string>> = {
  live: "a key in use",
  retired: "a key that was retired later",
  revoked: "a revoked key",
  root: "a root key",
}

const showSigner = ({ key, standing }: Signer): string => `${escapeInvisible(key)}, ${STANDING[standing]}`

function forkMembers(fork: VerifiedFork): { readonly [member: string]: JsonValue } {
  const { origin, root, finding, isProven, keyringVersion, warnings } = fork
  return {
    roots: [{ log: origin, fingerprint: root.fingerprint, source: root.source }],
    verdict: isProven ? "PROVEN" : "UNPROVEN",
    ...{ origin, finding },
    sides: [fork.a, fork.b].map(partMember),
    cosignedBoth: [...cosignedBoth(fork)],
    keyringVersion: keyringVersion === null ? null : `${keyringVersion}`,
    ...{ proven: MEANING[finding].proves, notProven: MEANING[finding].not, warnings: [...warnings] },
  }
}

function partMember(part: SignedPart): JsonValue {
  const signers = part.signers.map(({ key, standing }) => ({ key, standing }))
  if (part.kind === "keyring") return { kind: part.kind, version: `${part.version}`, signers }
  const { kind, size, rootHash, cosigners } = part
  return { kind, size: `${size}`, rootHash: formatHex(rootHash), signers, cosigners: [...cosigners] }
}
