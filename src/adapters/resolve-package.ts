// Which npm package a launch line really ran (DESIGN 4 `version`, DESIGN 7 `read`): from the running processes where the system shows
// them, else where npx looks (installed copy, then its cache). Everything here is a claim of this machine; unknown is null.
import { createHash } from "node:crypto"
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { dirname, isAbsolute, join, resolve, sep } from "node:path"
import { compareUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { computeTextDigest, type Digest } from "../core/hash.js"
import { isObject, type JsonObject, parseJson } from "../core/json.js"
import { type Launch, parseLaunch } from "../core/launchers.js"
import { parsePackageSpec } from "../core/package-spec.js"
import { isVersion } from "../core/record.js"
import type { CommandTarget } from "../core/target.js"

/** A package as it was started. `version`: that of the launch line when it is exact, else the one found. `integrity`: npm's own
 *  string for its archive. `dependencies`: SHA-256 over the sorted lines `name@version\n`, none twice, of all that is installed with it. */
export interface ResolvedPackage {
  readonly version: string | null
  readonly integrity: string | null
  readonly dependencies: Digest | null
}

/** What to look at. `cwd`: absolute folder of the child. `environment`: that of the child. `commandLines`: words of its processes. */
export interface ResolveOptions {
  readonly target: CommandTarget
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly commandLines: readonly (readonly string[])[]
}

/** Largest file of npm that is read, in bytes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

/** Find the package of a launch line on this machine. Never throws: what cannot be found is null. */
export function resolvePackage(options: ResolveOptions): ResolvedPackage {
  const launch = parseLaunch(options.target)
  const spec = launch && parsePackageSpec(launch.launcher.ecosystem, launch.spec)
  if (!launch || !spec || launch.launcher.ecosystem !== "npm")
    return { version: spec?.version ?? null, integrity: null, dependencies: null }
  for (const folder of candidateFolders(launch, spec.name, options)) {
    const version = readVersion(folder, spec.name)
    if (version === null || (spec.version !== null && spec.version !== version)) continue
    return { version, ...readInstalled(folder, spec.name) }
  }
  return { version: spec.version, integrity: null, dependencies: null }
}

/** Folders that may hold the package, the likeliest first. */
function* candidateFolders(launch: Launch, name: string, options: ResolveOptions): Generator<string> {
  for (const line of options.commandLines) for (const word of line) yield* runningFolders(word, name)
  if (!launch.launcher.commands.some((command) => command === "npx" || command === "npm exec")) return
  // A copy installed beside the working folder wins when the spec is a bare name or just its version; ranges are npm's to judge.
  const local = findModules(options.cwd)
  if (local !== null && !isRange(launch.spec, name)) yield join(local, name)
  const cache = npxCache(options.environment)
  if (cache !== null) yield join(cache, computeNpxFolder(launch.spec), "node_modules", name)
}

/** The folders above the file a process runs that are named like the package. */
function* runningFolders(word: string, name: string): Generator<string> {
  if (!isAbsolute(word) || !word.includes("node_modules")) return
  const suffix = join(sep, "node_modules", name)
  for (let folder = realPath(word); folder !== dirname(folder); folder = dirname(folder))
    if (folder.endsWith(suffix)) yield folder
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** node_modules of npm's prefix: the nearest folder upwards that has a package.json or node_modules. */
function findModules(cwd: string): string | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const modules = join(folder, "node_modules")
    if (existsSync(modules)) return modules
    if (existsSync(join(folder, "package.json")) || folder === dirname(folder)) return null
  }
}

function isRange(spec: string, name: string): boolean {
  const parsed = parsePackageSpec("npm", spec)
  return spec !== name && parsed?.version === null
}

function npxCache(environment: Readonly<Record<string, string>>): string | null {
  const set = Object.entries(environment).find(([name]) => name.toLowerCase() === "npm_config_cache")?.[1]
  const { HOME, LOCALAPPDATA } = environment
  const home =
    process.platform === "win32" ? LOCALAPPDATA && join(LOCALAPPDATA, "npm-cache") : HOME && join(HOME, ".npm")
  const cache = set || home
  return cache ? join(cache, "_npx") : null
}

/** Name of npx's folder for one package spec (npm: libnpmexec). */
export const computeNpxFolder = (spec: string): string => createHash("sha512").update(spec).digest("hex").slice(0, 16)

function readVersion(folder: string, name: string): string | null {
  const manifest = readObject(join(folder, "package.json"))
  const version = manifest?.name === name ? manifest.version : null
  return typeof version === "string" && isVersion(version) ? version : null
}

const INTEGRITY = /^[!-~]{1,512}$/

/** What npm wrote about the folder it installed. */
function readInstalled(folder: string, name: string): Omit<ResolvedPackage, "version"> {
  const modules = folder.slice(0, -name.length - 1)
  const lock = readObject(join(modules, ".package-lock.json"))
  if (!lock || !isObject(lock.packages)) return { integrity: null, dependencies: null }
  const own = lock.packages[`node_modules/${name}`]
  const integrity = isObject(own) ? own.integrity : null
  return {
    integrity: typeof integrity === "string" && INTEGRITY.test(integrity) ? integrity : null,
    dependencies: computeDependencies(lock.packages),
  }
}

function computeDependencies(packages: JsonObject): Digest {
  const lines = Object.entries(packages).flatMap(([path, entry]) => {
    if (!isObject(entry) || typeof entry.version !== "string") return []
    const name = typeof entry.name === "string" ? entry.name : path.slice(path.lastIndexOf("node_modules/") + 13)
    return [`${name}@${entry.version}\n`]
  })
  return computeTextDigest([...new Set(lines)].sort(compareUtf8).join(""))
}

function readObject(path: string): JsonObject | null {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) return null
    const value = parseJson(readFileSync(path))
    return isObject(value) ? value : null
  } catch (error) {
    if (error instanceof ToolsumError || (error instanceof Error && "code" in error)) return null
    throw error
  }
}
