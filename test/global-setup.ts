// Builds dist/ before tests that run it, when it is missing or older than what it is built from.
import { execFileSync } from "node:child_process"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))

const changedAt = (file: string): number => statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0

export default function setup(): void {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).map((file) => join("src", file))
  const newest = Math.max(...[...sources, "package.json", "scripts/build.mjs", "scripts/bundle.mjs"].map(changedAt))
  if (changedAt("dist/cli/bin.js") > newest) return
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: ROOT, stdio: "inherit" })
}
