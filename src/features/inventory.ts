// Every server of this project and this user, and how it stands to the pins (DESIGN 10, the bare command). Pure: what is configured and
// what is pinned goes in, one row for each configured server and for each pin that nothing configures comes out. Nothing is proven here.
import { quote, ToolsumError } from "../core/errors.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { deriveSubject } from "../core/subject.js"
import { isCommandTarget, listVariables, type Target } from "../core/target.js"
import { worstExitCode } from "../core/verdict.js"
import type { ClientConfig, ConfiguredServer } from "../ports.js"
import { findPinOf, sameTarget, startsAs } from "./config-servers.js"
import { pinDigestOf } from "./pins.js"

/** How a server stands to the pins, most urgent first. `disabled`: switched off in its file and not pinned either. */
export const SERVER_STATES = ["launch_changed", "unapproved", "unreadable", "not_pinned", "disabled", "pinned"] as const
/** One of them. */
export type ServerState = (typeof SERVER_STATES)[number]

/** Whose file something is. */
export type Scope = ClientConfig["scope"]

/** The lockfiles that are looked at: of the project, of the user; null where there is none, or where it is not asked for. */
export type Locks = Readonly<Record<Scope, Lockfile | null>>

/** A pin, and whose lockfile it is in. `target`: null where the pin does not say how its server is reached, which then compares with
 *  nothing. `isApproved`: null where its record cannot be read. */
export interface FoundPin {
  readonly name: string
  readonly scope: Scope
  readonly target: Target | null
  readonly isApproved: boolean | null
}

/** Another entry with the same name, or with the same launch line under another name. */
export interface Twin {
  readonly file: string
  readonly name: string
  readonly sameLine: boolean
}

/** One server. `config`: null for a pin that no configuration has. `server`: what the file says of it; null then too. */
export interface InventoryRow {
  readonly name: string
  readonly state: ServerState
  readonly config: ClientConfig | null
  readonly server: ConfiguredServer | null
  readonly pin: FoundPin | null
  /** How it is started: as configured, else as pinned; null where that cannot be told. */
  readonly target: Target | null
  /** Why it could not be judged. */
  readonly problem: string | null
  /** A package without an exact version: what is started may be another one tomorrow. */
  readonly isFloating: boolean
  readonly twins: readonly Twin[]
}

/** All servers, and the files that could not be read. */
export interface Inventory {
  readonly rows: readonly InventoryRow[]
  readonly unreadable: readonly ClientConfig[]
}

/** Take stock. Rows: configured servers in the order of their files, then the pins that no file has. */
export function takeInventory(configs: readonly ClientConfig[], locks: Locks): Inventory {
  const entries = configs.flatMap((config) => config.servers.map((server) => ({ config, server })))
  const configured = entries.map((entry) => rowOf(entry, entries, locks))
  const scopes: readonly Scope[] = ["project", "user"]
  const rest = scopes.flatMap((scope) => pinsWithoutConfig(scope, locks[scope], configured))
  return { rows: [...configured, ...rest], unreadable: configs.filter(({ problem }) => problem !== null) }
}

/** 0: everything is pinned as it is started; 1: something is not what was approved; 2: something is not pinned or not readable, or
 *  nothing was found. */
export function exitCodeOfInventory({ rows, unreadable }: Inventory): 0 | 1 | 2 | 3 {
  const codes = rows.map(({ state }) => EXIT_BY_STATE[state])
  return worstExitCode([...codes, ...(unreadable.length > 0 || rows.length === 0 ? [2 as const] : [])])
}

const EXIT_BY_STATE: Readonly<Record<ServerState, 0 | 1 | 2>> = {
  launch_changed: 1,
  unapproved: 1,
  unreadable: 2,
  not_pinned: 2,
  disabled: 0,
  pinned: 0,
}

/** How many servers are in each state; every state is listed. */
export function countStates(rows: readonly InventoryRow[]): Readonly<Record<ServerState, number>> {
  const counts: Record<ServerState, number> = {
    launch_changed: 0,
    unapproved: 0,
    unreadable: 0,
    not_pinned: 0,
    disabled: 0,
    pinned: 0,
  }
  for (const { state } of rows) counts[state] += 1
  return counts
}

interface Entry {
  readonly config: ClientConfig
  readonly server: ConfiguredServer
}

function rowOf(entry: Entry, entries: readonly Entry[], locks: Locks): InventoryRow {
  const { config, server } = entry
  const pin = findPinFor(entry, locks)
  const target = server.target ?? (server.pin === undefined || !pin?.target ? null : targetOfGuard(pin.target, server))
  return {
    name: server.name,
    state: stateOf(server, pin),
    config,
    server,
    pin,
    target,
    problem: server.problem ?? describeProblem(server, pin),
    isFloating: isFloating(target),
    twins: findTwins(entry, entries),
  }
}

/** What a guard starts that names its pin: the pinned line, with the variables that the guard is given beside. */
function targetOfGuard(pinned: Target, { pinVariables = [] }: ConfiguredServer): Target {
  const known = listVariables(pinned)
  const more = pinVariables.filter((name) => !known.includes(name))
  if (more.length === 0 || !isCommandTarget(pinned)) return pinned
  return { ...pinned, env: [...pinned.env, ...more].sort() }
}

const UNREADABLE_PIN = "what its pin records cannot be read"

function describeProblem({ pin: wanted }: ConfiguredServer, pin: FoundPin | null): string | null {
  if (pin !== null) return pin.isApproved === null ? UNREADABLE_PIN : null
  return wanted === undefined ? null : `started as pin ${quote(wanted)}, which is not there`
}

/** A server of the project stands in the project's lockfile. One of the user may stand in either: where it was taken from counts first,
 *  then its name in the user's own, then its name with the same line in the project's. */
function findPinFor({ config, server }: Entry, locks: Locks): FoundPin | null {
  const named = { ...server, file: config.file }
  const own = findIn(locks[config.scope], config.scope, named)
  if (own !== null || config.scope === "project") return own
  const other = locks.project && findPinOf(locks.project, named)
  if (!other) return null
  const isTakenFrom = other.pin.from.some(({ file, name }) => file === config.file && name === server.name)
  return isTakenFrom || startsAs(other.pin.target, server) ? describePin(other.name, "project", other.pin) : null
}

function findIn(lockfile: Lockfile | null, scope: Scope, server: ConfiguredServer & { file: string }): FoundPin | null {
  const found = lockfile && findPinOf(lockfile, server)
  return found && describePin(found.name, scope, found.pin)
}

const describePin = (name: string, scope: Scope, pin: Pin): FoundPin => ({
  name,
  scope,
  target: pin.target,
  isApproved: isApproved(pin),
})

function isApproved(pin: Pin): boolean | null {
  try {
    return pin.approved?.pin === pinDigestOf(pin)
  } catch (error) {
    if (error instanceof ToolsumError) return null
    throw error
  }
}

function stateOf(server: ConfiguredServer, pin: FoundPin | null): ServerState {
  if (server.problem !== null) return "unreadable"
  if (pin === null) return server.isDisabled ? "disabled" : "not_pinned"
  return startsAs(pin.target, server) ? stateOfPin(pin) : "launch_changed"
}

const stateOfPin = ({ isApproved }: FoundPin): ServerState =>
  isApproved === null ? "unreadable" : isApproved ? "pinned" : "unapproved"

const isFloating = (target: Target | null): boolean => target !== null && deriveSubject(target).floating

function findTwins({ server }: Entry, entries: readonly Entry[]): readonly Twin[] {
  return entries.flatMap((other) => {
    if (other.server === server) return []
    const sameLine = isSameServer(server, other.server)
    if (!sameLine && other.server.name !== server.name) return []
    return [{ file: other.config.file, name: other.server.name, sameLine }]
  })
}

/** Equal launch lines in two files. */
export const isSameServer = (a: ConfiguredServer, b: ConfiguredServer): boolean =>
  a.target !== null && b.target !== null && sameTarget(a.target, b.target, [...a.literals, ...b.literals])

/** Pins that no configured server is compared with. */
function pinsWithoutConfig(
  scope: Scope,
  lockfile: Lockfile | null,
  configured: readonly InventoryRow[],
): readonly InventoryRow[] {
  const seen = new Set(configured.flatMap(({ pin }) => (pin?.scope === scope ? [pin.name] : [])))
  return Object.entries(lockfile?.servers ?? {}).flatMap(([name, pin]) => {
    if (seen.has(name)) return []
    const found = describePin(name, scope, pin)
    const { target } = pin
    return [
      {
        name,
        state: stateOfPin(found),
        config: null,
        server: null,
        pin: found,
        target,
        problem: found.isApproved === null ? UNREADABLE_PIN : null,
        isFloating: isFloating(target),
        twins: [],
      },
    ]
  })
}
