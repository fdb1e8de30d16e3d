// Reports for people: one line per server, what to do next, one footer. Heads, leaves and roots only with --explain or on failure
// (DESIGN 9). Everything that came from a server, a log or a lockfile is escaped here.
import { type ErrorCode, escapeInvisible } from "../core/errors.js"
import { countVerdicts, type ServerVerdict, VERDICTS, type Verdict } from "../core/verdict.js"
import type { Paint } from "./paint.js"
import { showWord } from "./shell-words.js"

/** How a report is shown. */
export interface RenderOptions<Server extends ServerVerdict = ServerVerdict> {
  readonly paint: Paint
  readonly explain: boolean
  /** Lines under a server: a diff, a hint. Escaped already. */
  readonly below?: (server: Server) => readonly string[]
  /** Lines before the counts. Escaped already. */
  readonly notes?: readonly string[]
}

/** A report of several servers, ending with the counts. */
export function renderServers<Server extends ServerVerdict>(
  servers: readonly Server[],
  options: RenderOptions<Server>,
): string {
  const width = Math.max(...servers.map(({ name }) => showWord(name).length))
  const lines = servers.flatMap((server) => [headline(server, width, options.paint), ...details(server, options)])
  return `${[...lines, ...partialCoverage(servers), ...(options.notes ?? []), footer(servers)].join("\n")}\n`
}

/** Whether it was shown that the logs hold back no newer record. `exhaustive`: every entry was asked for. */
export function describeOmission(servers: readonly ServerVerdict[], exhaustive: boolean): readonly string[] {
  const asked = servers.filter(({ newest, verdict }) => newest !== null && verdict !== "REJECTED")
  const open = asked.filter(({ newest }) => newest === "hint")
  const names = open.length === asked.length ? "" : ` for ${open.map(({ name }) => showWord(name)).join(", ")}`
  if (open.length > 0)
    return [
      `not shown${names}: that the log holds back no newer record${exhaustive ? "" : "; --exhaustive looks at every entry"}`,
    ]
  if (!exhaustive || asked.length === 0) return []
  const sizes = [...new Set(asked.flatMap(({ searched }) => (searched ? [searched.size] : [])))].join(", ")
  return [`every later entry up to head ${sizes} was looked at: no newer record is held back`]
}

/** Where records cover only some members of an item, that is the same for all of their log: said once, not under each server. */
const isPartial = ({ covered }: ServerVerdict): boolean => covered.some(({ fields }) => fields !== "all")

function partialCoverage(servers: readonly ServerVerdict[]): string[] {
  const lines = servers.filter(isPartial).map(({ covered, notCovered }) => {
    const parts = covered.map(
      ({ section, fields }) => `${typeof fields === "string" ? fields : fields.join(", ")} of ${section}`,
    )
    return `covered: ${parts.join("; ")}; not covered: ${notCovered.join(", ")}`
  })
  return [...new Set(lines)]
}

/** Columns of what stands below a server, so that it ends at the hundredth. */
export const BELOW_WIDTH = 96

function headline(server: ServerVerdict, width: number, paint: Paint): string {
  const name = showWord(server.name).padEnd(width)
  const word = colourOf(server.verdict, paint)(server.verdict.padEnd(9))
  const reason = server.reason && server.verdict !== "REJECTED" ? `${escapeInvisible(server.reason)}: ` : ""
  return `${name}  ${word}  ${reason}${escapeInvisible(server.detail ?? summaryOf(server))}`
}

/** `@scope/server 1.2.3, 9 tools, 2 prompts`. */
function summaryOf(server: ServerVerdict): string {
  if (server.subject === null) return "no record"
  const counts = Object.entries(server.items).map(([section, count]) => countItems(count, section))
  return [showPackage(server.subject, server.version), ...counts].join(", ")
}

/** `@scope/server 1.2.3`: a package by its own name, everything else by its subject. No version: null or "-". */
export function showPackage(subject: string, version: string | null): string {
  const name = subject.replace(/^pkg:(?:npm|pypi)\/([^?]*)$/, (_, path: string) => path.replace(/^%40/, "@"))
  return version === null || version === "-" ? name : `${name} ${version}`
}

/** "1 tool", "9 tools". */
export const countItems = (count: number, section: string): string =>
  `${count} ${count === 1 ? section.slice(0, -1) : section}`

/** What is wrong with a whole log is said once, not under each of its pins (render-refuted.ts). */
const OF_THE_LOG: readonly (string | null)[] = ["LOG_INCONSISTENT", "LOG_ROLLBACK"] satisfies readonly ErrorCode[]

function details<Server extends ServerVerdict>(server: Server, options: RenderOptions<Server>): string[] {
  const lines = [...(options.below?.(server) ?? [])]
  const isRefuted = server.verdict === "REJECTED" && !OF_THE_LOG.includes(server.reason)
  if (options.explain || isRefuted) lines.push(...evidence(server))
  return lines.map((line) => (line === "" ? "" : `    ${line}`))
}

function evidence(server: ServerVerdict): string[] {
  const { head, record, pin, searched } = server
  return [
    ...(head ? [`head      ${head.size} of ${showWord(head.origin)}, ${countItems(head.cosigners, "cosigners")}`] : []),
    ...(searched ? [`searched  every entry from leaf ${searched.from} up to head ${searched.size}`] : []),
    ...(record ? [`record    leaf ${record.index}, observed ${formatSec(record.observedSec)}`] : []),
    ...(pin ? [`pin       ${pin}`] : []),
    ...(server.notCovered.length > 0 && !isPartial(server) ? [`not read  ${server.notCovered.join(", ")}`] : []),
  ]
}

/** Every answer that occurred, with how often: `3 servers: 2 PROVEN, 1 CHANGED`. */
export function footer(servers: readonly ServerVerdict[]): string {
  const counts = countVerdicts(servers.map((server) => server.verdict))
  const parts = VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict) => `${counts[verdict]} ${verdict}`)
  return `${servers.length} ${servers.length === 1 ? "server" : "servers"}: ${parts.join(", ")}`
}

const colourOf = (verdict: Verdict, paint: Paint): ((text: string) => string) => {
  if (verdict === "PROVEN" || verdict === "UNCHANGED") return paint.green
  return verdict === "REJECTED" || verdict === "CHANGED" ? paint.red : paint.yellow
}

/** POSIX seconds as an instant in UTC. */
export function formatSec(sec: bigint): string {
  const date = new Date(Number(sec) * 1000)
  return Number.isNaN(date.getTime()) ? `${sec} s` : date.toISOString().replace(".000", "")
}
