// Temporary folders of tests: each test gets its own, removed when it ends.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** A new empty folder, removed after the test. */
export async function makeTempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolsum-test-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
