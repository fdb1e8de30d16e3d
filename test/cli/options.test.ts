import { parseArgs } from "node:util"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { insertSeparator, type OptionSpec, parseCommandLine } from "../../src/cli/options.js"

const SPECS: readonly OptionSpec[] = [
  ["--root <fingerprint>", "may come twice"],
  ["--lock <file>", "once"],
  ["--json", "a flag"],
  ["--no-config", "a flag with no in its name"],
]
const usage = expect.objectContaining({ code: "USAGE" })
const parse = (line: string) => parseCommandLine(line === "" ? [] : line.split(" "), SPECS)

describe("parseCommandLine", () => {
  test("keeps words, values as text and in order, and the launch line verbatim", () => {
    const { words, options, launch } = parse("one --root a --json --root=b=c - two --lock= -- npx -y --json x")
    expect(words).toEqual(["one", "-", "two"])
    expect(options.values("root")).toEqual(["a", "b=c"])
    expect(options.value("lock")).toBe("")
    expect([options.flag("json"), options.flag("no-config")]).toEqual([true, false])
    expect(launch).toEqual(["npx", "-y", "--json", "x"])
  })

  test("takes two words after an option of that form, and no others", () => {
    const specs: readonly OptionSpec[] = [["--between <a> <b>", "two"], ...SPECS]
    const read = (line: string) => parseCommandLine(line.split(" "), specs)
    const { words, options, typed } = read("name --between a - --json")
    expect([words, options.values("between"), typed]).toEqual([["name"], ["a", "-"], ["--between", "a", "-", "--json"]])
    for (const line of ["--between", "--between a", "--between a --json", "--between=a b", "--between a -b"])
      expect(() => read(line)).toThrow(usage)
    expect(insertSeparator(["--between", "a", "b", "npx"], specs, 0)).toEqual(["--between", "a", "b", "--", "npx"])
  })

  test("says null for what was not given", () => {
    const { words, options, launch } = parse("")
    expect([words, options.value("root"), options.values("root"), launch]).toEqual([[], null, [], null])
    expect(parse("--").launch).toEqual([])
  })

  test("refuses to give one value of two", () => {
    expect(() => parse("--root a --root b").options.value("root")).toThrow(usage)
  })

  test.each([
    "--unknown",
    "--unknown=x",
    "-j",
    "--js",
    "--config",
    "--root",
    "--root --json",
    "--json=x",
    "--=x",
    "--__proto__",
  ])("refuses %s", (line) => expect(() => parse(line)).toThrow(usage))

  test("takes and refuses what node:util's parseArgs does", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "--root",
            "--root=x",
            "--json",
            "--json=1",
            "--no-config",
            "--lock",
            "-",
            "-x",
            "word",
            "--no",
            "",
          ),
        ),
        (argv) => {
          const reference = () =>
            parseArgs({
              args: argv,
              allowPositionals: true,
              options: {
                root: { type: "string", multiple: true },
                lock: { type: "string", multiple: true },
                json: { type: "boolean", multiple: true },
                "no-config": { type: "boolean", multiple: true },
              },
            })
          let expected: ReturnType<typeof reference>
          try {
            expected = reference()
          } catch {
            expect(() => parseCommandLine(argv, SPECS)).toThrow(usage)
            return
          }
          const { words, options } = parseCommandLine(argv, SPECS)
          expect(words).toEqual(expected.positionals)
          expect(options.values("root")).toEqual(expected.values.root ?? [])
          expect(options.values("lock")).toEqual(expected.values.lock ?? [])
          expect(options.flag("json")).toBe(expected.values.json !== undefined)
          expect(options.flag("no-config")).toBe(expected.values["no-config"] !== undefined)
        },
      ),
    ))
})

test.each([
  { argv: "notes npx -y x", expected: "notes -- npx -y x" },
  { argv: "notes --root a npx x", expected: "notes --root a -- npx x" },
  { argv: "notes -- npx x", expected: "notes -- npx x" },
  { argv: "notes https://example.com/mcp", expected: "notes https://example.com/mcp" },
  { argv: "notes", expected: "notes" },
])("insertSeparator: $argv", ({ argv, expected }) => {
  expect(insertSeparator(argv.split(" "), SPECS, 1).join(" ")).toBe(expected)
})
