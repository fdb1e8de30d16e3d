import { describe, expect, test } from "vitest"
import { type ConfigPlaces, listConfigPlaces, nameUserFile } from "../../../src/adapters/client-configs/places.js"

const LINUX: ConfigPlaces = { project: "/srv/app", home: "/home/ada", platform: "linux", env: {} }
const MAC: ConfigPlaces = { project: "/Users/ada/app", home: "/Users/ada", platform: "darwin", env: {} }
const WINDOWS: ConfigPlaces = { project: "C:\\app", home: "C:\\Users\\ada", platform: "win32", env: {} }

const placesOf = (places: ConfigPlaces, scope: "project" | "user") =>
  listConfigPlaces(places)
    .filter((place) => place.scope === scope)
    .map(({ client, file, path }) => ({ client, file, path }))

const filesOf = (places: ConfigPlaces, client: string, scope: "project" | "user" = "user") =>
  placesOf(places, scope)
    .filter((place) => place.client === client)
    .map(({ file }) => file)

test("the project's files, the same everywhere", () => {
  const files = placesOf(LINUX, "project").map(({ file }) => file)
  expect(files).toMatchInlineSnapshot(`
    [
      ".mcp.json",
      ".cursor/mcp.json",
      ".vscode/mcp.json",
      ".vscode/settings.json",
      ".codex/config.toml",
      ".gemini/settings.json",
      ".zed/settings.json",
      ".kiro/settings/mcp.json",
      ".kiro/agents",
      ".amazonq/mcp.json",
      ".amazonq/agents/default.json",
      ".amazonq/cli-agents",
      ".github/mcp.json",
      ".continue/mcpServers",
      "opencode.json",
      "opencode.jsonc",
      ".opencode/opencode.json",
      ".opencode/opencode.jsonc",
      ".factory/mcp.json",
    ]
  `)
  expect(placesOf(MAC, "project").map(({ file }) => file)).toEqual(files)
  expect(placesOf(WINDOWS, "project").map(({ file }) => file)).toEqual(files)
  expect(placesOf(WINDOWS, "project")[1]).toEqual({
    client: "cursor",
    file: ".cursor/mcp.json",
    path: "C:\\app\\.cursor\\mcp.json",
  })
})

test("without a home, nothing outside the project", () => {
  const places = listConfigPlaces({ ...LINUX, home: null })
  expect(places.every(({ scope, path }) => scope === "project" && path.startsWith("/srv/app/"))).toBe(true)
})

test("of every client that keeps servers for its user, at least one place on every system", () => {
  const clients = ["claude-code", "claude-desktop", "cursor", "vscode", "windsurf", "codex", "gemini", "zed", "kiro"]
  clients.push("amazon-q", "copilot-cli", "cline", "continue", "opencode", "antigravity", "factory")
  for (const places of [LINUX, MAC, WINDOWS])
    expect(new Set(placesOf(places, "user").map(({ client }) => client))).toEqual(new Set(clients))
})

describe("the user's files", () => {
  test("on Linux", () => {
    expect(placesOf(LINUX, "user").map(({ client, file }) => `${client} ${file}`)).toMatchInlineSnapshot(`
      [
        "claude-code ~/.claude.json#project",
        "claude-code ~/.claude.json",
        "cursor ~/.cursor/mcp.json",
        "windsurf ~/.codeium/windsurf/mcp_config.json",
        "windsurf ~/.codeium/windsurf-next/mcp_config.json",
        "gemini ~/.gemini/settings.json",
        "antigravity ~/.gemini/antigravity/mcp_config.json",
        "antigravity ~/.gemini/config/mcp_config.json",
        "kiro ~/.kiro/settings/mcp.json",
        "kiro ~/.kiro/agents",
        "amazon-q ~/.aws/amazonq/mcp.json",
        "amazon-q ~/.aws/amazonq/agents/default.json",
        "amazon-q ~/.aws/amazonq/cli-agents",
        "cline ~/.cline/data/settings/cline_mcp_settings.json",
        "continue ~/.continue/config.yaml",
        "continue ~/.continue/mcpServers",
        "factory ~/.factory/mcp.json",
        "claude-desktop ~/.config/Claude/claude_desktop_config.json",
        "vscode ~/.config/Code/User/mcp.json",
        "vscode ~/.config/Code/User/settings.json",
        "vscode ~/.config/Code - Insiders/User/mcp.json",
        "vscode ~/.config/Code - Insiders/User/settings.json",
        "vscode ~/.config/VSCodium/User/mcp.json",
        "vscode ~/.config/VSCodium/User/settings.json",
        "cline ~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "cline ~/.config/Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "cline ~/.config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "cline ~/.config/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "cline ~/.config/Windsurf/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "codex ~/.codex/config.toml",
        "copilot-cli ~/.copilot/mcp-config.json",
        "zed ~/.config/zed/settings.json",
        "opencode ~/.config/opencode/opencode.json",
        "opencode ~/.config/opencode/opencode.jsonc",
        "claude-code /etc/claude-code/managed-mcp.json",
        "gemini /etc/gemini-cli/settings.json",
      ]
    `)
  })

  test("on macOS, where they differ", () => {
    const linux = new Set(placesOf(LINUX, "user").map(({ file }) => file))
    expect(placesOf(MAC, "user").flatMap(({ file }) => (linux.has(file) ? [] : [file]))).toMatchInlineSnapshot(`
      [
        "~/Library/Application Support/Claude/claude_desktop_config.json",
        "~/Library/Application Support/Code/User/mcp.json",
        "~/Library/Application Support/Code/User/settings.json",
        "~/Library/Application Support/Code - Insiders/User/mcp.json",
        "~/Library/Application Support/Code - Insiders/User/settings.json",
        "~/Library/Application Support/VSCodium/User/mcp.json",
        "~/Library/Application Support/VSCodium/User/settings.json",
        "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/Library/Application Support/Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/Library/Application Support/VSCodium/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/Library/Application Support/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/Library/Application Support/Windsurf/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "/Library/Application Support/ClaudeCode/managed-mcp.json",
        "/Library/Application Support/GeminiCli/settings.json",
      ]
    `)
  })

  test("on Windows, where they differ", () => {
    const linux = new Set(placesOf(LINUX, "user").map(({ file }) => file))
    expect(placesOf(WINDOWS, "user").flatMap(({ file }) => (linux.has(file) ? [] : [file]))).toMatchInlineSnapshot(`
      [
        "~/AppData/Roaming/Claude/claude_desktop_config.json",
        "~/AppData/Roaming/Code/User/mcp.json",
        "~/AppData/Roaming/Code/User/settings.json",
        "~/AppData/Roaming/Code - Insiders/User/mcp.json",
        "~/AppData/Roaming/Code - Insiders/User/settings.json",
        "~/AppData/Roaming/VSCodium/User/mcp.json",
        "~/AppData/Roaming/VSCodium/User/settings.json",
        "~/AppData/Roaming/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/AppData/Roaming/Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/AppData/Roaming/VSCodium/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/AppData/Roaming/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/AppData/Roaming/Windsurf/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "~/AppData/Roaming/Zed/settings.json",
        "C:/Program Files/ClaudeCode/managed-mcp.json",
        "C:/ProgramData/gemini-cli/settings.json",
      ]
    `)
    expect(placesOf(WINDOWS, "user").find(({ client }) => client === "windsurf")?.path).toBe(
      "C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json",
    )
  })
})

test.each([
  { client: "claude-code", name: "CLAUDE_CONFIG_DIR", file: "/x/.claude.json" },
  { client: "codex", name: "CODEX_HOME", file: "/x/config.toml" },
  { client: "copilot-cli", name: "COPILOT_HOME", file: "/x/mcp-config.json" },
  { client: "zed", name: "XDG_CONFIG_HOME", file: "/x/zed/settings.json" },
  { client: "opencode", name: "XDG_CONFIG_HOME", file: "/x/opencode/opencode.json" },
  { client: "opencode", name: "OPENCODE_CONFIG", file: "/x" },
  { client: "cline", name: "CLINE_MCP_SETTINGS_PATH", file: "/x" },
  { client: "vscode", name: "XDG_CONFIG_HOME", file: "/x/Code/User/mcp.json" },
])("$name moves the file of $client, if it is absolute", ({ client, name, file }) => {
  expect(filesOf({ ...LINUX, env: { [name]: "/x" } }, client)).toContain(file)
  expect(filesOf({ ...LINUX, env: { [name]: "x" } }, client)).toEqual(filesOf(LINUX, client))
  expect(filesOf({ ...LINUX, env: { [name]: "" } }, client)).toEqual(filesOf(LINUX, client))
})

test("APPDATA and the folders of all users on Windows", () => {
  const env = { APPDATA: "D:\\Roaming", ProgramFiles: "E:\\Programs", ProgramData: "E:\\Data" }
  expect(filesOf({ ...WINDOWS, env }, "claude-desktop")).toEqual(["D:/Roaming/Claude/claude_desktop_config.json"])
  expect(filesOf({ ...WINDOWS, env }, "zed")).toEqual(["D:/Roaming/Zed/settings.json"])
  expect(filesOf({ ...WINDOWS, env }, "claude-code")).toContain("E:/Programs/ClaudeCode/managed-mcp.json")
  expect(filesOf({ ...WINDOWS, env }, "gemini")).toContain("E:/Data/gemini-cli/settings.json")
})

test("in the home folder each file is listed once, as the project's", () => {
  const places = listConfigPlaces({ ...LINUX, project: "/home/ada" })
  const cursor = places.filter(({ path }) => path === "/home/ada/.cursor/mcp.json")
  expect(cursor).toEqual([expect.objectContaining({ scope: "project", file: ".cursor/mcp.json" })])
})

test.each([
  { path: "/home/ada/.cursor/mcp.json", platform: "linux", name: "~/.cursor/mcp.json" },
  { path: "/home/adam/x", platform: "linux", name: "/home/adam/x" },
  { path: "/home/ada/..x/y", platform: "linux", name: "~/..x/y" },
  { path: "/etc/x", platform: "linux", name: "/etc/x" },
  { path: "\\home\\ada\\a\\b", platform: "win32", name: "~/a/b" },
  { path: "D:\\x\\y", platform: "win32", name: "D:/x/y" },
] as const)("$path is called $name", ({ path, platform, name }) => {
  expect(nameUserFile(path, "/home/ada", platform)).toBe(name)
})
