// Installs the official conformance suite and the Node 22 that it needs into a temporary folder and removes it in the end. The registry's
// `node` package is only an installer for the packages that hold the binary, which are locked here directly.
import { mkdtempSync, realpathSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { installLocked } from "../locked-install.js"

declare module "vitest" {
  interface ProvidedContext {
    /** node_modules with the suite. */
    suite: string
    /** Folder of what the runs leave. */
    results: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolsum-conformance-")))
  const remove = () => rm(base, { recursive: true, force: true, maxRetries: 3 })
  try {
    installLocked(fileURLToPath(new URL(".", import.meta.url)), join(base, "suite"), false)
  } catch (error) {
    await remove()
    throw error
  }
  project.provide("suite", join(base, "suite", "node_modules"))
  project.provide("results", base)
  return remove
}
