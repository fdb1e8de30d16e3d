// Installs the committed package-locks of real servers into one temporary folder outside the repository, so that a server finds its own
// dependencies and never ours, and removes it in the end. Without the shared captures nothing is installed.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { hasShared } from "../shared.js"
import { SETS, setFile } from "./sets.js"

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
    for (const set of hasShared ? SETS : (["eras"] as const)) install(set, join(installed, set))
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

/** `npm ci` without scripts: none of these packages needs one to list its tools, and browsers are not downloaded. */
function install(set: string, folder: string): void {
  mkdirSync(folder)
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(setFile(set, name), join(folder, name))
  const quiet = ["--omit=optional", "--no-audit", "--no-fund", "--loglevel=error"]
  execFileSync("npm", ["ci", "--ignore-scripts", ...quiet], { cwd: folder, stdio: "inherit", timeout: 300_000 })
}
