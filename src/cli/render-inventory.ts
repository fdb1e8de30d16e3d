// The bare command's page: servers grouped by the file they stand in, one line each, what differs below a changed one, counts that add
// up, and what to do next. Everything that came from a file is escaped here.
import { escapeInvisible } from "../core/errors.js"
import { deriveSubject } from "../core/subject.js"
import { isCommandTarget, type Target } from "../core/target.js"
import {
  countStates,
  type Inventory,
  type InventoryRow,
  SERVER_STATES,
  type ServerState,
} from "../features/inventory.js"
import type { ClientConfig } from "../ports.js"
import { widthOf } from "../surface/shown-lines.js"
import { showName } from "../surface/shown-text.js"
import type { Paint } from "./paint.js"
import { describeTarget } from "./typed-target.js"

/** How the page is made. `hide`: a target without secrets. `lockfiles`: how they are called, by whose they are. */
export interface InventoryPage {
  readonly paint: Paint
  readonly hide: (target: Target) => Target
  readonly lockfiles: Readonly<Record<ClientConfig["scope"], string>>
}

/** Words for people. */
const STATE_WORDS: Readonly<Record<ServerState, string>> = {
  launch_changed: "line changed",
  unapproved: "not approved",
  unreadable: "unreadable",
  not_pinned: "not pinned",
  disabled: "switched off",
  pinned: "pinned",
}

const MAX_NAME_COLUMNS = 28
const MAX_LAUNCH_CHARS = 60
const MAX_DIFFERENCE_CHARS = 200

/** All servers and files, ending with the counts. */
export function renderInventory(inventory: Inventory, page: InventoryPage): string {
  const { rows, unreadable } = inventory
  const width = {
    name: Math.min(MAX_NAME_COLUMNS, Math.max(0, ...rows.map(({ name }) => widthOf(showName(name))))),
    state: Math.max(0, ...rows.map(({ state }) => STATE_WORDS[state].length)),
  }
  const lines = groupsOf(inventory, page).flatMap(({ heading, members, problem }) => [
    heading,
    ...(problem === null ? [] : [`  ${page.paint.yellow("unreadable")}: ${escapeInvisible(problem)}`]),
    ...members.flatMap((row) => [lineOf(row, width, page), ...differences(row, page)]),
  ])
  return `${[...lines, "", footerOf(rows, unreadable.length)].join("\n")}\n`
}

interface Group {
  readonly heading: string
  readonly members: readonly InventoryRow[]
  readonly problem: string | null
}

/** By file, the project's first, files that cannot be read among them; pins without a file last. */
function groupsOf({ rows, unreadable }: Inventory, page: InventoryPage): readonly Group[] {
  const configs = [...new Set([...rows.flatMap(({ config }) => config ?? []), ...unreadable])].sort(
    (a, b) => Number(a.scope === "user") - Number(b.scope === "user"),
  )
  const files = configs.map((config) => ({
    heading: headingOf(config, page.paint),
    members: rows.filter((row) => row.config === config),
    problem: config.problem,
  }))
  const pins = (["project", "user"] as const).map((scope) => ({
    heading: `${page.paint.bold(showName(page.lockfiles[scope]))}  pinned, in no client configuration`,
    members: rows.filter(({ config, pin }) => config === null && pin?.scope === scope),
    problem: null,
  }))
  return [...files, ...pins.filter(({ members }) => members.length > 0)]
}

const headingOf = ({ file, client, scope }: ClientConfig, paint: Paint): string =>
  `${paint.bold(showName(file))}  ${escapeInvisible(client)}, this ${scope}`

function lineOf(row: InventoryRow, width: { name: number; state: number }, page: InventoryPage): string {
  const name = showName(row.name)
  const gap = " ".repeat(Math.max(0, width.name - widthOf(name)))
  const state = colourOf(row.state, page.paint)(STATE_WORDS[row.state].padEnd(width.state))
  return `  ${name}${gap}  ${state}  ${[describeServer(row, page), ...notesOn(row)].filter((part) => part !== "").join("; ")}`
}

const colourOf = (state: ServerState, paint: Paint): ((text: string) => string) => {
  if (state === "pinned") return paint.green
  if (state === "disabled") return paint.dim
  return state === "launch_changed" || state === "unapproved" ? paint.red : paint.yellow
}

function describeServer({ problem, target }: InventoryRow, { hide }: InventoryPage): string {
  if (problem !== null) return escapeInvisible(problem)
  if (target === null) return ""
  const shown = hide(target)
  const { packageName, version } = deriveSubject(shown)
  const text = packageName === null ? describeTarget(shorten(shown)) : `${packageName} ${shortVersion(version)}`
  return clip(escapeInvisible(text.trimEnd()), MAX_LAUNCH_CHARS)
}

/** Enough of an image's digest to tell it from others. */
const shortVersion = (version: string | null): string =>
  (version ?? "").replace(/^(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, "$1…")

/** Words with the last part of an absolute path only. */
function shorten(target: Target): Target {
  if (!isCommandTarget(target)) return target
  const word = (text: string) => text.replace(/^(?:\/|[A-Za-z]:[\\/]).*[\\/](?=[^\\/])/, "")
  return { ...target, command: word(target.command), args: target.args.map(word) }
}

const clip = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)

/** What else there is to know, in a few words each. */
function notesOn(row: InventoryRow): readonly string[] {
  const { server, state, pin, isFloating, twins } = row
  const literals = (server?.literals ?? []).map((name) => escapeInvisible(name)).join(", ")
  return [
    ...(isFloating ? ["floating version"] : []),
    ...(state === "launch_changed" && pin?.isApproved === false ? ["its pin is not approved"] : []),
    ...(pin !== null && pin.name !== row.name ? [`as ${pin.name}`] : []),
    ...(pin !== null && row.config?.scope === "user" && pin.scope === "project" ? ["in the project's lockfile"] : []),
    ...(literals === "" ? [] : [`value in the file: ${literals}`]),
    ...(server?.isDisabled && state !== "disabled" ? ["switched off"] : []),
    ...(server?.isGuarded ? ["behind the guard"] : []),
    ...twins.map(describeTwin(row)),
  ]
}

const describeTwin =
  ({ name, config }: InventoryRow) =>
  (twin: InventoryRow["twins"][number]): string => {
    const where = twin.file === config?.file ? "" : ` in ${showName(twin.file)}`
    if (!twin.sameLine) return `another launch line${where}`
    return twin.name === name ? `also${where}` : `same as ${showName(twin.name)}${where}`
  }

/** Where the launch line is not the pinned one: what both are. */
function differences({ state, pin, target }: InventoryRow, { hide, paint }: InventoryPage): readonly string[] {
  if (state !== "launch_changed" || pin === null || pin.target === null || target === null) return []
  const rows = compareTargets(hide(pin.target), hide(target))
  return rows.flatMap(([what, before, now]) => [
    `      ${paint.red(`- ${what}${clip(escapeInvisible(before), MAX_DIFFERENCE_CHARS)}`)}`,
    `      ${paint.green(`+ ${what}${clip(escapeInvisible(now), MAX_DIFFERENCE_CHARS)}`)}`,
  ])
}

type Difference = readonly [what: string, before: string, now: string]

function compareTargets(before: Target, now: Target): readonly Difference[] {
  const sides = [before, now] as const
  const rows: readonly Difference[] = [
    ["", ...pairOf(sides, describeTarget)],
    ["variables: ", ...pairOf(sides, (target) => (isCommandTarget(target) ? target.env.join(", ") : ""))],
    ["folder: ", ...pairOf(sides, (target) => (isCommandTarget(target) ? (target.cwd ?? "") : ""))],
    [
      "headers: ",
      ...pairOf(sides, (target) => (isCommandTarget(target) ? "" : Object.keys(target.headers).join(", "))),
    ],
  ]
  const different = rows.filter(([, a, b]) => a !== b)
  // Only what is hidden differs, or a header's template.
  return different.length > 0
    ? different
    : [["", `${describeTarget(before)} (as pinned)`, `${describeTarget(now)} (another value)`]]
}

const pairOf = ([a, b]: readonly [Target, Target], show: (target: Target) => string): [string, string] => [
  show(a) || NOTHING,
  show(b) || NOTHING,
]

const NOTHING = "none"

/** Every state that occurred, with how often: `7 servers: 1 line changed, 2 not pinned, 4 pinned`. */
function footerOf(rows: readonly InventoryRow[], unreadable: number): string {
  const counts = countStates(rows)
  const parts = SERVER_STATES.filter((state) => counts[state] > 0).map(
    (state) => `${counts[state]} ${STATE_WORDS[state]}`,
  )
  const files = unreadable === 0 ? "" : `; ${unreadable} ${unreadable === 1 ? "file" : "files"} unreadable`
  return `${rows.length} ${rows.length === 1 ? "server" : "servers"}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}${files}`
}
