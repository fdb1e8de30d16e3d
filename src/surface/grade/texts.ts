// What it means that a text differs: by how much it changed, never by single words. What a text asks for is found by the rules on texts,
// and a change takes the severity of what is found in it.
import type { Severity } from "../../core/severity.js"
import type { ChangeFinding, Place } from "../finding.js"
import { type ChangedMember, type MemberGrader, meaning, type TwoSides, wayOf } from "./changed-member.js"
import { judgeTextEdit, type TextEdit } from "./text-edit.js"

const EDITS: Readonly<Record<TextEdit, { readonly severity: Severity; readonly words: string }>> = {
  whitespace: { severity: "info", words: "only white space moved" },
  volatile: { severity: "low", words: "only what moves by itself is another: a time, a version, a path of a machine" },
  spelling: { severity: "low", words: "a few letters or signs are others" },
  wording: { severity: "medium", words: "it says something else" },
}

/** What a difference of one text is. A text that is no string on a side is one of wording. */
export function editOf({ before, after }: TwoSides): TextEdit | "added" | "removed" {
  if (before === undefined) return "added"
  if (after === undefined) return "removed"
  return typeof before === "string" && typeof after === "string" ? judgeTextEdit(before, after) : "wording"
}

/** Meaning of a text that differs. `kind` with `{way}` in it names how it came to differ; `blank` is the kind for white space alone. */
export function gradeText(
  place: Place,
  sides: TwoSides,
  { what, kind, blank = kind }: { readonly what: string; readonly kind: string; readonly blank?: string },
): ChangeFinding {
  const edit = editOf(sides)
  if (edit === "added" || edit === "removed") {
    const message = edit === "added" ? `a ${what} appeared` : `the ${what} is gone`
    return meaning(place, { rule: kind.replace("{way}", edit), severity: "medium", message })
  }
  const { severity, words } = EDITS[edit]
  const rule = (edit === "whitespace" ? blank : kind).replace("{way}", "changed")
  return meaning(place, { rule, severity, message: `${what}: ${words}` })
}

/** Grader of a member that is one text. */
export const textMember =
  (kinds: { readonly what: string; readonly kind: string; readonly blank?: string }): MemberGrader =>
  (member) =>
    member.changes.map((change) => gradeText({ ...member, pointer: change.pointer }, change, kinds))

/** Grader of a member whose every change means the same. */
export const plainMember =
  (said: { readonly what: string; readonly kind: string; readonly severity: Severity }): MemberGrader =>
  (member) =>
    member.changes.map((change) => gradePlain(member, change.pointer, { ...said, way: wayOf(change) }))

function gradePlain(
  member: ChangedMember,
  at: string,
  {
    what,
    kind,
    severity,
    way,
  }: { what: string; kind: string; severity: Severity; way: "added" | "removed" | "changed" },
): ChangeFinding {
  // A kind that tells how something came to be says it of the member as a whole: what came inside it changed it.
  const rule = kind.replace("{way}", at === member.pointer ? way : "changed")
  const words = way === "added" ? "appeared" : way === "removed" ? "is gone" : "is another"
  return meaning(member, { rule, severity, message: `${what} ${words}`, at })
}
