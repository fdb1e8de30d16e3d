// The cells of the matrix that reading.test.ts leaves out.
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test, vi } from "vitest"
import { playCells } from "./play-cells.js"
import { createWorld } from "./run-cell.js"
import { WHOLE } from "./selections.js"

const temporary = mkdtempSync(join(tmpdir(), "toolsum-matrix-"))
vi.stubEnv("TMPDIR", temporary)
const world = await createWorld()

afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true, force: true })
  await world.close()
})

test.each(Object.entries(WHOLE))("%s", async (_, cells) => {
  expect(await playCells(world, cells)).toEqual([])
})

test("no socket, no process and no file is left", async () => {
  await expect.poll(() => world.open(), { interval: 5 }).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
})
