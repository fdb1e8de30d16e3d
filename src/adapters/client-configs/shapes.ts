// What the clients' files hold, one function per shape: where the servers are, which are switched off, and each client's entry in the
// plain shape `{command, args, env, cwd}` or `{url, headers}` that entries.ts reads. Members that are no part of a launch line are left.
import type { Bad } from "../../core/errors.js"
import { badEntry, type Entry, isMembers, type Members } from "./entries.js"
import type { Dialect } from "./variables.js"

/** What a file holds. `switchable`: as `mcpServers`, and its client honours `disabled`. */
export type ShapeName = keyof typeof SHAPES

/** How the servers of a file are found. */
export interface Shape {
  readonly dialect: Dialect
  /** The entries of a document, in its order. `project`: absolute. Throws what `bad` makes when the document is none of this shape. */
  readonly list: (document: Members, context: ShapeContext) => readonly Entry[]
}

/** What a shape may look at besides the document. */
export interface ShapeContext {
  readonly project: string
  readonly platform: NodeJS.Platform
  readonly bad: Bad
}

const same = (entry: Members): Members => entry
const never = (): boolean => false
const isSwitchedOff = ({ disabled }: Members): boolean => disabled === true
const isNotEnabled = ({ enabled }: Members): boolean => enabled === false

/** Servers by name in the member at `path`. */
function mapAt(
  path: readonly string[],
  {
    toPlain = same,
    isDisabled = never,
  }: { toPlain?: (entry: Members) => Members; isDisabled?: (entry: Members) => boolean } = {},
): Shape["list"] {
  return (document, { bad }) => {
    const servers = memberAt(document, path, bad)
    return Object.entries(servers).map(([name, entry]) => entryOf(name, entry, { toPlain, isDisabled }))
  }
}

function memberAt(document: Members, path: readonly string[], bad: Bad): Members {
  let value: unknown = document
  for (const [depth, name] of path.entries()) {
    value = isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined
    if (value === undefined || value === null) return {}
    if (!isMembers(value)) throw bad(`expected ${path.slice(0, depth + 1).join(".")} to be an object`)
  }
  return isMembers(value) ? value : {}
}

interface EntryRules {
  readonly toPlain: (entry: Members) => Members
  readonly isDisabled: (entry: Members) => boolean
}

const entryOf = (name: string, entry: unknown, { toPlain, isDisabled }: EntryRules): Entry => ({
  name,
  isDisabled: isMembers(entry) && isDisabled(entry),
  read: () => {
    if (!isMembers(entry)) throw badEntry("expected an object")
    return toPlain(entry)
  },
})

/** Codex: variables and headers by name, next to those with values. */
function fromCodex(entry: Members): Members {
  const { env_vars = [], http_headers = {}, env_http_headers = {}, bearer_token_env_var: bearer } = entry
  if (entry.bearer_token !== undefined) throw badEntry("expected bearer_token_env_var in place of bearer_token")
  if (!Array.isArray(env_vars)) throw badEntry("expected env_vars to be a list")
  const names = env_vars.map((one: unknown) => readName(isMembers(one) ? one.name : one, "env_vars"))
  const byName = Object.entries(membersOf(env_http_headers, "env_http_headers"))
  const headers = [
    ...Object.entries(membersOf(http_headers, "http_headers")),
    ...byName.map(([header, name]) => [header, reference(readName(name, "env_http_headers"))] as const),
    ...(bearer === undefined
      ? []
      : [["Authorization", `Bearer ${reference(readName(bearer, "bearer_token_env_var"))}`] as const]),
  ]
  const env = {
    ...Object.fromEntries(names.map((name) => [name, reference(name)])),
    ...membersOf(entry.env ?? {}, "env"),
  }
  return { ...entry, env, headers: uniqueHeaders(headers) }
}

const reference = (name: string): string => `\${${name}}`

function membersOf(value: unknown, member: string): Members {
  if (!isMembers(value)) throw badEntry(`expected ${member} to be an object`)
  return value
}

function readName(value: unknown, member: string): string {
  if (typeof value !== "string" || !/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value))
    throw badEntry(`expected names of variables in ${member}`)
  return value
}

function uniqueHeaders(headers: readonly (readonly [string, unknown])[]): Members {
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  if (names.size < headers.length) throw badEntry("expected each header once")
  return Object.fromEntries(headers)
}

/** Zed: the command as text, or as an object with its arguments; without either, an extension brings it. */
function fromZed(entry: Members): Members {
  const { command, url } = entry
  if (command === undefined && url === undefined)
    throw badEntry("expected a command or a url: an extension brings its own")
  if (!isMembers(command)) return entry
  return { command: command.path, args: command.args, env: command.env }
}

/** OpenCode: the whole launch line in `command`. */
function fromOpenCode(entry: Members): Members {
  const { command, environment, url, headers, cwd } = entry
  if (command === undefined) return { url, headers }
  if (!Array.isArray(command)) throw badEntry("expected command to be a list of texts")
  const [program, ...args] = command as readonly unknown[]
  return { command: program ?? "", args, env: environment, cwd, url }
}

/** Continue: headers in `requestOptions`; a block of its hub has no launch line here. */
function fromContinue(entry: Members): Members {
  if (entry.uses !== undefined) throw badEntry("expected a command or a url: a block of the hub brings its own")
  const { requestOptions } = entry
  return { ...entry, headers: isMembers(requestOptions) ? requestOptions.headers : entry.headers }
}

/** Continue: a list of servers with names, or, in JSON, the map of the other clients. */
function listContinue(document: Members, context: ShapeContext): readonly Entry[] {
  const { mcpServers } = document
  const rules = { toPlain: fromContinue, isDisabled: never }
  if (!Array.isArray(mcpServers)) return mapAt(["mcpServers"], rules)(document, context)
  const seen = new Set<string>()
  return mcpServers.map((server: unknown, i) => {
    const name = nameOf(server)
    const entry = entryOf(name ?? `server ${i + 1}`, server, rules)
    if (name === null || seen.has(name)) return { ...entry, read: refuseName(name) }
    seen.add(name)
    return entry
  })
}

function nameOf(server: unknown): string | null {
  const name = isMembers(server) ? (server.name ?? server.uses) : null
  return typeof name === "string" && name !== "" ? name : null
}

const refuseName = (name: string | null) => (): never => {
  throw badEntry(name === null ? "expected a name" : "expected a name that no other server of the file has")
}

/** Claude Code's own file: the servers that a person added for this project alone. */
function listClaudeProject(document: Members, context: ShapeContext): readonly Entry[] {
  const spell = (folder: string) => (context.platform === "win32" ? folder.replaceAll("\\", "/").toLowerCase() : folder)
  const projects = memberAt(document, ["projects"], context.bad)
  const key = Object.keys(projects).find((folder) => spell(folder) === spell(context.project))
  return key === undefined ? [] : mapAt(["projects", key, "mcpServers"])(document, context)
}

/** VS Code's settings: an object, or one setting with a dot in its name. */
const listVsCodeSettings: Shape["list"] = (document, context) => [
  ...mapAt(["mcp", "servers"])(document, context),
  ...mapAt(["mcp.servers"])(document, context),
]

/** Gemini CLI: servers are allowed and excluded by name; an empty list allows all. */
function listGemini(document: Members, context: ShapeContext): readonly Entry[] {
  const { allowed, excluded } = memberAt(document, ["mcp"], context.bad)
  const hasAllowed = Array.isArray(allowed) && allowed.length > 0
  return mapAt(["mcpServers"])(document, context).map((entry) => {
    const isExcluded = Array.isArray(excluded) && excluded.includes(entry.name)
    return { ...entry, isDisabled: isExcluded || (hasAllowed && !allowed.includes(entry.name)) }
  })
}

const braces = (list: Shape["list"]): Shape => ({ dialect: "braces", list })

/** Every shape. */
export const SHAPES = {
  mcpServers: braces(mapAt(["mcpServers"])),
  switchable: braces(mapAt(["mcpServers"], { isDisabled: isSwitchedOff })),
  claudeProject: braces(listClaudeProject),
  vscode: braces(mapAt(["servers"])),
  vscodeSettings: braces(listVsCodeSettings),
  codex: braces(mapAt(["mcp_servers"], { toPlain: fromCodex, isDisabled: isNotEnabled })),
  gemini: { dialect: "bare", list: listGemini },
  zed: braces(mapAt(["context_servers"], { toPlain: fromZed, isDisabled: isNotEnabled })),
  continue: braces(listContinue),
  opencode: { dialect: "curly", list: mapAt(["mcp"], { toPlain: fromOpenCode, isDisabled: isNotEnabled }) },
} as const satisfies Readonly<Record<string, Shape>>
