// Builds dist/: tsc writes the library with its types, then the command is bundled in the place of tsc's dist/cli. What was there stays
// until all is done. Usage: node scripts/build.mjs [folder]
import { spawnSync } from "node:child_process"
import { renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleCommand } from "./bundle.mjs"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const OUT = resolve(process.argv[2] ?? join(ROOT, "dist"))
const NEW = `${OUT}-new`

rmSync(NEW, { recursive: true, force: true })
const tsc = join(ROOT, "node_modules/typescript/bin/tsc")
const config = join(ROOT, "tsconfig.build.json")
const { status } = spawnSync(process.execPath, [tsc, "-p", config, "--outDir", NEW], { stdio: "inherit" })
rmSync(join(NEW, "cli"), { recursive: true, force: true })
await bundleCommand(join(NEW, "cli"))
rmSync(OUT, { recursive: true, force: true })
renameSync(NEW, OUT)
process.exitCode = status ?? 1
