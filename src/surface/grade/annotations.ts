// What it means that a tool's annotations differ. Hints are compared by their effective value: one that is absent has the value of the
// specification (MCP, ToolAnnotations), so writing that down changes nothing. Whether a claim fits the tool is said by lint.
import { isObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import { isAtLeast, type Severity } from "../../core/severity.js"
import type { ChangeFinding } from "../finding.js"
import { memberOf } from "../members.js"
import { type ChangedMember, type MemberGrader, meaning, type Said } from "./changed-member.js"

interface Hint {
  /** Value that counts where there is none. */
  readonly absent: boolean
  /** Value that claims to be harmless. */
  readonly harmless: boolean
  /** How much it weighs that a tool takes the claim back in words: clients ask before a call because of it, or do not. */
  readonly admitted: Severity
}

const HINTS: Readonly<Record<string, Hint>> = {
  readOnlyHint: { absent: false, harmless: true, admitted: "high" },
  destructiveHint: { absent: true, harmless: false, admitted: "high" },
  idempotentHint: { absent: false, harmless: true, admitted: "medium" },
  openWorldHint: { absent: true, harmless: false, admitted: "medium" },
}

/** Grader of a tool's `annotations`. */
export const gradeToolAnnotations: MemberGrader = (member) => {
  const { before = null, after = null } = member
  if (!isObject(before ?? {}) || !isObject(after ?? {})) return [odd(member)]
  const names = changedNames(member, before, after)
  const explicit = names.filter((name) => Object.hasOwn(HINTS, name) && isEffectivelyEqual(name, before, after))
  const others = names.filter((name) => !explicit.includes(name))
  const spoken = others.map((name) => gradeName(member, name, before, after))
  if (explicit.length === 0 && spoken.length > 0) return spoken
  return [...(explicit.length > 0 || spoken.length === 0 ? [madeExplicit(member, explicit)] : []), ...spoken]
}

/** The annotations that differ: those named by the changes, or all where the whole is the change. */
function changedNames(member: ChangedMember, before: JsonValue, after: JsonValue): readonly string[] {
  const whole = member.changes.some(({ pointer }) => pointer === member.pointer)
  const named = new Set(member.changes.map(({ pointer }) => pointer.slice(member.pointer.length).split("/", 2)[1]))
  const all = [before, after].flatMap((side) => (isObject(side) ? Object.keys(side) : []))
  return [...new Set(all)].filter((name) => whole || named.has(formatPointer([name]).slice(1)))
}

const odd = (member: ChangedMember): ChangeFinding =>
  meaning(
    member,
    {
      rule: "annotations.other-changed",
      severity: "medium",
      message: "annotations are no object on one side: what clients make of them is unknown",
    },
    member.changes.map(({ pointer }) => pointer),
  )

const madeExplicit = (member: ChangedMember, names: readonly string[]): ChangeFinding =>
  meaning(
    member,
    {
      rule: "annotations.made-explicit",
      severity: "info",
      message: "hints are written down, or left out, that the specification implies",
    },
    coversOf(member, names),
  )

/** Pointers of the changes that the annotations `names` account for. */
function coversOf(member: ChangedMember, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [member.pointer]
  return names.map((name) => member.pointer + formatPointer([name]))
}

/** The effective value; what is neither true nor false is its own, since some clients take it for true. */
function effective(name: string, annotations: JsonValue): JsonValue {
  return memberOf(annotations, name) ?? HINTS[name]?.absent ?? null
}

const isEffectivelyEqual = (name: string, before: JsonValue, after: JsonValue): boolean =>
  effective(name, before) === effective(name, after)

function gradeName(member: ChangedMember, name: string, before: JsonValue, after: JsonValue): ChangeFinding {
  const at = member.pointer + formatPointer([name])
  const hint = Object.hasOwn(HINTS, name) ? HINTS[name] : undefined
  if (hint !== undefined) return meaning(member, { ...gradeHint(member, name, hint, [before, after]), at })
  if (name === "title")
    return meaning(member, {
      rule: "annotations.title-changed",
      severity: "low",
      message: "title of the annotations is another",
      at,
    })
  return meaning(member, {
    rule: "annotations.other-changed",
    severity: "low",
    message: "an annotation outside the specification is another",
    at,
  })
}

/** A hint whose effective value differs. */
function gradeHint(member: ChangedMember, name: string, hint: Hint, sides: readonly [JsonValue, JsonValue]): Said {
  const [was, is] = [effective(name, sides[0]), effective(name, sides[1])]
  const said = (severity: Severity, message: string): Said => ({ rule: "annotations.hint-changed", severity, message })
  if (is !== !hint.harmless) {
    if (isContradicted(member, name, hint))
      return said("critical", `claims ${name} ${String(is)}, which its schema, name or text contradicts`)
    if (typeof is !== "boolean")
      return said("medium", `${name} is neither true nor false: clients read it in different ways`)
    return said("medium", `claims ${name} ${is}: clients may ask less before a call`)
  }
  if (typeof was !== "boolean" || memberOf(sides[1], name) === undefined)
    return said("medium", `no longer claims ${name}: what was approved under the claim holds no more`)
  return said(hint.admitted, `admits ${name} ${is}: what was approved under the other claim holds no more`)
}

/** True where lint gravely doubts the claim, or claims of this weight together. */
const isContradicted = (member: ChangedMember, name: string, hint: Hint): boolean =>
  member.findings.some(
    ({ rule, severity, pointer }) =>
      rule === "annotation-contradiction" &&
      isAtLeast(severity, "high") &&
      (pointer === member.pointer + formatPointer([name]) || (pointer === member.pointer && hint.admitted === "high")),
  )
