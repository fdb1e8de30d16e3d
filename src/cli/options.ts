// Command lines: every value stays text, unknown options are refused, repeated ones are kept in order. What a launch line of a server
// is, is decided here too: everything after `--`, or after the name. (Loading node:util's parseArgs takes as long as reading a lockfile.)
import { quote, ToolsumError } from "../core/errors.js"

/** One option: its form (`--root <fingerprint>`, `--json`, `--between <a> <b>`) and what it does. Any option may be repeated; see `Options`. */
export type OptionSpec = readonly [form: string, description: string]

/** Option values as text. */
export interface Options {
  /** True when the flag was given. */
  flag(name: string): boolean
  /** The one value; null when not given. Throws USAGE when given more than once. */
  value(name: string): string | null
  /** All values in order. */
  values(name: string): readonly string[]
}

/** What a person typed, split up. */
export interface CommandLine {
  /** Words that are no options, before `--`. */
  readonly words: readonly string[]
  /** Everything after `--`, verbatim: a launch line. Null when there is no `--`. */
  readonly launch: readonly string[] | null
  /** Options and their values as they were typed, without the words around them. */
  readonly typed: readonly string[]
  readonly options: Options
}

const FORM = /^--([a-z][a-z-]*)((?: <[^>]+>)*)$/

/** Name of an option form and how many words it takes after it. */
function readForm(form: string): { name: string; takes: number } {
  const [, name, values = ""] = FORM.exec(form) ?? []
  if (name === undefined) throw new ToolsumError("USAGE", `option form ${quote(form)} is not --name or --name <value>`)
  return { name, takes: values.split(" <").length - 1 }
}

/** Where a launch line starts without `--` (some shells swallow it): at the first word past `words` that is no option and no URL. */
export function insertSeparator(
  argv: readonly string[],
  specs: readonly OptionSpec[],
  words: number,
): readonly string[] {
  const takes = new Map(specs.map(([form]) => readForm(form)).map((option) => [`--${option.name}`, option.takes]))
  let left = words
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ""
    if (word === "--") return argv
    if (word.startsWith("-") && word !== "-") {
      i += takes.get(word) ?? 0
    } else if (left === 0 && !/^https?:\/\//i.test(word)) {
      return [...argv.slice(0, i), "--", ...argv.slice(i)]
    } else {
      left = Math.max(0, left - 1)
    }
  }
  return argv
}

/** Split the words of one command. Throws USAGE for an unknown option, a missing value and a value where none belongs. */
export function parseCommandLine(argv: readonly string[], specs: readonly OptionSpec[]): CommandLine {
  const cut = argv.indexOf("--")
  const { words, typed, given } = readWords(cut < 0 ? argv : argv.slice(0, cut), specs)
  const all = (name: string) => given.get(name) ?? []
  return {
    words,
    launch: cut < 0 ? null : argv.slice(cut + 1),
    typed,
    options: {
      flag: (name) => given.has(name),
      values: all,
      value: (name) => {
        const values = all(name)
        if (values.length > 1)
          throw new ToolsumError("USAGE", `--${name} was given ${values.length} times, expected once`)
        return values[0] ?? null
      },
    },
  }
}

/** Words, options as typed, and the values of each option that was given; a flag has none. */
function readWords(
  argv: readonly string[],
  specs: readonly OptionSpec[],
): { words: readonly string[]; typed: readonly string[]; given: ReadonlyMap<string, readonly string[]> } {
  const forms = new Map(specs.map(([form]) => [readForm(form).name, readForm(form)]))
  const words: string[] = []
  const typed: string[] = []
  const given = new Map<string, string[]>()
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] === "-h" ? "--help" : (argv[i] ?? "")
    if (!word.startsWith("-") || word === "-") {
      words.push(word)
      continue
    }
    const equals = word.indexOf("=")
    const option = equals < 0 ? word : word.slice(0, equals)
    const form = option.startsWith("--") ? forms.get(option.slice(2)) : undefined
    if (form === undefined) throw new ToolsumError("USAGE", `unknown option ${quote(option)}`)
    if (equals >= 0 && form.takes !== 1)
      throw new ToolsumError(
        "USAGE",
        `${option} takes ${form.takes === 0 ? "no value" : `${form.takes} words after it`}`,
      )
    const values = equals < 0 ? Array.from({ length: form.takes }, () => nextValue(argv[++i], option, form.takes)) : []
    typed.push(word, ...values)
    given.set(form.name, [...(given.get(form.name) ?? []), ...(equals < 0 ? values : [word.slice(equals + 1)])])
  }
  return { words, typed, given }
}

/** The word after an option. One that starts with a dash may be the next option, so it needs the other spelling. */
function nextValue(word: string | undefined, option: string, takes: number): string {
  if (word !== undefined && (!word.startsWith("-") || word === "-")) return word
  if (takes > 1) throw new ToolsumError("USAGE", `expected ${takes} words after ${option}`)
  throw new ToolsumError("USAGE", `expected a value after ${option}; one that starts with a dash: ${option}=…`)
}
