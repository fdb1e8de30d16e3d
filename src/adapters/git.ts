// What is asked of git: which commit a name is, the merge base of two, and a file as it was at one. The repository may be a stranger's and so
// may its configuration: only plumbing is asked that reads objects and runs nothing, no name of ours is ever an option, and what a
// configuration or an environment could make git start is switched off (git-environment.ts). Nothing is fetched.
import { execFile } from "node:child_process"
import { realpathSync } from "node:fs"
import { basename, dirname, join, parse, posix, relative, sep } from "node:path"
import { type Bad, quote, ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { cleanEnvironment, type Environment, HARMLESS_SETTINGS } from "./git-environment.js"
import { findLockfile } from "./lockfile-fs.js"
import { errnoOf, quotePath } from "./regular-file.js"

/** A commit by its hash: 40 or 64 hex digits. */
export type CommitId = string & { readonly commit: unique symbol }

/** A repository around a folder, read only. */
export interface Repository {
  /** The commit that a revision names. Throws USAGE for a text that can be none, for one that git does not know, and for the name of
   *  several things. */
  resolve(revision: string): Promise<CommitId>
  /** The commits that are common ancestors of both and ancestors of no other such commit. */
  mergeBases(a: CommitId, b: CommitId): Promise<readonly CommitId[]>
  /** True where older commits may be missing, so that a merge base may be another one than in the whole history. */
  isShallow(): Promise<boolean>
  /** Bytes of the regular file at such a path as it was at a commit; null when nothing was there. Throws CONFIG_INVALID for a link, a
   *  folder and what is too large, IO_FAILED where the repository does not have the bytes. */
  readAt(commit: CommitId, path: string): Promise<Uint8Array | null>
  /** All files of that name at a commit, each as it is called in the repository. */
  findFiles(commit: CommitId, name: string): Promise<readonly string[]>
  /** An absolute path in or below the folder, as it is called in the repository: from its top, with slashes. */
  nameOf(path: string): string
}

const REVISION = /^[\p{L}\p{N}_][\p{L}\p{N}_./@{}^~+#-]*$/u
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const TIMEOUT_MS = 60_000

/** The repository whose work tree has this folder; links on the way to it are followed first. Throws USAGE outside git. `environment`: of
 *  the process; little of it reaches git. */
export function openRepository(folder: string, environment: Environment): Repository {
  const top = findTop(folder)
  const ask = (args: readonly string[]) => runGit(top, args, environment)
  const real = realFolder(folder)
  const nameOf = (path: string) => relative(top, join(real, relative(folder, path))).replaceAll(sep, "/")
  return {
    nameOf,
    resolve: async (revision) => {
      if (!REVISION.test(revision)) throw new ToolsumError("USAGE", `expected a git revision, got ${quote(revision)}`)
      const unknown = () => new ToolsumError("USAGE", `git knows no revision ${quote(revision)} here`)
      const { code, stdout, stderr } = await ask(["rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`])
      if (code !== 0) throw unknown()
      // A tag called as a branch is would be taken in its place.
      if (stderr.includes("is ambiguous"))
        throw new ToolsumError(
          "USAGE",
          `git knows more than one ${quote(revision)}: write refs/heads/…, refs/remotes/… or refs/tags/…`,
        )
      return readCommit(stdout.toString("latin1").trim(), unknown)
    },
    mergeBases: async (a, b) => {
      const { code, stdout } = await ask(["merge-base", "--all", a, b])
      if (code > 1) throw unreadable("the history of both commits")
      const lines = stdout.toString("latin1").split("\n")
      return lines.flatMap((line) => (line === "" ? [] : [readCommit(line, () => unreadable("a merge base"))]))
    },
    isShallow: async () => {
      const { code, stdout } = await ask(["rev-parse", "--is-shallow-repository"])
      if (code !== 0) throw unreadable("whether its history is whole")
      return stdout.toString("latin1").trim() !== "false"
    },
    readAt: (commit, path) => readBlob(ask, commit, nameOf(path)),
    findFiles: async (commit, name) => {
      const { code, stdout } = await ask(["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit])
      if (code !== 0) throw unreadable(`the tree of ${commit.slice(0, 12)}`)
      const files = stdout.toString("utf8").split("\0")
      return files.filter((file) => posix.basename(file) === name)
    },
  }
}

/** Bytes of the file at `path` at a git revision; null when it was not there. Throws as `Repository`. */
export async function readAtRevision(
  revision: string,
  path: string,
  environment: Environment,
): Promise<Uint8Array | null> {
  const repository = openRepository(dirname(path), environment)
  return repository.readAt(await repository.resolve(revision), path)
}

/** The folder that has `.git`. Git's own search would also take a folder that only looks like a bare repository, which a commit can hold. */
function findTop(folder: string): string {
  const top = findLockfile(realFolder(folder)).gitRoot
  if (top === null)
    throw new ToolsumError("USAGE", `git knows no revision here: no repository around ${quotePath(folder)}`)
  return top
}

/** Where a folder really is; one that is gone was where the folder around it is. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT" && dirname(folder) !== folder)
      return join(realFolder(dirname(folder)), basename(folder))
    throw new ToolsumError("USAGE", `expected a folder at ${quotePath(folder)}`, { cause })
  }
}

type Ask = (
  args: readonly string[],
) => Promise<{ readonly code: number; readonly stdout: Buffer; readonly stderr: Buffer }>

const runGit = (top: string, args: readonly string[], environment: Environment): ReturnType<Ask> =>
  new Promise((resolve, reject) => {
    // Started in the root folder: some systems look for programs in the working folder first.
    const options = { cwd: parse(top).root, env: cleanEnvironment(environment, top), encoding: "buffer" as const }
    const limits = { maxBuffer: MAX_JSON_BYTES + 1024, timeout: TIMEOUT_MS, windowsHide: true }
    const words = ["--no-pager", "-C", top, ...HARMLESS_SETTINGS.flatMap((setting) => ["-c", setting]), ...args]
    execFile("git", words, { ...options, ...limits }, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr })
      else if (typeof error.code === "number") resolve({ code: error.code, stdout, stderr })
      else reject(describeFailure(error))
    })
  })

function describeFailure(error: Error): ToolsumError {
  const code = errnoOf(error)
  if (code === "ENOENT") return new ToolsumError("USAGE", "git cannot be started: is it on the path?", { cause: error })
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
    return new ToolsumError("CONFIG_INVALID", `git: expected a file of at most ${MAX_JSON_BYTES} bytes`)
  return new ToolsumError("IO_FAILED", `git did not answer: ${code ?? "it was ended"}`, { cause: error })
}

const unreadable = (what: string): ToolsumError => new ToolsumError("IO_FAILED", `git could not read ${what}`)

function readCommit(text: string, fault: () => ToolsumError): CommitId {
  if (!COMMIT.test(text)) throw fault()
  return text as CommitId // has its form
}

/** One entry of a tree as `ls-tree -z` prints it. */
const ENTRY = /^(\d{6}) ([a-z]+) ([0-9a-f]{40,64})\t/

async function readBlob(ask: Ask, commit: CommitId, name: string): Promise<Uint8Array | null> {
  const bad: Bad = (why) => new ToolsumError("CONFIG_INVALID", `${quotePath(name)} at ${commit.slice(0, 12)}: ${why}`)
  const listed = await ask(["ls-tree", "-z", "--full-tree", commit, "--", name])
  if (listed.code !== 0) throw unreadable(`the tree of ${commit.slice(0, 12)}`)
  if (listed.stdout.length === 0) return null
  const [, mode, , hash] = ENTRY.exec(listed.stdout.toString("latin1")) ?? []
  if (hash === undefined || (mode !== "100644" && mode !== "100755"))
    throw bad(`expected a regular file, got mode ${mode ?? "none"}`)
  const { code, stdout } = await ask(["cat-file", "blob", hash])
  if (code !== 0)
    throw new ToolsumError("IO_FAILED", `git has no bytes of ${quotePath(name)}: fetch the whole repository`)
  if (stdout.length > MAX_JSON_BYTES) throw bad(`expected at most ${MAX_JSON_BYTES} bytes`)
  return new Uint8Array(stdout)
}
