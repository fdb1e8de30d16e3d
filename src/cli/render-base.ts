// What `--base` found, a line for each difference: what it is, who claims to have approved it, what to do. Names, reasons and claims come from
// the tree under test: everything is escaped here.
import type { BaseFinding, BaseReport } from "../core/base-report.js"
import { escapeInvisible, quote } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { readAccepted } from "./base.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { pasteLine, showWord } from "./shell-words.js"

const COMMIT_CHARS = 12

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
  const { lockfile, ref, commit, mergeBase, findings } = base
  const beside = mergeBase === commit ? "" : `, compared with their merge base ${mergeBase.slice(0, COMMIT_CHARS)}`
  const head = `${showWord(lockfile)} held to ${showWord(ref)} (${commit.slice(0, COMMIT_CHARS)})${beside}:`
  const lines = findings.map((finding) => `  ${renderFinding(finding)}`)
  return `${[head, ...(lines.length > 0 ? lines : ["  nothing differs"]), ...acceptLine(base, command)].join("\n")}\n`
}

function renderFinding({ kind, name, status, detail, claimedBy, accept }: BaseFinding): string {
  const what = `${name === "" ? "" : `${showWord(name)} `}${kind}: ${escapeInvisible(detail)}`
  const claim = claimedBy === null ? "" : `; claimed by ${quote(claimedBy)}`
  if (status !== "open") return `${what}${claim}; ${status}`
  const advice = accept === null ? ADVICE[kind] : `--accept ${accept}`
  return `${what}${claim}${advice === undefined ? "" : `; ${advice}`}`
}

/** What to do where nothing can be accepted. */
const ADVICE: Readonly<Partial<Record<BaseFinding["kind"], string>>> = {
  unapproved: "review it, then toolsum approve",
  evidence: "see its verdict above",
}

/** All that can be accepted as one line to paste; nothing where a shell would read more into the revision. */
function acceptLine({ ref, findings }: BaseReport, command: string): readonly string[] {
  const digests = findings.flatMap(({ accept, status }) => (status === "open" && accept !== null ? [accept] : []))
  if (digests.length === 0) return []
  const line = pasteLine("toolsum", command, "--base", ref, ...digests.flatMap((digest) => ["--accept", digest]))
  return line === null ? [] : [`  if all of that is wanted: ${line}`]
}
