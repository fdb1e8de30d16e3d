// Files of results under a typed name: they take the place of an older one of their kind, and of nothing else.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { sharePinnedWorld } from "../fakes/cli-world.js"

const world = sharePinnedWorld()
const observe = (out: string) => ["observe", "notes", "--out", out, "--", "node", "no-such-server.mjs"]

test.each([
  { name: "an observation", argv: observe },
  { name: "a proof", argv: (out: string) => ["log", "proof", "1", "--out", out] },
])("$name is not written over a lockfile, and nothing is started", async ({ argv }) => {
  const before = readFileSync(world().lockfile, "utf8")
  const { stdout, stderr } = await world().expect(2, ...argv(world().lockfile))
  expect([stdout, stderr]).toEqual(["", expect.stringContaining("(FILE_EXISTS)")])
  expect(readFileSync(world().lockfile, "utf8")).toBe(before)
})

test("an older one of the kind makes room, a folder does not", async () => {
  const file = join(world().folder, "..", "leaf.tlog-proof")
  for (const index of ["1", "0"]) await world().expect(0, "log", "proof", index, "--out", file)
  expect((await world().expect(0, "verify", file)).stdout).toContain("leaf 0 of ")
  expect((await world().expect(2, ...observe(world().folder))).stderr).toContain("(FILE_EXISTS)")
})
