// What differs between two records of a log: the parts, by the records alone; the items, by the section texts that they are digests of; and the
// words, as far as the log's archive has them. What is not at hand is named, never taken for unchanged.
import { type ArchivedSurface, fetchArchivedSurface, fetchSectionTexts } from "../client/objects.js"
import { compareUtf8 } from "../core/bytes.js"
import { SURFACE_MEMBERS, type SurfaceMember } from "../core/compare-record.js"
import type { ToolRecord } from "../core/record.js"
import { parseSectionText, SECTION_NAMES, type SectionName, type Surface, surfaceMember } from "../core/section.js"
import type { Change } from "../core/verdict.js"
import type { LogSource } from "../ports.js"
import { analyseChanges, type ChangeAnalysis } from "../surface/analysis.js"
import type { DiffOptions, SurfaceDiff } from "../surface/diff.js"
import { withRules } from "../surface/meanings.js"

/** A record with the texts behind it, as far as the log has them. Items are those after masks. */
export interface RecordTexts {
  readonly record: ToolRecord
  readonly lists: Readonly<Partial<Record<SectionName, string>>>
  readonly archived: ArchivedSurface
}

/** One item of which the digest came, went or changed. `item`: null for a nameless one, and for instructions and server. */
export interface ItemChange {
  readonly section: SurfaceMember
  readonly item: string | null
  readonly kind: "added" | "removed" | "changed"
}

/** What differs between two records. */
export interface RecordChanges {
  /** Parts whose digests differ. */
  readonly differs: readonly SurfaceMember[]
  /** Their items; none of a part whose section text is not at hand. */
  readonly items: readonly ItemChange[]
  /** Pointers and values, of the parts that are in the archive on both sides. */
  readonly diff: SurfaceDiff & { readonly analysis: ChangeAnalysis }
  /** Parts that differ and whose words are not at hand. */
  readonly notCovered: readonly SurfaceMember[]
}

/** Read the texts behind a record. Throws what reading throws. */
export async function readRecordTexts(source: LogSource, record: ToolRecord): Promise<RecordTexts> {
  const [lists, archived] = await Promise.all([
    fetchSectionTexts(source, record.lines),
    fetchArchivedSurface(source, record.lines),
  ])
  return { record, lists, archived }
}

/** Compare two records with a list. Pure. Throws RECORD_INVALID for a section text that is none. */
export function compareRecords(before: RecordTexts, after: RecordTexts): RecordChanges {
  const differs = SURFACE_MEMBERS.filter((member) => before.record.lines[member] !== after.record.lines[member])
  const isCovered = (member: SurfaceMember) =>
    [before, after].every(({ archived }) => !archived.missing.includes(nameOf(member)))
  const covered = differs.filter(isCovered)
  return {
    differs,
    items: differs.flatMap((member) => compareItems(member, before, after)),
    diff: reviewTexts(only(before.archived.surface, covered), only(after.archived.surface, covered), {
      sections: SECTION_NAMES.filter((section) => covered.includes(section)),
    }),
    notCovered: differs.filter((member) => !isCovered(member)),
  }
}

function reviewTexts(before: Surface, after: Surface, options: DiffOptions): RecordChanges["diff"] {
  const analysis = analyseChanges({ before, after }, options)
  return { changes: withRules(analysis), unchanged: analysis.diff.unchanged, analysis }
}

/** The member of a surface that a part of a record stands for. */
export const nameOf = (member: SurfaceMember): keyof Surface =>
  member === "instructions" ? member : member === "server" ? "serverInfo" : surfaceMember(member)

/** The surface without all parts but these. */
function only(surface: Surface, members: readonly SurfaceMember[]): Surface {
  const keep = (member: SurfaceMember) => (members.includes(member) ? surface[nameOf(member)] : null)
  return {
    instructions: keep("instructions"),
    tools: keep("tools"),
    prompts: keep("prompts"),
    resourceTemplates: keep("templates"),
    resources: keep("resources"),
    serverInfo: keep("server"),
  }
}

function compareItems(member: SurfaceMember, before: RecordTexts, after: RecordTexts): readonly ItemChange[] {
  const [was, is] = [before.record.lines[member], after.record.lines[member]]
  if (member === "instructions" || member === "server")
    return [{ section: member, item: null, kind: was === "none" ? "added" : is === "none" ? "removed" : "changed" }]
  const [gone, come] = [itemsOf(member, before), itemsOf(member, after)]
  if (gone === null || come === null) return []
  const names = [...new Set([...gone.keys(), ...come.keys()])].sort(byName)
  return names.flatMap((item) => {
    const [a = "", b = ""] = [gone.get(item), come.get(item)]
    return a === b
      ? []
      : [{ section: member, item, kind: a === "" ? "added" : b === "" ? "removed" : "changed" } as const]
  })
}

const byName = (a: string | null, b: string | null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compareUtf8(a, b)

/** Digests by key, several of one key joined; null where the section text is not at hand. */
function itemsOf(section: SectionName, { record, lists }: RecordTexts): ReadonlyMap<string | null, string> | null {
  const text = /^[1-9]/.test(record.lines[section]) ? lists[section] : ""
  if (text === undefined) return null
  const items = new Map<string | null, string>()
  for (const { key, digest } of parseSectionText(text)) items.set(key, `${items.get(key) ?? ""} ${digest}`)
  return items
}

/** Pointers of an item's changes, for a line of a report. */
export const pointersOf = ({ section, item }: ItemChange, changes: readonly Change[]): readonly string[] =>
  changes.flatMap((change) =>
    change.section === section && change.item === item && change.kind === "changed" && change.pointer !== ""
      ? [change.pointer]
      : [],
  )
