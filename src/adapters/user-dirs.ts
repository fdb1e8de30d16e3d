// Where the user's own files are: XDG folders on Linux, ~/Library on macOS, %APPDATA% on Windows; TOOLSUM_HOME puts everything below
// one folder. Pure: environment and platform are arguments (STYLE, Layers).
import { posix, win32 } from "node:path"
import { ToolsumError } from "../core/errors.js"
import { quotePath } from "./regular-file.js"

/** Absolute folders, which need not exist. */
export interface UserDirs {
  /** Keys, trust store, consent store. */
  readonly config: string
  /** The personal log. */
  readonly data: string
  /** Newest verified heads. */
  readonly state: string
  /** What can be fetched again. */
  readonly cache: string
}

type Env = Readonly<Record<string, string | undefined>>

/** The user's folders on this platform. Throws CONFIG_INVALID when the environment names no home folder, or TOOLSUM_HOME is relative. */
export function findUserDirs(env: Env, platform: NodeJS.Platform): UserDirs {
  if (env.TOOLSUM_HOME) return dirsBelow(env.TOOLSUM_HOME, platform)
  if (platform === "win32") return windowsDirs(env)
  const home = absolute(env.HOME, posix.isAbsolute)
  if (home === null) throw new ToolsumError("CONFIG_INVALID", "expected HOME or TOOLSUM_HOME to name a folder")
  if (platform === "darwin") {
    const support = posix.join(home, "Library", "Application Support", "toolsum")
    const cache = posix.join(home, "Library", "Caches", "toolsum")
    return { config: support, data: posix.join(support, "data"), state: posix.join(support, "state"), cache }
  }
  // The XDG specification: a relative value is to be ignored.
  const base = (value: string | undefined, ...fallback: readonly string[]) =>
    posix.join(absolute(value, posix.isAbsolute) ?? posix.join(home, ...fallback), "toolsum")
  return {
    config: base(env.XDG_CONFIG_HOME, ".config"),
    data: base(env.XDG_DATA_HOME, ".local", "share"),
    state: base(env.XDG_STATE_HOME, ".local", "state"),
    cache: base(env.XDG_CACHE_HOME, ".cache"),
  }
}

const absolute = (value: string | undefined, isAbsolute: (path: string) => boolean): string | null =>
  value && isAbsolute(value) ? value : null

function dirsBelow(home: string, platform: NodeJS.Platform): UserDirs {
  const path = platform === "win32" ? win32 : posix
  if (!path.isAbsolute(home)) {
    throw new ToolsumError("CONFIG_INVALID", `expected TOOLSUM_HOME to be an absolute path, got ${quotePath(home)}`)
  }
  const below = (name: string) => path.join(home, name)
  return { config: below("config"), data: below("data"), state: below("state"), cache: below("cache") }
}

function windowsDirs(env: Env): UserDirs {
  const profile = absolute(env.USERPROFILE, win32.isAbsolute)
  const fallback = (name: string) => (profile === null ? null : win32.join(profile, "AppData", name))
  const roaming = absolute(env.APPDATA, win32.isAbsolute) ?? fallback("Roaming")
  const local = absolute(env.LOCALAPPDATA, win32.isAbsolute) ?? fallback("Local")
  if (roaming === null || local === null) {
    throw new ToolsumError("CONFIG_INVALID", "expected APPDATA, USERPROFILE or TOOLSUM_HOME to name a folder")
  }
  const below = (name: string) => win32.join(local, "toolsum", name)
  return { config: win32.join(roaming, "toolsum"), data: below("data"), state: below("state"), cache: below("cache") }
}
