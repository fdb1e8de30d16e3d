// Builds dist/: tsc writes the library with its types, then the command is bundled in the place of tsc's dist/cli.
// Usage: node scripts/build.mjs [folder]
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleCommand } from "./bundle.mjs"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const OUT = resolve(process.argv[2] ?? join(ROOT, "dist"))

rmSync(OUT, { recursive: true, force: true })
const tsc = join(ROOT, "node_modules/typescript/bin/tsc")
const config = join(ROOT, "tsconfig.build.json")
const { status } = spawnSync(process.execPath, [tsc, "-p", config, "--outDir", OUT], { stdio: "inherit" })
rmSync(join(OUT, "cli"), { recursive: true, force: true })
await bundleCommand(join(OUT, "cli"))
process.exitCode = status ?? 1
