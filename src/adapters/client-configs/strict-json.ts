// JSON with comments, trailing commas and halves of surrogate pairs, as editors and clients write it, to strict JSON of the same length,
// so that lines and columns stay what they are. Loaded only for a file that is none.
import { createScanner } from "jsonc-parser"
import type { Bad } from "../../core/errors.js"

// Of jsonc-parser's SyntaxKind and ScanError, which are constant enums and cannot be imported here.
const OPEN_BRACE = 1
const CLOSE_BRACE = 2
const OPEN_BRACKET = 3
const CLOSE_BRACKET = 4
const COMMA = 5
const STRING = 10
const FIRST_TRIVIA = 12
const LAST_TRIVIA = 15
const END = 17
const SCAN_ERRORS: Readonly<Record<number, string>> = {
  1: "a comment without its end",
  2: "a string without its end",
  3: "a number that is none",
  4: "a \\u escape that is none",
  5: "an escape that is none",
  6: "a control character in a string",
}

/** The text with blanks for comments and for commas before a closing bracket, and `\ufffd` for an escaped half of a pair. Not recursive.
 *  Throws what `bad` makes for a broken string, number or comment; the message does not repeat it. */
export function toStrictJson(text: string, bad: Bad): string {
  const scanner = createScanner(text, false)
  const pieces: string[] = []
  let last = 0
  let trailing = -1
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    checkToken(scanner, bad)
    if (kind >= FIRST_TRIVIA && kind <= LAST_TRIVIA) {
      pieces.push(tokenOf(text, scanner).replace(/[^\r\n]/g, " "))
      continue
    }
    if (isClosing(kind) && trailing >= 0) pieces[trailing] = " "
    const length = pieces.push(kind === STRING ? mendSurrogates(tokenOf(text, scanner)) : tokenOf(text, scanner))
    trailing = kind === COMMA && !isOpening(last) ? length - 1 : -1
    last = kind
  }
  return pieces.join("")
}

const isOpening = (kind: number): boolean => kind === OPEN_BRACE || kind === OPEN_BRACKET
const isClosing = (kind: number): boolean => kind === CLOSE_BRACE || kind === CLOSE_BRACKET

type Scanner = ReturnType<typeof createScanner>

function checkToken(scanner: Scanner, bad: Bad): void {
  const error: number = scanner.getTokenError()
  if (error === 0) return
  const place = `line ${scanner.getTokenStartLine() + 1}, column ${scanner.getTokenStartCharacter() + 1}`
  throw bad(`expected JSON (comments allowed): ${SCAN_ERRORS[error] ?? "a broken token"} at ${place}`)
}

const tokenOf = (text: string, scanner: Scanner): string =>
  text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength())

/** A pair of halves, or one alone, or any other escape, so that an escaped backslash never counts as the start of one. */
const ESCAPE = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\./g

/** A half of a pair is what a client leaves that cuts text off: what it stood for is lost, and the rest of the file is not. */
const mendSurrogates = (string: string): string =>
  string.replace(ESCAPE, (spelling, half?: string) => (half === undefined ? spelling : "\\ufffd"))
