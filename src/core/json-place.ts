// Where a reader of JSON stopped, as a JSON Pointer: found by going over the text once more, so that reading what is well formed keeps no
// account of it.
import { escapeToken } from "./pointer-token.js"

/** An array or object that is open: the member or element that is being read. */
interface Open {
  readonly isArray: boolean
  name: string
  index: number
  expectsName: boolean
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},]/gs

/** Pointer of the value that begins, or of the member whose name begins, at `end` of `text`. All before `end` has to be well formed. */
export function pointerAt(text: string, end: number): string {
  const stack: Open[] = []
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (index > end) break
    step(stack, token)
  }
  return stack.map(({ isArray, name, index }) => `/${isArray ? index : escapeToken(name)}`).join("")
}

function step(stack: Open[], token: string): void {
  const top = stack.at(-1)
  if (token === "{" || token === "[")
    stack.push({ isArray: token === "[", name: "", index: 0, expectsName: token === "{" })
  else if (token === "}" || token === "]") stack.pop()
  else if (top === undefined) return
  else if (token === ",") {
    top.index++
    top.expectsName = !top.isArray
  } else if (top.expectsName) {
    top.name = JSON.parse(token) as string // a token in quotes, well formed
    top.expectsName = false
  }
}
