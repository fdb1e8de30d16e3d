// What auditing a million records takes, in a process of its own that runs the built code: memory, and how little auditing again costs.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const CHILD = fileURLToPath(new URL("../../fakes/audit-child.mjs", import.meta.url))

const audit = (records: number, streams: number, more: number) =>
  JSON.parse(execFileSync(process.execPath, [CHILD, `${records}`, `${streams}`, `${more}`], { encoding: "utf8" }))

test("a million records fit in 300 MB, and auditing a thousand more costs a twentieth", () => {
  const { full, again, rssMb } = audit(1_000_000, 20_000, 1000)
  expect(full).toMatchObject({ exitCode: 0, codes: ["no_witnesses"], from: 0, streams: 20_000 })
  expect(full.entries.records).toBe(1_000_000)
  expect(again).toMatchObject({ exitCode: 0, from: 999_936 })
  expect(again.entries.records).toBe(1_001_000)
  expect(rssMb).toBeLessThanOrEqual(300)
  expect(again.cpuMs / full.cpuMs).toBeLessThanOrEqual(0.05)
})

test("a log of 70,000 entries, three levels of tiles", () => {
  const { full, again } = audit(69_999, 999, 1)
  expect(full).toMatchObject({ exitCode: 0, from: 0, streams: 999 })
  expect(again).toMatchObject({ exitCode: 0, from: 69_888, entries: { records: 70_000 } })
})
