// `toolsum report`: proves the lockfile offline, analyses the lists that it pins, and adds what its logs have signed, where they can be read
// from here.
import { encodeUtf8, formatBase64 } from "../core/bytes.js"
import { attemptAsync, ToolsumError } from "../core/errors.js"
import { hashLeaf } from "../core/hash.js"
import { isArray, type JsonValue } from "../core/json.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { streamKey } from "../core/record.js"
import { exitCodeOfServer, type ServerVerdict, worstExitCode } from "../core/verdict.js"
import { judgeLog } from "../core/verify-log.js"
import { loadPinned } from "../features/approved-surface.js"
import { readHistory } from "../features/history.js"
import { observationOf, requirePin } from "../features/pins.js"
import type { HistoryRecord, ReportProof, ReportServer } from "../features/report/model.js"
import type { LockfileStore } from "../ports.js"
import { analyseSurface, type OtherServer } from "../surface/analysis.js"
import { RULESET_VERSION } from "../surface/rules.js"
import { countTokens } from "../surface/token-cost.js"
import { besides, loadOthers } from "./analysis-context.js"
import { surfaceMembers } from "./analysis-json.js"
import { buildReport, type Run, reportChecked } from "./build-report.js"
import type { ExitCode } from "./exit-codes.js"
import { readVersion } from "./help.js"
import type { Io } from "./io.js"
import { findLogSource, openLogForReading } from "./logs.js"
import type { CommandLine, Options } from "./options.js"
import { collectRoots, findProjectLockfile } from "./project.js"
import { proveOffline } from "./prove-offline.js"
import { formatSec } from "./render.js"
import { putDocument, putReport, readFormat, renderReportAs, requireReportPlace } from "./report-format.js"
import { type Document, reportMembers } from "./report-json.js"

/** Report on all pins, or on those that are named. Throws NOT_PINNED, and as `proveOffline`. */
export async function reportLockfile({ words, options }: CommandLine, io: Io): Promise<ExitCode> {
  const format = readFormat(options, "markdown")
  if (format === "text") throw new ToolsumError("USAGE", "--format: a report is markdown, html, sarif or json")
  requireReportPlace(format, options, io)
  const store = await findProjectLockfile(options, io)
  const { lockfile, offline } = await proveOffline(store, options, io)
  for (const name of words) requirePin(lockfile, name)
  const named = offline.servers.filter(({ name }) => words.length === 0 || words.includes(name))
  const place: Place = { store, lockfile, options, io, others: await loadOthers(store, lockfile) }
  const servers: Reported[] = []
  for (const server of named) servers.push(await reportOne(server, place))
  const exitCode = offline.refuted.length > 0 ? 3 : worstExitCode(named.map(exitCodeOfServer))
  const run: Run = {
    ...{ command: "report", exitCode, failOn: null, roots: offline.roots },
    servers: servers.map(({ server }) => server),
  }
  if (format === "json") await putDocument(documentOf(run, servers), options, io)
  else await putReport(await renderReportAs(format, buildReport(run)), format, options, io)
  return exitCode
}

/** The project. `others`: all of its pinned surfaces. */
interface Place {
  readonly store: LockfileStore
  readonly lockfile: Lockfile
  readonly options: Options
  readonly io: Io
  readonly others: readonly OtherServer[]
}

/** One pin. `tokens`: of the list as it is pinned; null where its texts are not at hand. */
interface Reported {
  readonly server: ReportServer & { readonly verdict: ServerVerdict }
  readonly tokens: number | null
}

async function reportOne(verdict: ServerVerdict, place: Place): Promise<Reported> {
  const { store, lockfile, options, io, others } = place
  const { name } = verdict
  const { pin } = requirePin(lockfile, name)
  const log = await attemptAsync(() => findLogSource(pin.log, lockfile, options, io))
  const source = log instanceof ToolsumError ? null : log
  const isReadable = pin.evidence === undefined && verdict.verdict !== "REJECTED"
  const surface = isReadable ? await loadPinned({ store, name, pin, log: source }) : null
  const analysis = surface && analyseSurface(surface, { others: besides(name, others) })
  const known = { analysis, proof: await proofOf(pin, place), history: await historyOf(pin, place) }
  const shown = reportChecked(verdict, { part: { file: null, report: PART_OF_ONE }, store })
  return { server: { ...shown, verdict, ...known }, tokens: surface && countTokens(surface) }
}

const PART_OF_ONE = { servers: [], roots: [], refuted: [], warnings: [], exitCode: 0 } as const

/** The entry of a pin and the head that it is proven in; null for what is not logged here. */
async function proofOf(pin: Pin, { lockfile, options, io }: Place): Promise<ReportProof | null> {
  const log = lockfile.logs[pin.log]
  if (log === undefined || pin.record === null || pin.index === null || pin.head === null) return null
  const roots = await collectRoots(options, io)
  const head = judgeLog({ origin: pin.log, log, roots, nowSec: BigInt(io.nowSec()) }).heads.get(pin.head)
  if (head === undefined) return null
  return {
    ...{ origin: pin.log, size: head.size, rootHash: formatBase64(head.rootHash), index: pin.index },
    ...{ leafHash: formatBase64(hashLeaf(encodeUtf8(pin.record))), cosigners: head.cosigners },
  }
}

/** What the pin's log has of its stream, oldest first; nothing where it cannot be read from here. */
async function historyOf(pin: Pin, { lockfile, options, io }: Place): Promise<readonly HistoryRecord[]> {
  if (pin.evidence !== undefined || pin.index === null) return []
  const observed = observationOf(pin)
  const question = {
    subject: observed.subject,
    choice: { stream: streamKey(observed) },
    exhaustive: false,
    known: pin.index,
  }
  const read = await attemptAsync(async () => {
    const source = await findLogSource(pin.log, lockfile, options, io)
    if (source === null) return []
    const client = await openLogForReading({ source, origin: pin.log, lockfile, options, io })
    return (await readHistory(client, question)).streams
  })
  if (read instanceof ToolsumError) {
    if (read.kind === "rejected") throw read
    return []
  }
  return read
    .flatMap(({ entries }) => entries)
    .map(({ index, record }): HistoryRecord => {
      const count = Number(record.lines.tools.split(" ")[0])
      return {
        ...{ index, observed: formatSec(record.observed), version: record.version === "-" ? null : record.version },
        ...{ digest: record.surface, tools: Number.isNaN(count) ? null : count },
      }
    })
}

/** The document of `--format json`. */
function documentOf({ command, exitCode, roots }: Run, servers: readonly Reported[]): Document {
  const { servers: answers, counts } = reportMembers(servers.map(({ server }) => server.verdict))
  return {
    ...{ command, exitCode, toolVersion: readVersion(), ruleset: RULESET_VERSION, counts },
    roots: roots.map((root) => ({ ...root })),
    servers: servers.map((one, i) => reportedMember(one, isArray(answers) ? (answers[i] ?? null) : null)),
  }
}

function reportedMember({ server, tokens }: Reported, answer: JsonValue): JsonValue {
  const { analysis, proof, history } = server
  return {
    answer,
    surface: analysis && surfaceMembers(analysis),
    proof: proof && { ...proof, size: String(proof.size), index: String(proof.index) },
    history: history.map((record) => ({ ...record, index: String(record.index) })),
    tokens,
  }
}
