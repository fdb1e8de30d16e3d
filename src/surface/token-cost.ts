// What a surface costs in a model's context: an estimate from the length of the text, since how a client writes a tool list into a prompt,
// and how a model cuts that into tokens, is theirs.
import { canonicalize } from "../core/canonical.js"
import { isObject, type JsonValue } from "../core/json.js"
import { type Surface, surfaceItems } from "../core/section.js"

/** Characters of canonical JSON that are counted as one token. */
const CHARS_PER_TOKEN = 4

/** How the numbers came about, for reports. */
const METHOD =
  "estimate: characters of the canonical JSON of instructions, tools, prompts and templates, without annotations, _meta, icons and execution, divided by 4"

/** Tokens of two surfaces, and what came and went between them, item by item. */
export interface TokenCost {
  readonly before: number
  readonly after: number
  readonly added: number
  readonly removed: number
  /** How they were counted. */
  readonly method: string
}

/** Members of an item that clients do not send to a model. */
const UNSENT: ReadonlySet<string> = new Set(["annotations", "_meta", "icons", "execution"])

/** Estimated tokens of a surface. Total. */
export const countTokens = (surface: Surface): number => toTokens(sum(textsOf(surface).map(({ length }) => length)))

/** Estimated cost of a change. `added` and `removed` count whole items: one that changed is in both. Total. */
export function computeTokenCost(before: Surface, after: Surface): TokenCost {
  const [was, is] = [textsOf(before), textsOf(after)]
  return {
    before: countTokens(before),
    after: countTokens(after),
    added: toTokens(sum(without(is, was))),
    removed: toTokens(sum(without(was, is))),
    method: METHOD,
  }
}

/** One line for people; how it was counted stands in documents and in `explainCost`. */
export const describeCost = ({ before, after }: TokenCost): string =>
  `tokens: about ${before} before, ${after} now (estimate)`

/** The same with what came and went, and the method. */
export const explainCost = ({ before, after, added, removed, method }: TokenCost): string =>
  `tokens: about ${before} before, ${after} now; ${added} came, ${removed} went (${method})`

/** Lengths of the texts that the others do not have, as multisets. */
function without(texts: readonly string[], others: readonly string[]): readonly number[] {
  const left = new Map<string, number>()
  for (const text of others) left.set(text, (left.get(text) ?? 0) + 1)
  return texts.flatMap((text) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count > 0 ? [] : [text.length]
  })
}

/** What is sent, a text for each item. Resources are read on request, not sent before. */
function textsOf(surface: Surface): readonly string[] {
  const items = (["tools", "prompts", "templates"] as const).flatMap((section) => surfaceItems(surface, section) ?? [])
  const instructions = surface.instructions === null ? [] : [surface.instructions]
  return [...instructions, ...items.map(sentOf)].map((value) => canonicalize(value))
}

const sentOf = (item: JsonValue): JsonValue =>
  isObject(item) ? Object.fromEntries(Object.entries(item).filter(([name]) => !UNSENT.has(name))) : item

const toTokens = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN)

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
