// `toolsum log compare A B…`: one log as several places have seen it, each head held against every other. Without a server in the middle:
// whatever a colleague, a CI job, a witness or an archive has kept of the log is a view.

import { formatBase64, formatHex } from "../../core/bytes.js"
import type { ToolsumError } from "../../core/errors.js"
import { escapeInvisible } from "../../core/errors.js"
import type { JsonValue } from "../../core/json.js"
import { type ComparedLog, type ComparedView, compareViews } from "../../features/compare-views.js"
import type { CommandSpec } from "../commands.js"
import { sayError } from "../error-text.js"
import { withEvidence } from "../evidence.js"
import { type ExitCode, exitCodeOfError, worstExitCode } from "../exit-codes.js"
import type { Io } from "../io.js"
import { loadPaint, type Paint } from "../paint.js"
import { collectRoots, ROOT_OPTIONS } from "../project.js"
import { errorMember, printDocument } from "../report-json.js"
import { showWord } from "../shell-words.js"
import { type LoadedView, loadViews } from "../views.js"

export const logCompareCommand: CommandSpec = {
  usage: "log compare <view> <view…>",
  words: [2, 64],
  options: [...ROOT_OPTIONS],
  examples: [
    "toolsum log compare toolsum.lock.json state https://log.example.com/tools/",
    "toolsum log compare ./checkpoint ../colleague/toolsum.lock.json /srv/log",
    "toolsum log compare state https://witness.example.net/<sha256 of the origin>/checkpoint",
  ],
  run: async ({ words, options }, io) => {
    const loaded = await loadViews([...new Set(words)], options, io)
    const views = loaded.flatMap((view) => ("logs" in view ? [view] : []))
    const compared = await compareViews({ views, roots: await collectRoots(options, io), nowSec: BigInt(io.nowSec()) })
    const logs = await Promise.all(compared.map((log) => withKeptEvidence(log, io)))
    const unread = loaded.flatMap((view) => ("error" in view ? [view] : []))
    const exitCode = worstExitCode([...unread.map(({ error }) => exitCodeOfError(error)), exitCodeOf(logs)])
    if (options.flag("json")) printDocument(io, { command: "log compare", exitCode, ...members(logs, unread) })
    else if (!options.flag("quiet") || exitCode !== 0) show(logs, unread, await loadPaint(io.colour), io)
    return exitCode
  },
}

type Unread = Extract<LoadedView, { readonly error: ToolsumError }>

/** The log with the file of its evidence named in each contradiction. */
async function withKeptEvidence(log: ComparedLog, io: Io): Promise<ComparedLog> {
  return { ...log, forks: await Promise.all(log.forks.map((error) => withEvidence(error, log.origin, io))) }
}

/** 3: a contradiction, or something that no key of the log stands behind. 2: something is open, or nothing met its like. */
function exitCodeOf(logs: readonly ComparedLog[]): ExitCode {
  const codes = logs.flatMap(({ fault, forks, views }): readonly ExitCode[] => [
    ...(fault ? [exitCodeOfError(fault)] : []),
    ...forks.map(exitCodeOfError),
    ...views.flatMap(({ problems, unplaced }) => [...problems.map(exitCodeOfError), unplaced > 0 ? 2 : 0] as const),
  ])
  return worstExitCode([...codes, logs.some(isCompared) ? 0 : 2])
}

/** True for a log that two views have a head of. */
const isCompared = ({ views }: ComparedLog): boolean => views.filter(({ newest }) => newest !== null).length > 1

function show(logs: readonly ComparedLog[], unread: readonly Unread[], paint: Paint, io: Io): void {
  for (const log of logs) io.stdout(renderLog(log, paint))
  for (const { name, error } of unread) io.stderr(`toolsum: ${showWord(name)}: ${sayError(error)}\n`)
  io.stdout(`${footer(logs, unread)}\n`)
}

function renderLog(log: ComparedLog, paint: Paint): string {
  const { origin, root, fingerprint, fault, forks } = log
  const pinned = root ? `root ${root.fingerprint} (${root.source})` : `root ${fingerprint ?? "unknown"}, not pinned`
  const lines = [`${showWord(origin)}  ${pinned}`]
  if (fault) lines.push(`  not compared: ${sayError(fault)}`)
  else lines.push(...renderViews(log, paint))
  for (const fork of forks) lines.push(`  ${paint.red(escapeInvisible(fork.message))}`)
  return `${lines.join("\n")}\n`
}

/** A row for each view: how far it has seen the log, and how that lies to the newest head of all. */
function renderViews({ views }: ComparedLog, paint: Paint): readonly string[] {
  const rows = views.map((view) => [
    showWord(view.name),
    view.newest ? `${view.newest.size}` : "-",
    view.newest ? `${formatBase64(view.newest.rootHash).slice(0, 12)}…` : "-",
    describeStanding(view, views),
  ])
  const head = ["view", "newest", "root", ""]
  const widths = [0, 1, 2].map((i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? "").length)))
  const format = (row: readonly string[]) =>
    `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd()
  return [
    paint.dim(format(head)),
    ...rows.flatMap((row, i) => [
      format(row),
      ...(views[i]?.problems ?? []).map((problem) => `    ${paint.red(sayError(problem))}`),
    ]),
  ]
}

function describeStanding({ newest, standing, heads, unplaced }: ComparedView, views: readonly ComparedView[]): string {
  if (newest === null) return "no head of this log that counts"
  const cosigned = newest.cosigners.length > 0 ? `, cosigned by ${newest.cosigners.map(showWord).join(" ")}` : ""
  const loose =
    unplaced > 0 && standing !== "unlinked" ? `; ${unplaced} of its ${heads} heads not comparable: no proof` : ""
  return `${wordOf(standing, newest.size, views)}${loose}${cosigned}`
}

function wordOf(standing: ComparedView["standing"], size: bigint, views: readonly ComparedView[]): string {
  switch (standing) {
    case "newest":
      return views.filter((view) => view.standing === "newest").length > 1
        ? "the newest, as others have it"
        : "the newest"
    case "behind": {
      const newest = views.find((view) => view.standing === "newest")?.newest?.size ?? size
      const missing = newest - size
      return `agrees: a proven prefix, ${missing} ${missing === 1n ? "entry" : "entries"} behind`
    }
    case "forked":
      return "contradicts another view"
    default:
      return "not comparable: no proof here ties it to the newest"
  }
}

function footer(logs: readonly ComparedLog[], unread: readonly Unread[]): string {
  const views = logs.flatMap((log) => log.views).filter(({ newest }) => newest !== null)
  const count = (test: (view: ComparedView) => boolean) => views.filter(test).length
  const agreeing = count(({ standing, unplaced }) => (standing === "newest" || standing === "behind") && unplaced === 0)
  const forked = count(({ standing }) => standing === "forked")
  const forks = logs.reduce((sum, log) => sum + log.forks.length, 0)
  const open = views.length - agreeing - forked
  const parts = [
    ...(forks > 0 ? [`${forks} ${forks === 1 ? "contradiction" : "contradictions"} of a log with itself`] : []),
    ...(agreeing > 1 ? [`${agreeing} agree`] : []),
    ...(open > 0 ? [`${open} not comparable: give the log's folder or URL as a view, too`] : []),
    ...(unread.length > 0 ? [`${unread.length} could not be read`] : []),
  ]
  const told = logs.some(isCompared) ? parts : ["nothing compared, no log has a head in two of these views", ...parts]
  return `${logs.length} ${logs.length === 1 ? "log" : "logs"} in ${views.length + unread.length} views: ${told.join("; ")}`
}

function members(logs: readonly ComparedLog[], unread: readonly Unread[]): { readonly [member: string]: JsonValue } {
  return {
    roots: logs.map(({ origin, fingerprint, root }) => ({ log: origin, fingerprint, source: root?.source ?? null })),
    logs: logs.map(({ origin, views, forks, fault }) => ({
      ...{ log: origin, views: views.map(viewMember) },
      forks: forks.map((error) => ({ ...(errorMember(error) as object), evidence: { ...error.evidence } })),
      fault: fault && errorMember(fault),
    })),
    unreadViews: unread.map(({ name, error }) => ({ name, error: errorMember(error) })),
  }
}

const viewMember = ({ name, newest, standing, heads, unplaced, problems }: ComparedView): JsonValue => ({
  ...{ name, standing, heads, unplaced },
  newest: newest && { size: `${newest.size}`, rootHash: formatHex(newest.rootHash), cosigners: [...newest.cosigners] },
  problems: problems.map(errorMember),
})
