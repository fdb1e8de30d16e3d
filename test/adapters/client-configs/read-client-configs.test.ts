import { chmod, mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../../src/core/bytes.js"
import { isCommandTarget } from "../../../src/core/target.js"
import { makeConfigWorld, readFileAs } from "./world.js"

const GOOD = JSON.stringify({ mcpServers: { notes: { command: "x" } } })

test("only files that are there, the project's first", async () => {
  const world = await makeConfigWorld()
  expect(await world.read()).toEqual([])
  await world.write({ ".mcp.json": GOOD, "~/.cursor/mcp.json": GOOD, "opencode.json": "{}" })
  expect((await world.read()).map(({ file, scope }) => [file, scope])).toEqual([
    [".mcp.json", "project"],
    ["opencode.json", "project"],
    ["~/.cursor/mcp.json", "user"],
  ])
  expect((await world.read({ user: false })).map(({ scope }) => scope)).toEqual(["project", "project"])
})

test("a bad file hides no other file, a bad server no other server", async () => {
  const world = await makeConfigWorld()
  const some = JSON.stringify({ mcpServers: { a: { command: "x" }, b: 7, c: { command: "y" } } })
  await world.write({ ".mcp.json": "{", ".cursor/mcp.json": some })
  const [bad, good] = await world.read()
  expect(bad).toMatchObject({ servers: [], problem: expect.any(String) })
  expect(good?.servers.map(({ target }) => target !== null)).toEqual([true, false, true])
})

describe("JSON as people and clients write it", () => {
  test.each([
    ["a byte order mark", `\ufeff${GOOD}`],
    ["comments and trailing commas", '// a\n{ /* b */ "mcpServers": { "notes": { "command": "x", }, }, } // c'],
    ["a comment that looks like a string", '{ "mcpServers": { "notes": { /* "command": "z" */ "command": "x" } } }'],
    ["a string that looks like a comment", '{ "//": "/*", "mcpServers": { "notes": { "command": "x", } } }'],
    ["lines that end in CR LF", '{\r\n// a\r\n"mcpServers": { "notes": { "command": "x" } } }'],
    [
      "half of a surrogate pair elsewhere",
      '{ "history": ["\\ud83d", "\\\\ud83d", "\\ud83d\\ude00"], "mcpServers": { "notes": { "command": "x" } } }',
    ],
    ["numbers beyond 2^53", '{ "n": 123456789012345678901234567890, "mcpServers": { "notes": { "command": "x" } } }'],
  ])("%s", async (_, content) => {
    const { servers, problem } = await readFileAs(".mcp.json", content)
    expect([servers.map(({ name, target }) => [name, target]), problem]).toEqual([
      [["notes", { command: "x", args: [], env: [] }]],
      null,
    ])
  })

  test.each(["", " \n", "{}", '{ "mcpServers": {} }', '{ "mcpServers": null }', "// nothing\n{}"])(
    "%j has no servers",
    async (content) => {
      expect(await readFileAs(".mcp.json", content)).toMatchObject({ servers: [], problem: null })
    },
  )

  test("members named like those of objects are servers like any other", async () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
    const content = `{ /* not strict */ "mcpServers": { ${names.map((name) => `"${name}": { "command": "x" }`).join(", ")} } }`
    for (const text of [content, content.replace("/* not strict */", "")])
      expect((await readFileAs(".mcp.json", text)).servers.map(({ name, target }) => [name, target !== null])).toEqual(
        names.map((name) => [name, true]),
      )
  })

  test("and in TOML and YAML", async () => {
    const toml = await readFileAs(
      ".codex/config.toml",
      '[mcp_servers.__proto__]\ncommand = "x"\n[mcp_servers.a.env]\n__proto__ = "1"\n[mcp_servers.constructor]\ncommand = "y"',
    )
    expect(toml.servers.map(({ name }) => name)).toEqual(["__proto__", "a", "constructor"])
    const yaml = await readFileAs("~/.continue/config.yaml", "mcpServers:\n  __proto__: { command: x }\n")
    expect(yaml.servers).toMatchObject([{ name: "__proto__", target: { command: "x" } }])
  })
})

describe("a file that cannot be read has a problem that does not repeat it", () => {
  const deep = (n: number) => "[".repeat(n) + "]".repeat(n)
  test.each([
    ["no JSON", ".mcp.json", "hunter22", /line 1, column 1/],
    ["an open string", ".mcp.json", '{"a": "hunter22', /a string without its end at line 1/],
    ["a bad escape", ".mcp.json", '{"a": "hunter22\\q"}', /an escape that is none at line 1, column 7/],
    ["a bad \\u escape", ".mcp.json", '{"a": "hunter22\\u12"}', /a \\u escape that is none/],
    ["a line end in a string", ".mcp.json", '{"a": "hunter22\n"}', /a string without its end/],
    ["a control character in a string", ".mcp.json", '{"a": "hunter22\u0001"}', /a control character/],
    ["an open comment", ".mcp.json", "{} /* hunter22", /a comment without its end/],
    ["only a comma", ".mcp.json", "[,]", /column 2/],
    ["two commas", ".mcp.json", '{"a": 1,, "b": 2}', /column 9/],
    ["more after the end", ".mcp.json", "{} {}", /column 4/],
    ["a list", ".mcp.json", "[1]", /^expected an object$/],
    ["null", ".mcp.json", "null", /^expected an object$/],
    ["a list of servers", ".mcp.json", '{"mcpServers": ["hunter22"]}', /^expected mcpServers to be an object$/],
    ["servers as text", ".vscode/settings.json", '{"mcp": "hunter22"}', /^expected mcp to be an object$/],
    [
      "servers within text",
      ".vscode/settings.json",
      '{"mcp": {"servers": "hunter22"}}',
      /^expected mcp.servers to be an object$/,
    ],
    [
      "one name twice",
      ".mcp.json",
      '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "hunter22"}}}',
      /unique member names, got "a" again/,
    ],
    [
      "one name twice, among comments",
      ".mcp.json",
      '// c\n{"mcpServers": {"a": {"command": "x"}, "a": {"command": "hunter22"}}}',
      /"a" again at line 2/,
    ],
    ["one name in two spellings", ".mcp.json", '{"mcpServers": {"a": {}, "\\u0061": {}}}', /"a" again/],
    [
      "one name twice in one server",
      ".mcp.json",
      '{"mcpServers": {"a": {"command": "x", "command": "hunter22"}}}',
      /"command" again/,
    ],
    ["deep nesting", ".mcp.json", deep(5000), /128 nested/],
    ["deep nesting with a comment", ".mcp.json", `// c\n${deep(5000)}`, /128 nested/],
    ["bytes", ".mcp.json", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), /UTF-8/],
    ["UTF-16", ".mcp.json", new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]), /UTF-8/],
    ["too many bytes", ".mcp.json", new Uint8Array(16 * 1024 * 1024 + 1).fill(0x20), /at most 16777216 bytes/],
    ["no TOML", ".codex/config.toml", 'a = "hunter22', /^expected TOML: line 1/],
    [
      "a TOML table twice",
      ".codex/config.toml",
      '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a]\ncommand = "hunter22"',
      /^expected TOML: line 3/,
    ],
    [
      "a TOML key twice",
      ".codex/config.toml",
      '[mcp_servers.a]\ncommand = "x"\ncommand = "hunter22"',
      /^expected TOML: line 3/,
    ],
    ["deep TOML", ".codex/config.toml", `a = ${deep(5000)}`, /TOML|nested/],
    ["no YAML", "~/.continue/config.yaml", 'a: "hunter22', /^expected YAML: [A-Z_]+ at line 1/],
    [
      "a YAML key twice",
      "~/.continue/config.yaml",
      "mcpServers: []\nmcpServers: [hunter22]",
      /^expected YAML: DUPLICATE_KEY at line 2/,
    ],
    ["deep YAML", "~/.continue/config.yaml", `a: ${deep(5000)}`, /YAML|nested/],
    [
      "many YAML aliases",
      "~/.continue/config.yaml",
      `a: &a [hunter22]\n${"bcdefghij"
        .split("")
        .map((name, i) => `${name}: &${name} [${`*${"abcdefghi"[i]}, `.repeat(9)}]`)
        .join("\n")}`,
      /YAML/,
    ],
    ["a YAML alias within itself", "~/.continue/config.yaml", "a: &a [*a, *a]", /nested/],
    ["half of a surrogate pair in YAML", "~/.continue/config.yaml", 'a: [{ "\\ud800": 1 }]', /lone surrogate/],
    ["a YAML set", "~/.continue/config.yaml", "%YAML 1.1\n---\nmcpServers: !!set { hunter22 }", /^expected mcpServers/],
    [
      "an ordered map of YAML",
      "~/.continue/config.yaml",
      "%YAML 1.1\n---\nmcpServers: !!omap [ hunter22: { command: x } ]",
      /^expected mcpServers/,
    ],
    ["a date of TOML", "~/.codex/config.toml", "mcp_servers = 1979-05-27", /^expected mcp_servers/],
    ["long YAML", "~/.continue/config.yaml", `a: ${"x".repeat(128 * 1024)}`, /^expected at most 131072 bytes$/],
    ["long TOML", "~/.codex/config.toml", `a = "${"x".repeat(1024 * 1024)}"`, /^expected at most 1048576 bytes$/],
    ["a YAML list", "~/.continue/config.yaml", "- hunter22", /^expected an object$/],
    ["two YAML documents", "~/.continue/config.yaml", "a: 1\n---\na: hunter22", /^expected YAML: MULTIPLE_DOCS/],
  ])("%s", async (_, file, content, problem) => {
    const config = await readFileAs(file, content)
    expect(config.servers).toEqual([])
    expect(config.problem).toMatch(problem)
    expect(config.problem).not.toContain("hunter")
  })
})

describe("what is no file", () => {
  test("a folder in the place of a file, a file in the place of a folder", async () => {
    const world = await makeConfigWorld()
    await mkdir(join(world.project, ".mcp.json"))
    await world.write({ ".continue/mcpServers": "x" })
    expect(await world.read()).toMatchObject([{ file: ".mcp.json", problem: expect.stringContaining("got a folder") }])
  })

  test("a device", async () => {
    const world = await makeConfigWorld()
    await symlink("/dev/zero", join(world.project, ".mcp.json"))
    expect(await world.read()).toMatchObject([
      { file: ".mcp.json", servers: [], problem: expect.stringContaining("expected a file") },
    ])
  })

  test.skipIf(process.getuid?.() === 0)("what may not be opened", async () => {
    const world = await makeConfigWorld()
    await world.write({ ".mcp.json": GOOD, ".continue/mcpServers/a.json": GOOD })
    await chmod(join(world.project, ".mcp.json"), 0)
    await chmod(join(world.project, ".continue/mcpServers"), 0)
    const configs = await world.read()
    await chmod(join(world.project, ".continue/mcpServers"), 0o700)
    expect(configs.map(({ problem }) => problem?.includes("EACCES"))).toEqual([true, true])
  })
})

test("a folder of configurations: each file by itself, sorted, other endings left", async () => {
  const world = await makeConfigWorld()
  const files = ["b.json", "a.yaml", "c.yml", "readme.md", "x.toml"]
  await world.write(
    Object.fromEntries(files.map((file) => [`.continue/mcpServers/${file}`, file === "a.yaml" ? "a: [" : GOOD])),
  )
  expect((await world.read()).map(({ file, problem }) => [file, problem !== null])).toEqual([
    [".continue/mcpServers/a.yaml", true],
    [".continue/mcpServers/b.json", false],
    [".continue/mcpServers/c.yml", false],
  ])
})

test("a folder of too many is a problem, not a part of them", async () => {
  const world = await makeConfigWorld()
  await world.write(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`.kiro/agents/${i}.json`, "{}"])))
  expect(await world.read()).toMatchObject([
    { file: ".kiro/agents", servers: [], problem: "expected at most 1000 files" },
  ])
})

test("ten thousand servers", async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, i) => [`server-${i}`, { command: "x", args: [`${i}`] }]),
  )
  const config = await readFileAs(".mcp.json", JSON.stringify({ mcpServers: servers }))
  expect(config.servers).toHaveLength(10_000)
  expect(config.servers.every(({ target }) => target !== null && isCommandTarget(target))).toBe(true)
})

test("no value of a variable, a header or a credential comes out of any client's file", async () => {
  const world = await makeConfigWorld()
  const secret = "hunter22-sentinel"
  const bad = { bad1: { command: "x", args: ["--token", secret] }, bad2: { url: `https://${secret}@x.example/` } }
  const entries = {
    a: { command: "x", env: { A: secret } },
    b: { url: "https://x.example/", headers: { "X-A": secret } },
    ...bad,
  }
  const json = (key: string) => JSON.stringify({ [key]: entries })
  await world.write({
    ".mcp.json": json("mcpServers"),
    ".vscode/mcp.json": json("servers"),
    ".zed/settings.json": json("context_servers"),
    ".codex/config.toml": `[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\nA = "${secret}"\n[mcp_servers.b]\nurl = "https://x.example/"\nhttp_headers = { A = "${secret}" }`,
    "opencode.json": JSON.stringify({
      mcp: {
        a: { command: ["x", "--api-key", secret], environment: { A: secret } },
        b: { url: "https://x.example/", headers: { A: secret } },
      },
    }),
    "~/.continue/config.yaml": `mcpServers:\n- {name: a, command: x, env: {A: ${secret}}}\n- {name: b, url: "https://x.example/", requestOptions: {headers: {A: ${secret}}}}`,
    "~/.gemini/settings.json": `{ "mcpServers": { "a": { "command": "x", "env": { "A": "${secret}" } }, } oops "${secret}" }`,
    "~/.claude.json": `{"oauth": "${secret}", "mcpServers": {"a": {"command": "x", "args": ["\${A:-${secret}}"]}}}`,
  })
  const configs = await world.read()
  expect(configs).toHaveLength(8)
  expect(encodeUtf8(JSON.stringify(configs)).length).toBeGreaterThan(1000)
  expect(JSON.stringify(configs)).not.toContain("hunter")
})

test("the reader of YAML says nothing on stderr", async () => {
  const warnings: unknown[] = []
  const listen = (warning: unknown) => warnings.push(warning)
  process.on("warning", listen)
  const { servers } = await readFileAs(
    "~/.continue/config.yaml",
    "mcpServers: [{name: a, command: x, ? [hunter22] : 1}]",
  )
  await new Promise((done) => setImmediate(done))
  process.off("warning", listen)
  expect([servers.length, warnings]).toEqual([1, []])
})
