// Escaped text in stretches that look different, broken into lines of some width. Colours and tags are left to whoever prints it.

/** How a stretch of text looks. */
export type Look = "plain" | "dim" | "bold" | "removed" | "added" | "changed"

/** A stretch of escaped text; a line feed in it ends the line, everything else takes no, one or two columns. */
export interface Run {
  readonly text: string
  readonly look: Look
}

const ASCII = /^[ -~]*$/
const ZERO = /^\p{M}$/u
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u

/** Columns of escaped text without line feeds, near enough: East Asian wide characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Runs broken into lines of at most `width` columns: at line feeds, else at a space, else anywhere. Stops after `maxLines`; `cut`
 *  says that more would follow. */
export function wrapRuns(
  runs: readonly Run[],
  width: number,
  maxLines = Number.POSITIVE_INFINITY,
): { lines: readonly (readonly Run[])[]; cut: boolean } {
  const lines: Run[][] = [[]]
  let used = 0
  for (const { text, look } of runs)
    for (const token of splitTokens(text, width)) {
      const columns = token === "\n" ? 0 : widthOf(token)
      const full = used > 0 && used + columns > width
      if (token === "\n" || full) {
        if (lines.length >= maxLines) return { lines: lines.map(dropLastSpace), cut: true }
        lines.push([])
        used = 0
      }
      // The end of the line stands for the space it broke at.
      if (token === "\n" || (full && token === " ")) continue
      lines.at(-1)?.push({ text: token, look })
      used += columns
    }
  return { lines: lines.map(dropLastSpace), cut: false }
}

const dropLastSpace = (line: readonly Run[]): readonly Run[] => (line.at(-1)?.text === " " ? line.slice(0, -1) : line)

/** Line feeds, words and stretches of spaces; what is wider than a line in parts that are not. */
function* splitTokens(text: string, width: number): Generator<string> {
  for (const [token] of text.matchAll(/\n| +|[^\n ]+/g)) {
    // No column takes more than 10 units once piles of marks are escaped: a longer token need not be measured.
    if (token.length <= 10 * width && widthOf(token) <= width) yield token
    else yield* splitWide(token, width)
  }
}

function* splitWide(token: string, width: number): Generator<string> {
  let part = ""
  let used = 0
  for (const character of token) {
    const columns = widthOf(character)
    if (part !== "" && used + columns > width) {
      yield part
      part = ""
      used = 0
    }
    part += character
    used += columns
  }
  yield part
}
