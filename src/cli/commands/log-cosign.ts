// `toolsum log cosign`: fresh cosignatures on the newest head of a log, or those that witnesses without a URL have made of it in a file.
import { resolve } from "node:path"
import { readRegularFile } from "../../adapters/regular-file.js"
import { createFsStore } from "../../adapters/store-fs.js"
import { decodeUtf8 } from "../../core/bytes.js"
import { escapeInvisible, quote, ToolsumError } from "../../core/errors.js"
import { MAX_NOTE_BYTES, parseNote } from "../../core/note.js"
import { findNewestCommit } from "../../writer/history.js"
import type { LogWriter } from "../../writer/log.js"
import type { CommandSpec } from "../commands.js"
import { CHECKPOINT_FILE } from "../file-kind.js"
import type { Io } from "../io.js"
import { findLogFolder, LOG_OPTIONS, openLogForWriting } from "../logs.js"
import type { Options } from "../options.js"
import { writeOutput } from "../output-file.js"
import { formatSec } from "../render.js"
import { printDocument } from "../report-json.js"

export const logCosignCommand: CommandSpec = {
  usage: "log cosign [cosigned file…] [--out file]",
  words: [0, 32],
  options: [
    ...LOG_OPTIONS,
    ["--out <file>", "Write the newest signed head there, for a witness without a URL, and ask nobody"],
  ],
  examples: [
    "toolsum log cosign",
    "toolsum log cosign --out head.checkpoint",
    "toolsum log cosign cosigned.checkpoint",
  ],
  run: async ({ words: files, options }, io) => {
    const lines = files.flatMap((file) => readCosignatureLines(file, io))
    const folder = findLogFolder(options, io)
    const log = await openLogForWriting(folder, null, io)
    try {
      const out = options.value("out")
      if (out === null) await cosign(log, lines, options, io)
      else await writeHead(folder, out, { log, options, io })
    } finally {
      await log.close()
    }
    return 0
  },
}

async function cosign(log: LogWriter, lines: readonly string[], options: Options, io: Io): Promise<void> {
  const { size, cosigners, absent, quorumTime } = await log.cosign(lines)
  for (const why of absent) io.stderr(`note: ${escapeInvisible(why)}\n`)
  if (options.flag("json")) {
    const members = {
      origin: log.origin,
      size: String(size),
      cosigners: [...cosigners],
      absent: [...absent],
      quorumTime: quorumTime && String(quorumTime),
    }
    printDocument(io, { command: "log cosign", exitCode: 0, ...members })
  } else if (!options.flag("quiet"))
    io.stdout(
      `${escapeInvisible(log.origin)} at size ${size}: cosigned by ${cosigners.map((name) => quote(name)).join(", ")}${describeTime(quorumTime)}\n`,
    )
}

/** How fresh that makes the head: one that was away leaves the quorum at its earlier time. */
const describeTime = (time: bigint | null): string => (time === null ? "" : `, the quorum of ${formatSec(time)}`)

/** The newest signed head, published or not. */
async function writeHead(
  folder: string,
  out: string,
  { log, options, io }: { log: LogWriter; options: Options; io: Io },
): Promise<void> {
  const newest = await findNewestCommit(createFsStore(folder))
  if (newest === null) throw new ToolsumError("LOG_UNAVAILABLE", "there is no log here")
  await writeOutput(resolve(io.cwd, out), newest.checkpoint, CHECKPOINT_FILE)
  if (options.flag("json")) printDocument(io, { command: "log cosign", exitCode: 0, origin: log.origin, file: out })
  else if (!options.flag("quiet"))
    io.stdout(`${escapeInvisible(out)}: the newest head of ${escapeInvisible(log.origin)}, to be cosigned\n`)
}

/** The signature lines of a cosigned checkpoint but for the log's own, or of a file with nothing else in it. Throws USAGE, FILE_MISSING. */
function readCosignatureLines(file: string, io: Io): readonly string[] {
  const bytes = readRegularFile(resolve(io.cwd, file), { maxBytes: MAX_NOTE_BYTES, code: "USAGE" })
  if (bytes === null)
    throw new ToolsumError("FILE_MISSING", `expected a cosigned checkpoint, got nothing at ${quote(file)}`)
  const bad = (why: string) => new ToolsumError("USAGE", `${quote(file)}: ${why}`)
  const text = decodeUtf8(bytes, bad)
  if (text.startsWith("\u2014 ")) return text.trimEnd().split("\n")
  const note = parseNote(text)
  const origin = note.text.slice(0, note.text.indexOf("\n"))
  return note.signatures.filter(({ name }) => name !== origin).map(({ line }) => line)
}
