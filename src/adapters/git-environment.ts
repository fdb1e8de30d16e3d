// Under which circumstances git is started on a repository that may be a stranger's. The commands that are asked (git.ts) run nothing by
// themselves; this switches off what a configuration, a variable or a program in the work tree could still make of them.
import { delimiter, isAbsolute, relative, sep } from "node:path"

/** Variables of a process by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Settings that win over those of the repository. */
export const HARMLESS_SETTINGS: readonly string[] = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.sshCommand=false",
  "core.askPass=",
  "core.alternateRefsCommand=false",
  "core.pager=cat",
  "core.editor=false",
  "credential.helper=",
  "diff.external=",
  "protocol.allow=never",
  // A cache of the history that is believed without looking at the commits.
  "core.commitGraph=false",
  "core.warnAmbiguousRefs=true",
  "submodule.recurse=false",
  // A folder of the work tree that looks like a repository is none.
  "safe.bareRepository=explicit",
]

/** Variables that git needs to find itself and the user's own configuration, in which people say whose repositories they read. */
const KEPT = ["HOME", "XDG_CONFIG_HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP"]

const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  // Objects that a partial clone left behind are missing, and nobody is asked for them.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
  // Commits are what they say, not what a ref or a file says in their place.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_ASKPASS: "",
  GIT_ATTR_NOSYSTEM: "1",
}

/** The environment for git: nothing of the process's but a few variables, and no program from the work tree at `top`. */
export function cleanEnvironment(environment: Environment, top: string): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const path = (environment.PATH ?? environment.Path ?? "").split(delimiter).filter((folder) => isOutside(folder, top))
  return { ...Object.fromEntries(kept), ...FIXED, PATH: path.join(delimiter) }
}

/** Package managers put folders of the project on the path, where a commit may hold a program called git. */
function isOutside(folder: string, top: string): boolean {
  if (!isAbsolute(folder)) return false
  const way = relative(top, folder)
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)
}
