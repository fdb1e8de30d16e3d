// How a command line fails: one line, one document, one exit code, whatever was thrown and whoever wrote the text in it.
import { join } from "node:path"
import { expect, test } from "vitest"
import { main, reportUncaught } from "../../src/cli/main.js"
import { ToolsumError } from "../../src/core/errors.js"
import { expectOneLine, makeCliWorld, makePinnedWorld, makeServer } from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

test("what a server's launch line says is no option of ours", async () => {
  const world = await makeCliWorld()
  for (const argv of [
    ["add", "notes", "no-such-command-here", "--json"],
    ["add", "notes", "--", "no-such-command-here", "--json"],
  ]) {
    const outcome = await world.expect(2, ...argv)
    expectOneLine(outcome, "SERVER_UNREACHABLE")
    expect(outcome.stdout).toBe("")
  }
  const { stdout } = await world.expect(2, "add", "notes", "--json", "no-such-command-here")
  expect(JSON.parse(stdout).error.code).toBe("SERVER_UNREACHABLE")
})

test("the document of an error is written as all others: members in order, invisible characters as escapes", async () => {
  const world = await makeCliWorld()
  const { stdout } = await world.expect(2, "trust", "add", "a\u202e=b", "--json")
  expect(stdout).toMatch(/^{\n {2}"command": "trust add",\n {2}"error": {\n {4}"code": "KEY_MALFORMED",/)
  expect(stdout).not.toContain("\u202e")
  validateReport(JSON.parse(stdout))
})

test("text that looks like an escaped line break does not become one", async () => {
  const world = await makeCliWorld()
  const outcome = await world.expect(2, "frob\\u000aPROVEN")
  expectOneLine(outcome, "PROVEN")
})

test("an error that nobody foresaw: its stack is indented, its text escaped, its exit code 2", () => {
  const said: string[] = []
  const io = { stdout: () => {}, stderr: (text: string) => void said.push(text) }
  expect(reportUncaught(new Error("a\u001b[2J\nPROVEN  leaf 9\\u000ab"), io)).toBe(2)
  expect(said.join("")).toMatch(
    /^toolsum: internal error, please report it: Error: a\\u001b\[2J\n {2}PROVEN {2}leaf 9\\u000ab\n {6}at /,
  )
  expect(reportUncaught("text", io)).toBe(2)
})

test.each(["stdout", "stderr"] as const)("%s that fails does not make main throw", async (name) => {
  const { world } = await makePinnedWorld()
  const broken = () => {
    throw new ToolsumError("IO_FAILED", "could not write")
  }
  for (const argv of [
    ["verify", "--json"],
    ["verify", "--frob"],
  ]) {
    const { io } = world.io({ [name]: broken })
    expect(await main(argv, io)).toBe(name === "stderr" && argv[1] === "--json" ? 0 : 2)
  }
})

test("a folder that is gone is one line, and needed only by commands that use it", async () => {
  const world = await makeCliWorld()
  const gone = Object.defineProperty({}, "cwd", {
    enumerable: true,
    get: () => {
      throw new ToolsumError("CONFIG_INVALID", "the working folder is not there any more")
    },
  })
  const { io } = world.io()
  const run = (...argv: readonly string[]) =>
    main(
      argv,
      Object.defineProperties({} as typeof io, {
        ...Object.getOwnPropertyDescriptors(io),
        ...Object.getOwnPropertyDescriptors(gone),
      }),
    )
  expect(await run("verify")).toBe(2)
  expect(await run("trust", "list")).toBe(0)
  expect(await run("help")).toBe(0)
})

test("help of a group, and by -h behind a command", async () => {
  const world = await makeCliWorld()
  const { stdout } = await world.expect(0, "help", "log")
  expect(stdout).toContain("log append")
  expect(stdout).not.toContain("trust add")
  for (const word of ["-h", "--help"]) expect((await world.expect(0, "log", word)).stdout).toBe(stdout)
  expect((await world.expect(0, "verify", "-h")).stdout).toBe((await world.expect(0, "help", "verify")).stdout)
  const server = makeServer(join(world.folder, "..", "lists.json"))
  await world.expect(0, "add", "notes", ...server.launch, "-h")
  expectOneLine(await world.expect(2, "help", "lo"), "USAGE")
})
