// Whether what a tool changes can be undone, as far as its surface shows.
import { DENIAL, UNDOABLE_TEXT } from "./class-words.js"
import { isToken } from "./parameter-signals.js"
import type { ToolInput } from "./parameters.js"
import type { Reversibility } from "./tool-class.js"

/** Characters before a word that may deny it. */
const MAX_DENIAL_CHARS = 80

/** A concurrency token, else a text that says so, else nothing. `text`: beginning of the description. */
export function judgeReversibility(text: string, { parameters }: ToolInput): Reversibility {
  if (parameters.some(isToken)) return "verified"
  for (const match of text.matchAll(UNDOABLE_TEXT)) {
    const before = text.slice(Math.max(0, match.index - MAX_DENIAL_CHARS), match.index)
    if (!DENIAL.test(before)) return "asserted"
  }
  return "unverifiable"
}
