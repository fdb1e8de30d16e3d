// Command lines, read by node:util's parseArgs in strict mode: every value stays text, unknown options are refused, repeated ones
// are kept in order. What a launch line of a server is, is decided here too: everything after `--`, or after the name.
import { parseArgs } from "node:util"
import { quote, ToolsumError } from "../core/errors.js"

/** One option: its form (`--root <fingerprint>`, `--json`) and what it does. Any option may be repeated; see `Options`. */
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
  readonly options: Options
}

const FORM = /^--([a-z][a-z-]*)(?: <[^>]+>)?$/

/** Name of an option form and whether it takes a value. */
function readForm(form: string): { name: string; takesValue: boolean } {
  const name = FORM.exec(form)?.[1]
  if (name === undefined) throw new ToolsumError("USAGE", `option form ${quote(form)} is not --name or --name <value>`)
  return { name, takesValue: form.includes("<") }
}

/** Where a launch line starts without `--` (some shells swallow it): at the first word past `words` that is no option and no URL. */
export function insertSeparator(
  argv: readonly string[],
  specs: readonly OptionSpec[],
  words: number,
): readonly string[] {
  const takesValue = new Set(
    specs.map(([form]) => readForm(form)).flatMap((o) => (o.takesValue ? [`--${o.name}`] : [])),
  )
  let left = words
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ""
    if (word === "--") return argv
    if (word.startsWith("-") && word !== "-") {
      if (takesValue.has(word)) i += 1
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
  const forms = specs.map(([form]) => readForm(form))
  const cut = argv.indexOf("--")
  const own = cut < 0 ? argv : argv.slice(0, cut)
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({
      args: [...own],
      allowPositionals: true,
      options: Object.fromEntries(
        forms.map((o) => [o.name, { type: o.takesValue ? ("string" as const) : ("boolean" as const), multiple: true }]),
      ),
    })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new ToolsumError("USAGE", lowerFirst(message.split("\n")[0]?.replace(/\. To specify .*$/, "") ?? ""), {
      cause,
    })
  }
  const given = new Map(
    Object.entries(parsed.values).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]),
  )
  const all = (name: string) => (given.get(name) ?? []).filter((v) => typeof v === "string")
  return {
    words: parsed.positionals,
    launch: cut < 0 ? null : argv.slice(cut + 1),
    options: {
      flag: (name) => given.get(name)?.includes(true) ?? false,
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

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
