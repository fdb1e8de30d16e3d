// Installs the committed package-locks of real servers into one temporary folder and removes it in the end. Browsers are not downloaded: no
// server needs one to list its tools. Without the shared captures only the set that has none is installed.
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { installLocked } from "../locked-install.js"
import { hasShared } from "../shared.js"
import { SETS, setFolder } from "./sets.js"

declare module "vitest" {
  interface ProvidedContext {
    /** Where the sets are installed, a folder each. */
    installed: string
    /** Temporary folder of everything that runs here. */
    temporary: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolsum-real-")))
  const [installed, temporary] = [join(base, "installed"), join(base, "temporary")]
  for (const folder of [installed, temporary]) mkdirSync(folder)
  const remove = () => rm(base, { recursive: true, force: true, maxRetries: 3 })
  try {
    for (const set of hasShared ? SETS : (["eras"] as const)) installLocked(setFolder(set), join(installed, set), true)
  } catch (error) {
    await remove()
    throw error
  }
  // Workers inherit it: what they leave in the folder for temporary files can then be told from what others leave.
  process.env.TMPDIR = temporary
  project.provide("installed", installed)
  project.provide("temporary", temporary)
  return remove
}
