// What `--base` found, a line for each difference: what it is, who claims to have approved it, what to do. Names, reasons and claims come from
// the tree under test: everything is escaped here.
import type { BaseReport } from "../core/base-report.js"
import { escapeInvisible } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { describeBase, describeBaseFinding } from "../features/base-text.js"
import type { ReportBase } from "../features/report/model.js"
import { readAccepted } from "./base.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { pasteLine, showWord } from "./shell-words.js"

/** The same as a member of a document; none without `--base`. */
export const baseMembers = (bases: readonly BaseReport[]): { readonly bases?: JsonValue } =>
  bases.length === 0 ? {} : { bases: bases.map(baseMember) }

const baseMember = ({ findings, ...base }: BaseReport): JsonValue => ({
  ...base,
  findings: findings.map((finding) => ({ ...finding })),
})

/** Say what differs from the base, and which accepted digests belong to no difference. `say`: where to; null where a document has the first. */
export function showBases(
  bases: readonly BaseReport[],
  p: { command: "verify" | "check"; options: Options; io: Io; say: ((text: string) => void) | null },
): void {
  const { command, options, io, say } = p
  const isOpen = bases.some(({ findings }) => findings.some(({ status }) => status === "open"))
  if (say !== null && (isOpen || !options.flag("quiet"))) for (const base of bases) say(renderBase(base, command))
  const known = new Set(bases.flatMap(({ findings }) => findings.flatMap(({ accept }) => accept ?? [])))
  for (const digest of readAccepted(options))
    if (!known.has(digest)) io.stderr(`warning: --accept ${digest}: no change has this digest\n`)
}

function renderBase(base: BaseReport, command: string): string {
  const lines = base.findings.map((finding) => `  ${escapeInvisible(describeBaseFinding(finding, showWord))}`)
  const line = acceptLine(base, command)
  const all = [
    ...(lines.length > 0 ? lines : ["  nothing differs"]),
    ...(line ? [`  if all of that is wanted: ${line}`] : []),
  ]
  return `${[`${describeBase(base, showWord)}:`, ...all].join("\n")}\n`
}

/** The same for a report. */
export const reportBases = (bases: readonly BaseReport[], command: string): readonly ReportBase[] =>
  bases.map((base) => ({ ...base, acceptLine: acceptLine(base, command) }))

/** All that can be accepted as one line to paste; null where that is nothing, or a shell would read more into the revision. */
function acceptLine({ ref, findings }: BaseReport, command: string): string | null {
  const digests = findings.flatMap(({ accept, status }) => (status === "open" && accept !== null ? [accept] : []))
  if (digests.length === 0) return null
  return pasteLine("toolsum", command, "--base", ref, ...digests.flatMap((digest) => ["--accept", digest]))
}
