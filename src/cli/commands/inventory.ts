// `toolsum` without words: every server of this project and this user, one line each. Starts nothing; on a terminal it offers the check.
import { dirname } from "node:path"
import { hideSecrets } from "../../features/hide-secrets.js"
import { exitCodeOfInventory, type Inventory, type Locks, takeInventory } from "../../features/inventory.js"
import type { ClientConfig, LockfileStore } from "../../ports.js"
import type { CommandSpec } from "../commands.js"
import { describePlaces, readConfigurations, readConfigurationsOf } from "../configurations.js"
import { type ExitCode, worstExitCode } from "../exit-codes.js"
import { inventoryMembers } from "../inventory-json.js"
import type { Io } from "../io.js"
import { nextSteps } from "../next-steps.js"
import { type Options, parseCommandLine } from "../options.js"
import { loadPaint } from "../paint.js"
import { findProjectLockfile, isUserLockfile, LOCKFILE_OPTIONS, openUserLockfile } from "../project.js"
import { renderInventory } from "../render-inventory.js"
import { printDocument } from "../report-json.js"

export const inventoryCommand: CommandSpec = {
  usage: "[--user | --lock file]",
  words: [0, 0],
  options: LOCKFILE_OPTIONS,
  run: async ({ options }, io) => {
    const project = await openProject(options, io)
    const inventory = takeInventory(project.configs, project.locks)
    const exitCode = exitCodeOfInventory(inventory)
    const isEmpty = inventory.rows.length === 0 && inventory.unreadable.length === 0
    if (options.flag("json")) {
      const lookedAt = isEmpty ? describePlaces(project.folder, io).files : undefined
      printDocument(io, { command: "inventory", exitCode, ...inventoryMembers(inventory, io.env), lookedAt })
      return exitCode
    }
    if (isEmpty) return sayNothingFound(project, options, io)
    if (!options.flag("quiet") || exitCode !== 0) await show(inventory, project, options, io)
    return options.flag("quiet")
      ? exitCode
      : worstExitCode([exitCode, await offerCheck(inventory, project, options, io)])
  },
}

/** What is looked at: with `--user` the user's own files and lockfile only. */
interface Project {
  readonly folder: string
  readonly configs: readonly ClientConfig[]
  readonly stores: Readonly<Record<ClientConfig["scope"], LockfileStore>>
  readonly locks: Locks
}

async function openProject(options: Options, io: Io): Promise<Project> {
  const isUser = isUserLockfile(options)
  const stores = { project: await findProjectLockfile(options, io), user: openUserLockfile(io) }
  const folder = dirname(stores.project.path)
  const configs = isUser ? await readConfigurationsOf(stores.user, options, io) : await readConfigurations(folder, io)
  const locks = { project: isUser ? null : await stores.project.read(), user: await stores.user.read() }
  return { folder, configs, stores, locks }
}

async function show(inventory: Inventory, { stores }: Project, options: Options, io: Io): Promise<void> {
  const paint = await loadPaint(io.colour)
  const lockfiles = { project: stores.project.path, user: stores.user.path }
  io.stdout(renderInventory(inventory, { paint, hide: (target) => hideSecrets(target, io.env), lockfiles }))
  if (options.flag("quiet")) return
  const steps = nextSteps(inventory, options)
  const width = Math.max(0, ...steps.map(({ line }) => line.length))
  for (const { line, why } of steps) io.stdout(`  ${line.padEnd(width)}  ${paint.dim(why)}\n`)
}

/** Nothing found is no clean result: say where was looked, and how to begin. */
async function sayNothingFound({ folder, stores }: Project, options: Options, io: Io): Promise<ExitCode> {
  const { project, user } = describePlaces(folder, io)
  const { overview } = await import("../help.js")
  const lines = [
    "No MCP server found: no client configuration names one, and nothing is pinned.",
    ...(options.flag("user") ? [] : [`  looked at ${project}`, `  and at    ${stores.project.path}`]),
    ...(user === null ? [] : [`  looked at ${user}`]),
    `  and at    ${stores.user.path}`,
  ]
  io.stdout(`${lines.join("\n")}\n\n${overview()}`)
  return 2
}

/** One question on a terminal: look at the pinned servers now? What is answered otherwise starts nothing. */
async function offerCheck({ rows }: Inventory, { locks }: Project, options: Options, io: Io): Promise<ExitCode> {
  const pinned = new Set(rows.flatMap(({ pin }) => (pin === null ? [] : [`${pin.scope} ${pin.name}`]))).size
  if (io.ask === null || pinned === 0) return 0
  const [what, them] = pinned === 1 ? ["the pinned server", "it"] : [`the ${pinned} pinned servers`, "them"]
  const answer = await io.ask(`Compare ${what} now (starts ${them})? Answer yes, or nothing to end: `)
  if (answer.trim().toLowerCase() !== "yes") return 0
  const { checkCommand } = await import("./check.js")
  const asked = (scope: keyof Locks) => Object.keys(locks[scope]?.servers ?? {}).length > 0
  const lock = options.values("lock").flatMap((path) => [`--lock=${path}`])
  const runs = [...(asked("project") ? [lock] : []), ...(asked("user") ? [["--user"]] : [])]
  const codes: ExitCode[] = []
  for (const argv of runs) codes.push(await checkCommand.run(parseCommandLine(argv, checkCommand.options), io))
  return worstExitCode(codes)
}
