// What `update --proofs` does: finds lockfile and logs, refreshes the proofs, says how it went with each log.
import { escapeInvisible, ToolsumError } from "../core/errors.js"
import { type RefreshedLog, refreshProofs } from "../features/refresh-proofs.js"
import { type ExitCode, exitCodeOfError, worstExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import { findLogSource, openLogForReading } from "./logs.js"
import type { CommandLine, Options } from "./options.js"
import { showProgress } from "./progress.js"
import { findProjectLockfile, witnessPolicyMembers } from "./project.js"
import { printDocument } from "./report-json.js"
import { showWord } from "./shell-words.js"

/** Refresh the proofs of the pins that are named, or of all. */
export async function refreshProject({ words: names, launch, options }: CommandLine, io: Io): Promise<ExitCode> {
  if (launch !== null) throw new ToolsumError("USAGE", "expected no command after --proofs, which starts nothing")
  const lockfile = await findProjectLockfile(options, io)
  if (Object.keys((await lockfile.read())?.servers ?? {}).length === 0)
    throw new ToolsumError("NO_PINS", "there is nothing to refresh: no pins yet")
  const openLog = async (origin: string) => {
    const now = await lockfile.read()
    const source = await findLogSource(origin, now, options, io)
    if (source === null) throw new ToolsumError("LOG_UNAVAILABLE", "nothing says where this log can be read")
    return openLogForReading({ source, origin, lockfile: now, options, io })
  }
  const work = refreshProofs({ lockfile, names, openLog, dryRun: options.flag("dry-run") })
  const done = await showProgress(io, "reading logs", work)
  const exitCode = worstExitCode(done.map((log) => (log.ok ? 0 : exitCodeOfError(log.error))))
  if (options.flag("json")) {
    const members = { logs: done.map(rowOf), ...(await witnessPolicyMembers(options, io)) }
    printDocument(io, { command: "update", exitCode, servers: [], ...members })
  } else print(done, options, io)
  return exitCode
}

function print(done: readonly RefreshedLog[], options: Options, io: Io): void {
  for (const log of done)
    if (!log.ok) io.stderr(`${showWord(log.origin)}: ${escapeInvisible(log.error.message)} (${log.error.code})\n`)
  if (options.flag("quiet")) return
  if (done.length === 0) io.stdout("no log has taken these pins yet; toolsum lock complete records them\n")
  const written = options.flag("dry-run") ? "would be proven" : "proven"
  for (const log of done) if (log.ok) io.stdout(`${showWord(log.origin)}: ${describe(log, written)}\n`)
}

function describe({ size, changed, pins }: Extract<RefreshedLog, { ok: true }>, written: string): string {
  return changed ? `${pins.join(", ")} ${written} under its head of size ${size}` : `nothing newer than size ${size}`
}

const rowOf = (log: RefreshedLog) =>
  log.ok
    ? { log: log.origin, ok: true, pins: log.pins, size: String(log.size), changed: log.changed }
    : { log: log.origin, ok: false, pins: log.pins, error: errorMember(log.error) }

const errorMember = ({ code, kind, message }: ToolsumError) => ({ code, kind, message })
