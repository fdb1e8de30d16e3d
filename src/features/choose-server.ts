// Which configured servers `add` takes its launch lines from, and what their pins are called (DESIGN 10). Pure; nothing is started.
import { quote, ToolsumError } from "../core/errors.js"
import type { PinOrigin } from "../core/lockfile.js"
import { isPinName } from "../core/pin.js"
import type { Target } from "../core/target.js"
import type { ClientConfig, ConfiguredServer } from "../ports.js"
import { type Inventory, type InventoryRow, isSameServer, type Scope } from "./inventory.js"

/** A configured server to pin. `from`: every file that starts it with this line under this name. */
export interface Candidate {
  /** Name of its pin. */
  readonly pinName: string
  readonly target: Target
  readonly from: readonly PinOrigin[]
  /** Variables and headers whose values stand in a file. */
  readonly literals: readonly string[]
}

/** One that cannot be pinned, and why; `name` as configured. */
export interface Unfit {
  readonly name: string
  readonly error: ToolsumError
}

/** What `add --all` has to do. `skipped`: servers that are switched off. */
export interface Unpinned {
  readonly candidates: readonly Candidate[]
  readonly unfit: readonly Unfit[]
  readonly pinned: number
  readonly skipped: number
}

const MAX_NAME_CHARS = 64

/** Name of the pin of a configured server: its own where a pin can have it, else in lower case with `-` for what pins cannot have; null
 *  where nothing is left. */
export function pinNameOf(name: string): string | null {
  if (isPinName(name)) return name
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, MAX_NAME_CHARS)
    .replace(/-+$/, "")
  return isPinName(plain) ? plain : null
}

/** The one server called `name`: in the file `from`, else in the project's files, else in the user's. A name that no file has as it was
 *  typed may be the pin name of one. Throws USAGE for none, for one that cannot be read, and for several with different launch lines. */
export function chooseServer(
  configs: readonly ClientConfig[],
  name: string,
  p: { readonly isFrom: ((config: ClientConfig) => boolean) | null; readonly pinName: string | null },
): Candidate {
  const files = p.isFrom === null ? configs : configs.filter(p.isFrom)
  const entries = files.flatMap((config) => config.servers.map((server) => ({ config, server })))
  const exact = entries.filter(({ server }) => server.name === name)
  const named = exact.length > 0 ? exact : entries.filter(({ server }) => pinNameOf(server.name) === name)
  const project = named.filter(({ config }) => config.scope === "project")
  const [first, ...rest] = project.length > 0 ? project : named
  if (first === undefined) throw notConfigured(name, files)
  const others = rest.filter(({ server }) => !isSame(server, first.server))
  if (others.length > 0) throw configuredTwice(name, [first, ...others])
  return candidateOf([first, ...rest], p.pinName)
}

interface Entry {
  readonly config: ClientConfig
  readonly server: ConfiguredServer
}

const isSame = (a: ConfiguredServer, b: ConfiguredServer): boolean => a.name === b.name && isSameServer(a, b)

function notConfigured(name: string, files: readonly ClientConfig[]): ToolsumError {
  const unread = files.filter(({ problem }) => problem !== null).map(({ file }) => quote(file))
  const also = unread.length > 0 ? `; not readable: ${unread.join(", ")}` : ""
  const where = files.length === 0 ? "there is no client configuration" : `no client configuration has ${quote(name)}`
  return new ToolsumError(
    "USAGE",
    `${where}${also}; type the server's command or its URL after the name, or see what there is with toolsum`,
  )
}

function configuredTwice(name: string, entries: readonly Entry[]): ToolsumError {
  const places = entries.map(({ config, server }) =>
    server.name === name ? quote(config.file) : `${quote(server.name)} in ${quote(config.file)}`,
  )
  return new ToolsumError(
    "USAGE",
    `${quote(name)} has different launch lines or variables in ${places.join(" and ")}; choose one with toolsum add NAME --from FILE, and a second one with --as OTHER-NAME too`,
  )
}

function candidateOf(entries: readonly Entry[], pinName: string | null): Candidate {
  const [first] = entries
  if (first === undefined) throw new Error("expected a server")
  const { config, server } = first
  if (server.target === null) throw new ToolsumError("CONFIG_INVALID", `${quote(config.file)}: ${whyUnfit(server)}`)
  const name = pinName ?? pinNameOf(server.name)
  if (name === null)
    throw new ToolsumError("USAGE", `no pin can be called ${quote(server.name)}; choose a name with --as NAME`)
  return {
    pinName: name,
    target: server.target,
    from: entries.map((entry) => ({ file: entry.config.file, name: entry.server.name })),
    literals: [...new Set(entries.flatMap((entry) => entry.server.literals))],
  }
}

const whyUnfit = ({ problem, pin }: ConfiguredServer): string =>
  problem ?? `it is started as pin ${quote(pin ?? "")}; only its own launch line can be pinned`

/** Every server of the project, or of the user, that is not pinned yet. Whatever cannot be pinned is named, and keeps no other from it. */
export function listUnpinned({ rows, unreadable }: Inventory, scope: Scope, taken: ReadonlySet<string>): Unpinned {
  const own = rows.filter(({ config }) => config?.scope === scope)
  const entries = own.flatMap(entryOf)
  const names = [...new Set(entries.map(({ server }) => server.name))]
  const candidates: Candidate[] = []
  const unfit: Unfit[] = unreadable
    .filter((config) => config.scope === scope)
    .map(({ file, problem }) => ({ name: file, error: new ToolsumError("CONFIG_INVALID", problem ?? "unreadable") }))
  const used = new Set(taken)
  for (const name of names) {
    const result = attempt(name, entries, used)
    if ("error" in result) unfit.push(result)
    else candidates.push(result)
  }
  const count = (...states: readonly InventoryRow["state"][]) => own.filter((row) => states.includes(row.state)).length
  return {
    candidates,
    unfit,
    pinned: count("pinned", "unapproved", "launch_changed"),
    skipped: count("disabled"),
  }
}

/** Servers without a pin, and those of which nobody can tell. */
const entryOf = ({ state, config, server, pin }: InventoryRow): readonly Entry[] =>
  config !== null && server !== null && pin === null && state !== "disabled" ? [{ config, server }] : []

function attempt(name: string, entries: readonly Entry[], used: Set<string>): Candidate | Unfit {
  const [first, ...rest] = entries.filter(({ server }) => server.name === name)
  try {
    if (first === undefined) throw new Error("expected a server")
    const others = rest.filter(({ server }) => !isSame(server, first.server))
    if (others.length > 0 && first.server.target !== null) throw configuredTwice(name, [first, ...others])
    const candidate = candidateOf([first, ...rest], null)
    if (used.has(candidate.pinName)) throw nameTaken(name, candidate.pinName)
    used.add(candidate.pinName)
    return candidate
  } catch (error) {
    if (error instanceof ToolsumError) return { name, error }
    throw error
  }
}

const nameTaken = (name: string, pinName: string): ToolsumError =>
  new ToolsumError("USAGE", `its pin would be ${pinName}, which is taken; toolsum add ${quote(name)} --as OTHER-NAME`)
