// What it means that the instructions, serverInfo, or what no digest covers (version, protocol, capabilities) differ.
import { isObject, type JsonValue } from "../../core/json.js"
import type { Change } from "../../core/verdict.js"
import type { ChangeFinding } from "../finding.js"
import type { Note, ServerFacts } from "../notes.js"
import { meaning } from "./changed-member.js"
import { gradeMembers } from "./members.js"
import { gradeText } from "./texts.js"

/** Meaning of a change of the instructions, which many clients put before every conversation. */
export const gradeInstructions = (change: Change): ChangeFinding =>
  gradeText(change, change, {
    what: "text of the instructions",
    kind: "instructions.{way}",
    blank: "instructions.whitespace",
  })

/** Meanings of the changes of serverInfo, without its version. */
export function gradeServer(
  changes: readonly Change[],
  { before, after }: { readonly before: JsonValue; readonly after: JsonValue },
): readonly ChangeFinding[] {
  if (isObject(before) && isObject(after))
    return gradeMembers({ section: "server", item: null, before, after, changes, findings: [] })
  const message = "what the server says it is appeared, is gone or is no object"
  return changes.map((change) => meaning(change, { rule: "server-info.changed", severity: "medium", message }))
}

const FACTS: Readonly<Record<keyof ServerFacts, { readonly rule: string; readonly message: string }>> = {
  version: { rule: "server-info.changed", message: "the server claims another version" },
  protocol: { rule: "protocol.changed", message: "the server answered in another version of the protocol" },
  capabilities: { rule: "capabilities.changed", message: "the server declares other capabilities" },
}

/** Meaning of a note: what moves with every release and changes nothing that a model reads. */
export function gradeNote({ fact, pointer }: Note): ChangeFinding {
  const place = { section: fact, item: null, pointer }
  return meaning(place, { severity: "info", ...FACTS[fact] })
}
