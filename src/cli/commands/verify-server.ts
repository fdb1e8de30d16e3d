// `toolsum verify-server`: one answer for one server, without a lockfile. Reads it while the logs are opened; writes nothing but what is
// remembered of the logs, and the evidence that was asked for.
import { escapeInvisible, ToolsumError } from "../../core/errors.js"
import { MAX_JSON_BYTES } from "../../core/json.js"
import { SECTION_NAMES } from "../../core/section.js"
import { computeEvidenceSum, formatServerEvidence, type ServerEvidence } from "../../core/server-evidence.js"
import type { Target } from "../../core/target.js"
import { exitCodeOfVerdict, type ServerVerdict } from "../../core/verdict.js"
import { listGivenValues, refuseEchoes } from "../../features/echoed-values.js"
import { DEFAULT_SECTIONS } from "../../features/observe.js"
import { profileOf, requireProfileName } from "../../features/profile.js"
import { reviewChanges } from "../../features/review.js"
import type { ServerReport } from "../../features/server-report.js"
import { chooseSubject, type VerifiedServer, verifyServer } from "../../features/verify-server.js"
import { findLogsToAsk, type LogPlace } from "../asked-logs.js"
import type { CommandSpec } from "../commands.js"
import { type ExitCode, worstExitCode } from "../exit-codes.js"
import { EVIDENCE_FILE } from "../file-kind.js"
import type { Io } from "../io.js"
import { MAX_AGE_OPTION, readMaxAge } from "../logs.js"
import type { CommandLine, Options } from "../options.js"
import { loadPaint } from "../paint.js"
import { PROFILE_OPTIONS, readProfile } from "../profile.js"
import { showProgress } from "../progress.js"
import {
  announceWitnessPolicy,
  findProjectLockfile,
  LOCKFILE_OPTIONS,
  ROOT_OPTIONS,
  WITNESS_POLICY_OPTIONS,
  witnessPolicyMembers,
} from "../project.js"
import { REGISTRY_OPTION } from "../registry.js"
import { describeOmission, renderServers } from "../render.js"
import { refutedMember, renderRefuted } from "../render-refuted.js"
import {
  pinSteps,
  renderReport,
  reportDetails,
  rootMembers,
  shownVerdictOf,
  verdictOf,
} from "../render-server-report.js"
import { printDocument, reportMembers } from "../report-json.js"
import { type Saved, savedMember, saveEvidence, showSaved } from "../save-evidence.js"
import { openServer } from "../servers.js"
import { showWord } from "../shell-words.js"
import { describeTarget, LAUNCH_OPTIONS, readLimits, readTarget } from "../typed-target.js"
import { describeWarning } from "../warnings.js"

export const verifyServerCommand: CommandSpec = {
  usage: "verify-server <url> | verify-server [--] <command…> | verify-server --id <id> --log legion",
  words: [0, 1],
  launchAfter: 0,
  options: [
    [
      "--log <place>",
      "Log to ask: its folder, its https URL, or its origin; repeatable; legion: the public LEGION log",
    ],
    ["--subject <id>", "What its records are filed under, such as an id of the official registry"],
    [
      "--id <id>",
      "Id of the server in a LEGION log; without it the registry is asked which one the URL is, then the log",
    ],
    REGISTRY_OPTION,
    ["--save <file>", "Keep all of it as evidence that toolsum verify proves again, without network"],
    ["--offline <file>", "Prove such a file again; reads no server"],
    ["--exhaustive", "Look at every entry of the logs instead of believing their index"],
    ["--explain", "Show heads, leaves, roots and reading conditions"],
    ...LAUNCH_OPTIONS,
    ...PROFILE_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
    ...WITNESS_POLICY_OPTIONS,
    MAX_AGE_OPTION,
  ],
  examples: [
    "toolsum verify-server https://example.com/mcp",
    "toolsum verify-server -- npx -y @modelcontextprotocol/server-memory@2026.1.26",
    "toolsum verify-server https://example.com/mcp --header 'Authorization: Bearer ${TOKEN}' --save proof.json",
    "toolsum verify-server --offline proof.json",
    "toolsum verify-server https://example.com/mcp --id com.example/server --log legion",
  ],
  run: async (line, io) => {
    const file = line.options.value("offline")
    if (file === null) await announceWitnessPolicy(line.options, io)
    readMaxAge(line.options) // a mistyped one is told before anything is asked
    if (file !== null) return verifyOffline(file, line, io)
    const legion = await findLegion(line.options, io)
    return legion ? legion.verify(line, io) : verifyLive(line, io)
  },
}

/** A LEGION log is asked where one is named: by its name, by the place that the trust store has for it, or by `--id`, which only such a log has.
 *  What asks it loads only then. */
async function findLegion(options: Options, io: Io) {
  const named = options.values("log")
  const other = ["id", "registry"].find((name) => options.flag(name))
  if (named.length === 0 && other === undefined) return null
  const { isLegionLog, readLegionPlace } = await import("../legion-logs.js")
  const known = await Promise.all(named.map((text) => isLegionLog(text, io)))
  const text = other === undefined ? named.find((_, i) => known[i]) : (named[0] ?? null)
  if (text === null) throw new ToolsumError("USAGE", `--${other} goes with --log: which LEGION log to ask`)
  if (text === undefined) return null
  const place = await readLegionPlace(text, io)
  const { verifyServerInLegion } = await import("../verify-server-legion.js")
  return { verify: (line: CommandLine, io: Io) => verifyServerInLegion(place, line, io) }
}

async function verifyOffline(file: string, { words, launch, options }: CommandLine, io: Io): Promise<ExitCode> {
  const other = ["save", "log", "subject", "header", "env", "id", "registry"].find((name) => options.flag(name))
  if (words.length > 0 || launch !== null || other !== undefined)
    throw new ToolsumError(
      "USAGE",
      `--offline proves a file again: expected no ${other ? `--${other}` : "server"} beside it`,
    )
  return (await import("../verify-evidence.js")).verifyEvidenceFile({ command: "verify-server", file }, options, io)
}

/** One server and what was typed about it. */
interface Asked {
  readonly target: Target
  readonly options: Options
  readonly io: Io
}

async function verifyLive(line: CommandLine, io: Io): Promise<ExitCode> {
  const { options } = line
  const target = readTarget(line, io)
  const subject = chooseSubject(target, options.value("subject"))
  const places = await findLogsToAsk(subject, options, io)
  const asked = { target, options, io }
  const work = verifyServer({
    ...{ target, subject },
    profile: readTypedProfile(target, options),
    sections: options.flag("resources") ? SECTION_NAMES : DEFAULT_SECTIONS,
    nowSec: io.nowSec(),
    exhaustive: options.flag("exhaustive"),
    read: () => readServer(asked),
    logs: Promise.all(places.map((place) => place.open())),
  })
  const verified = await showProgress(io, `reading ${showWord(describeTarget(target))}`, work)
  if (io.signal.aborted) throw new ToolsumError("READING_INCOMPLETE", "interrupted")
  return verified.kind === "refuted" ? reportRefuted(verified, asked) : report(verified, places, asked)
}

/** A name that was given, or what the server is given. Throws USAGE for what is no name of a profile. */
function readTypedProfile(target: Target, options: Options): string {
  const [name, placeholders] = [readProfile(options), options.values("placeholder")]
  if (name === null) return profileOf(target, placeholders)
  requireProfileName(name, placeholders)
  return name
}

async function readServer({ target, options, io }: Asked) {
  const { path: lockfilePath } = await findProjectLockfile(options, io)
  const sections = options.flag("resources") ? SECTION_NAMES : DEFAULT_SECTIONS
  // Typed by the user: that is the consent to start or contact it, this once.
  const source = await openServer({
    target,
    placeholders: options.values("placeholder"),
    reach: "any",
    ...{ lockfilePath, options, io },
  })
  return source.read({ sections, limits: readLimits(options), signal: io.signal })
}

type Refuted = Extract<VerifiedServer, { kind: "refuted" }>
type Answered = Extract<VerifiedServer, { kind: "answered" }>

/** A log that is caught lying leaves no verdict on the server. */
async function reportRefuted({ log, error }: Refuted, { target, options, io }: Asked): Promise<ExitCode> {
  const refuted = { origin: log, error }
  const server: ServerVerdict = {
    ...{ name: describeTarget(target), subject: null, version: null },
    ...{ verdict: "REJECTED", reason: error.code, detail: error.message },
    ...{ compared: [], covered: [], notCovered: [], head: null, record: null, newest: null, pin: null },
    ...{ items: {}, changes: [], warnings: [] },
  }
  if (options.flag("json")) {
    const members = { refutedLogs: [refutedMember(refuted)], ...(await witnessPolicyMembers(options, io)) }
    printDocument(io, { command: "verify-server", exitCode: 3, roots: [], ...reportMembers([server]), ...members })
  } else io.stdout(renderRefuted(refuted))
  if (options.value("save") !== null) io.stderr("nothing was saved: what the log signed is no evidence\n")
  return 3
}

async function report(answered: Answered, places: readonly LogPlace[], asked: Asked): Promise<ExitCode> {
  const { options, io, target } = asked
  const given = listGivenValues({ target, placeholders: options.values("placeholder"), environment: io.env })
  const { changes, difference } = answered.report
  const shown = { ...answered.report, ...(await reviewChanges(changes, difference, { given })) }
  const saved = await save(answered, asked)
  const exitCode = worstExitCode([exitCodeOfVerdict(shown.verdict), saved?.error ? 2 : 0])
  if (options.flag("json")) {
    const findings = answered.findings.map((finding) => ({ ...finding }))
    const document = { ...reportMembers([verdictOf(shown)]), ...reportDetails(shown), findings, ...savedMember(saved) }
    printDocument(io, {
      command: "verify-server",
      exitCode,
      roots: rootMembers(shown.logs.map(({ log }) => log)),
      ...document,
      ...(await witnessPolicyMembers(options, io)),
    })
  } else if (!options.flag("quiet") || exitCode !== 0) await show(shown, answered, places, asked)
  if (saved) showSaved(saved, describeSaved(saved, shown), asked)
  return exitCode
}

async function show(
  shown: ServerReport,
  { findings }: Answered,
  places: readonly LogPlace[],
  { options, io }: Asked,
): Promise<void> {
  const [paint, explain] = [await loadPaint(io.colour), options.flag("explain")]
  const lines = [...(await renderReport(shown, { paint, explain })), ...nextSteps(shown, places)]
  const server = shownVerdictOf(shown)
  const notes = describeOmission([server], options.flag("exhaustive"))
  io.stdout(renderServers([server], { paint, explain, below: () => lines, notes }))
  for (const warning of server.warnings) io.stderr(`warning: ${describeWarning(warning)}\n`)
  for (const { message } of findings) io.stderr(`note: ${escapeInvisible(message)}\n`)
}

/** What a person can do about an answer. */
function nextSteps(report: ServerReport, places: readonly LogPlace[]): readonly string[] {
  const { reason, reading, logs } = report
  if (places.length === 0)
    return ["no log is asked unless it is named: toolsum verify-server … --log <folder, https URL or origin>"]
  const subjects = reason === "never_signed" || reason === "not_in_log" || reason === "ambiguous_subject" ? logs : []
  const others = subjects.flatMap(({ log }) => log.records.map(({ record }) => record.subject))
  const fitting = [...new Set(others)].filter((subject) => subject !== reading.subject && fits(reading.target, subject))
  return [...pinSteps(report), ...fitting.map((subject) => `compare with it: --subject ${showWord(subject)}`)]
}

/** True for a subject that may be given for this target. */
function fits(target: Target, subject: string): boolean {
  try {
    return chooseSubject(target, subject) === subject
  } catch (error) {
    if (error instanceof ToolsumError) return false
    throw error
  }
}

const EVIDENCE = { name: "evidence", pattern: EVIDENCE_FILE, maxBytes: MAX_JSON_BYTES }

async function save(answered: Answered, { options, io, target }: Asked): Promise<Saved | null> {
  const file = options.value("save")
  if (file === null) return null
  const build = async () => {
    const { surface } = answered.report.reading
    const placeholders = options.values("placeholder")
    if (surface) refuseEchoes(surface, listGivenValues({ target, placeholders, environment: io.env }))
    const { evidence, text } = fitting(await answered.evidence())
    return { text, sum: computeEvidenceSum(evidence) }
  }
  return saveEvidence(file, { kind: EVIDENCE, io, build })
}

/** The evidence with all texts of records that fit into a file: those make words of a diff and prove nothing. */
function fitting(evidence: ServerEvidence): { evidence: ServerEvidence; text: string } {
  try {
    return { evidence, text: formatServerEvidence(evidence) }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    const logs = evidence.logs.map((log) => ({
      ...log,
      records: log.records.map((record) => ({ ...record, surface: null })),
    }))
    const smaller = { ...evidence, logs }
    return { evidence: smaller, text: formatServerEvidence(smaller) }
  }
}

function describeSaved({ file, sum }: Saved, report: ServerReport): readonly string[] {
  const { isPrivate, profile } = report.reading
  const { name } = shownVerdictOf(report)
  const what = `evidence in ${showWord(file)}, ${sum}: it holds all that ${showWord(name)} said, and how it was reached, folders included`
  if (!isPrivate && profile === "anonymous") return [what]
  const whose = `it was read as ${profile}${isPrivate ? ", and marked as meant for you alone" : ""}: look at it before you share it`
  return [what, whose]
}
