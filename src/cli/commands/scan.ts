// `toolsum scan`: what a list shows by itself, without anything to compare it with: hidden and steering text, what a reviewer would remark on,
// and what each tool can do. Writes nothing.
import { readProjectSettings } from "../../adapters/settings-fs.js"
import { ToolsumError } from "../../core/errors.js"
import type { JsonValue } from "../../core/json.js"
import type { Settings } from "../../core/settings.js"
import { runInLanes, SERVERS_AT_ONCE } from "../../features/lanes.js"
import { exitCodeOfScan, type Scanned, scanList } from "../../features/scan.js"
import type { OtherServer } from "../../surface/analysis.js"
import { besides, loadOthers, overridesToday } from "../analysis-context.js"
import { surfaceMembers } from "../analysis-json.js"
import { interrupted } from "../checking.js"
import type { CommandSpec } from "../commands.js"
import { type ExitCode, exitCodeOfError, worstExitCode } from "../exit-codes.js"
import { FAIL_ON_FINDING, MIN_OPTION, readSeverity } from "../fail-on.js"
import type { Io } from "../io.js"
import { LOG_OPTIONS } from "../logs.js"
import { loadPaint } from "../paint.js"
import { startProgress } from "../progress.js"
import { findProjectLockfile, LOCKFILE_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { renderScan } from "../render-scan.js"
import {
  FORMAT_OPTIONS,
  isRendered,
  putDocument,
  putReport,
  readFormat,
  renderReportAs,
  requireReportPlace,
} from "../report-format.js"
import { errorMember } from "../report-json.js"
import { findLists, type ListToScan, type ScanPlace } from "../scan-lists.js"
import { CONSENT_OPTIONS } from "../servers.js"
import { LAUNCH_OPTIONS } from "../typed-target.js"

export const scanCommand: CommandSpec = {
  usage: "scan [name or file…] | scan -- <command…> | scan <url>",
  words: [0, 1000],
  launchAfter: Number.POSITIVE_INFINITY, // words are names of pins and files: nothing but what follows `--` is ever started
  options: [
    ["--approved", "Read the texts that are pinned, start no server"],
    FAIL_ON_FINDING,
    MIN_OPTION,
    ["--explain", "Say why each tool has its class"],
    ...FORMAT_OPTIONS,
    ...LAUNCH_OPTIONS,
    ...CONSENT_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
  ],
  examples: [
    "toolsum scan -- npx -y @modelcontextprotocol/server-memory@2026.1.26",
    "toolsum scan https://example.com/mcp --fail-on high",
    "toolsum scan --approved",
    "toolsum scan ./tools.json --explain",
  ],
  run: async (line, io) => {
    const { options } = line
    const [failOn, min] = [readSeverity("fail-on", options), readSeverity("min", options)]
    const format = readFormat(options)
    requireReportPlace(format, options, io)
    const store = await findProjectLockfile(options, io)
    const lockfile = await store.read()
    const lists = await findLists(line, { store, lockfile, options, io })
    const servers = await scanAll(lists, { store, lockfile, options, io })
    const exitCode = worstExitCode(
      servers.map((server): ExitCode => (server.ok ? exitCodeOfScan(server, failOn) : exitCodeOfError(server.error))),
    )
    if (format === "json")
      await putDocument({ command: "scan", exitCode, failOn, servers: servers.map(memberOf) }, options, io)
    else if (isRendered(format)) {
      const { buildReport, reportScanned } = await import("../build-report.js")
      const shown = servers.map((server) => reportScanned(server, store))
      const report = buildReport({ command: "scan", exitCode, failOn, roots: [], servers: shown })
      await putReport(await renderReportAs(format, report), format, options, io)
    } else if (!options.flag("quiet") || exitCode !== 0)
      io.stdout(renderScan(servers, { paint: await loadPaint(io.colour), min, explain: options.flag("explain") }))
    return exitCode
  },
}

/** Read and analyse each. One that cannot be read does not hide the others; the only one that was asked for throws. */
async function scanAll(lists: readonly ListToScan[], place: ScanPlace): Promise<readonly Scanned[]> {
  const { store, lockfile, io } = place
  const progress = startProgress(io, "scanning", lists.length)
  const others = await loadOthers(store, lockfile)
  const { settings } = readProjectSettings(store.path)
  const lanes = { atOnce: SERVERS_AT_ONCE, laneOf: ({ name }: ListToScan) => name }
  try {
    return await runInLanes(lists, lanes, async (list) => {
      progress.begin(list.name)
      const scanned = await scanOne(list, { others, settings, io }, lists.length === 1)
      progress.finish(list.name)
      if (io.signal.aborted) throw interrupted()
      return scanned
    })
  } finally {
    progress.end()
  }
}

/** What is known beside every list. */
interface Beside {
  readonly others: readonly OtherServer[]
  readonly settings: Settings
  readonly io: Io
}

async function scanOne(list: ListToScan, beside: Beside, isOnly: boolean): Promise<Scanned> {
  const { read, ...of } = list
  try {
    // A file may be an older list of one of the pins, and so may what was typed: only a pin has neighbours.
    const others = of.pin === null ? [] : besides(of.pin, beside.others)
    const overrides = of.pin === null ? {} : overridesToday(beside.settings, of.pin, beside.io)
    return scanList(of, await read(), { others, ...overrides })
  } catch (error) {
    if (!(error instanceof ToolsumError) || isOnly) throw error
    return { ...of, ok: false, error }
  }
}

function memberOf(server: Scanned): JsonValue {
  const { name, source, subject, version, pin } = server
  const known = { name, source, subject, version, pin }
  if (!server.ok) return { ...known, ok: false, error: errorMember(server.error) }
  return { ...known, ok: true, unread: { ...server.unread }, tokens: server.tokens, ...surfaceMembers(server.analysis) }
}
