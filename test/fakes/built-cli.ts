// The command as it ships, and modules of src/ for a process of their own, bundled without a type check: a third of a second, and right
// while dist/ is old.
import { copyFileSync, symlinkSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle, bundleCommand } from "../../scripts/bundle.mjs"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** Bundle the command into `folder`, which is empty; returns the path of its script. */
export async function buildCli(folder: string): Promise<string> {
  await bundleCommand(join(folder, "dist", "cli"))
  installInto(folder)
  return join(folder, "dist", "cli", "bin.js")
}

/** Bundle ES modules of src/, given as `adapters/lockfile-fs.ts`, into `folder`, which is empty: it then has `lockfile-fs.mjs`. What
 *  several of them import is one instance for all. */
export async function buildModules(folder: string, paths: readonly string[]): Promise<void> {
  const input = Object.fromEntries(paths.map((path) => [basename(path, ".ts"), `src/${path}`]))
  await bundle(input, { dir: folder, format: "es", entryFileNames: "[name].mjs", chunkFileNames: "[name]-chunk.mjs" })
  installInto(folder)
}

/** Name, version, roots of public logs and dependencies as in the repository. */
function installInto(folder: string): void {
  copyFileSync(join(ROOT, "package.json"), join(folder, "package.json"))
  symlinkSync(join(ROOT, "vendor-keys"), join(folder, "vendor-keys"), "dir")
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir")
}
