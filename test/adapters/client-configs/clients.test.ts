import { describe, expect, test } from "vitest"
import { makeConfigWorld, readFileAs, readServerAs } from "./world.js"

const COMMAND = { command: "npx", args: ["-y", "notes@1.2.0"], env: ["API_KEY"] }
const COMMAND_ENTRY = { command: "npx", args: ["-y", "notes@1.2.0"], env: { API_KEY: "${API_KEY}" } }
const URL = "https://notes.example/mcp"
const REMOTE = { url: URL, headers: { Authorization: "Bearer ${TOKEN}" } }
const PLAIN = { problem: null, literals: [], isGuarded: false, isDisabled: false }

/** A file of each client with a command and a URL, in its own words. */
const CLIENTS: readonly {
  readonly client: string
  readonly files: readonly string[]
  readonly content: string
  readonly remote?: boolean
}[] = [
  {
    client: "claude-code",
    files: [".mcp.json", "~/.claude.json"],
    content: JSON.stringify({
      mcpServers: { local: { type: "stdio", ...COMMAND_ENTRY }, remote: { type: "http", ...REMOTE } },
    }),
  },
  {
    client: "claude-desktop",
    files: ["~/.config/Claude/claude_desktop_config.json"],
    content: JSON.stringify({ globalShortcut: "", mcpServers: { local: COMMAND_ENTRY } }),
    remote: false,
  },
  {
    client: "cursor",
    files: [".cursor/mcp.json", "~/.cursor/mcp.json"],
    content: `{ "mcpServers": {
      "local": { "command": "npx", "args": ["-y", "notes@1.2.0"], "env": { "API_KEY": "\${env:API_KEY}" } },
      "remote": { "url": "${URL}", "headers": { "Authorization": "Bearer \${env:TOKEN}" } } } }`,
  },
  {
    client: "vscode",
    files: [".vscode/mcp.json", "~/.config/Code/User/mcp.json", "~/.config/VSCodium/User/mcp.json"],
    content: `// of the team
      { "inputs": [{ "type": "promptString", "id": "token", "description": "a token", "password": true, },],
        "servers": {
          "local": { "type": "stdio", "command": "npx", "args": ["-y", "notes@1.2.0",], "env": { "API_KEY": "\${input:key}" } },
          "remote": { "type": "http", "url": "${URL}", "headers": { "Authorization": "Bearer \${input:token}" } }, /* last */ }, }`,
  },
  {
    client: "vscode",
    files: [".vscode/settings.json", "~/.config/Code - Insiders/User/settings.json"],
    content: JSON.stringify({
      "editor.tabSize": 2,
      mcp: { inputs: [], servers: { local: COMMAND_ENTRY, remote: REMOTE } },
    }),
  },
  {
    client: "vscode",
    files: [".vscode/settings.json"],
    content: JSON.stringify({ "mcp.servers": { local: COMMAND_ENTRY, remote: REMOTE } }),
  },
  {
    client: "windsurf",
    files: ["~/.codeium/windsurf/mcp_config.json"],
    content: JSON.stringify({
      mcpServers: {
        local: COMMAND_ENTRY,
        remote: { serverUrl: URL, headers: { Authorization: "Bearer ${env:TOKEN}" } },
      },
    }),
  },
  {
    client: "codex",
    files: [".codex/config.toml", "~/.codex/config.toml"],
    content: `model = "some-model"
      [mcp_servers.local]
      command = "npx"
      args = ["-y", "notes@1.2.0"]
      env_vars = ["API_KEY"]
      startup_timeout_sec = 20
      [mcp_servers.remote]
      url = "${URL}"
      bearer_token_env_var = "TOKEN"
      enabled_tools = ["a"]`,
  },
  {
    client: "gemini",
    files: [".gemini/settings.json", "~/.gemini/settings.json"],
    content: `{ "theme": "x", "mcpServers": {
      "local": { "command": "npx", "args": ["-y", "notes@1.2.0"], "env": { "API_KEY": "$API_KEY" }, "trust": true, "timeout": 5 },
      "remote": { "httpUrl": "${URL}", "headers": { "Authorization": "Bearer $TOKEN" }, "includeTools": ["a"] } } }`,
  },
  {
    client: "zed",
    files: [".zed/settings.json", "~/.config/zed/settings.json"],
    content: `{ // as Zed writes it
      "context_servers": {
        "local": { "source": "custom", "enabled": true, "command": "npx", "args": ["-y", "notes@1.2.0"], "env": { "API_KEY": "\${API_KEY}" } },
        "remote": { "url": "${URL}", "headers": { "Authorization": "Bearer \${TOKEN}" } } } }`,
  },
  {
    client: "zed",
    files: [".zed/settings.json"],
    content: JSON.stringify({
      context_servers: {
        local: { command: { path: "npx", args: ["-y", "notes@1.2.0"], env: { API_KEY: "${API_KEY}" } }, settings: {} },
        remote: REMOTE,
      },
    }),
  },
  ...(
    [
      [
        "kiro",
        [".kiro/settings/mcp.json", "~/.kiro/settings/mcp.json", ".kiro/agents/a.json", "~/.kiro/agents/a.json"],
      ],
      ["amazon-q", [".amazonq/mcp.json", "~/.aws/amazonq/mcp.json", "~/.aws/amazonq/agents/default.json"]],
      ["amazon-q", [".amazonq/cli-agents/team.json", "~/.aws/amazonq/cli-agents/team.json"]],
      ["copilot-cli", [".github/mcp.json", "~/.copilot/mcp-config.json"]],
      ["cline", ["~/.cline/data/settings/cline_mcp_settings.json"]],
      ["cline", ["~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"]],
      ["antigravity", ["~/.gemini/antigravity/mcp_config.json", "~/.gemini/config/mcp_config.json"]],
      ["factory", [".factory/mcp.json", "~/.factory/mcp.json"]],
    ] as const
  ).map(([client, files]) => ({
    client,
    files,
    content: JSON.stringify({
      mcpServers: { local: { ...COMMAND_ENTRY, autoApprove: [] }, remote: { type: "http", ...REMOTE } },
    }),
  })),
  {
    client: "continue",
    files: ["~/.continue/config.yaml", ".continue/mcpServers/notes.yaml", "~/.continue/mcpServers/notes.yml"],
    content: `name: Notes
version: 0.0.1
schema: v1
mcpServers:
  - name: local
    command: npx
    args: [-y, notes@1.2.0]
    env:
      API_KEY: \${{ secrets.API_KEY }}
  - name: remote
    type: streamable-http
    url: ${URL}
    requestOptions:
      headers:
        Authorization: Bearer \${{ secrets.TOKEN }}
`,
  },
  {
    client: "continue",
    files: [".continue/mcpServers/mcp.json"],
    content: JSON.stringify({ mcpServers: { local: COMMAND_ENTRY, remote: REMOTE } }),
  },
  {
    client: "opencode",
    files: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", "~/.config/opencode/opencode.json"],
    content: `{ "$schema": "https://opencode.ai/config.json", "mcp": {
      "local": { "type": "local", "command": ["npx", "-y", "notes@1.2.0"], "environment": { "API_KEY": "{env:API_KEY}" }, "enabled": true },
      "remote": { "type": "remote", "url": "${URL}", "headers": { "Authorization": "Bearer {env:TOKEN}" } }, // comment
    } }`,
  },
]

describe.each(CLIENTS)("$client, $files.0", ({ client, files, content, remote }) => {
  test.each(files)("%s", async (file) => {
    const config = await readFileAs(file, content)
    const scope = file.startsWith("~/") ? "user" : "project"
    expect(config).toMatchObject({ file, client, scope, problem: null })
    expect(config.servers).toEqual([
      { name: "local", target: COMMAND, ...PLAIN },
      ...(remote === false
        ? []
        : [{ name: "remote", target: { url: URL, headers: { Authorization: "Bearer ${TOKEN}" } }, ...PLAIN }]),
    ])
  })
})

test("Claude Code's own file: servers of every project, and those of this one", async () => {
  const world = await makeConfigWorld()
  const local = { command: "local" }
  await world.write({
    "~/.claude.json": JSON.stringify({
      mcpServers: { mine: { command: "all" } },
      projects: {
        [world.project]: { allowedTools: [], mcpServers: { mine: local } },
        "/elsewhere": { mcpServers: { theirs: { command: "other" } } },
      },
    }),
  })
  const configs = await world.read()
  expect(configs.map(({ file, servers }) => [file, servers.map(({ name, target }) => [name, target])])).toEqual([
    ["~/.claude.json#project", [["mine", { command: "local", args: [], env: [] }]]],
    ["~/.claude.json", [["mine", { command: "all", args: [], env: [] }]]],
  ])
  expect(await world.read({ user: false })).toEqual([])
})

test("Claude Code's own file without servers for this project, and one that cannot be read", async () => {
  expect((await readFileAs("~/.claude.json", '{ "projects": { "/x": {} } }')).file).toBe("~/.claude.json")
  expect(await readFileAs("~/.claude.json", "{")).toMatchObject({ file: "~/.claude.json", servers: [] })
})

describe("servers that are switched off", () => {
  test.each([
    ["~/.codeium/windsurf/mcp_config.json", '{"mcpServers":{"a":{"command":"x","disabled":true}}}', true],
    [".kiro/settings/mcp.json", '{"mcpServers":{"a":{"command":"x","disabled":false}}}', false],
    [".codex/config.toml", '[mcp_servers.a]\ncommand = "x"\nenabled = false', true],
    [".zed/settings.json", '{"context_servers":{"a":{"command":"x","enabled":false}}}', true],
    ["opencode.json", '{"mcp":{"a":{"type":"local","command":["x"],"enabled":false}}}', true],
    [".gemini/settings.json", '{"mcp":{"excluded":["a"]},"mcpServers":{"a":{"command":"x"}}}', true],
    [".gemini/settings.json", '{"mcp":{"allowed":["b"]},"mcpServers":{"a":{"command":"x"}}}', true],
    [".gemini/settings.json", '{"mcp":{"allowed":["a"]},"mcpServers":{"a":{"command":"x"}}}', false],
    [".gemini/settings.json", '{"mcp":{"allowed":[]},"mcpServers":{"a":{"command":"x"}}}', false],
    // Claude Code starts it all the same.
    [".mcp.json", '{"mcpServers":{"a":{"command":"x","disabled":true}}}', false],
  ] as const)("%s %s", async (file, content, isDisabled) => {
    expect(await readServerAs(file, content)).toMatchObject({ target: { command: "x" }, isDisabled })
  })

  test("a bad entry can be switched off too", async () => {
    expect(await readServerAs("opencode.json", '{"mcp":{"a":{"enabled":false}}}')).toMatchObject({
      target: null,
      isDisabled: true,
    })
  })
})

describe("Codex", () => {
  const read = (toml: string) => readServerAs(".codex/config.toml", `[mcp_servers.a]\n${toml}`)

  test("headers by name and by value, variables by name, a folder", async () => {
    expect(
      await read(
        'url = "https://x.example/"\nhttp_headers = { "X-Team" = "blue" }\nenv_http_headers = { "X-Key" = "KEY" }',
      ),
    ).toMatchObject({ target: { headers: { "X-Team": "${X_TEAM}", "X-Key": "${KEY}" } }, literals: ["X-Team"] })
    expect(
      await read(
        'command = "x"\ncwd = "tools"\nenv_vars = ["B", { name = "C", source = "local" }]\n[mcp_servers.a.env]\nA = "1"',
      ),
    ).toMatchObject({ target: { command: "x", args: [], env: ["A", "B", "C"], cwd: "tools" }, literals: ["A"] })
  })

  test.each([
    'url = "https://x.example/"\nbearer_token = "hunter22"',
    'url = "https://x.example/"\nbearer_token_env_var = "hunter 22"',
    'url = "https://x.example/"\nbearer_token_env_var = "A"\nhttp_headers = { authorization = "hunter22" }',
    'command = "x"\nenv_vars = ["A=hunter22"]',
    'command = "x"\nenv_vars = "hunter22"',
    'url = "https://x.example/"\nhttp_headers = "hunter22"',
    'url = "https://x.example/"\nenv_http_headers = { "X-A" = "hunter 22" }',
  ])("refuses %j without its values", async (toml) => {
    const { target, problem } = await read(toml)
    expect(target).toBeNull()
    expect(problem).not.toContain("hunter")
  })
})

describe("entries that bring no launch line", () => {
  test.each([
    [
      ".zed/settings.json",
      '{"context_servers":{"a":{"source":"extension","settings":{}}}}',
      "an extension brings its own",
    ],
    ["~/.continue/config.yaml", "mcpServers:\n  - uses: team/a\n", "a block of the hub brings its own"],
    ["opencode.json", '{"mcp":{"a":{"type":"local","command":"npx a"}}}', "expected command to be a list of texts"],
    ["opencode.json", '{"mcp":{"a":{"type":"local","command":[]}}}', "expected command to be text that is not empty"],
    ["opencode.json", '{"mcp":{"a":{"type":"local"}}}', "expected a command or a url"],
  ])("%s %s", async (file, content, problem) => {
    expect(await readServerAs(file, content)).toMatchObject({ target: null, problem: expect.stringContaining(problem) })
  })

  test("in Continue's list: without a name, and with a name that is taken", async () => {
    const { servers } = await readFileAs(
      "~/.continue/config.yaml",
      "mcpServers:\n- {command: a}\n- {name: x, command: b}\n- {name: x, command: c}\n- 7\n",
    )
    expect(servers.map(({ name, target, problem }) => [name, target === null, problem])).toEqual([
      ["server 1", true, "expected a name"],
      ["x", false, null],
      ["x", true, "expected a name that no other server of the file has"],
      ["server 4", true, "expected a name"],
    ])
  })
})
