// Readers of what a user types: words of the command line and values of options. They refuse by saying what was expected: usage.
import fc from "fast-check"
import { parseListen } from "../../src/cli/listen.js"
import { insertSeparator, parseCommandLine } from "../../src/cli/options.js"
import type { ErrorKind } from "../../src/core/errors.js"
import { parseTextQuery } from "../../src/features/find-text.js"
import { type Fuzzed, fuzzed, textOf } from "./subject.js"

const refusals: readonly ErrorKind[] = ["usage"]
const OPTIONS = [
  ["--json", "print one document"],
  ["--lock <file>", "the lockfile"],
  ["--between <a> <b>", "two records"],
] as const

/** All of them. */
export const ARGUMENTS: readonly Fuzzed[] = [
  fuzzed({
    name: "words of a command",
    valid: fc.constantFrom("a --json --lock f -- npx -y @a/b", "--lock=f a https://a.example", "x --between 1 2"),
    parse: (x) => {
      const argv = insertSeparator(textOf(x).split(" "), OPTIONS, 1)
      const line = parseCommandLine(argv, OPTIONS)
      return { argv, line }
    },
    holds: ({ argv, line: { launch } }) => {
      const cut = argv.indexOf("--")
      if (cut >= 0 && launch?.join(" ") !== argv.slice(cut + 1).join(" "))
        throw new Error("the launch line is not as typed")
    },
    refusals,
  }),
  fuzzed({
    name: "address to listen on",
    valid: fc.constantFrom("127.0.0.1:4711", "[::1]:0", "localhost:65535"),
    parse: (x) => parseListen(textOf(x)),
    holds: ({ port }) => {
      if (!(port >= 0 && port <= 65_535)) throw new Error(`no port: ${port}`)
    },
    refusals,
  }),
  fuzzed({
    name: "text to find",
    valid: fc.constantFrom("/tools/a/description*=text", '/instructions="Use it."', "#/serverInfo/name=notes"),
    parse: (x) => parseTextQuery(textOf(x)),
    holds: (query) => {
      query.matches({ a: ["text", 1n, null] })
    },
    refusals,
  }),
]
