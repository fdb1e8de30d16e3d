// What `lock complete` does: finds lockfile and log, completes the pins, says how it went with each.
import { quote, ToolsumError } from "../core/errors.js"
import { type CompletedPin, completePins } from "../features/complete-pins.js"
import { dryRunMember } from "./dry-run.js"
import { type ExitCode, exitCodeOfError, worstExitCode } from "./exit-codes.js"
import { failureLine, failureMember } from "./failures.js"
import type { Io } from "./io.js"
import type { CommandLine } from "./options.js"
import { findProjectLockfile } from "./project.js"
import { printDocument } from "./report-json.js"
import { openTargetLog } from "./target-log.js"

/** Complete the pins that wait for their log. */
export async function completeProject({ words: names, options }: CommandLine, io: Io): Promise<ExitCode> {
  const lockfile = await findProjectLockfile(options, io)
  if ((await lockfile.read()) === null)
    throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quote(lockfile.path, 400)}; toolsum add makes one`)
  const openLog = (origin: string) => openTargetLog({ options, lockfile, origin, io })
  const done = await completePins({ lockfile, names, openLog, dryRun: options.flag("dry-run") })
  const exitCode = worstExitCode(done.map((one) => (one.ok ? 0 : exitCodeOfError(one.error))))
  if (options.flag("json"))
    printDocument(io, { command: "lock complete", exitCode, pins: done.map(rowOf), ...dryRunMember(options) })
  else {
    if (done.length === 0 && !options.flag("quiet")) io.stdout("no pin waits for its log\n")
    for (const one of done) print(one, options.flag("quiet"), io)
  }
  return exitCode
}

function print(one: CompletedPin, quiet: boolean, io: Io): void {
  if (!one.ok) io.stderr(failureLine(one))
  else if (!quiet) io.stdout(`${one.name}: ${describe(one)}\n`)
}

function describe({ index, appended }: Extract<CompletedPin, { ok: true }>): string {
  if (index === null) return "would be logged"
  return `${appended ? "logged" : "was in the log"}, leaf ${index}`
}

const rowOf = (one: CompletedPin) => {
  if (!one.ok) return failureMember(one)
  const { name, index, appended, pin } = one
  return { name, ok: true, index: index === null ? null : String(index), appended, pin }
}
