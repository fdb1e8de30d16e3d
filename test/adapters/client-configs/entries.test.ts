import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readEntry } from "../../../src/adapters/client-configs/entries.js"
import { canonicalize } from "../../../src/core/canonical.js"
import { parseJson } from "../../../src/core/json.js"
import { checkTemplates, formatTarget, parseTarget } from "../../../src/core/target.js"
import { makeConfigWorld, readEntryAs, readServerAs } from "./world.js"

describe("variables and headers", () => {
  test("names only; those whose value stands there are listed", async () => {
    const env = { B: "hunter22", A: "${A}", C: "x${A}", D: 8080, E: true, F: null, G: "${OTHER:-hunter22}", H: "" }
    expect(await readEntryAs({ command: "x", env })).toMatchObject({
      target: { env: ["A", "B", "C", "D", "E", "G", "H"] },
      literals: ["B", "C", "D", "E", "H"],
    })
  })

  test("a header with a value becomes a variable of its own name", async () => {
    const headers = {
      Authorization: "Bearer hunter22",
      "X-Api-Key": "hunter22",
      "X-Flag": true,
      "X-Mixed": "hunter22-${A}",
      "X-Costs": "$5",
      Cookie: "${A}${B}",
      "Proxy-Authorization": "basic  ${A}",
    }
    expect(await readEntryAs({ url: "https://x.example/", headers })).toMatchObject({
      target: {
        headers: {
          Authorization: "${AUTHORIZATION}",
          "X-Api-Key": "${X_API_KEY}",
          "X-Flag": "${X_FLAG}",
          "X-Mixed": "${X_MIXED}",
          "X-Costs": "${X_COSTS}",
          Cookie: "${A}${B}",
          "Proxy-Authorization": "basic  ${A}",
        },
      },
      literals: ["Authorization", "X-Api-Key", "X-Costs", "X-Flag", "X-Mixed"],
    })
  })

  test.each([
    { env: ["A=hunter22"] },
    { env: "A=hunter22" },
    { env: { "A=hunter22": "" } },
    { env: { A: { value: "hunter22" } } },
    { env: { __proto__x: ["hunter22"] } },
  ])("a command with %j is refused without its values", async (more) => {
    const { target, problem } = await readEntryAs({ command: "x", ...more })
    expect([target, problem]).toEqual([null, expect.stringMatching(/^expected .*env/)])
    expect(problem).not.toContain("hunter")
  })

  test.each([
    { headers: ["Authorization: hunter22"] },
    { headers: { "Authorization: hunter22": "" } },
    { headers: { Authorization: { value: "hunter22" } } },
    { headers: { Authorization: "Bearer ${A:-hunter22}" } },
    { headers: { a: "hunter22", A: "hunter22" } },
    { headers: { a: "hunter22\n" } },
  ])("a URL with %j has no value in what comes out", async (more) => {
    expect(JSON.stringify(await readEntryAs({ url: "https://x.example/", ...more }))).not.toContain("hunter")
  })
})

describe("credentials in the launch line", () => {
  const TOKEN = `ghp_${"a1".repeat(18)}`

  test.each([
    { command: "x", args: ["--token", "hunter22"] },
    { command: "x", args: [TOKEN] },
    { command: "x", args: ["--header", `Authorization: Bearer ${TOKEN}`] },
    { command: `/opt/${TOKEN}/x` },
    { command: "x", args: ["https://ada:hunter22@x.example/"] },
    { url: "https://ada:hunter22@x.example/mcp" },
    { url: "https://hunter22@x.example/mcp" },
    { url: "https://x.example/mcp?api_key=hunter22" },
    { command: "npx", args: ["-y", "toolsum", "guard", "--", "x", "--token", "hunter22"] },
    { command: "toolsum", args: ["guard", "--to", "https://x.example/?token=hunter22"] },
  ])("%j is refused, and not repeated", async (entry) => {
    const server = await readEntryAs(entry)
    expect(server).toMatchObject({
      target: null,
      problem: expect.stringMatching(/^expected no credential in (?:args|url)/),
    })
    expect(JSON.stringify(server)).not.toMatch(/hunter|ghp_/)
  })

  test("variables in their place are none", async () => {
    const args = ["--token", "${TOKEN}", "--header", "Authorization: Bearer ${env:TOKEN}"]
    expect(await readEntryAs({ command: "x", args })).toMatchObject({
      target: { args: ["--token", "${TOKEN}", "--header", "Authorization: Bearer ${TOKEN}"] },
    })
    expect(await readEntryAs({ url: "https://x.example/?token=${T}" })).toMatchObject({
      target: { url: "https://x.example/?token=${T}" },
    })
  })
})

describe("folders", () => {
  const cwdOf = async (cwd: unknown) => {
    const { target, problem } = await readEntryAs({ command: "x", cwd })
    return target !== null && "cwd" in target ? target.cwd : problem
  }

  test.each([
    ["tools", "tools"],
    ["./tools", "./tools"],
    ["../other", "../other"],
    ["${workspaceFolder}/tools", "tools"],
    ["${workspaceFolder}\\tools", "tools"],
    ["/opt/x", "/opt/x"],
    [".", null],
    ["./", null],
    ["", null],
    [null, null],
    ["${workspaceFolder}", null],
    ["a/..", null],
  ])("%j starts in %j", async (cwd, folder) => {
    expect(await cwdOf(cwd)).toBe(folder)
  })

  test.each(["~/x", "${HOME}/x", "$HOME/x", "{env:HOME}/x", "${userHome}"])("%s could be anywhere", async (cwd) => {
    expect(await cwdOf(cwd)).toBe("expected cwd without ~ and variables")
  })

  test("an absolute folder of the project is relative to it, of the user's file absolute", async () => {
    const world = await makeConfigWorld()
    const content = (cwd: string) => JSON.stringify({ mcpServers: { a: { command: "x", cwd } } })
    const inside = join(world.project, "tools")
    await world.write({
      ".mcp.json": content(inside),
      "~/.cursor/mcp.json": content(inside),
      "~/.factory/mcp.json": content("tools"),
    })
    expect((await world.read()).map(({ servers }) => servers[0])).toMatchObject([
      { target: { cwd: "tools" } },
      { target: { cwd: inside } },
      { target: null, problem: "expected an absolute cwd in a file of the user" },
    ])
  })

  test("on Windows", () => {
    const read = (cwd: string) =>
      readEntry(
        { name: "a", isDisabled: false, read: () => ({ command: "x", cwd }) },
        { dialect: "braces", project: "C:\\app", platform: "win32" },
      ).target
    expect(read("C:\\app\\tools\\a")).toMatchObject({ cwd: "tools/a" })
    expect(read("c:\\APP")).toEqual({ command: "x", args: [], env: [] })
    expect(read("D:\\x")).toMatchObject({ cwd: "D:\\x" })
    expect(read("${workspaceFolder}\\a")).toMatchObject({ cwd: "a" })
  })

  test("the project's folder in a word stands for . where the server starts there, and nowhere else", async () => {
    const entry = {
      command: "${workspaceFolder}/bin/x",
      args: ["${workspaceFolder}/a.js", "--root=${workspaceFolder}"],
    }
    expect(await readEntryAs(entry)).toMatchObject({ target: { command: "./bin/x", args: ["./a.js", "--root=."] } })
    expect(await readEntryAs({ ...entry, cwd: "${workspaceFolder}" })).toMatchObject({
      target: { args: ["./a.js", "--root=."] },
    })
    expect(await readEntryAs({ ...entry, cwd: "sub" })).toMatchObject({
      target: null,
      problem: expect.stringContaining("project's folder"),
    })
    const ofUser = JSON.stringify({ mcpServers: { a: entry } })
    expect(await readServerAs("~/.cursor/mcp.json", ofUser)).toMatchObject({ target: null })
  })
})

describe("the program", () => {
  test("is no template", async () => {
    expect(await readEntryAs({ command: "a$b" })).toMatchObject({ target: { command: "a$b" } })
    expect(await readEntryAs({ command: "a b -c" })).toMatchObject({ target: { command: "a b -c", args: [] } })
    expect(await readEntryAs({ command: "${PYTHON}" })).toMatchObject({
      target: null,
      problem: "expected no variable in command, got PYTHON",
    })
  })

  test.each([
    [{}, "expected a command or a url"],
    [{ command: null, url: null }, "expected a command or a url"],
    [{ command: "x", url: "https://x.example/" }, "expected a command or a url, got both"],
    [
      { url: "https://x.example/", serverUrl: "https://y.example/" },
      "expected one URL, got different ones in url and serverUrl",
    ],
    [{ command: "" }, "expected command to be text that is not empty"],
    [{ command: 7 }, "expected command to be text that is not empty"],
    [{ command: "x\0" }, "expected command to be text that is not empty"],
    [{ command: ["x"] }, "expected command to be text that is not empty"],
    [{ url: 7 }, "expected url to be text that is not empty"],
    [{ url: "" }, "expected url to be text that is not empty"],
    [{ command: "x", args: "y" }, "expected args to be a list of texts"],
    [{ command: "x", args: ["a", 8080] }, "expected args to be a list of texts"],
    [
      { command: "x", args: ["${A:-b}"] },
      "expected what a template can hold in args, got a default value of variable A",
    ],
    [{ command: "x", cwd: 7 }, "expected cwd to be text that is not empty"],
    [{ command: "x", envFile: ".env" }, "expected no envFile: what it brings is no part of a launch line"],
    [
      { url: "https://x.example/", headersHelper: "x" },
      "expected no headersHelper: what it brings is no part of a launch line",
    ],
    [
      { url: "${workspaceFolder}/x" },
      "expected what a template can hold in url, got the project's folder where no path relative to it can stand",
    ],
    [[], "expected an object"],
    ["x", "expected an object"],
    [null, "expected an object"],
  ])("%j: %s", async (entry, problem) => {
    expect(await readEntryAs(entry)).toMatchObject({ target: null, problem })
  })

  test("one URL under two names is one", async () => {
    const url = "https://x.example/"
    expect(await readEntryAs({ url, httpUrl: url })).toMatchObject({ target: { url, headers: {} } })
  })
})

describe("behind a guard", () => {
  test("the server's own launch line, with the variables and the folder of the entry", async () => {
    const entry = {
      command: "npx",
      args: ["-y", "toolsum@0.1.0", "guard", "--", "npx", "notes@1.0.0"],
      env: { A: "1" },
      cwd: "x",
    }
    expect(await readEntryAs(entry)).toEqual({
      name: "notes",
      target: { command: "npx", args: ["notes@1.0.0"], env: ["A"], cwd: "x" },
      problem: null,
      literals: ["A"],
      isGuarded: true,
      isDisabled: false,
    })
  })

  test("a URL, with the guard's headers", async () => {
    const args = ["guard", "--to", "https://x.example/", "--header", "Authorization: Bearer ${T}", "--header", "X-A: b"]
    expect(await readEntryAs({ command: "toolsum", args })).toMatchObject({
      target: { url: "https://x.example/", headers: { Authorization: "Bearer ${T}", "X-A": "${X_A}" } },
      literals: ["X-A"],
      isGuarded: true,
    })
  })

  test("a pin", async () => {
    const server = await readEntryAs({ command: "toolsum", args: ["guard", "memory"] })
    expect(server).toMatchObject({ target: null, problem: null, isGuarded: true, pin: "memory" })
  })

  test("a pin of the user, in a file of the user", async () => {
    const content = JSON.stringify({
      mcpServers: { notes: { command: "toolsum", args: ["guard", "--user", "memory"] } },
    })
    expect(await readServerAs("~/.cursor/mcp.json", content)).toMatchObject({ problem: null, pin: "memory" })
  })

  test("the variables of a guard that names its pin", async () => {
    const env = { NODE_OPTIONS: "--require ./x.js", A: "${A}" }
    expect(await readEntryAs({ command: "toolsum", args: ["guard", "memory"], env })).toMatchObject({
      pin: "memory",
      pinVariables: ["A", "NODE_OPTIONS"],
      literals: ["NODE_OPTIONS"],
    })
  })

  test.each([
    ["a pin of the user in a file of the project", { args: ["guard", "--user", "memory"] }, "without --user"],
    ["a pin looked for from another folder", { args: ["guard", "memory"], cwd: "x" }, "without a cwd"],
    [
      "a guard of a URL in another folder",
      { args: ["guard", "--to", "https://x.example/"], cwd: "x" },
      "without a cwd",
    ],
    [
      "a variable that the guard of a URL does not send",
      { args: ["guard", "--to", "https://x.example/"], env: { NODE_OPTIONS: "hunter22" } },
      "got NODE_OPTIONS",
    ],
    [
      "a header twice",
      { args: ["guard", "--to", "https://x.example/", "--header", "A: ${X}", "--header", "A: ${Y}"] },
      "each header once",
    ],
  ])("refuses %s", async (_, entry, why) => {
    const server = await readEntryAs({ command: "toolsum", ...entry })
    expect(server).toMatchObject({ target: null, problem: expect.stringContaining(why) })
    expect(server.pin).toBeUndefined()
  })

  test("what cannot be told", async () => {
    expect(await readEntryAs({ command: "toolsum", args: ["guard"] })).toMatchObject({
      target: null,
      problem: expect.any(String),
    })
  })
})

describe("a token in the place of a variable's name", () => {
  const token = `ghp_${"a1B2".repeat(9)}`
  test.each([
    [".mcp.json", JSON.stringify({ mcpServers: { a: { command: "x", env: { [token]: "TOKEN" } } } })],
    [
      ".mcp.json",
      JSON.stringify({ mcpServers: { a: { url: "https://x.example/", headers: { A: `Bearer \${${token}}` } } } }),
    ],
    [".codex/config.toml", `[mcp_servers.a]\nurl = "https://x.example/"\nbearer_token_env_var = "${token}"`],
    [".codex/config.toml", `[mcp_servers.a]\ncommand = "x"\nenv_vars = ["${token}"]`],
  ])("is refused and not repeated: %s", async (file, content) => {
    const server = await readServerAs(file, content)
    expect(server).toMatchObject({ target: null, problem: expect.stringContaining("looks like a GitHub token") })
    expect(JSON.stringify(server)).not.toContain(token)
  })
})

test("whatever an entry holds, it is a target that a lockfile takes, a pin, or a problem", () => {
  const members = ["command", "args", "env", "cwd", "url", "serverUrl", "headers", "envFile"]
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("npx", "toolsum", "guard", "--", "${A}", "$", "${workspaceFolder}/x", "~", "/x"),
  )
  const value = fc.oneof(
    text,
    fc.array(text),
    fc.dictionary(fc.constantFrom("A", "B-C", "__proto__", ""), fc.oneof(text, fc.jsonValue())),
    fc.jsonValue(),
  )
  const entry = fc.dictionary(fc.constantFrom(...members), value)
  const place = fc.record({
    dialect: fc.constantFrom("braces" as const, "bare" as const, "curly" as const),
    project: fc.constantFrom("/app", null),
    platform: fc.constantFrom("linux" as const, "win32" as const),
  })
  fc.assert(
    fc.property(entry, place, (plain, where) => {
      const { target, problem, pin } = readEntry({ name: "a", isDisabled: false, read: () => plain }, where)
      expect([target !== null, problem !== null, pin !== undefined].filter(Boolean)).toHaveLength(1)
      if (target === null) return
      expect(parseTarget(parseJson(canonicalize(formatTarget(target))))).toEqual(target)
      checkTemplates(target)
    }),
    { numRuns: 1000 },
  )
})
