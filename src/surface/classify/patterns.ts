// What a `pattern` of JSON Schema really keeps out. Only a few spellings are believed, each read as text: no pattern of a server is ever run,
// and one that is not recognised keeps out nothing, whatever it may mean.

/** Longest pattern that is read. */
const MAX_PATTERN_CHARS = 1000

/** One host: `^`, http(s), labels joined by escaped dots, closed by `/` or `$`. */
const HOST_PIN = /^\^https?\??:(?:\\?\/){2}(?:[a-z0-9-]+\\\.)+[a-z]{2,}(?:\\?\/|\$)/i

/** `^(?:a|b c|d\.e)$` or `^a$`: a list of fixed texts. */
const FIXED_TEXTS = /^\^(?:\((?:\?:)?(?:[\w -]|\\[.\-/])+(?:\|(?:[\w -]|\\[.\-/])+)*\)|(?:[\w -]|\\[.\-/])+)\$$/

/** `^[A-Za-z0-9_-]{1,64}$`: letters, digits, low lines and hyphens, which make neither an address nor code. */
const PLAIN_WORD = /^\^(?:\[(?:A-Z|a-z|A-F|a-f|0-9|\\d|\\w|_|-)+\]|\\d|\\w)(?:[*+?]|\{\d+(?:,\d*)?\})?\$$/

/** What a pattern lets through: fixed texts, a plain word, addresses of one host, or anything. */
export type PatternReach = "fixed" | "word" | "host" | "any"

/** Judge a pattern by its text. */
export function judgePattern(pattern: string): PatternReach {
  if (pattern.length > MAX_PATTERN_CHARS) return "any"
  if (FIXED_TEXTS.test(pattern)) return "fixed"
  if (PLAIN_WORD.test(pattern)) return "word"
  return HOST_PIN.test(pattern) && !pattern.includes("|") ? "host" : "any"
}

const ONE_NAME = /^\^([\w.$-]+)\$$/

/** The one name that a pattern of `patternProperties` stands for, null where it stands for many. */
export const soleName = (pattern: string): string | null => ONE_NAME.exec(pattern)?.[1] ?? null
