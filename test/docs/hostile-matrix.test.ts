// The table in SECURITY.md is what the matrix test holds the commands to, and nothing in it is unseen without a reason.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { placeMatrix } from "../../scripts/hostile-matrix.mjs"
import { LIES } from "../../src/features/hostile/lies.js"
import { COLUMNS } from "../hostile/columns.js"
import { readMatrix } from "../hostile/matrix.js"

const matrix = readMatrix()
const cellsOf = (name: string) => Object.values(matrix.lies[name] ?? {})

test("SECURITY.md has the table of the matrix; node scripts/hostile-matrix.mjs writes it", () => {
  const security = readFileSync(new URL("../../SECURITY.md", import.meta.url), "utf8")
  expect(security).toBe(placeMatrix(security, matrix))
})

test("every lie meets every command", () => {
  expect(Object.keys(matrix.lies)).toEqual(LIES.map(({ name }) => name))
  for (const { name } of LIES) expect(Object.keys(matrix.lies[name] ?? {})).toEqual(COLUMNS.map((one) => one.name))
})

test.each(LIES)("$name: each cell is what was noticed, or a reason why it cannot be", ({ name, kind }) => {
  for (const cell of cellsOf(name)) {
    if (cell.startsWith("-")) expect(Object.keys(matrix.reasons)).toContain(cell.slice(1))
    else if (cell === "ok") expect(kind).toBe("harmless")
    else expect(cell).toMatch(/^[0-3] [A-Za-z_]+$/)
  }
})

test("every reason is one that is needed", () => {
  const used = new Set(LIES.flatMap(({ name }) => cellsOf(name)))
  for (const word of Object.keys(matrix.reasons)) expect(used).toContain(`-${word}`)
})

test("audit catches every lie", () => {
  const lies = LIES.filter(({ kind }) => kind === "lie").map(({ name }) => name)
  expect(lies.filter((name) => matrix.lies[name]?.audit?.startsWith("-"))).toEqual([])
})

test("what is harmless is never a violation, and damage of one's own files never a fork", () => {
  for (const { name, kind } of LIES) {
    if (kind === "harmless") for (const cell of cellsOf(name)) expect(cell).toMatch(/^(ok|0 .*)$/)
    if (kind === "damage")
      for (const cell of cellsOf(name)) expect(cell).not.toMatch(/LOG_INCONSISTENT|LOG_ROLLBACK|fork|rollback/)
  }
})
