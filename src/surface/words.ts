// Word-level difference of two texts, for reading: what stayed, went and came, in pieces a person can follow. Bounded work: texts
// too far apart are compared by line, then as one replaced middle. Escaping and colour are left to whoever prints it.
import { diffLines, diffWordsWithSpace } from "diff"

/** A stretch of text. Same and removed ones make the earlier text, same and added ones the later; a removed one precedes an added. */
export interface Piece {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** Insertions and deletions looked for; the work grows with the square. */
const MAX_EDITS = 800
/** Characters of both texts that are compared by word. */
const MAX_WORD_CHARS = 400_000
/** Below this share of common words a text counts as written anew and is shown as one replacement. */
const MIN_SHARED_WORDS = 0.3
/** A common stretch up to this length between two changes that are no shorter belongs to them. */
const MAX_ABSORBED_CHARS = 16

/** Compare two texts. Never fails; the pieces are never empty. */
export function diffWords(before: string, after: string): readonly Piece[] {
  if (before === after) return before === "" ? [] : [{ kind: "same", text: before }]
  const middle = trimCommon(before, after)
  const pieces = isRewritten(before, after, middle) ? null : comparePieces(middle)
  return joinPieces([
    { kind: "same", text: middle.prefix },
    ...absorbSmall(pieces ?? replace(middle.before, middle.after)),
    { kind: "same", text: middle.suffix },
  ])
}

interface Trimmed {
  readonly prefix: string
  readonly before: string
  readonly after: string
  readonly suffix: string
}

const replace = (before: string, after: string): readonly Piece[] => [
  { kind: "removed", text: before },
  { kind: "added", text: after },
]

/** Takes off what both texts begin and end with, cut between words. */
function trimCommon(before: string, after: string): Trimmed {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  while (start > 0 && !(isBreak(before, start) && isBreak(after, start))) start--
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  while (end > 0 && !(isBreak(before, before.length - end) && isBreak(after, after.length - end))) end--
  return {
    prefix: before.slice(0, start),
    before: before.slice(start, before.length - end),
    after: after.slice(start, after.length - end),
    suffix: before.slice(before.length - end),
  }
}

/** True where a text may be cut: where white space begins or ends. */
const isBreak = (text: string, at: number): boolean =>
  at === 0 || at === text.length || /^(?:\S\s|\s\S)$/.test(text.slice(at - 1, at + 1))

/** True where a difference by word would be confetti. */
function isRewritten(before: string, after: string, { prefix, suffix }: Trimmed): boolean {
  const kept = (prefix.length + suffix.length) / Math.max(before.length, after.length)
  return kept < MIN_SHARED_WORDS && sharedWords(before, after) < MIN_SHARED_WORDS
}

/** Share of the words of the longer text that both have, 0 to 1; 1 for texts without words. */
function sharedWords(before: string, after: string): number {
  const [a, b] = [before, after].map((text) => text.match(/[\p{L}\p{N}]+/gu) ?? [])
  if (!a?.length || !b?.length) return a?.length || b?.length ? 0 : 1
  const counts = new Map<string, number>()
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of b) {
    const left = counts.get(word) ?? 0
    if (left > 0) shared++
    counts.set(word, left - 1)
  }
  return shared / Math.max(a.length, b.length)
}

/** By word, else by line, else null. */
function comparePieces({ before, after }: Trimmed): readonly Piece[] | null {
  const options = { maxEditLength: MAX_EDITS }
  const short = before.length + after.length <= MAX_WORD_CHARS
  const found = (short ? diffWordsWithSpace(before, after, options) : undefined) ?? diffLines(before, after, options)
  return (
    found?.map(({ added, removed, value }) => ({
      kind: added ? "added" : removed ? "removed" : "same",
      text: value,
    })) ?? null
  )
}

/** A change run: what went and what came at one place. */
interface Run {
  removed: string
  added: string
}

/** Joins changes that only a space, a sign or a short word keeps apart: "[-the old-]{+a new+}" reads better than two changes. */
function absorbSmall(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = []
  const runs = toRuns(pieces)
  let open: Run = { removed: "", added: "" }
  for (const [i, { same, run }] of runs.entries()) {
    if (i > 0 && isAbsorbed(same, open, run)) {
      open = { removed: open.removed + same + run.removed, added: open.added + same + run.added }
      continue
    }
    result.push(...replace(open.removed, open.added), { kind: "same", text: same })
    open = run
  }
  return [...result, ...replace(open.removed, open.added)]
}

/** Pieces as common stretches, each with the change that follows it. */
function toRuns(pieces: readonly Piece[]): readonly { same: string; run: Run }[] {
  const runs: { same: string; run: Run }[] = []
  for (const { kind, text } of pieces) {
    let last = runs.at(-1)
    if (!last || (kind === "same" && last.run.removed + last.run.added !== "")) {
      last = { same: "", run: { removed: "", added: "" } }
      runs.push(last)
    }
    if (kind === "same") last.same += text
    else last.run[kind] += text
  }
  return runs
}

function isAbsorbed(same: string, before: Run, after: Run): boolean {
  const size = ({ removed, added }: Run) => Math.max(removed.length, added.length)
  if (size(before) === 0 || size(after) === 0 || same.includes("\n")) return false
  const room = Math.min(size(before), size(after))
  return same.length <= Math.min(room, MAX_ABSORBED_CHARS) || (same.length <= 2 && !/[\p{L}\p{N}]/u.test(same))
}

/** Without empty pieces, neighbours of one kind joined. */
function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  const joined: { kind: Piece["kind"]; text: string }[] = []
  for (const { kind, text } of pieces) {
    const last = joined.at(-1)
    if (text === "") continue
    if (last?.kind === kind) last.text += text
    else joined.push({ kind, text })
  }
  return joined
}
