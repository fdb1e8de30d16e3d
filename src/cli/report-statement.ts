// `toolsum report --statement`: reads the lockfile and its definitions, proves them under the roots that were typed and no others, and prints
// what that comes to. Asks no log and no server.
import { relative, sep } from "node:path"
import { readDefinitions } from "../adapters/definitions-fs.js"
import { quotePath, readRegularFile } from "../adapters/regular-file.js"
import { ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { parseLockfile } from "../core/lockfile.js"
import { type PinnedRoot, parseRootArgument } from "../core/root.js"
import { verifyLockfile } from "../core/verify-lockfile.js"
import { stateLockfile } from "../features/statement.js"
import type { ExitCode } from "./exit-codes.js"
import { readVersion } from "./help.js"
import type { Io } from "./io.js"
import type { CommandLine, Options } from "./options.js"
import { findProjectLockfile } from "./project.js"
import { renderStatement, repeatSteps, statementMember } from "./render-statement.js"
import { printDocument } from "./report-json.js"

/** Print a statement on the lockfile. Throws USAGE without `--root` and for names or formats, FILE_MISSING, and as `verifyLockfile`. */
export async function printStatement({ words, options }: CommandLine, io: Io): Promise<ExitCode> {
  if (words.length > 0) throw new ToolsumError("USAGE", "--statement is on the whole lockfile: expected no names")
  const other = ["format", "output", "log-dir"].find((name) => options.flag(name))
  if (other !== undefined) throw new ToolsumError("USAGE", `--statement is text, or --json: expected no --${other}`)
  const roots = readRoots(options)
  const { path } = await findProjectLockfile(options, io)
  const bytes = readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "LOCKFILE_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quotePath(path)}`)
  const lockfile = parseLockfile(bytes)
  const nowSec = BigInt(io.nowSec())
  const definitions = await readDefinitions(path, Object.keys(lockfile.servers))
  const report = verifyLockfile({ lockfile, roots, definitions, nowSec })
  const file = relative(io.cwd, path).split(sep).join("/")
  const statement = stateLockfile({ file, bytes, lockfile, report, roots, nowSec, toolVersion: readVersion() })
  const repeat = repeatSteps(statement, options.values("root"))
  if (options.flag("json"))
    printDocument(io, {
      command: "report",
      exitCode: report.exitCode,
      statement: statementMember(statement, repeat),
    })
  else io.stdout(renderStatement(statement, repeat))
  return report.exitCode
}

/** Only what was typed: what this account trusts is no answer for somebody else. Throws USAGE. */
function readRoots(options: Options): readonly PinnedRoot[] {
  const typed = options.values("root")
  if (typed.length === 0)
    throw new ToolsumError(
      "USAGE",
      "--statement: expected --root with the fingerprint of each log, from somebody whom the reader trusts; neither this account's trust store nor the lockfile is that",
    )
  return typed.map((text) => {
    try {
      return { ...parseRootArgument(text), source: "flag" }
    } catch (error) {
      if (!(error instanceof ToolsumError)) throw error
      throw new ToolsumError("USAGE", `--root: ${error.message}`, { cause: error })
    }
  })
}
