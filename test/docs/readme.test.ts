// README.md against the program: every command line in it is one that the program takes, and the story on its first screen is what
// `toolsum demo` prints.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { COMMANDS, GLOBAL_OPTIONS } from "../../src/cli/commands.js"
import { insertSeparator, parseCommandLine } from "../../src/cli/options.js"
import { parseSettings } from "../../src/core/settings.js"
import { buildCli } from "../fakes/built-cli.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8")
const blocks = [...readme.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```$/gm)].map(([, body = ""]) => body)

/** Command lines that a person would paste, without prompt, comment and quotes. */
const commandLines = blocks
  .flatMap((body) => body.split("\n"))
  .map((line) =>
    line
      .replace(/^\$ /, "")
      .replace(/^npx toolsum /, "toolsum ")
      .replace(/\s+# .*$/, ""),
  )
  .filter((line) => line.startsWith("toolsum "))

test("there are command lines to check", () => {
  expect(commandLines.length).toBeGreaterThan(8)
})

test.each(commandLines)("%s", async (line) => {
  const argv = [...line.matchAll(/"([^"]*)"|\S+/g)].slice(1).map(([word, quoted]) => quoted ?? word)
  const name = [3, 2, 1].map((count) => argv.slice(0, count).join(" ")).find((words) => COMMANDS.has(words)) ?? ""
  const spec = await COMMANDS.get(name)?.load()
  if (spec === undefined) throw new Error(`no command ${name}`)
  const specs = [...spec.options, ...GLOBAL_OPTIONS]
  const rest = argv.slice(name.split(" ").length)
  const words = parseCommandLine(
    spec.launchAfter === undefined ? rest : insertSeparator(rest, specs, spec.launchAfter),
    specs,
  ).words
  expect(words.length).toBeGreaterThanOrEqual(spec.words[0])
  expect(words.length).toBeLessThanOrEqual(spec.words[1])
})

test("the settings that it shows are ones that are taken", () => {
  const shown = [...readme.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, body = ""]) => body)
  expect(shown).toHaveLength(1)
  for (const text of shown) expect(parseSettings(text, "README.md").settings).toMatchObject({ required: ["notes"] })
})

test("the tests that SECURITY.md names are there", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  const named = [...readFileSync(join(root, "SECURITY.md"), "utf8").matchAll(/`(test\/[^`]+\.test\.ts)`/g)]
  expect(named.length).toBeGreaterThan(20)
  expect(named.map(([, file = ""]) => file).filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test("the first screen shows what the demo prints", async () => {
  const [screen = ""] = blocks
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1" }
  const bin = await buildCli(await makeTempFolder())
  const shown = execFileSync(process.execPath, [bin, "demo"], { env, encoding: "utf8" })
  const plain = (text: string) => text.replace(/sha256:[0-9a-f]{64}/g, "sha256:…").replace(/ --by \S+$/, "")
  const lines = new Set(shown.split("\n").map(plain))
  const wanted = screen
    .split("\n")
    .filter((line) => line !== "" && !line.includes("npx toolsum") && line.trim() !== "…")
  expect(wanted.map(plain).filter((line) => !lines.has(line))).toEqual([])
})
