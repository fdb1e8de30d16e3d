// `toolsum history` of a tlog-tiles log: opens it, reads the streams, and answers one of three questions: what there is, what differs between two
// records, in which a text is.
import { rememberObjects } from "../client/objects.js"
import type { LogClient } from "../client/open-log.js"
import { parseDecimal } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import type { Pin } from "../core/lockfile.js"
import { isSubject, streamKey } from "../core/record.js"
import { findText, parseTextQuery, type TextQuery } from "../features/find-text.js"
import { type HistoryQuestion, readHistory, type ServerHistory, type StreamChoice } from "../features/history.js"
import { pickRecord } from "../features/pick-record.js"
import { observationOf } from "../features/pins.js"
import { compareRecords, readRecordTexts } from "../features/record-changes.js"
import { findLogsToAsk } from "./asked-logs.js"
import type { ExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import { findLogSource, openLogForReading } from "./logs.js"
import type { Options } from "./options.js"
import { loadPaint } from "./paint.js"
import { showProgress } from "./progress.js"
import { findProjectLockfile, witnessPolicyMembers } from "./project.js"
import { renderDiff } from "./render-diff.js"
import {
  changesMember,
  describeFound,
  describeHistory,
  describePair,
  describeUncovered,
  type FoundInStream,
  foundMember,
  otherMember,
  placeMember,
  streamMember,
} from "./render-history.js"
import { printDocument } from "./report-json.js"
import { describeWarning } from "./warnings.js"

interface Run {
  readonly client: LogClient
  readonly history: ServerHistory
  readonly options: Options
  readonly io: Io
}

/** Show the history of a pin's server, or of a subject. Throws USAGE for questions that do not go together, LOG_UNAVAILABLE, and as `readHistory`. */
export async function showTileHistory(
  name: string,
  pin: Pin | null,
  { options, io }: { options: Options; io: Io },
): Promise<ExitCode> {
  const between = options.values("between")
  const find = options.value("find")
  if (find !== null && between.length > 0) throw new ToolsumError("USAGE", "expected one of --between and --find")
  if (between.length > 2) throw new ToolsumError("USAGE", "--between was given twice, expected once")
  const query = find === null ? null : parseTextQuery(find)
  const choice = readChoice(options, pin)
  const { client, subject } =
    pin === null ? await openForSubject(name, options, io) : await openForPin(pin, options, io)
  const known = pin !== null && pin.log === client.origin ? pin.index : null
  const question: HistoryQuestion = { subject, choice, exhaustive: options.flag("exhaustive"), known }
  const history = await showProgress(io, "reading the log", readHistory(client, question))
  const run = { client, history, options, io }
  const [a, b] = between
  if (query !== null) return showFound(run, query)
  return a !== undefined && b !== undefined ? showBetween(run, a, b) : showAll(run)
}

function readChoice(options: Options, pin: Pin | null): StreamChoice {
  const which = options.value("stream")
  if (which === null) return pin === null ? "all" : { stream: streamKey(observationOf(pin)) }
  if (which === "all") return "all"
  const leaf = which.replace(/^leaf:/, "")
  return { leaf: parseDecimal(leaf, (why) => new ToolsumError("USAGE", `--stream: expected all or a leaf: ${why}`)) }
}

interface Opened {
  readonly client: LogClient
  readonly subject: string
}

async function openForPin(pin: Pin, options: Options, io: Io): Promise<Opened> {
  const { subject } = observationOf(pin)
  if (options.value("log") !== null) return openForSubject(subject, options, io)
  const lockfile = await (await findProjectLockfile(options, io)).read()
  const source = await findLogSource(pin.log, lockfile, options, io)
  if (source === null)
    throw new ToolsumError(
      "LOG_UNAVAILABLE",
      `nothing says where the log ${quote(pin.log, 300)} can be read from here: --log`,
    )
  return { client: await openLogForReading({ source, origin: pin.log, lockfile, options, io }), subject }
}

async function openForSubject(subject: string, options: Options, io: Io): Promise<Opened> {
  if (!isSubject(subject))
    throw new ToolsumError("USAGE", `expected the name of a pin or a subject, got ${quote(subject)}`)
  const [place, ...more] = await findLogsToAsk(subject, options, io)
  if (place === undefined)
    throw new ToolsumError("USAGE", "no log is asked unless it is named: --log with its folder, https URL or origin")
  if (more.length > 0)
    throw new ToolsumError(
      "USAGE",
      `several logs may have it: --log with one of ${[place, ...more].map((p) => p.name).join(", ")}`,
    )
  const { state } = await place.open()
  if (state instanceof ToolsumError) throw state
  return { client: state, subject }
}

async function showAll(run: Run): Promise<ExitCode> {
  const { history, client, options, io } = run
  if (options.flag("json")) await print(run, 0, { streams: history.streams.map((stream) => streamMember(stream)) })
  else if (!options.flag("quiet")) io.stdout(describeHistory(history, client))
  warn(run)
  return 0
}

async function showBetween(run: Run, a: string, b: string): Promise<ExitCode> {
  const { client, history, options, io } = run
  const [from, to] = [await pickRecord(client, history, a), await pickRecord(client, history, b)]
  const missing = new Set(history.warnings)
  const source = rememberObjects(client.source, (warning) => missing.add(warning))
  const texts = [await readRecordTexts(source, from.record), await readRecordTexts(source, to.record)] as const
  const compared = compareRecords(...texts)
  const exitCode = compared.differs.length === 0 ? 0 : 1
  if (options.flag("json")) {
    const pair = { from: placeMember(from), to: placeMember(to), ...changesMember(compared) }
    await print(run, exitCode, { between: pair }, [...missing])
  } else if (!options.flag("quiet")) {
    const lines = [
      describePair(from, to, compared),
      ...renderDiff(compared.diff, { paint: await loadPaint(io.colour) }),
    ]
    io.stdout([...lines, ...describeUncovered(compared)].map((line) => `${line}\n`).join(""))
  }
  warn({ ...run, history: { ...history, warnings: [...missing] } })
  return exitCode
}

/** 1 where any record has the text, 2 where none has it and some are open, 0 where none has it. */
async function showFound(run: Run, query: TextQuery): Promise<ExitCode> {
  const { client, history, options, io } = run
  const missing = new Set(history.warnings)
  const source = rememberObjects(client.source, (warning) => missing.add(warning))
  const found: FoundInStream[] = []
  for (const stream of history.streams) found.push({ stream, ...(await findText(source, stream.entries, query)) })
  const all = found.flatMap(({ records }) => records.map(({ presence }) => presence))
  const exitCode = all.includes("present") ? 1 : all.includes("not_covered") ? 2 : 0
  if (options.flag("json")) {
    const streams = found.map((one) => ({ ...streamMember(one.stream), ...foundMember(one) }))
    await print(run, exitCode, { find: query.text, streams }, [...missing])
  } else if (!options.flag("quiet") || exitCode > 1) io.stdout(describeFound(found, query, { history, client }))
  warn({ ...run, history: { ...history, warnings: [...missing] } })
  return exitCode
}

async function print(
  { client, history, options, io }: Run,
  exitCode: ExitCode,
  members: { readonly [name: string]: JsonValue },
  warnings: readonly string[] = history.warnings,
): Promise<void> {
  const { fingerprint, source } = client.root
  const { size, cosigners } = client.head
  printDocument(io, {
    ...{ command: "history", exitCode, roots: [{ log: client.origin, fingerprint, source }] },
    ...{ subject: history.subject, log: client.origin, size: String(size), cosigners, ...members },
    ...{ others: history.others.map(otherMember), warnings: [...warnings] },
    ...(await witnessPolicyMembers(options, io)),
  })
}

function warn({ history, options, io }: Run): void {
  if (options.flag("json") || options.flag("quiet")) return
  for (const warning of history.warnings) io.stderr(`warning: ${describeWarning(warning)}\n`)
}
