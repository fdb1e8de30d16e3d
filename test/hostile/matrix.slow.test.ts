// Every lie to every command. HOSTILE_MATRIX=write writes matrix.json anew; a command that noticed nothing then needs a reason there.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LIES } from "../../src/features/hostile/lies.js"
import { type HonestWorld, makeHonestWorld } from "../../src/features/hostile/world.js"
import { COLUMNS } from "./columns.js"
import { expectCells, readMatrix, tellTo, writeMatrix } from "./matrix.js"

const NOW = 1_796_083_200n
const LARGE = 65_536
const isWriting = process.env.HOSTILE_MATRIX === "write"
const measured: Record<string, Readonly<Record<string, string | null>>> = {}

afterAll(() => {
  if (isWriting) writeMatrix(measured)
})

describe("the matrix", () => {
  let world: HonestWorld
  beforeAll(async () => {
    world = await makeHonestWorld({ nowSec: NOW })
  })
  test.each(LIES)("$name", async (lie) => {
    const cells = await tellTo(lie, world, COLUMNS)
    measured[lie.name] = cells
    if (!isWriting) expectCells(lie, cells, readMatrix())
  })
})

describe.skipIf(isWriting)("in a log with full tiles of the second level", () => {
  let world: HonestWorld
  beforeAll(async () => {
    world = await makeHonestWorld({ nowSec: NOW, filler: LARGE })
    expect(world.entries.length).toBeGreaterThan(LARGE)
  })
  const names = ["truth", "high-tile-changed", "tile-bit", "tile-missing", "fork-larger", "rollback", "leaf-hash-bit"]
  test.each(LIES.filter(({ name }) => names.includes(name)))("$name", async (lie) => {
    const columns = COLUMNS.filter(({ name }) => name === "audit" || name === "check")
    expectCells(lie, await tellTo(lie, world, columns), readMatrix())
  })
})
