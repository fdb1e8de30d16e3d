// How alike two tools read: the words of their names, and their texts weighed by how much a word tells on this server (TF-IDF).

import { stringMember } from "../members.js"
import { MAX_NAME_CHARS } from "./limits.js"
import { splitName, splitText, toTerms } from "./name-words.js"
import type { ToolView } from "./tool-view.js"
import { areOpposite } from "./verbs.js"

/** The words of a tool that are compared. */
export interface Wording {
  /** Words of the name, synonyms of verbs joined. */
  readonly name: ReadonlySet<string>
  /** Title and description as written. */
  readonly written: string
  /** Their words, the same way. */
  readonly text: ReadonlySet<string>
  /** What may be an action: words of the name, as written, and the first of the text. */
  readonly actions: ReadonlySet<string>
}

/** Words of a tool. The text is split when it is first asked for: most tools are like no other in name. */
export function readWording(tool: ToolView): Wording {
  const name = splitName(tool.key ?? "")
  const title = stringMember(tool.item, "title")
  let text: ReadonlySet<string> | undefined
  return {
    name: toTerms(name),
    written: `${title}\n${tool.description}`,
    get text() {
      text ??= toTerms([...splitText(title), ...splitText(tool.description)])
      return text
    },
    actions: new Set([...name, ...toTerms(splitText(tool.description.slice(0, MAX_NAME_CHARS)).slice(0, 1))]),
  }
}

/** The weight of a word (the fewer tools use it, the more it tells) and the length of a text as a vector of weights. */
export interface Weights {
  readonly weigh: (word: string) => number
  readonly norm: (text: ReadonlySet<string>) => number
}

/** Weights fitted on the texts of one server, when they are first asked for. */
export function fitWeights(wordings: readonly Wording[]): Weights {
  let counts: ReadonlyMap<string, number> | undefined
  const [weights, norms] = [new Map<string, number>(), new Map<ReadonlySet<string>, number>()]
  const weigh = (word: string): number => {
    const known = weights.get(word)
    if (known !== undefined) return known
    counts ??= countWords(wordings)
    const weight = Math.log(1 + wordings.length / (counts.get(word) ?? 1))
    weights.set(word, weight)
    return weight
  }
  const norm = (text: ReadonlySet<string>): number => {
    const known = norms.get(text)
    if (known !== undefined) return known
    let sum = 0
    for (const word of text) sum += weigh(word) ** 2
    norms.set(text, Math.sqrt(sum))
    return Math.sqrt(sum)
  }
  return { weigh, norm }
}

/** How many of the texts have each word. */
function countWords(wordings: readonly Wording[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { text } of wordings) for (const word of text) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Cosine of two texts, 0 to 1; 0 where one has no words. Texts are short: each word counts once. */
export function textLikeness(a: Wording, b: Wording, { weigh, norm }: Weights): number {
  if (a.written === b.written) return a.text.size === 0 ? 0 : 1
  let shared = 0
  for (const word of a.text) if (b.text.has(word)) shared += weigh(word) ** 2
  return shared === 0 ? 0 : shared / (norm(a.text) * norm(b.text))
}

/** True where an action of one is the opposite of an action of the other, and neither has both. */
export function hasOppositeActions(a: Wording, b: Wording): boolean {
  for (const one of a.actions)
    for (const other of b.actions)
      if (areOpposite(one, other) && !a.actions.has(other) && !b.actions.has(one)) return true
  return false
}

/** Words of a name that the other name has not. */
export const ownWords = (a: Wording, b: Wording): readonly string[] => [...a.name].filter((word) => !b.name.has(word))

/** True where a word of its own name is explained by its text and not by the other's: the name tells something apart. */
export const isExplained = (a: Wording, b: Wording): boolean =>
  ownWords(a, b).some((word) => a.text.has(word) && !b.text.has(word))
