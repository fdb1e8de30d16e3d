// Words of names and of prose, made comparable: camelCase is split, synonyms of verbs count as one, plural as singular.
import { MAX_NAME_CHARS, MAX_NAME_WORDS, MAX_TEXT_CHARS, MAX_TEXT_WORDS } from "./limits.js"
import { canonicalVerb } from "./verbs.js"

/** Words that tell nothing apart, in names and prose. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "a an the of by in on to from with for and or as is are be it its this that these those tool api mcp will can your you".split(
    " ",
  ),
)

/** Names as most are: words that an underscore or hyphen joins. */
const PLAIN_NAME = /^[a-z0-9_-]+$/

/** The words of a name in its order, lower case: `getUserByID` has get, user, by, id. The first `maxWords` of them. */
export function splitName(name: string, maxWords = MAX_NAME_WORDS): readonly string[] {
  const head = name.slice(0, MAX_NAME_CHARS)
  const words = PLAIN_NAME.test(head) ? head.split(/[_-]+/).filter((word) => word !== "") : splitAtCapitals(head)
  return words.slice(0, maxWords)
}

const splitAtCapitals = (name: string): readonly string[] =>
  (
    name
      .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).map((word) => word.toLowerCase())

/** The words of a prose text, lower case, clipped. */
export const splitText = (text: string): readonly string[] =>
  (
    text
      .slice(0, MAX_TEXT_CHARS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).slice(0, MAX_TEXT_WORDS)

/** Words as they are compared: without empty ones, each once. */
export const toTerms = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.filter((word) => !EMPTY_WORDS.has(word)).map(toTerm))

function toTerm(word: string): string {
  const verb = canonicalVerb(word)
  return verb === word ? canonicalVerb(toSingular(word)) : verb
}

/** Also takes the -s off a verb in the third person. */
function toSingular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  return word.length > 3 && word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}
