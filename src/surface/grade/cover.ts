// Sees to it that every change has a meaning: pointers that meanings name are led to the changes of the diff, and what no meaning accounts
// for gets one of its own.
import type { Change } from "../../core/verdict.js"
import type { ChangeFinding } from "../finding.js"
import { ITEM_WORDS } from "./items.js"

/** The meanings of the changes of one item, each covering changes of the diff, and a meaning for every change that none covers. */
export function coverAll(changes: readonly Change[], meanings: readonly ChangeFinding[]): readonly ChangeFinding[] {
  const pointers = new Set(changes.map(({ pointer }) => pointer))
  const led = meanings.map((one) => ({
    ...one,
    covers: [...new Set(one.covers.flatMap((pointer) => nearest(pointer, pointers)))],
  }))
  const covered = new Set(led.flatMap(({ covers }) => covers))
  const rest = changes.filter(({ pointer }) => !covered.has(pointer))
  return [...led.filter(({ covers }) => covers.length > 0), ...rest.map(gradeRest)]
}

/** The change at a pointer, or the innermost that holds it. */
function nearest(pointer: string, pointers: ReadonlySet<string>): readonly string[] {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
    if (pointers.has(at)) return [at]
    if (at === "") return []
  }
}

/** What nothing else explains has to be read. */
function gradeRest({ section, item, pointer }: Change): ChangeFinding {
  const word = section === "server" ? "server-info" : section === "instructions" ? section : ITEM_WORDS[section]
  const message = "something differs that no rule explains: it has to be read"
  return { section, item, pointer, rule: `${word}.changed`, severity: "medium", message, covers: [pointer] }
}
