// `toolsum check`: every pin against the log and the live server, and a word diff of what changed. The work is check-lockfile.ts's.
import { resolve } from "node:path"
import type { LockfileReport } from "../../core/lockfile-report.js"
import type { ServerVerdict } from "../../core/verdict.js"
import type { ReviewedServer } from "../../features/gate.js"
import type { LockfileStore } from "../../ports.js"
import { explainCost } from "../../surface/token-cost.js"
import { BASE_OPTIONS } from "../base.js"
import { checkLockfile, requireNames } from "../check-lockfile.js"
import { interrupted } from "../checking.js"
import type { CommandSpec } from "../commands.js"
import { describeLowered, FAIL_ON_CHANGE, readFailOn } from "../fail-on.js"
import { kindOfFile } from "../file-kind.js"
import type { Io } from "../io.js"
import { LEGION_LOG_OPTION } from "../legion-logs.js"
import {
  approveStep,
  basesOf,
  findParts,
  type LockfilePart,
  type ProjectReport,
  pinCommand,
  projectMembers,
  reportOn,
  showFaults,
} from "../lockfile-reports.js"
import { LOG_OPTIONS, MAX_AGE_OPTION, readMaxAge } from "../logs.js"
import type { CommandLine, Options } from "../options.js"
import { loadPaint } from "../paint.js"
import {
  announceWitnessPolicy,
  findHeldLockfiles,
  LOCKFILES_OPTIONS,
  ROOT_OPTIONS,
  WITNESS_POLICY_OPTIONS,
  witnessPolicyMembers,
} from "../project.js"
import { BELOW_WIDTH, describeOmission, renderServers } from "../render.js"
import { reportBases, showBases } from "../render-base.js"
import { renderDiff } from "../render-diff.js"
import { renderWords } from "../render-page.js"
import {
  FORMAT_OPTIONS,
  isRendered,
  putDocument,
  putReport,
  type Rendered,
  readFormat,
  renderReportAs,
  requireReportPlace,
} from "../report-format.js"
import { CONSENT_OPTIONS } from "../servers.js"
import { showWord } from "../shell-words.js"
import { READ_OPTIONS } from "../typed-target.js"
import { describeWarning } from "../warnings.js"

export const checkCommand: CommandSpec = {
  usage: "check [name…]",
  words: [0, 1000],
  options: [
    ...READ_OPTIONS,
    ["--log-only", "Compare with the log only, start no server"],
    ["--exhaustive", "Look at every entry since the pin instead of believing the log's index"],
    ["--strict", "LEGION logs: newer observations that no signed head covers yet leave the answer unknown"],
    ["--explain", "Show heads, leaves and roots"],
    FAIL_ON_CHANGE,
    ...FORMAT_OPTIONS,
    LEGION_LOG_OPTION,
    ...CONSENT_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILES_OPTIONS,
    ...ROOT_OPTIONS,
    ...WITNESS_POLICY_OPTIONS,
    MAX_AGE_OPTION,
    ...BASE_OPTIONS,
  ],
  examples: [
    "toolsum check",
    "toolsum check memory --json",
    "toolsum check --log-only",
    "toolsum check --base origin/main",
    "toolsum check --lock .mcp-tools.lock.json",
  ],
  run: async (line, io) => {
    const { options, words } = line
    const format = readFormat(options)
    requireReportPlace(format, options, io)
    await announceWitnessPolicy(options, io)
    for (const read of [readMaxAge, readFailOn]) read(options) // a mistyped one is told before anything is asked
    const stores = await findHeldLockfiles(options, io)
    if (stores.length > 1) await requireNames(stores, words)
    const report = await reportOn(stores, io, (store) => checkStore(store, line, io))
    if (io.signal.aborted) throw interrupted()
    if (isRendered(format)) await putRendered(format, { report, stores }, options, io)
    else await showReport(report, options, io)
    return report.exitCode
  },
}

/** The report for other tools and readers. What no server stands for goes to stderr, as with text. */
async function putRendered(
  format: Rendered,
  { report, stores }: { report: ProjectReport; stores: readonly LockfileStore[] },
  options: Options,
  io: Io,
): Promise<void> {
  const { buildReport, reportChecked } = await import("../build-report.js")
  const partOf = findParts(report)
  const storeOf = ({ file }: LockfilePart) =>
    stores.find(({ path }) => file === null || path === resolve(io.cwd, file)) ?? null
  const servers = report.servers.map((server) => {
    const part = partOf(server)
    const store = part && storeOf(part)
    return reportChecked(server, part && store && { part, store })
  })
  const { exitCode, roots } = report
  const failOn = readFailOn(options)?.failOn ?? null
  const bases = reportBases(basesOf(report), "check")
  const text = await renderReportAs(format, buildReport({ command: "check", exitCode, failOn, roots, servers, bases }))
  await putReport(text, format, options, io)
  showBases(bases, { command: "check", options, io, say: null })
  showFaults(report, true, io)
}

async function checkStore(store: LockfileStore, line: CommandLine, io: Io): Promise<LockfileReport<ReviewedServer>> {
  if (kindOfFile(store.path) !== "legion-lockfile") return checkLockfile(store, line, io)
  return (await import("../check-legion.js")).checkLegionFile(store.path, line, io)
}

async function showReport(report: ProjectReport, options: Options, io: Io): Promise<void> {
  const { exitCode, servers } = report
  const json = readFormat(options) === "json"
  if (json) {
    const members = { ...projectMembers(report), ...(await witnessPolicyMembers(options, io)) }
    await putDocument({ command: "check", exitCode, ...members }, options, io)
  } else if (servers.length > 0 && (!options.flag("quiet") || exitCode !== 0)) {
    const style = { paint: await loadPaint(io.colour), width: BELOW_WIDTH }
    const explain = options.flag("explain")
    const partOf = findParts(report)
    const below = (server: ReviewedServer): readonly string[] => [
      ...renderDiff({ changes: server.changes, unchanged: {}, analysis: server.analysis ?? null }, style),
      ...(explain && server.tokens ? renderWords(explainCost(server.tokens), style) : []),
      ...nextSteps(server, partOf(server)),
    ]
    const notes = [...describeOmission(servers, options.flag("exhaustive")), ...describeLowered(servers)]
    io.stdout(renderServers(servers, { paint: style.paint, explain, below, notes }))
    for (const { name, warnings } of servers)
      for (const one of warnings) io.stderr(`warning: ${showWord(name)}: ${describeWarning(one)}\n`)
  }
  showBases(basesOf(report), { command: "check", options, io, say: json ? null : io.stdout })
  showFaults(report, json, io)
}

function nextSteps(server: ServerVerdict, part: LockfilePart | null): readonly string[] {
  if (part === null) return []
  if (server.verdict === "CHANGED" && server.reason === "surface") {
    const line = pinCommand(server, part, "update")
    return line ? [`take it in: ${line}`] : []
  }
  if (server.reason === "unapproved") return approveStep(server, part)
  return server.reason === "target_not_accepted"
    ? ["start servers of a lockfile that you trust with: toolsum check --accept-targets"]
    : []
}
