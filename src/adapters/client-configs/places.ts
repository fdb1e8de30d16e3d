// Where the clients keep their MCP servers: a table of files per client, level and operating system. Pure: platform, environment and home
// are arguments, nothing is looked at. What a file holds is shapes.ts's. Places as the clients' own documentation and source name them.
import { posix, win32 } from "node:path"
import type { DocumentFormat } from "./documents.js"
import { insideOf, pathOf } from "./paths.js"
import type { ShapeName } from "./shapes.js"

/** Where to look. */
export interface ConfigPlaces {
  /** The project's folder, absolute. */
  readonly project: string
  /** The user's home, absolute; null: the project's own files only. */
  readonly home: string | null
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A file that may be there, or a folder whose files with one of `extensions` are configurations. */
export interface ConfigPlace {
  readonly client: string
  readonly scope: "project" | "user"
  /** Absolute. */
  readonly path: string
  /** As pins name it: relative to the project, `~/…`, or absolute for what is outside both; always with `/`. Claude Code's file is two
   *  places: the servers of every project, and, with `#project`, those of this one. */
  readonly file: string
  readonly shape: ShapeName
  /** Left out: a file. Else a folder of such files, without its subfolders. */
  readonly extensions?: readonly DocumentFormat[]
}

/** One row: path below its base, and what it holds. */
type Row = readonly [client: string, path: string, shape: ShapeName, extensions?: readonly DocumentFormat[]]

const CONTINUE_BLOCKS = ["yaml", "yml", "json"] as const

const PROJECT: readonly Row[] = [
  ["claude-code", ".mcp.json", "mcpServers"], // Copilot CLI reads it too
  ["cursor", ".cursor/mcp.json", "mcpServers"],
  ["vscode", ".vscode/mcp.json", "vscode"],
  ["vscode", ".vscode/settings.json", "vscodeSettings"],
  ["codex", ".codex/config.toml", "codex"],
  ["gemini", ".gemini/settings.json", "gemini"],
  ["zed", ".zed/settings.json", "zed"],
  ["kiro", ".kiro/settings/mcp.json", "switchable"],
  ["kiro", ".kiro/agents", "switchable", ["json"]],
  ["amazon-q", ".amazonq/mcp.json", "switchable"],
  ["amazon-q", ".amazonq/agents/default.json", "switchable"],
  ["amazon-q", ".amazonq/cli-agents", "switchable", ["json"]],
  ["copilot-cli", ".github/mcp.json", "mcpServers"],
  ["continue", ".continue/mcpServers", "continue", CONTINUE_BLOCKS],
  ["opencode", "opencode.json", "opencode"],
  ["opencode", "opencode.jsonc", "opencode"],
  ["opencode", ".opencode/opencode.json", "opencode"],
  ["opencode", ".opencode/opencode.jsonc", "opencode"],
  ["factory", ".factory/mcp.json", "switchable"],
]

/** Below the home, on every system. */
const HOME: readonly Row[] = [
  ["cursor", ".cursor/mcp.json", "mcpServers"],
  ["windsurf", ".codeium/windsurf/mcp_config.json", "switchable"],
  ["windsurf", ".codeium/windsurf-next/mcp_config.json", "switchable"],
  ["gemini", ".gemini/settings.json", "gemini"],
  ["antigravity", ".gemini/antigravity/mcp_config.json", "switchable"],
  ["antigravity", ".gemini/config/mcp_config.json", "switchable"],
  ["kiro", ".kiro/settings/mcp.json", "switchable"],
  ["kiro", ".kiro/agents", "switchable", ["json"]],
  ["amazon-q", ".aws/amazonq/mcp.json", "switchable"],
  ["amazon-q", ".aws/amazonq/agents/default.json", "switchable"],
  ["amazon-q", ".aws/amazonq/cli-agents", "switchable", ["json"]],
  ["cline", ".cline/data/settings/cline_mcp_settings.json", "switchable"],
  ["continue", ".continue/config.yaml", "continue"],
  ["continue", ".continue/mcpServers", "continue", CONTINUE_BLOCKS],
  ["factory", ".factory/mcp.json", "switchable"],
]

/** Below the folder of applications: ~/.config, ~/Library/Application Support, %APPDATA%. */
const APPLICATIONS: readonly Row[] = [
  ["claude-desktop", "Claude/claude_desktop_config.json", "mcpServers"],
  ...["Code", "Code - Insiders", "VSCodium"].flatMap((editor): readonly Row[] => [
    ["vscode", `${editor}/User/mcp.json`, "vscode"],
    ["vscode", `${editor}/User/settings.json`, "vscodeSettings"],
  ]),
  ...["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"].map(
    (editor): Row => [
      "cline",
      `${editor}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
      "switchable",
    ],
  ),
]

/** Every place, the project's first, each path once. Pure. */
export function listConfigPlaces(places: ConfigPlaces): readonly ConfigPlace[] {
  const { project, platform } = places
  const { join } = pathOf(platform)
  const own = PROJECT.map(
    ([client, file, shape, extensions]): ConfigPlace => ({
      ...{ client, scope: "project", path: join(project, file), file, shape },
      ...(extensions && { extensions }),
    }),
  )
  const all = places.home === null ? own : [...own, ...listUserPlaces(places, places.home)]
  // In the home folder some files are the project's and the user's.
  return [...new Map(all.toReversed().map((place) => [`${place.path}\n${place.shape}`, place])).values()].toReversed()
}

function listUserPlaces(places: ConfigPlaces, home: string): readonly ConfigPlace[] {
  const { platform } = places
  const { join } = pathOf(platform)
  const rows: readonly Row[] = [
    ...claudePlaces(places, home),
    ...HOME.map((row) => below(row, home, join)),
    ...APPLICATIONS.map((row) => below(row, applicationFolder(places, home), join)),
    ...movablePlaces(places, home),
    ...machinePlaces(places),
  ]
  return rows.map(([client, path, shape, extensions]) => ({
    ...{ client, scope: "user", path, shape },
    file: nameUserFile(path, home, platform) + (shape === "claudeProject" ? "#project" : ""),
    ...(extensions && { extensions }),
  }))
}

const below = ([client, path, shape, extensions]: Row, folder: string, join: typeof posix.join): Row =>
  extensions ? [client, join(folder, path), shape, extensions] : [client, join(folder, path), shape]

/** One file, two places: the servers of every project, and those of this one. */
function claudePlaces(places: ConfigPlaces, home: string): readonly Row[] {
  const path = pathOf(places.platform).join(folderFrom(places, "CLAUDE_CONFIG_DIR") ?? home, ".claude.json")
  return [
    ["claude-code", path, "claudeProject"],
    ["claude-code", path, "mcpServers"],
  ]
}

/** Places that a variable can move. */
function movablePlaces(places: ConfigPlaces, home: string): readonly Row[] {
  const { platform } = places
  const { join } = pathOf(platform)
  const xdg = folderFrom(places, "XDG_CONFIG_HOME") ?? join(home, ".config")
  const zed =
    platform === "win32" ? join(applicationFolder(places, home), "Zed") : join(zedBase(places, xdg, home), "zed")
  const cline = folderFrom(places, "CLINE_MCP_SETTINGS_PATH")
  const opencode = folderFrom(places, "OPENCODE_CONFIG")
  return [
    ["codex", join(folderFrom(places, "CODEX_HOME") ?? join(home, ".codex"), "config.toml"), "codex"],
    [
      "copilot-cli",
      join(folderFrom(places, "COPILOT_HOME") ?? join(home, ".copilot"), "mcp-config.json"),
      "mcpServers",
    ],
    ["zed", join(zed, "settings.json"), "zed"],
    ["opencode", join(xdg, "opencode", "opencode.json"), "opencode"],
    ["opencode", join(xdg, "opencode", "opencode.jsonc"), "opencode"],
    ...(opencode === null ? [] : [["opencode", opencode, "opencode"] as const]),
    ...(cline === null ? [] : [["cline", cline, "switchable"] as const]),
  ]
}

/** Zed follows XDG on Linux only. */
const zedBase = ({ platform }: ConfigPlaces, xdg: string, home: string): string =>
  platform === "darwin" ? posix.join(home, ".config") : xdg

/** What an administrator sets for every user. */
function machinePlaces({ platform, env }: ConfigPlaces): readonly Row[] {
  if (platform === "win32") {
    const programs = env.ProgramFiles || "C:\\Program Files"
    const data = env.ProgramData || "C:\\ProgramData"
    return [
      ["claude-code", win32.join(programs, "ClaudeCode", "managed-mcp.json"), "mcpServers"],
      ["gemini", win32.join(data, "gemini-cli", "settings.json"), "gemini"],
    ]
  }
  const support = "/Library/Application Support"
  const [claude, gemini] =
    platform === "darwin" ? [`${support}/ClaudeCode`, `${support}/GeminiCli`] : ["/etc/claude-code", "/etc/gemini-cli"]
  return [
    ["claude-code", `${claude}/managed-mcp.json`, "mcpServers"],
    ["gemini", `${gemini}/settings.json`, "gemini"],
  ]
}

function applicationFolder(places: ConfigPlaces, home: string): string {
  if (places.platform === "darwin") return posix.join(home, "Library", "Application Support")
  if (places.platform === "win32") return folderFrom(places, "APPDATA") ?? win32.join(home, "AppData", "Roaming")
  return folderFrom(places, "XDG_CONFIG_HOME") ?? posix.join(home, ".config")
}

/** The absolute path in a variable; one that is relative or not set does not count. */
function folderFrom({ env, platform }: ConfigPlaces, name: string): string | null {
  const value = env[name]
  return value && pathOf(platform).isAbsolute(value) ? value : null
}

/** `~/…` with `/` for what is below the home, else the absolute path with `/`. Pure. */
export function nameUserFile(path: string, home: string, platform: NodeJS.Platform): string {
  const inside = insideOf(home, path, platform)
  const name = inside === null ? path : `~/${inside}`
  return platform === "win32" ? name.replaceAll("\\", "/") : name
}
