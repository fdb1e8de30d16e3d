// The matrix: {revision x transport x paging x credentials x defect} gives the expected answer of `check` and of
// `verify-server`, with its reason and the items it names. A part of all cells; reading.slow.test.ts has the rest.
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test, vi } from "vitest"
import { AXES, type Cell, expectedOf, nameOf, whyLeftOut } from "./cells.js"
import { playCells } from "./play-cells.js"
import { createWorld } from "./run-cell.js"
import { QUICK, WHOLE } from "./selections.js"

const temporary = mkdtempSync(join(tmpdir(), "toolsum-matrix-"))
vi.stubEnv("TMPDIR", temporary)
const world = await createWorld()

afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true, force: true })
  await world.close()
})

test.each(Object.entries(QUICK))("%s", async (_, cells) => {
  expect(await playCells(world, cells)).toEqual([])
})

test("no cell vanishes", () => {
  const sizes = (parts: Readonly<Record<string, readonly Cell[]>>) =>
    Object.fromEntries(Object.entries(parts).map(([name, cells]) => [name, cells.length]))
  expect(sizes(QUICK)).toEqual({
    "every revision, way and first request": 48,
    "every paging": 203,
    "every content": 96,
    "everything that servers want": 106,
    "everything that goes wrong at the opening": 290,
    "everything that goes wrong in a list": 191,
  })
  expect(sizes(WHOLE)).toEqual({
    "first requests, pagings": 1440,
    "pagings, contents": 6985,
    "what servers want, pagings, contents": 2356,
    "what servers want, first requests": 482,
    "what goes wrong, contents": 8924,
    "what goes wrong, revisions": 820,
    "what goes wrong, pagings": 6444,
  })
})

const played = Object.values(QUICK).flat()

test("no cell is played twice", () => {
  const twice = played.map(nameOf).filter((name, at, all) => all.indexOf(name) !== at)
  expect(twice).toEqual([])
})

test.each(Object.entries(AXES))("every %s is played", (axis, values) => {
  const seen = new Set(played.map((cell) => cell[axis as keyof Cell])) // the axes are those of a cell
  expect(values.filter((value) => !seen.has(value))).toEqual([])
})

test("every answer is expected somewhere", () => {
  const answers = new Set(played.map(expectedOf).map(({ verdict, reason }) => `${verdict}(${reason})`))
  expect([...answers].toSorted()).toEqual([
    "AUTH(insufficient_scope)",
    "AUTH(missing: SERVICE_API_KEY)",
    "AUTH(missing: TOKEN)",
    "AUTH(refused)",
    "CHANGED(surface)",
    "UNCHANGED(null)",
    "UNKNOWN(incomplete)",
    "UNKNOWN(malformed)",
    "UNKNOWN(redirected)",
    "UNKNOWN(server_unreachable)",
    "UNKNOWN(timeout)",
  ])
})

test("what is left out has a reason", () => {
  const cell: Cell = {
    revision: "2025-11-25",
    way: "json",
    ask: "pin",
    paging: "one",
    content: "pinned",
    auth: "none",
    defect: "none",
    place: "opening",
  }
  expect(whyLeftOut(cell)).toBe(null)
  const cases: readonly Partial<Cell>[] = [
    { way: "sse" },
    { auth: "401 bare", defect: "silence" },
    { place: "last page" },
    { defect: "noise" },
    { defect: "wants more input", place: "first page" },
    { defect: "list is no array" },
    { defect: "silence", paging: "first page fails", place: "first page" },
    { defect: "silence", place: "last page" },
    { way: "stdio", defect: "ends after the answer", place: "first page" },
    { way: "stdio", defect: "ends after the answer", place: "last page", paging: "repeated cursor" },
    { paging: "too many items", content: "removed" },
    { defect: "silence", content: "no list declared", place: "first page" },
    { content: "changes while it is read" },
    { way: "events", content: "changes while it is read", defect: "silence", place: "first page" },
  ]
  const reasons = cases.map((change) => whyLeftOut({ ...cell, ...change }))
  expect(new Set(reasons).size).toBe(cases.length)
  expect(reasons).not.toContain(null)
})

test("no socket, no process and no file is left", async () => {
  await expect.poll(() => world.open(), { interval: 5 }).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
})
