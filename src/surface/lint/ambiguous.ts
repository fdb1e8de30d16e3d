// Pairs of tools that a model cannot tell apart: each takes the other's calls, and neither name nor text says which is for what. Pairs are
// found by keys of their words, never by comparing all with all.
import { compareUtf8 } from "../../core/bytes.js"
import { escapeInvisible, quote } from "../../core/errors.js"
import type { Finding } from "../finding.js"
import { memberOf } from "../members.js"
import {
  fitWeights,
  hasOppositeActions,
  isExplained,
  ownWords,
  readWording,
  textLikeness,
  type Weights,
  type Wording,
} from "./likeness.js"
import { MAX_COMPARED, MAX_TEXT_CHARS } from "./limits.js"
import { lookOf } from "./names.js"
import { type Arguments, areSubstitutable, readArguments } from "./substitutable.js"
import { type ToolView, toolFinding } from "./tool-view.js"

/** Least likeness of the texts of two names that say the same, 0 to 1. */
const MIN_LIKENESS_SAME_NAME = 0.5
/** The same where one name says more than the other. */
const MIN_LIKENESS_LONGER_NAME = 0.75
/** Words from which on a text that two tools share was copied rather than short. */
const MIN_COPIED_WORDS = 6

interface Candidate {
  readonly name: string
  /** The description as written, clipped. */
  readonly prose: string
  readonly wording: Wording
  /** The words of its name, sorted. */
  readonly words: string
  /** The same with any one left out. */
  readonly shorter: readonly string[]
  readonly args: () => Arguments
}

/** Tells each tool of an ambiguous pair once, at the name that sorts first, with the first other that it is mistaken for. */
export function lintAmbiguity(tools: readonly ToolView[]): readonly Finding[] {
  const candidates = toCandidates(tools)
  const weights = fitWeights(candidates.map(({ wording }) => wording))
  const later = new NearIndex()
  const found: Finding[] = []
  for (const candidate of [...candidates].reverse()) {
    const other = later.find(candidate, (one) => isAmbiguous(candidate, one, weights))
    if (other) found.push(ambiguous(candidate.name, other.name))
    later.add(candidate)
  }
  return later.passedOver === 0 ? found.reverse() : [...found.reverse(), cutShort(later.passedOver)]
}

/** Tools with a name of their own, sorted by name, so that the order of the list decides nothing. */
function toCandidates(tools: readonly ToolView[]): readonly Candidate[] {
  const counts = new Map<string, number>()
  for (const { key } of tools) if (key) counts.set(key, (counts.get(key) ?? 0) + 1)
  return tools
    .flatMap((tool) => (tool.key && counts.get(tool.key) === 1 ? [toCandidate(tool.key, tool)] : []))
    .sort((a, b) => compareUtf8(a.name, b.name))
}

function toCandidate(name: string, tool: ToolView): Candidate {
  const wording = readWording(tool)
  const words = [...wording.name].sort()
  let known: Arguments | undefined
  const args = () => {
    known ??= readArguments(memberOf(tool.item, "inputSchema") ?? null)
    return known
  }
  return {
    name,
    prose: tool.description.slice(0, MAX_TEXT_CHARS),
    wording,
    words: words.join(" "),
    shorter: words.length < 2 ? [] : words.map((_, i) => words.filter((_, j) => j !== i).join(" ")),
    args,
  }
}

/** Candidates by what likeness needs: the same words in the name but for one, or the same text. */
class NearIndex {
  private readonly byWords = new Map<string, Candidate[]>()
  private readonly byShorter = new Map<string, Candidate[]>()
  private readonly byProse = new Map<string, Candidate[]>()
  /** Pairs that were not looked at because too many share a key, for candidates that nothing was found for. */
  passedOver = 0

  add(candidate: Candidate): void {
    put(this.byWords, candidate.words, candidate)
    for (const key of candidate.shorter) put(this.byShorter, key, candidate)
    if (candidate.prose !== "") put(this.byProse, candidate.prose, candidate)
  }

  /** The first of like name or text, the last added first, of whom `matches` holds; at most MAX_COMPARED of each key are asked. */
  find({ words, shorter, prose }: Candidate, matches: (other: Candidate) => boolean): Candidate | undefined {
    const keys = shorter.map((key) => this.byWords.get(key))
    let passedOver = 0
    for (const group of [this.byWords.get(words), this.byShorter.get(words), ...keys, this.byProse.get(prose)]) {
      if (group === undefined) continue
      const last = Math.max(0, group.length - MAX_COMPARED)
      for (let i = group.length - 1; i >= last; i--) {
        const other = group[i]
        if (other && matches(other)) return other
      }
      passedOver += last
    }
    this.passedOver += passedOver
    return undefined
  }
}

function put(groups: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const group = groups.get(key)
  if (group) group.push(candidate)
  else groups.set(key, [candidate])
}

function isAmbiguous(a: Candidate, b: Candidate, weights: Weights): boolean {
  if (hasOppositeActions(a.wording, b.wording) || !readsAlike(a.wording, b.wording, weights)) return false
  if (speaksOf(a, b) || speaksOf(b, a)) return false
  return areSubstitutable(a.args(), b.args()) && lookOf(a.name) !== lookOf(b.name)
}

/** True where a text names the other tool ("deprecated, use read_text_file instead"): it says itself which is for what. */
const speaksOf = (a: Candidate, b: Candidate): boolean => /[_-]|\p{Ll}\p{Lu}/u.test(b.name) && a.prose.includes(b.name)

/** True where neither name nor text says which tool is for what. */
function readsAlike(a: Wording, b: Wording, weights: Weights): boolean {
  if (isExplained(a, b) || isExplained(b, a)) return false
  const [more, less] = [ownWords(a, b).length, ownWords(b, a).length]
  if (more === 0 && less === 0 && (a.text.size === 0 || b.text.size === 0)) return true
  const likeness = textLikeness(a, b, weights)
  if (more === 0 && less === 0) return likeness >= MIN_LIKENESS_SAME_NAME
  const words = Math.min(a.text.size, b.text.size)
  if (words < MIN_COPIED_WORDS) return false
  return more === 0 || less === 0 ? likeness >= MIN_LIKENESS_LONGER_NAME : likeness > 0.999
}

const ambiguous = (name: string, other: string): Finding =>
  toolFinding(name, "", {
    rule: "ambiguous-pair",
    severity: "low",
    message: `takes the same calls as ${quote(other)}, and neither name nor text says which is for what`,
    other: escapeInvisible(other),
  })

const cutShort = (pairs: number): Finding =>
  toolFinding(null, "", {
    rule: "lint.cut",
    severity: "info",
    message: `${pairs} pairs of tools with like names or texts were not compared`,
  })
