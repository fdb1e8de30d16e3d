// Commands that fetch a package or image and run it (formats 15), as tables: which words start one, which options may stand before
// the package. An option that is not listed could choose another package, so it makes the target local. No package is read here.
import type { CommandTarget } from "./target.js"

/** Where a launcher takes its package from. */
export type Ecosystem = "npm" | "pypi" | "oci"

/** One family of commands. Options are exact words; a long one with a value may also be written `--name=value`. */
export interface Launcher {
  readonly ecosystem: Ecosystem
  /** First words, without `.cmd` or `.exe`. */
  readonly commands: readonly string[]
  /** Options without a value. */
  readonly flags: readonly string[]
  /** Options with one value that does not change which package runs; what else they bring (`--with`, mounts, variables) is in the target
   *  digest only. */
  readonly valued: readonly string[]
  /** Options that name the package; the words after the options are then the arguments. */
  readonly packageOptions: readonly string[]
  /** Options that name the registry. */
  readonly registryOptions: readonly string[]
  /** True where the command reads options after the package too, until `--`. */
  readonly readsOptionsAfter: boolean
}

const NPM_OPTIONS = {
  ecosystem: "npm",
  flags: [
    ...["-y", "--yes", "--no", "--no-install", "-q", "--quiet", "-s", "--silent", "--verbose", "--offline"],
    ...["--prefer-offline", "--prefer-online", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress"],
    ...["--no-update-notifier"],
  ],
  valued: ["--loglevel"],
  packageOptions: ["-p", "--package"],
  registryOptions: ["--registry"],
} as const

/** Every launcher that is recognised. */
export const LAUNCHERS: readonly Launcher[] = [
  { ...NPM_OPTIONS, commands: ["npx"], readsOptionsAfter: false },
  { ...NPM_OPTIONS, commands: ["npm exec", "npm x"], readsOptionsAfter: true },
  {
    ecosystem: "npm",
    commands: ["pnpm dlx", "pnpx"],
    flags: ["-s", "--silent", "--offline", "--prefer-offline", "--ignore-scripts"],
    valued: ["--loglevel", "--reporter"],
    packageOptions: ["-p", "--package"],
    registryOptions: ["--registry"],
    readsOptionsAfter: false,
  },
  {
    ecosystem: "npm",
    commands: ["bunx", "bun x"],
    flags: ["--bun", "-b", "-y", "--yes", "--silent", "--verbose", "--no-install"],
    valued: [],
    packageOptions: ["-p", "--package"],
    registryOptions: [],
    readsOptionsAfter: false,
  },
  {
    ecosystem: "pypi",
    commands: ["uvx", "uv tool run"],
    flags: [
      ...["-q", "--quiet", "-v", "--verbose", "-n", "--no-cache", "--offline", "--isolated", "--refresh"],
      ...["--no-progress", "--no-config", "--no-env-file", "--native-tls", "--managed-python", "--no-managed-python"],
      ...["--no-python-downloads"],
    ],
    valued: ["-p", "--python", "-w", "--with", "--python-preference", "--prerelease", "--resolution", "--color"],
    packageOptions: ["--from"],
    registryOptions: ["-i", "--index-url", "--default-index"],
    readsOptionsAfter: false,
  },
  {
    ecosystem: "pypi",
    commands: ["pipx run"],
    flags: ["-q", "--quiet", "-v", "--verbose", "--no-cache", "--system-site-packages"],
    valued: ["--python", "--with"],
    packageOptions: ["--spec"],
    registryOptions: ["-i", "--index-url"],
    readsOptionsAfter: false,
  },
  {
    ecosystem: "oci",
    commands: ["docker run", "podman run"],
    flags: [
      ...["-i", "--interactive", "-t", "--tty", "-it", "-ti", "--rm", "--init", "--read-only", "--privileged"],
      ...["-q", "--quiet"],
    ],
    valued: [
      ...["-e", "--env", "--env-file", "-v", "--volume", "--mount", "--tmpfs", "--network", "--net", "--name"],
      ...["-p", "--publish", "-u", "--user", "-w", "--workdir", "--platform", "--pull", "-m", "--memory", "--cpus"],
      ...["--add-host", "--dns", "-h", "--hostname", "-l", "--label", "--cap-add", "--cap-drop", "--security-opt"],
      ...["--shm-size", "--ulimit", "--log-driver"],
    ],
    packageOptions: [],
    registryOptions: [],
    readsOptionsAfter: false,
  },
]

/** Variables that choose another registry, package or configuration for a launcher, lower case: in `env` they make the target local. */
export const REGISTRY_VARIABLES: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: [
    ...["npm_config_registry", "npm_config_userconfig", "npm_config_globalconfig", "npm_config_package"],
    ...["npm_config_call", "npm_config_cache", "npm_config_prefix", "bun_config_registry"],
  ],
  pypi: [
    ...["uv_index_url", "uv_default_index", "uv_index", "uv_extra_index_url", "uv_find_links", "uv_config_file"],
    ...["pip_index_url", "pip_extra_index_url", "pip_find_links", "pip_config_file"],
  ],
  oci: [],
}

/** A recognised command line: the word that names the package, the registry option, and the words after it. */
export interface Launch {
  readonly launcher: Launcher
  readonly spec: string
  readonly registry: string | null
  readonly args: readonly string[]
  /** True where an option names the package; the first of `args` is then the program. */
  readonly isNamed: boolean
}

/** Take a command apart, or null when it is none of the table or has an option that is not in it. Pure. */
export function parseLaunch(target: CommandTarget): Launch | null {
  const words = launchWords(target)
  const first = (words[0] ?? "").replace(/\.(?:cmd|exe)$/, "")
  const start = STARTS.get(first)?.find(({ command }) => command.every((word, i) => i === 0 || words[i] === word))
  if (start === undefined) return null
  const { launcher, command } = start
  const launch = readLaunch(launcher, words.slice(command.length))
  return launch !== null && target.env.every((name) => !choosesCode(launcher, name)) ? launch : null
}

interface Start {
  readonly launcher: Launcher
  /** The words that start it. */
  readonly command: readonly string[]
}

/** Every way to start a launcher, by its first word: a lockfile of many pins asks for each of them. */
const STARTS: ReadonlyMap<string, readonly Start[]> = indexStarts()

function indexStarts(): ReadonlyMap<string, readonly Start[]> {
  const starts = new Map<string, Start[]>()
  for (const launcher of LAUNCHERS)
    for (const text of launcher.commands) {
      const command = text.split(" ")
      const [first = ""] = command
      starts.set(first, [...(starts.get(first) ?? []), { launcher, command }])
    }
  return starts
}

/** All words, without a `cmd /c` before them. */
function launchWords({ command, args }: CommandTarget): readonly string[] {
  if (command !== "cmd" && command !== "cmd.exe") return [command, ...args]
  return args[0] === "/c" || args[0] === "/C" ? args.slice(1) : []
}

function readLaunch(launcher: Launcher, words: readonly string[]): Launch | null {
  const options = readOptions(launcher, words)
  if (options === null || options.packages.length > 1 || options.registries.length > 1) return null
  const rest = words.slice(options.length)
  const named = options.packages[0]
  const spec = named ?? rest[0]
  const args = named === undefined ? rest.slice(1) : rest
  // Without a word to run, a named package runs nothing.
  if (spec === undefined || (named !== undefined && rest.length === 0)) return null
  if (launcher.readsOptionsAfter && hasOptionAfter(args)) return null
  return { launcher, spec, registry: options.registries[0] ?? null, args, isNamed: named !== undefined }
}

interface Options {
  readonly length: number
  readonly packages: readonly string[]
  readonly registries: readonly string[]
}

/** The options at the start of `words`, a `--` after them included; null when one is not in the table. */
function readOptions(launcher: Launcher, words: readonly string[]): Options | null {
  const packages: string[] = []
  const registries: string[] = []
  let at = 0
  while (at < words.length) {
    const word = words[at] ?? ""
    if (word === "--") return { length: at + 1, packages, registries }
    if (!word.startsWith("-")) break
    at++
    if (launcher.flags.includes(word)) continue
    const equals = word.startsWith("--") ? word.indexOf("=") : -1
    const name = equals < 0 ? word : word.slice(0, equals)
    const value = equals < 0 ? words[at++] : word.slice(equals + 1)
    // A value that looks like an option may be read as one.
    if (value === undefined || value === "" || value.startsWith("-")) return null
    if (launcher.packageOptions.includes(name)) packages.push(value)
    else if (launcher.registryOptions.includes(name)) registries.push(value)
    else if (!launcher.valued.includes(name)) return null
  }
  return { length: at, packages, registries }
}

function hasOptionAfter(args: readonly string[]): boolean {
  const end = args.indexOf("--")
  return args.slice(0, end < 0 ? args.length : end).some((word) => word.startsWith("-"))
}

const choosesCode = ({ ecosystem }: Launcher, variable: string): boolean =>
  REGISTRY_VARIABLES[ecosystem].includes(variable.toLowerCase())
