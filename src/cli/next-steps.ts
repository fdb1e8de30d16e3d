// What to do after taking stock: at most one line for each kind of finding, there to be pasted, the most urgent first.
import type { Inventory, InventoryRow, Scope } from "../features/inventory.js"
import type { Options } from "./options.js"
import { pasteLine } from "./shell-words.js"

/** A command line, and what it does. */
export interface NextStep {
  readonly line: string
  readonly why: string
}

/** More names than this: the command for all of them. */
const MAX_NAMES = 3

/** The steps for these servers: of the project, then of the user. */
export function nextSteps({ rows }: Inventory, options: Options): readonly NextStep[] {
  const lock = options.values("lock").flatMap((path) => ["--lock", path])
  return [...stepsIn("project", rows, lock), ...stepsIn("user", rows, ["--user"])].flatMap(({ words, why }) => {
    const line = pasteLine("toolsum", ...words)
    return line === null ? [] : [{ line, why }]
  })
}

interface Words {
  readonly words: readonly string[]
  readonly why: string
}

function stepsIn(scope: Scope, rows: readonly InventoryRow[], where: readonly string[]): readonly Words[] {
  const pinned = rows.filter(({ pin }) => pin?.scope === scope)
  const pinsThatAre = (state: InventoryRow["state"]) => [
    ...new Set(pinned.filter((row) => row.state === state).flatMap(({ pin }) => pin?.name ?? [])),
  ]
  const apart = pinned.filter((row) => row.state === "launch_changed" && isStartedElsewhere(row, pinned))
  const isApart = (name: string) => apart.some(({ pin }) => pin?.name === name)
  const changed = pinsThatAre("launch_changed").filter((name) => !isApart(name))
  const waiting = pinsThatAre("unapproved")
  const missing = rows.filter(({ state, config }) => state === "not_pinned" && config?.scope === scope)
  const few = (names: readonly string[]) => (names.length > MAX_NAMES ? [] : names)
  const check = waiting.length > 0 ? "shows what waits for approval" : "compares with what the servers say now"
  return [
    ...(changed.length > 0
      ? [{ words: ["update", ...few(changed), ...where], why: "reads what is started now, shows what changes" }]
      : []),
    ...apart.slice(0, 1).map((row) => ({ words: [...addApart(row), ...where], why: "pins this file's line beside" })),
    ...(pinned.length > 0 ? [{ words: ["check", ...few(waiting), ...where], why: check }] : []),
    ...(missing.length > 0 ? [{ words: [...addWords(missing), ...where], why: addReason(missing, scope) }] : []),
  ]
}

/** True where another file starts the pinned line still: `update` keeps to that one. */
const isStartedElsewhere = ({ pin }: InventoryRow, pinned: readonly InventoryRow[]): boolean =>
  pinned.some((other) => other.pin?.name === pin?.name && other.config !== null && other.state !== "launch_changed")

/** The command that gives the line of this file a pin of its own. */
const addApart = ({ name, config, pin }: InventoryRow): readonly string[] => [
  ...["add", name, "--from", config?.file ?? "", "--as", `${pin?.name}-${config?.client}`],
]

const addWords = (missing: readonly InventoryRow[]): readonly string[] => {
  const names = new Set(missing.map(({ name }) => name))
  const [only] = names
  return names.size === 1 && only !== undefined && pasteLine(only) !== null ? ["add", only] : ["add", "--all"]
}

function addReason(missing: readonly InventoryRow[], scope: Scope): string {
  const count = new Set(missing.map(({ name }) => name)).size
  return `pins ${count === 1 ? "a server" : `${count} servers`} of this ${scope}`
}
