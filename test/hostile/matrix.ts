// The matrix {lie x command}: what each command says of each lie, as matrix.json has it, and how a cell is measured. A cell is the exit code
// and the code that the command ended with or warned of (`3 LOG_INCONSISTENT`); `-` and a reason where it cannot see the lie; or `ok` where
// there is nothing to see.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { startHostileServer } from "../../src/cli/hostile-server.js"
import type { Lie } from "../../src/features/hostile/lie.js"
import { LIES, tellLie } from "../../src/features/hostile/lies.js"
import type { HonestWorld } from "../../src/features/hostile/world.js"
import { COLUMNS, type Column, type Said } from "./columns.js"

/** What is written down. */
export interface Matrix {
  /** Why a command cannot see a lie, by its word in the cells. */
  readonly reasons: Readonly<Record<string, string>>
  /** Cells by lie and command. */
  readonly lies: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const FILE = fileURLToPath(new URL("matrix.json", import.meta.url))

/** The matrix as it is written down. */
export const readMatrix = (): Matrix => JSON.parse(readFileSync(FILE, "utf8"))

/** What a command said, in the form of a cell; null: it noticed nothing. */
const cellOf = (said: Said | null): string | null => {
  if (said === null) return "none"
  return said.exit === 0 && said.said === null ? null : `${said.exit} ${said.said}`
}

/** Tell a lie to these commands, each with a client of its own. */
export async function tellTo(
  lie: Lie,
  world: HonestWorld,
  columns: readonly Column[],
): Promise<Readonly<Record<string, string | null>>> {
  const draft = tellLie(lie, world)
  const server = await startHostileServer(draft, { host: "127.0.0.1", port: 0 })
  try {
    const run = async ({ name, run }: Column) => [name, cellOf(await run({ lie, draft, url: server.url }))] as const
    return Object.fromEntries(await Promise.all(columns.map(run)))
  } finally {
    await server.close()
  }
}

/** Hold what was said to what is written down. */
export function expectCells(lie: Lie, measured: Readonly<Record<string, string | null>>, matrix: Matrix): void {
  const written = matrix.lies[lie.name] ?? {}
  const expected = Object.keys(measured).map((name) => [name, expectedOf(written[name])])
  expect(measured, lie.says).toEqual(Object.fromEntries(expected))
}

/** What must be measured for a cell. */
function expectedOf(cell: string | undefined): string | null | undefined {
  if (cell === "-nothing_to_lock") return "none"
  return cell === "ok" || cell?.startsWith("-") ? null : cell
}

/** Write down what was measured. Where a command noticed nothing, the reason stays that was there. */
export function writeMatrix(measured: Readonly<Record<string, Readonly<Record<string, string | null>>>>): void {
  const { reasons, lies } = readMatrix()
  const rows = LIES.map(({ name, kind }) => {
    const cells = COLUMNS.map((column) => {
      const [now, before] = [measured[name]?.[column.name], lies[name]?.[column.name]]
      const unseen = kind === "harmless" ? "ok" : before?.startsWith("-") ? before : "-"
      const cell = now === undefined ? before : now === "none" ? "-nothing_to_lock" : (now ?? unseen)
      return [column.name, cell] as const
    })
    return [name, Object.fromEntries(cells)] as const
  })
  writeFileSync(FILE, `${JSON.stringify({ reasons, lies: Object.fromEntries(rows) }, null, 2)}\n`)
}
