// Checks what `npm publish` would ship: the files that belong there and no others, entry points and imports that lead somewhere, types
// for every entry point, a command that can be run, no trace of the machine that built it. Usage: node scripts/check-package.mjs
import { execFileSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { builtinModules } from "node:module"
import { homedir } from "node:os"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const MUST = ["package.json", "README.md", "LICENSE", "FORMAT.md", "RULES.md", "SECURITY.md", "CHANGELOG.md"]
const MAY = [
  /^dist\/[a-z0-9/.-]+\.(?:js|d\.ts)$/,
  /^dist\/cli\/package\.json$/,
  /^schemas\/[a-z.-]+\.schema\.json$/,
  /^vendor-keys\/[a-z-]+\.json$/,
]
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024
const BUILTIN = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]))

/** Forms of an import in what the compiler and the bundler write. */
const IMPORTS = [
  /^(?:import|export)\b[^"'`;]*?\bfrom ["']([^"']+)["']/gm,
  /^import ["']([^"']+)["']/gm,
  /\bimport\(["']([^"']+)["']\)/g,
  /\brequire\(["']([^"']+)["']\)/g,
]

const importsOf = (text) =>
  new Set(IMPORTS.flatMap((form) => [...text.matchAll(form)].map(([, specifier]) => specifier)))

const faults = []
const fault = (why) => faults.push(why)
const textOf = (path) => readFileSync(join(ROOT, path), "utf8")

const manifest = JSON.parse(textOf("package.json"))
const packed = listPacked()
const paths = new Set(packed.files.map(({ path }) => path))

for (const path of MUST) if (!paths.has(path)) fault(`${path} is missing`)
for (const path of paths)
  if (!MUST.includes(path) && !MAY.some((form) => form.test(path))) fault(`${path} does not belong there`)
if (packed.unpackedSize > MAX_UNPACKED_BYTES) fault(`${packed.unpackedSize} bytes unpacked are too many`)
for (const path of ["schemas/toolsum-lock.schema.json", "schemas/report.schema.json"]) requirePacked(path, "schemas")
requirePacked("vendor-keys/legion.json", "vendor-keys")

checkEntryPoints("exports", manifest.exports)
checkEntryPoints("imports", manifest.imports)
for (const [name, path] of Object.entries(manifest.bin)) checkCommand(name, path)
for (const path of paths) if (path.startsWith("dist/")) checkModule(path)
if (Object.keys(manifest.scripts).some((name) => /^(?:pre|post)?install$/.test(name)))
  fault("a script would run on the machine of whoever installs this")

for (const why of faults) console.error(`package: ${why}`)
console.log(`package: ${paths.size} files, ${packed.unpackedSize} bytes, ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1

function listPacked() {
  const options = ["pack", "--dry-run", "--json", "--ignore-scripts"]
  const [listed] = JSON.parse(
    execFileSync("npm", options, { cwd: ROOT, encoding: "utf8", shell: process.platform === "win32" }),
  )
  if (!listed.files.some(({ path }) => path === "dist/index.js"))
    throw new Error("expected dist/: npm run build makes it")
  return listed
}

function requirePacked(path, where) {
  if (!paths.has(path.replace(/^\.\//, ""))) fault(`${where} names ${path}, which is not packed`)
}

/** Every path of every condition; where there are conditions, types come first. */
function checkEntryPoints(where, entries) {
  for (const [name, target] of Object.entries(entries)) {
    if (typeof target === "string") {
      if (!target.includes("*")) requirePacked(target, `${where} ${name}`)
      continue
    }
    const conditions = Object.keys(target)
    if (conditions[0] !== "types") fault(`${where} ${name}: types must be the first condition`)
    if (conditions.at(-1) !== "default") fault(`${where} ${name}: default must be the last condition`)
    for (const path of Object.values(target)) requirePacked(path, `${where} ${name}`)
  }
}

function checkCommand(name, path) {
  requirePacked(path, `bin ${name}`)
  if (!textOf(path).startsWith("#!/usr/bin/env node\n")) fault(`bin ${name}: expected a line that starts node`)
}

/** Imports lead to packed files, Node's own modules or dependencies. */
function checkModule(path) {
  const text = textOf(path)
  for (const place of [ROOT, homedir()])
    if (place.length > 5 && text.includes(place)) fault(`${path} names a folder of this machine`)
  const map = /^\/\/# sourceMappingURL=(.*)$/m.exec(text)?.[1]
  if (map !== undefined && !map.startsWith("data:")) requirePacked(posix.join(dirname(path), map), path)
  for (const specifier of importsOf(text)) checkImport(path, specifier)
}

function checkImport(path, specifier) {
  if (BUILTIN.has(specifier)) return
  if (specifier.startsWith("#")) {
    if (!(specifier in manifest.imports)) fault(`${path} imports ${specifier}, which package.json does not know`)
  } else if (specifier.startsWith(".")) {
    const target = posix.join(dirname(path), specifier)
    requirePacked(path.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target, path)
  } else {
    const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
    if (!(name in manifest.dependencies)) fault(`${path} imports ${name}, which is no dependency`)
    if (!isInstalled(name)) fault(`${path} imports ${name}, which is not installed`)
  }
}

function isInstalled(name) {
  return statSync(join(ROOT, "node_modules", name), { throwIfNoEntry: false }) !== undefined
}
