// `toolsum log create|append|proof|cat|path`: the owner's side of a log, and one entry of it with its proof.
import { resolve } from "node:path"
import { createDirLog } from "../../adapters/log-dir.js"
import { readRegularFile } from "../../adapters/regular-file.js"
import type { LogClient } from "../../client/open-log.js"
import type { ProvenEntry } from "../../client/prove.js"
import { formatBase64, parseDecimal } from "../../core/bytes.js"
import { escapeInvisible, quote, ToolsumError } from "../../core/errors.js"
import { formatProofFile, MAX_PROOF_FILE_BYTES } from "../../core/proof-file.js"
import { MAX_OBSERVATIONS_BYTES, parseObservations } from "../../features/observation-file.js"
import type { Submission } from "../../writer/submission.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember } from "../dry-run.js"
import { PROOF_FILE } from "../file-kind.js"
import type { Io } from "../io.js"
import { requireLogKeys } from "../local-keys.js"
import {
  findLogFolder,
  LOG_OPTIONS,
  openLogForReading,
  openLogForWriting,
  peekLog,
  proveEntry,
  refuseWorkTree,
} from "../logs.js"
import type { Options } from "../options.js"
import { writeOutput } from "../output-file.js"
import { ROOT_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"
import { decodeEntry, showEntry } from "../terminal-text.js"

export const logPathCommand: CommandSpec = {
  usage: "log path",
  words: [0, 0],
  options: [...LOG_OPTIONS],
  run: async ({ options }, io) => {
    const folder = findLogFolder(options, io)
    const log = await peekLog(folder)
    if (log === null)
      throw new ToolsumError("LOG_UNAVAILABLE", `there is no log in ${quote(folder)} yet; toolsum init makes one`)
    if (options.flag("json"))
      printDocument(io, { command: "log path", exitCode: 0, log: folder, origin: log.origin, root: log.fingerprint })
    else io.stdout(`${escapeInvisible(folder)}\n`)
    return 0
  },
}

export const logAppendCommand: CommandSpec = {
  usage: "log append <file> [--raw]",
  words: [1, 1],
  options: [
    ...LOG_OPTIONS,
    ["--raw", "Append the file as one entry of another type, as it is"],
    ["--fail-open", "Publish without the quorum of the log's policy too; readers under that policy refuse such a head"],
    ...DRY_RUN_OPTIONS,
  ],
  run: async ({ words: [file = ""], options }, io) => {
    const bytes = readRegularFile(resolve(io.cwd, file), { maxBytes: MAX_OBSERVATIONS_BYTES, code: "USAGE" })
    if (bytes === null)
      throw new ToolsumError("FILE_MISSING", `expected a file of observations, got nothing at ${quote(file)}`)
    const request = options.flag("raw") ? { entries: [bytes] } : { observations: parseObservations(bytes) }
    const folder = findLogFolder(options, io)
    if (options.flag("dry-run")) await planAppend(folder, request, options, io)
    else await append(folder, request, options, io)
    return 0
  },
}

/** What to append: entries as they are, or observations. */
type AppendRequest = { readonly entries: readonly Uint8Array[] } | { readonly observations: readonly Submission[] }

interface AppendedRow {
  readonly index: string
  readonly duplicate: boolean
}

async function append(folder: string, request: AppendRequest, options: Options, io: Io): Promise<void> {
  let unmet: string | null = null
  const failOpen = ({ message }: ToolsumError) => {
    unmet = message
  }
  const log = await openLogForWriting(folder, null, io, options.flag("fail-open") ? { failOpen } : {})
  try {
    const done =
      "entries" in request ? await log.appendEntries(request.entries) : await log.append(request.observations)
    const rows = done.map((one) => ({
      index: String(one.index),
      duplicate: "duplicate" in one && one.duplicate === true,
    }))
    printAppended({ rows, unmet }, options, io)
  } finally {
    await log.close()
  }
}

/** `unmet`: why what was published misses the quorum of the log's policy; null when it does not. */
function printAppended(p: { rows: readonly AppendedRow[]; unmet: string | null }, options: Options, io: Io): void {
  const { rows, unmet } = p
  if (unmet !== null) io.stderr(`warning: published all the same (--fail-open): ${escapeInvisible(unmet)}\n`)
  if (options.flag("json")) {
    const failedOpen = unmet === null ? {} : { failedOpen: unmet }
    printDocument(io, { command: "log append", exitCode: 0, entries: rows.map((row) => ({ ...row })), ...failedOpen })
  } else if (!options.flag("quiet"))
    for (const row of rows) io.stdout(`leaf ${row.index}${row.duplicate ? " (was there already)" : ""}\n`)
}

/** Say what would be appended. Throws as far as that can be known without the log's lock: LOG_UNAVAILABLE, and FILE_MISSING when the key
 *  is not here. */
async function planAppend(folder: string, request: AppendRequest, options: Options, io: Io): Promise<void> {
  const log = await peekLog(folder)
  if (log === null)
    throw new ToolsumError("LOG_UNAVAILABLE", `expected a log in ${quote(folder)}; toolsum init makes one`)
  await refuseWorkTree(folder)
  await requireLogKeys(log.origin, io)
  const count = "entries" in request ? request.entries.length : request.observations.length
  if (options.flag("json"))
    printDocument(io, { command: "log append", exitCode: 0, entries: [], count, ...dryRunMember(options) })
  else if (!options.flag("quiet"))
    io.stdout(`${count === 1 ? "1 entry" : `${count} entries`} would go to ${escapeInvisible(log.origin)}\n`)
}

export const logCatCommand: CommandSpec = {
  usage: "log cat <index>",
  words: [1, 1],
  options: [...LOG_OPTIONS, ...ROOT_OPTIONS],
  run: async ({ words: [index = ""], options }, io) => {
    const client = await openForReading(options, io)
    const proven = await proveEntry(client, readIndex(index))
    if (options.flag("json")) {
      const members = { ...placeOf(client, proven), entry: decodeEntry(proven.entry), data: formatBase64(proven.entry) }
      printDocument(io, { command: "log cat", exitCode: 0, ...members })
    } else io.stdout(showEntry(proven.entry))
    return 0
  },
}

const PROOFS = { name: "proof", pattern: PROOF_FILE, maxBytes: MAX_PROOF_FILE_BYTES }

export const logProofCommand: CommandSpec = {
  usage: "log proof <index> [--out file]",
  words: [1, 1],
  options: [...LOG_OPTIONS, ...ROOT_OPTIONS, ["--out <file>", "Where the .tlog-proof goes; without it stdout"]],
  run: async ({ words: [index = ""], options }, io) => {
    const client = await openForReading(options, io)
    const proven = await proveEntry(client, readIndex(index))
    const { index: leaf, proof, entry: extra } = proven
    const text = formatProofFile({ extra, index: leaf, proof, checkpoint: client.headNote })
    const out = options.value("out")
    if (out !== null) await writeOutput(resolve(io.cwd, out), text, PROOFS)
    if (options.flag("json"))
      printDocument(io, { command: "log proof", exitCode: 0, ...placeOf(client, proven), file: out, proof: text })
    else if (out === null) io.stdout(text)
    else if (!options.flag("quiet")) io.stdout(`${escapeInvisible(out)}: leaf ${leaf} of ${client.head.size}\n`)
    return 0
  },
}

const placeOf = ({ origin, head }: LogClient, { index }: ProvenEntry) => ({
  origin,
  size: String(head.size),
  index: String(index),
})

const readIndex = (text: string): bigint => parseDecimal(text, (why) => new ToolsumError("USAGE", `index: ${why}`))

async function openForReading(options: Options, io: Io): Promise<LogClient> {
  const folder = findLogFolder(options, io)
  const log = await peekLog(folder)
  if (log === null) throw new ToolsumError("LOG_UNAVAILABLE", `expected a log in ${quote(folder)}`)
  return openLogForReading({ source: createDirLog(folder), origin: log.origin, lockfile: null, options, io })
}
