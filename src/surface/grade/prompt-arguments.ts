// What it means that the arguments of a prompt differ. They are matched by name, as callers give them; a list that does not name each once
// is graded as a whole.
import { isArray, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import type { ChangeFinding } from "../finding.js"
import { memberOf } from "../members.js"
import { diffValues } from "../values.js"
import { type ChangedMember, type MemberGrader, meaning, wayOf } from "./changed-member.js"
import { gradeText } from "./texts.js"

interface Argument {
  readonly name: string
  readonly index: number
  readonly value: JsonValue
}

/** Grader of a prompt's `arguments`. */
export const gradePromptArguments: MemberGrader = (member) => {
  const [before, after] = [readArguments(member.before), readArguments(member.after)]
  if (before === null || after === null) return [wholeList(member, "medium", "arguments of the prompt differ")]
  const earlier = new Map(before.map((argument) => [argument.name, argument]))
  const later = new Map(after.map((argument) => [argument.name, argument]))
  const found = [
    ...before.filter(({ name }) => !later.has(name)).map((argument) => gone(member, argument)),
    ...after.flatMap((argument) => gradeArgument(member, earlier.get(argument.name), argument)),
  ]
  return found.length > 0 ? found : [wholeList(member, "info", "the arguments are listed in another order")]
}

const wholeList = (member: ChangedMember, severity: "medium" | "info", message: string): ChangeFinding =>
  meaning(
    member,
    { rule: "prompt.arguments-changed", severity, message },
    member.changes.map(({ pointer }) => pointer),
  )

/** The arguments, null where they are no list of objects with names of their own. */
function readArguments(list: JsonValue | undefined): readonly Argument[] | null {
  if (list === undefined) return []
  if (!isArray(list)) return null
  const named = list.flatMap((value, index) => {
    const name = memberOf(value, "name")
    return typeof name === "string" ? [{ name, index, value }] : []
  })
  return named.length === list.length && new Set(named.map(({ name }) => name)).size === named.length ? named : null
}

const placeOf = (member: ChangedMember, { index }: Argument, ...below: readonly string[]): string =>
  member.pointer + formatPointer([String(index), ...below])

const gone = (member: ChangedMember, argument: Argument): ChangeFinding =>
  meaning(member, {
    rule: "prompt.argument-removed",
    severity: "medium",
    message: "an argument of the prompt is gone",
    at: placeOf(member, argument),
    member: argument.name,
  })

function gradeArgument(member: ChangedMember, before: Argument | undefined, after: Argument): readonly ChangeFinding[] {
  if (before === undefined) return [appeared(member, after)]
  return diffValues(before.value, after.value).map((change) => {
    const at = placeOf(member, after) + change.pointer
    if (change.pointer === "/description") {
      const kind = "prompt.argument-text-changed"
      return gradeText({ ...member, pointer: at }, change, { what: "text of an argument", kind })
    }
    if (change.pointer === "/required") return gradeRequired(member, after, at)
    if (change.pointer === "/title")
      return meaning(member, { rule: "title.changed", severity: "low", message: "title of an argument is another", at })
    const rule = `unknown-field.${wayOf(change)}`
    return meaning(member, {
      rule,
      severity: "medium",
      message: "a member of an argument that is not known differs",
      at,
    })
  })
}

const isRequired = (argument: Argument): boolean => memberOf(argument.value, "required") === true

function appeared(member: ChangedMember, argument: Argument): ChangeFinding {
  const required = isRequired(argument)
  return meaning(member, {
    rule: "prompt.argument-added",
    severity: required ? "medium" : "low",
    message: required ? "the prompt wants another argument" : "the prompt takes another argument",
    at: placeOf(member, argument),
    member: argument.name,
  })
}

function gradeRequired(member: ChangedMember, argument: Argument, at: string): ChangeFinding {
  const required = isRequired(argument)
  return meaning(member, {
    rule: "prompt.argument-required",
    severity: required ? "medium" : "low",
    message: required ? "an argument of the prompt has become required" : "an argument of the prompt need not be given",
    at,
    member: argument.name,
  })
}
