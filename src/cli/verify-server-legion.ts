// `toolsum verify-server … --log legion`: one answer for one server from what a LEGION log has signed. Evidence is kept in LEGION's own format, so
// that its tools can prove it too.
import type { AddressRule } from "../adapters/network-address.js"
import { attemptAsync, escapeInvisible, ToolsumError } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { formatLegionEvidence } from "../core/legion/evidence.js"
import type { Surface } from "../core/section.js"
import { isCommandTarget, type Target } from "../core/target.js"
import { exitCodeOfVerdict } from "../core/verdict.js"
import { listGivenValues, redactChanges, refuseEchoes } from "../features/echoed-values.js"
import type { LegionState } from "../features/legion-check.js"
import { describeEntry } from "../features/legion-evidence-report.js"
import { findUrlOf } from "../features/legion-subject.js"
import { type LegionVerified, verifyLegionServer } from "../features/legion-verify-server.js"
import type { McpRegistry, ServerReading } from "../ports.js"
import { withEvidence } from "./evidence.js"
import { type ExitCode, worstExitCode } from "./exit-codes.js"
import { LEGION_EVIDENCE_FILE } from "./file-kind.js"
import type { Io } from "./io.js"
import { historyMembers } from "./legion-evidence.js"
import { type LegionPlace, openLegion } from "./legion-logs.js"
import type { CommandLine, Options } from "./options.js"
import { loadPaint } from "./paint.js"
import { showProgress } from "./progress.js"
import { findProjectLockfile } from "./project.js"
import { openRegistry } from "./registry.js"
import { BELOW_WIDTH, describeOmission, renderServers } from "./render.js"
import { refutedMember, renderRefuted } from "./render-refuted.js"
import { printDocument, reportMembers } from "./report-json.js"
import { type Saved, savedMember, saveEvidence, showSaved } from "./save-evidence.js"
import { openServer } from "./servers.js"
import { showWord } from "./shell-words.js"
import { describeTarget, readLimits, readTypedTarget } from "./typed-target.js"
import { describeWarning } from "./warnings.js"

/** What is asked. `reach`: where a URL may lead; what the user typed may lead anywhere, what a registry says to public addresses only. */
interface Asked {
  readonly target: Target
  readonly reach: AddressRule
  readonly place: LegionPlace
  readonly options: Options
  readonly io: Io
}

/** Read the server, ask the log, print the answer, keep evidence. */
export async function verifyServerInLegion(place: LegionPlace, line: CommandLine, io: Io): Promise<ExitCode> {
  const { options } = line
  if (options.values("log").length > 1)
    throw new ToolsumError("USAGE", "expected one --log beside a LEGION log: each dialect has an answer of its own")
  const id = options.value("id") ?? options.value("subject")
  const registry = await openRegistry(options, io)
  const asked = { ...(await findTarget(id, registry, line, io)), place, options, io }
  const { target } = asked
  const log = openOrSay(place, options, io)
  const work = verifyLegionServer({
    name: describeTarget(target),
    url: isCommandTarget(target) ? null : target.url,
    serverId: id,
    log,
    origin: place.origin,
    registry,
    read: () => readTools(asked),
    exhaustive: options.flag("exhaustive"),
    nowSec: io.nowSec(),
  })
  const verified = await showProgress(io, `reading ${showWord(describeTarget(target))}`, work)
  if (io.signal.aborted) throw new ToolsumError("READING_INCOMPLETE", "interrupted")
  return report(await withKeptEvidence(verified, asked), { ...asked, log: await log })
}

/** The log, or why it could not be opened. */
const openOrSay = (place: LegionPlace, options: Options, io: Io): Promise<LegionState> =>
  attemptAsync(() => openLegion(place, { options, io }))

/** The server that was typed, or where the registry says that the id is reached. */
async function findTarget(
  id: string | null,
  registry: McpRegistry,
  line: CommandLine,
  io: Io,
): Promise<Pick<Asked, "target" | "reach">> {
  const typed = readTypedTarget(line, io)
  if (typed !== null) return { target: typed, reach: "any" }
  if (id === null) throw new ToolsumError("USAGE", "expected a server: its URL, or --id with its id in the registry")
  return { target: { url: await findUrlOf(registry, id), headers: {} }, reach: "public" }
}

/** The log covers tools only: nothing else is asked. */
async function readTools({ target, reach, options, io }: Asked): Promise<ServerReading> {
  const { path: lockfilePath } = await findProjectLockfile(options, io)
  const placeholders = options.values("placeholder")
  const source = await openServer({ target, placeholders, reach, lockfilePath, options, io })
  return source.read({ sections: ["tools"], limits: readLimits(options), signal: io.signal })
}

/** What shows that the log lies, with the name of the file in which it is kept. */
async function withKeptEvidence(verified: LegionVerified, { place, io }: Asked): Promise<LegionVerified> {
  const { refuted } = verified
  if (refuted === null) return verified
  return { ...verified, refuted: await withEvidence(refuted, place.origin, io) }
}

async function report(verified: LegionVerified, asked: Asked & { log: LegionState }): Promise<ExitCode> {
  const { target, place, options, io } = asked
  const given = listGivenValues({ target, placeholders: options.values("placeholder"), environment: io.env })
  const server = { ...verified.server, changes: redactChanges(verified.server.changes, given) }
  const saved = await save(verified, asked)
  const exitCode = worstExitCode([exitCodeOfVerdict(server.verdict), saved?.error ? 2 : 0])
  const refuted = verified.refuted && { origin: place.origin, error: verified.refuted }
  if (options.flag("json")) {
    printDocument(io, {
      ...{ command: "verify-server", exitCode, roots: rootMembers(asked) },
      ...reportMembers([server]),
      ...(refuted ? { refutedLogs: [refutedMember(refuted)] } : answerMembers(verified, asked)),
      ...savedMember(saved),
    })
  } else if (!options.flag("quiet") || exitCode !== 0) {
    await show({ ...verified, server }, asked)
    if (refuted) io.stdout(renderRefuted(refuted))
  }
  if (saved) showSaved(saved, describeSaved(saved), asked)
  return exitCode
}

const rootMembers = ({ place, log }: Asked & { log: LegionState }) =>
  log instanceof ToolsumError ? [] : [{ log: place.origin, fingerprint: log.root.fingerprint, source: log.root.source }]

function answerMembers({ findings, history, candidates, server }: LegionVerified, { target }: Asked) {
  const newerUncovered = history?.newest.bundle.newerUncovered ?? null
  return {
    read: { url: isCommandTarget(target) ? null : target.url, at: null },
    newerUncovered: newerUncovered === null ? null : String(newerUncovered),
    history: historyMembers(history?.entries.map(({ entry }) => entry) ?? []),
    candidates: server.subject === null ? [...candidates] : [],
    findings: findings.map((finding) => ({ ...finding })),
  }
}

async function show(verified: LegionVerified, { options, io }: Asked): Promise<void> {
  const { server, history, candidates, findings } = verified
  const [paint, explain] = [await loadPaint(io.colour), options.flag("explain")]
  const { changes } = server
  const diff =
    changes.length === 0
      ? []
      : (await import("./render-diff.js")).renderDiff({ changes, unchanged: {} }, { paint, width: BELOW_WIDTH })
  const lines = [
    ...diff,
    ...(history?.entries ?? []).map(({ entry }) => escapeInvisible(describeEntry(entry))),
    ...(server.subject === null ? candidates.map((id) => `ask about one of them: --id ${showWord(id)}`) : []),
  ]
  const notes = describeOmission([server], options.flag("exhaustive"))
  io.stdout(renderServers([server], { paint, explain, below: () => lines, notes }))
  for (const warning of server.warnings) io.stderr(`warning: ${describeWarning(warning)}\n`)
  for (const { message } of findings) io.stderr(`note: ${escapeInvisible(message)}\n`)
}

const EVIDENCE = { name: "evidence of LEGION's", pattern: LEGION_EVIDENCE_FILE, maxBytes: MAX_JSON_BYTES }

async function save(verified: LegionVerified, { target, options, io }: Asked): Promise<Saved | null> {
  const file = options.value("save")
  if (file === null || verified.refuted !== null) return null
  const build = async () => {
    const evidence = verified.evidence()
    const given = listGivenValues({ target, placeholders: options.values("placeholder"), environment: io.env })
    refuseEchoes({ ...NO_SURFACE, tools: evidence.liveTools }, given)
    const text = formatLegionEvidence(evidence)
    return { text, sum: computeTextDigest(text) }
  }
  return saveEvidence(file, { kind: EVIDENCE, io, build })
}

const NO_SURFACE: Surface = {
  ...{ instructions: null, tools: null, prompts: null },
  ...{ resourceTemplates: null, resources: null, serverInfo: null },
}

const describeSaved = ({ file, sum }: Saved): readonly string[] => [
  `evidence in ${showWord(file)}, ${sum}, in LEGION's format: its list of tools is your word, nobody signed it`,
]
