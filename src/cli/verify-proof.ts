// `toolsum verify FILE.tlog-proof`: one entry of a log, proven offline under a policy file, or under the keyring that the lockfile has
// for that log and a pinned root.
import { resolve } from "node:path"
import { readRegularFile } from "../adapters/regular-file.js"
import { parseCheckpoint } from "../core/checkpoint.js"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import { verifyKeyring } from "../core/keyring.js"
import { parseNote } from "../core/note.js"
import { parsePolicy } from "../core/policy.js"
import { MAX_PROOF_FILE_BYTES, type ProofTrust, parseProofFile, verifyProofFile } from "../core/proof-file.js"
import { matchRoot } from "../core/root.js"
import type { ExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import type { CommandLine, Options } from "./options.js"
import {
  announceWitnessPolicy,
  collectRoots,
  collectWitnessPolicy,
  findProjectLockfile,
  witnessPolicyMembers,
} from "./project.js"
import { printDocument } from "./report-json.js"
import { decodeEntry, showEntry } from "./terminal-text.js"

/** Prove the entry of one proof file and print it. Throws what proves it wrong. */
export async function verifyProof(path: string, { options }: CommandLine, io: Io): Promise<ExitCode> {
  await announceWitnessPolicy(options, io)
  const file = await readInput(path, io)
  const entryFile = options.value("entry")
  const entry = entryFile === null ? {} : { entry: await readInput(entryFile, io) }
  const proven = verifyProofFile({
    file,
    ...entry,
    nowSec: BigInt(io.nowSec()),
    ...(await findTrust(file, options, io)),
  })
  const { origin, index, head } = proven
  if (options.flag("json")) {
    const place = { origin, size: String(head.size), index: String(index), cosignatures: proven.cosignatures.length }
    const members = { ...place, entry: decodeEntry(proven.entry), ...(await witnessPolicyMembers(options, io)) }
    printDocument(io, { command: "verify", exitCode: 0, verdict: "PROVEN", ...members })
  } else if (!options.flag("quiet")) {
    const place = `leaf ${index} of ${escapeInvisible(origin)} at head ${head.size}`
    io.stdout(`PROVEN  ${place}, ${proven.cosignatures.length} cosignatures\n${showEntry(proven.entry)}`)
  }
  return 0
}

async function readInput(path: string, io: Io): Promise<Uint8Array> {
  const bytes = await readRegularFile(resolve(io.cwd, path), {
    maxBytes: MAX_PROOF_FILE_BYTES,
    code: "PROOF_MALFORMED",
  })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a file at ${quote(path)}`)
  return bytes
}

/** A policy that was given, or the lockfile's keyring under a pinned root. Throws ROOT_NOT_PINNED when there is neither. */
async function findTrust(file: Uint8Array, options: Options, io: Io): Promise<ProofTrust> {
  const { origin } = parseCheckpoint(parseNote(parseProofFile(file).checkpoint).text)
  const policy = options.value("policy")
  const witnessPolicy = await collectWitnessPolicy(options, io)
  if (policy !== null && witnessPolicy !== null)
    throw new ToolsumError("USAGE", "expected one of --policy and --witness-policy, which goes with a keyring")
  if (policy !== null) return { origin, policy: parsePolicy(await readInput(policy, io)) }
  const lockfile = await (await findProjectLockfile(options, io)).read()
  const notes = lockfile?.logs[origin]?.keyring
  if (notes === undefined) {
    throw new ToolsumError(
      "ROOT_NOT_PINNED",
      `nothing here has the keys of ${quote(origin)}: give --policy, or a lockfile with that log and --root`,
    )
  }
  const keyring = verifyKeyring({ notes, origin })
  matchRoot(keyring, await collectRoots(options, io))
  return { keyring, witnessPolicy }
}
