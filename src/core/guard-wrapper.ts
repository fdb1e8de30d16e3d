// A launch line behind our own guard, `toolsum guard … -- COMMAND…`, is that of the server it starts: clients' files hold the wrapped one,
// pins the other. Only what surely is our guard counts, by its bare name or as a package by name: a program at a path is not ours to know.
import { parseLaunch } from "./launchers.js"
import { parsePackageSpec } from "./package-spec.js"
import type { CommandTarget } from "./target.js"

/** What a launch line starts in the end. `pin`: the server of a pin, from the lockfile of the project or, with `isOfUser`, of the user.
 *  `problem`: a guard that starts what cannot be told. */
export type Unwrapped =
  | { readonly isGuarded: boolean; readonly command: string; readonly args: readonly string[] }
  | { readonly isGuarded: true; readonly url: string; readonly headers: readonly (readonly [string, string])[] }
  | { readonly isGuarded: true; readonly pin: string; readonly isOfUser: boolean }
  | { readonly isGuarded: true; readonly problem: string }

/** Options of the guard, by whether a value follows. */
const VALUED = ["--mode", "--name", "--to", "--listen", "--header", "--lock", "--report"]
const FLAGS = ["--once", "--user"]

/** Take the guard off a launch line; any other is given back as it is. Pure. */
export function unwrapGuard(line: CommandTarget): Unwrapped {
  const words = guardWords(line)
  return words === null ? { isGuarded: false, command: line.command, args: line.args } : readGuard(words)
}

/** What cmd.exe reads as more than a word: it may start another program there. */
const READ_BY_CMD = /[&|<>^%!()\r\n"]/

/** The words after `guard`, or null for what is no guard of ours. */
function guardWords(line: CommandTarget): readonly string[] | null {
  const behindShell = /^cmd(?:\.exe)?$/.test(line.command) && /^\/[cC]$/.test(line.args[0] ?? "")
  if (behindShell && line.args.some((word) => READ_BY_CMD.test(word))) return null
  const [program = "", ...args] = behindShell ? line.args.slice(1) : [line.command, ...line.args]
  const words = /^toolsum(?:\.cmd|\.exe)?$/.test(program) ? args : packageWords(line)
  return words?.[0] === "guard" ? words.slice(1) : null
}

/** The arguments of our program behind `npx` and its like; null for another package, program, registry or kind of source. */
function packageWords(line: CommandTarget): readonly string[] | null {
  const launch = parseLaunch(line)
  if (launch === null || launch.launcher.ecosystem !== "npm" || launch.registry !== null) return null
  if (parsePackageSpec("npm", launch.spec)?.name !== "toolsum") return null
  if (!launch.isNamed) return launch.args
  // `npx -p toolsum guard` runs any program of the name guard.
  return launch.args[0] === "toolsum" ? launch.args.slice(1) : null
}

const problem = (what: string): Unwrapped => ({ isGuarded: true, problem: `expected a toolsum guard with ${what}` })

function readGuard(words: readonly string[]): Unwrapped {
  const options = new Map<string, readonly string[]>()
  const flags = new Set<string>()
  const pins: string[] = []
  let at = 0
  for (; at < words.length && words[at] !== "--"; at++) {
    const [name = "", ...rest] = (words[at] ?? "").split("=")
    if (!name.startsWith("-")) pins.push(words[at] ?? "")
    else if (FLAGS.includes(name) && rest.length === 0) flags.add(name)
    else {
      const value = rest.length > 0 ? rest.join("=") : words[++at]
      // A value that looks like an option may be read as one.
      if (!VALUED.includes(name) || value === undefined || value.startsWith("-"))
        return problem("options that are known")
      options.set(name, [...(options.get(name) ?? []), value])
    }
  }
  // What a pin of another lockfile starts is not ours to know.
  if (pins.length > 0 && options.has("--lock")) return problem("a pin of the own lockfile")
  const servers = { pins, isOfUser: flags.has("--user"), urls: options.get("--to") ?? [], launch: words.slice(at + 1) }
  return readGuarded(servers, options.get("--header") ?? [])
}

interface Guarded {
  readonly pins: readonly string[]
  readonly isOfUser: boolean
  readonly urls: readonly string[]
  readonly launch: readonly string[]
}

/** The one server of a guard, however it is named. */
function readGuarded({ pins, isOfUser, urls, launch }: Guarded, headers: readonly string[]): Unwrapped {
  const [command, ...args] = launch
  const isGuarded = true
  const servers: readonly Unwrapped[] = [
    ...pins.map((pin) => ({ isGuarded, pin, isOfUser }) as const),
    ...urls.map((url) => ({ isGuarded, url, headers: headers.map(splitHeader) }) as const),
    ...(command === undefined ? [] : [{ isGuarded, command, args }]),
  ]
  const [server, ...others] = servers
  return server === undefined || others.length > 0 ? problem("one server") : server
}

/** `Name: value`; without a colon the name is left as it is, and no header has such a one. */
function splitHeader(header: string): readonly [string, string] {
  const colon = header.indexOf(":")
  return colon < 0 ? [header, ""] : [header.slice(0, colon).trim(), header.slice(colon + 1).trim()]
}
