// `toolsum verify`: proves a lockfile offline. Opens no socket, starts no process, loads no network library.
import { dirname, resolve } from "node:path"
import { readClientConfigs } from "../../adapters/client-configs.js"
import { readDefinitions } from "../../adapters/definitions-fs.js"
import { ToolsumError } from "../../core/errors.js"
import type { Lockfile } from "../../core/lockfile.js"
import type { ServerVerdict } from "../../core/verdict.js"
import { type LockfileReport, verifyLockfile } from "../../core/verify-lockfile.js"
import { compareWithConfigs } from "../../features/config-servers.js"
import { BASE_OPTIONS, readBaseRoots } from "../base.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import type { CommandLine, Options } from "../options.js"
import { loadPaint, type Paint } from "../paint.js"
import { collectRoots, findProjectLockfile, LOCKFILE_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { renderServers } from "../render.js"
import { printDocument, reportMembers } from "../report-json.js"
import { expectShortRun } from "../short-run.js"
import { describeWarning } from "../warnings.js"

export const verifyCommand: CommandSpec = {
  usage: "verify [file]",
  words: [0, 1],
  options: [
    ...ROOT_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...BASE_OPTIONS,
    ["--no-config", "Leave client configurations out"],
    ["--no-definitions", "Leave the files in .mcp-tools out"],
    ["--explain", "Show heads, leaves and roots"],
    ["--entry <file>", "For a .tlog-proof without its entry inside: the entry"],
    ["--policy <file>", "For a .tlog-proof: a tlog-policy with the log's key"],
  ],
  examples: [
    "toolsum verify",
    "toolsum verify --root SHA256:… --json",
    "toolsum verify --base origin/main",
    "toolsum verify entry.tlog-proof --policy log.policy",
  ],
  run: async (line, io) => {
    const [file] = line.words
    if (file?.endsWith(".tlog-proof"))
      return (await import("../verify-proof.js")).verifyProof(resolve(io.cwd, file), line, io)
    return verifyProject(line, io)
  },
}

async function verifyProject({ words: [file], options }: CommandLine, io: Io): Promise<0 | 1 | 2 | 3> {
  if (file !== undefined && options.value("lock") !== null)
    throw new ToolsumError("USAGE", "expected a file or --lock, not both")
  const given = file === undefined ? options : { ...options, value: () => file }
  const paint = options.flag("json") ? null : await loadPaint(io.colour)
  const store = await findProjectLockfile(given, io)
  expectShortRun(store.path)
  const lockfile = await store.read()
  if (lockfile === null)
    throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${store.path}; toolsum add makes one`)
  const report = await judge(lockfile, store.path, options, io)
  if (paint === null) printReport(report, io)
  else showReport(report, { options, paint, io })
  return report.exitCode
}

async function judge(lockfile: Lockfile, path: string, options: Options, io: Io): Promise<LockfileReport> {
  const definitions = options.flag("no-definitions")
    ? undefined
    : await readDefinitions(path, Object.keys(lockfile.servers))
  const base = options.value("base")
  const report = verifyLockfile({
    lockfile,
    roots: [...(await collectRoots(options, io)), ...(base === null ? [] : await readBaseRoots(base, path))],
    nowSec: BigInt(io.nowSec()),
    underBase: base !== null,
    ...(definitions ? { definitions } : {}),
  })
  if (options.flag("no-config")) return report
  return compareWithConfigs(report, lockfile, await readClientConfigs(dirname(path)))
}

function printReport(report: LockfileReport, io: Io): void {
  printDocument(io, {
    command: "verify",
    exitCode: report.exitCode,
    roots: report.roots.map((root) => ({ ...root })),
    ...reportMembers(report.servers),
    warnings: [...report.warnings],
  })
}

function showReport(report: LockfileReport, { options, paint, io }: { options: Options; paint: Paint; io: Io }): void {
  const explain = options.flag("explain")
  if (!options.flag("quiet") || report.exitCode !== 0) {
    io.stdout(renderServers(report.servers, { paint, explain, below: (server) => hints(server, report) }))
  }
  if (explain || report.exitCode > 1) {
    for (const root of report.roots)
      io.stdout(`root ${root.fingerprint ?? "unreadable"} of ${root.log}: ${root.source ?? "not pinned"}\n`)
  }
  for (const warning of report.warnings) io.stderr(`warning: ${describeWarning(warning)}\n`)
}

/** What a person can do about an answer. */
function hints(server: ServerVerdict, report: LockfileReport): readonly string[] {
  if (server.reason === "unapproved" && server.pin !== null)
    return [`toolsum approve ${server.name} --to ${server.pin} --reason "…"`]
  if (server.reason !== "root_not_pinned") return []
  const fingerprint = report.roots.find((root) => root.log === server.head?.origin)?.fingerprint
  return fingerprint
    ? [`compare with the log's owner, then: toolsum trust add ${server.head?.origin}=${fingerprint}`]
    : []
}
