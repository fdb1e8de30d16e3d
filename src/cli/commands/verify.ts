// `toolsum verify`: proves a lockfile offline. Opens no socket, starts no process, loads no network library.
import { relative, resolve, sep } from "node:path"
import { ToolsumError } from "../../core/errors.js"
import type { ServerVerdict } from "../../core/verdict.js"
import { compareWithConfigs } from "../../features/config-servers.js"
import type { ClientConfig, LockfileStore } from "../../ports.js"
import { BASE_OPTIONS } from "../base.js"
import type { CommandSpec } from "../commands.js"
import { readConfigurationsOf } from "../configurations.js"
import type { ExitCode } from "../exit-codes.js"
import { type FileKind, type LookedAt, lookAtFile } from "../file-kind.js"
import type { Io } from "../io.js"
import {
  approveStep,
  basesOf,
  describeWarnings,
  type FailedFile,
  findParts,
  type Judged,
  type LockfilePart,
  type ProjectReport,
  projectMembers,
  reportOn,
  showFaults,
} from "../lockfile-reports.js"
import type { CommandLine, Options } from "../options.js"
import { loadPaint, type Paint } from "../paint.js"
import {
  announceWitnessPolicy,
  findAllLockfiles,
  findHeldLockfiles,
  isUserLockfile,
  LOCKFILES_OPTIONS,
  openLockfileAt,
  ROOT_OPTIONS,
  WITNESS_POLICY_OPTIONS,
  witnessPolicyMembers,
} from "../project.js"
import { proveOffline } from "../prove-offline.js"
import { renderServers } from "../render.js"
import { showBases } from "../render-base.js"
import { printDocument } from "../report-json.js"
import { pasteLine, showWord } from "../shell-words.js"

export const verifyCommand: CommandSpec = {
  usage: "verify [file]",
  words: [0, 1],
  options: [
    ...ROOT_OPTIONS,
    ...WITNESS_POLICY_OPTIONS,
    ...LOCKFILES_OPTIONS,
    ["--all", "Every toolsum.lock.json below the git root"],
    ...BASE_OPTIONS,
    ["--no-config", "Leave client configurations out"],
    ["--no-definitions", "Leave the files in .mcp-tools out"],
    ["--explain", "Show heads, leaves and roots"],
    ["--entry <file>", "For a .tlog-proof without its entry inside: the entry"],
    ["--policy <file>", "For a .tlog-proof: a tlog-policy with the log's key"],
    ["--keyring <file>", "For a signed head of LEGION: its keyring.jsonl"],
    ["--anchors <file>", "For a signed head of LEGION: an OpenTimestamps or Rekor proof of it; repeatable"],
    ["--bitcoin-headers <file>", 'For --anchors: {"HEIGHT": {"merkleroot", "time"}} from a node of your own'],
    ["--rekor-key <file>", "For --anchors: the Rekor log's public key, PEM"],
  ],
  examples: [
    "toolsum verify",
    "toolsum verify --root SHA256:… --json",
    "toolsum verify --base origin/main",
    "toolsum verify --all",
    "toolsum verify --witness-policy team.policy",
    "toolsum verify entry.tlog-proof --policy log.policy",
    "toolsum verify proof.json",
    "toolsum verify evidence.tlog-fork --root SHA256:…",
    "toolsum verify .mcp-tools.lock.json",
  ],
  run: async (line, io) => {
    const [file] = line.words
    const looked = file === undefined ? null : lookAtFile(resolve(io.cwd, file))
    const kind = looked?.kind ?? "lockfile"
    refuseOtherOptions(line.options, kind)
    if (file === undefined || looked === null) return verifyProject(line, io, looked)
    switch (kind) {
      case "proof":
        return (await import("../verify-proof.js")).verifyProof(resolve(io.cwd, file), line, io)
      case "evidence":
      case "legion-evidence":
        return (await import("../verify-evidence.js")).verifyEvidenceFile({ command: "verify", file }, line.options, io)
      case "fork":
        return (await import("../verify-fork.js")).verifyForkFile(file, line.options, io)
      case "legion-head":
        return (await import("../legion-head.js")).verifyLegionHead(file, line.options, io)
      default:
        return verifyProject(line, io, looked)
    }
  },
}

/** Options that ask for more than a file of that kind proves: it must not pass for having proven that. */
const OF_LOCKFILES = ["base", "all", "lock", "user"]
const OF_POLICIES = ["witness-policy"]
const OF_HEADS = ["keyring", "anchors", "bitcoin-headers", "rekor-key"]
const OTHER_OPTIONS: Readonly<Record<FileKind, readonly string[]>> = {
  lockfile: OF_HEADS,
  "legion-lockfile": OF_HEADS,
  proof: ["base", "all", ...OF_HEADS],
  evidence: [...OF_LOCKFILES, ...OF_HEADS],
  "legion-evidence": [...OF_LOCKFILES, ...OF_HEADS],
  fork: [...OF_LOCKFILES, ...OF_HEADS, ...OF_POLICIES],
  "legion-head": [...OF_LOCKFILES, ...OF_POLICIES],
}

function refuseOtherOptions(options: Options, kind: FileKind): void {
  const given = OTHER_OPTIONS[kind].find((name) => options.flag(name))
  if (given !== undefined)
    throw new ToolsumError(
      "USAGE",
      `--${given} is for ${OF_HEADS.includes(given) ? "signed heads" : "lockfiles"}, this file is another kind: ${kind}`,
    )
}

/** `looked`: the file that was named, where one was. */
async function verifyProject(
  { words: [file], options }: CommandLine,
  io: Io,
  looked: LookedAt | null,
): Promise<ExitCode> {
  await announceWitnessPolicy(options, io)
  const paint = options.flag("json") ? null : await loadPaint(io.colour)
  const stores = await findLockfiles(file, options, io)
  const report = await reportOn(stores, io, (store) => judge(store, looked ?? lookAtFile(store.path), { options, io }))
  if (paint === null) await printReport(report, options, io)
  else showReport(report, { options, paint, io })
  showBases(basesOf(report), { command: "verify", options, io, say: paint && io.stdout })
  showFaults(report, paint === null, io)
  return report.exitCode
}

async function findLockfiles(file: string | undefined, options: Options, io: Io): Promise<readonly LockfileStore[]> {
  const all = options.flag("all")
  if ([file !== undefined, options.values("lock").length > 0, all, options.flag("user")].filter(Boolean).length > 1)
    throw new ToolsumError("USAGE", "expected one of a file, --lock, --all and --user, not both")
  if (all) return findAllLockfiles(options, io)
  return file === undefined ? findHeldLockfiles(options, io) : [openLockfileAt(file, io)]
}

async function judge(
  store: LockfileStore,
  { kind, bytes }: LookedAt,
  { options, io }: { options: Options; io: Io },
): Promise<Judged> {
  if (kind === "legion-lockfile") {
    const { proveLegionLockfile } = await import("../legion-lockfile.js")
    // It has no launch lines: there is nothing in client configurations that could differ from it.
    return (await proveLegionLockfile(store.path, options, io, bytes)).offline
  }
  const { lockfile, offline } = await proveOffline(store, options, io)
  if (options.flag("no-config")) return offline
  const configs = await readConfigurationsOf(store, options, io)
  const report = compareWithConfigs(offline, lockfile, configs, isUserLockfile(options) ? "user" : "project")
  return { ...report, unread: configs.flatMap((config) => describeUnread(config, io)) }
}

/** A configuration that could not be read: it may start anything, so that nothing is clean beside it. */
const describeUnread = ({ path, problem }: ClientConfig, io: Io): readonly FailedFile[] =>
  problem === null
    ? []
    : [{ file: relative(io.cwd, path).replaceAll(sep, "/"), error: new ToolsumError("CONFIG_INVALID", problem) }]

async function printReport(report: ProjectReport, options: Options, io: Io): Promise<void> {
  const { exitCode, warnings } = report
  const policy = await witnessPolicyMembers(options, io)
  printDocument(io, { command: "verify", exitCode, ...projectMembers(report), warnings: [...warnings], ...policy })
}

function showReport(report: ProjectReport, { options, paint, io }: { options: Options; paint: Paint; io: Io }): void {
  const explain = options.flag("explain")
  if (report.servers.length > 0 && (!options.flag("quiet") || report.exitCode !== 0)) {
    const partOf = findParts(report)
    io.stdout(renderServers(report.servers, { paint, explain, below: (server) => hints(server, partOf(server)) }))
  }
  if (explain || report.exitCode > 1) {
    for (const { fingerprint, log, source } of report.roots)
      io.stdout(`root ${fingerprint ?? "unreadable"} of ${showWord(log)}: ${source ?? "not pinned"}\n`)
  }
  for (const part of report.parts) for (const line of describeWarnings(part)) io.stderr(line)
}

/** What a person can do about an answer. */
function hints(server: ServerVerdict, part: LockfilePart | null): readonly string[] {
  if (part === null) return []
  if (server.reason === "unapproved") return approveStep(server, part)
  if (server.reason === "QUORUM_NOT_MET")
    return ["where its log has a newer head with more cosignatures: toolsum update --proofs"]
  if (server.reason === "not_logged") return ["the owner of the log's key runs: toolsum lock complete"]
  const origin = server.head?.origin
  if (server.reason !== "root_not_pinned" || origin === undefined) return []
  const fingerprint = part.report.roots.find((root) => root.log === origin)?.fingerprint
  const line = fingerprint && pasteLine("toolsum", "trust", "add", `${origin}=${fingerprint}`)
  return line ? [`compare with the log's owner, then: ${line}`] : []
}
