// What `check --log-only` of one pin reads of a large log: few files, however many records came before and after.
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import type * as logDir from "../../src/adapters/log-dir.js"
import { openLogForWriting } from "../../src/cli/logs.js"
import type { LogSource } from "../../src/ports.js"
import { makePinnedWorld } from "../fakes/cli-world.js"
import { submission } from "../fakes/writer-fixtures.js"

const RECORDS = 100_000
const BATCH = 4096
const MOST_FILES = 20

const reads: string[] = []

vi.mock("../../src/adapters/log-dir.js", async (importOriginal) => {
  const original = await importOriginal<typeof logDir>()
  const createDirLog = (folder: string): LogSource => {
    const source = original.createDirLog(folder)
    return {
      ...source,
      read: (path, maxBytes) => {
        reads.push(path)
        return source.read(path, maxBytes)
      },
    }
  }
  return { ...original, createDirLog }
})

test(`check --log-only of one pin among ${RECORDS} records reads at most ${MOST_FILES} files`, async () => {
  const { world } = await makePinnedWorld()
  const log = await openLogForWriting(join(world.home, "data", "log"), null, { ...world.io().io, atEnd: () => {} })
  for (let start = 0; start < RECORDS; start += BATCH) {
    const count = Math.min(BATCH, RECORDS - start)
    await log.append(
      Array.from({ length: count }, (_, i) => submission(["one"], { subject: `pkg:npm/server-${start + i}` })),
    )
  }
  expect(log.head().size).toBeGreaterThan(RECORDS)
  await log.close()
  reads.length = 0
  const { stdout } = await world.expect(0, "check", "--log-only")
  expect(stdout).toContain("UNCHANGED")
  expect(new Set(reads).size).toBeGreaterThan(0)
  expect(reads.length, reads.join("\n")).toBeLessThanOrEqual(MOST_FILES)
})
