// Installs a committed package-lock into a folder outside the repository, where a package finds its own dependencies and never ours.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"

/** `npm ci` of `from` (package.json, package-lock.json) in `into`, which is made. Without scripts: no package here needs one, and nothing but
 *  the registry is asked. `omitOptional`: leave optional packages out. */
export function installLocked(from: string, into: string, omitOptional: boolean): void {
  mkdirSync(into)
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(from, name), join(into, name))
  const line = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const optional = omitOptional ? ["--omit=optional"] : []
  execFileSync("npm", [...line, ...optional], { cwd: into, stdio: "inherit", timeout: 300_000 })
}
