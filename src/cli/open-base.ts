// `--base REF`: what a git revision vouches for, such as the branch that a pull request goes to. Roots and settings come from it, since those of
// the working tree are under test themselves (DESIGN 8); pins and logs are compared with the merge base. What a difference means is
// features/base-gate.ts's.
import { lstatSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { definitionsPath } from "../adapters/definitions-fs.js"
import type { CommitId, Repository } from "../adapters/git.js"
import { findLockfile } from "../adapters/lockfile-fs.js"
import { readProjectSettings } from "../adapters/settings-fs.js"
import type { BaseReport } from "../core/base-report.js"
import { quote, ToolsumError } from "../core/errors.js"
import { type Lockfile, parseLockfile } from "../core/lockfile.js"
import type { PinnedRoot } from "../core/root.js"
import { NO_SETTINGS_FILE, parseSettings, SETTINGS_NAME, type SettingsFile } from "../core/settings.js"
import type { ServerVerdict } from "../core/verdict.js"
import { compareWithBase, type Departure, judgeDeparture } from "../features/base-gate.js"
import { findContradictions } from "../features/base-gate-logs.js"
import { isSamePin } from "../features/merge-pins.js"
import { findPin } from "../features/pins.js"
import { kindOfBytes } from "./file-kind.js"
import type { Io } from "./io.js"

/** The commits of a base. */
export interface BaseCommits {
  readonly repository: Repository
  readonly ref: string
  readonly commit: CommitId
  readonly mergeBase: CommitId
}

/** A base as far as it can be judged before the evidence of the lockfile is. */
export interface OpenedBase extends Departure {
  readonly ownRoots: readonly PinnedRoot[]
  /** Everything that the base says, with the verdicts on the pins. */
  report(servers: readonly ServerVerdict[]): BaseReport
  /** Logs whose heads contradict those of the base. */
  readonly contradictions: ReturnType<typeof findContradictions>
  /** True where the base has a lockfile. */
  readonly hadLockfile: boolean
}

/** A lockfile and its definitions in the tree under test: null where missing; `definitions` is undefined where nobody asks for them. */
export interface TreeFiles {
  readonly lockfile: Lockfile | null
  readonly definitions: Readonly<Record<string, Uint8Array | null>> | undefined
}

/** What was asked: which lockfile, which revision, what was accepted. */
export interface BaseQuestion {
  readonly path: string
  readonly ref: string
  readonly accepted: ReadonlySet<string>
  readonly io: Io
}

/** Hold a lockfile to a revision. Throws USAGE for one that git does not know and where no merge base can be found; CONFIG_INVALID for
 *  settings that cannot be read and for links; LOCKFILE_MALFORMED for a lockfile of the base that is none; IO_FAILED. */
export async function openBase({ path, ref, accepted, io }: BaseQuestion, tree: TreeFiles): Promise<OpenedBase> {
  await refuseLinks(path, io)
  const commits = await findCommits(path, ref, io)
  const { repository, commit, mergeBase } = commits
  const [base, atRef] = [await readLockfileAt(commits, mergeBase, path), await readLockfileAt(commits, commit, path)]
  const missing = Object.entries(tree.definitions ?? {}).flatMap(([name, bytes]) => (bytes === null ? [name] : []))
  const settings = {
    base: await readSettingsAt(commits, mergeBase, path),
    atRef: await readSettingsAt(commits, commit, path),
    tree: readProjectSettings(path),
  }
  const lockfile = repository.nameOf(path)
  const departure = compareWithBase({
    lockfile,
    lockfiles: { base, atRef, tree: tree.lockfile },
    settings,
    missingDefinitions: await findNewlyMissing(missing, { base, tree: tree.lockfile }, commits, path),
    accepted,
  })
  const ownRoots = settings.atRef.settings.roots.map((root) => ({ ...root, source: "base" as const }))
  return {
    ...departure,
    ownRoots: [...ownRoots, ...departure.roots],
    hadLockfile: base !== null,
    contradictions: findContradictions((atRef ?? base)?.logs ?? {}, tree.lockfile?.logs ?? {}),
    report: (servers) => ({ lockfile, ref, commit, mergeBase, findings: judgeDeparture(departure, servers) }),
  }
}

/** Roots that a base names, for lockfiles that are not compared with it. Throws as `openBase`. */
export async function readBaseRoots(ref: string, path: string, io: Io): Promise<readonly PinnedRoot[]> {
  const { openRepository } = await import("../adapters/git.js")
  const repository = openRepository(dirname(path), io.env)
  const commit = await repository.resolve(ref)
  const before = await repository.readAt(commit, path)
  if (before !== null && kindOfBytes(before, path) !== "legion-lockfile")
    throw new ToolsumError("CONFIG_INVALID", `--base: expected the lockfile that ${quote(ref)} has, got another kind`)
  const { settings } = await readSettingsAt({ repository, ref }, commit, path)
  return settings.roots.map((root) => ({ ...root, source: "base" as const }))
}

/** The commits of a base. Throws as `openBase`. */
export async function findCommits(path: string, ref: string, io: Io): Promise<BaseCommits> {
  const { openRepository } = await import("../adapters/git.js") // starts processes: loaded only when asked for
  const repository = openRepository(dirname(path), io.env)
  const commit = await repository.resolve(ref)
  const mergeBase = await findMergeBase(repository, ref, commit, await repository.resolve("HEAD"))
  return { repository, ref, commit, mergeBase }
}

/** The commit that the tree was made from. Of several, none tells what the tree changes: then the base itself is compared. */
async function findMergeBase(repository: Repository, ref: string, commit: CommitId, head: CommitId): Promise<CommitId> {
  const [first, ...more] = await repository.mergeBases(commit, head)
  if (first === commit) return commit
  const isShallow = await repository.isShallow()
  if (first !== undefined && !isShallow) return more.length === 0 ? first : commit
  const why = isShallow
    ? "this clone has only a part of the history; fetch all of it (git fetch --unshallow, fetch-depth: 0)"
    : "the two have no common ancestor"
  throw new ToolsumError("USAGE", `git finds no merge base of ${quote(ref)} and HEAD: ${why}`)
}

/** What is compared is what lies in the repository: a link, or another repository inside this one, could bring a base of its own. Throws
 *  CONFIG_INVALID. */
async function refuseLinks(path: string, io: Io): Promise<void> {
  await refuseOtherRepository(dirname(path), io.cwd)
  for (const file of [path, join(dirname(path), SETTINGS_NAME)])
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new ToolsumError(
        "CONFIG_INVALID",
        `--base: expected a regular file at ${quote(file, 400)}, got a symbolic link`,
      )
}

async function refuseOtherRepository(folder: string, cwd: string): Promise<void> {
  const { realFolder } = await import("../adapters/git.js")
  const top = findLockfile(cwd).gitRoot
  if (top === null || relative(top, folder).split(sep)[0] === "..") return
  const isLinked = realFolder(folder) !== join(realFolder(top), relative(top, folder))
  if (isLinked || findLockfile(folder).gitRoot !== top)
    throw new ToolsumError(
      "CONFIG_INVALID",
      `--base: expected a folder of the repository at ${quote(top, 400)}, got ${isLinked ? "a symbolic link" : "another repository"} on the way to ${quote(folder, 400)}`,
    )
}

async function readLockfileAt(
  { repository, ref }: BaseCommits,
  commit: CommitId,
  path: string,
): Promise<Lockfile | null> {
  const bytes = await repository.readAt(commit, path)
  try {
    return bytes === null ? null : parseLockfile(bytes)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    throw new ToolsumError(error.code, `the lockfile at ${quote(ref)}: ${error.message}`, { cause: error })
  }
}

async function readSettingsAt(
  { repository, ref }: Pick<BaseCommits, "repository" | "ref">,
  commit: CommitId,
  path: string,
): Promise<SettingsFile> {
  const bytes = await repository.readAt(commit, join(dirname(path), SETTINGS_NAME))
  return bytes === null ? NO_SETTINGS_FILE : parseSettings(bytes, `${SETTINGS_NAME} at ${ref}`)
}

/** Of the pins without a definitions file, those that had one at the merge base, or that were other pins there. */
async function findNewlyMissing(
  names: readonly string[],
  { base, tree }: { base: Lockfile | null; tree: Lockfile | null },
  { repository, mergeBase }: BaseCommits,
  path: string,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of names) {
    const [before, now] = [findPin(base, name), findPin(tree, name)]
    const isOld = before !== null && now !== null && isSamePin(before, now)
    if (!isOld || (await repository.readAt(mergeBase, definitionsPath(path, name))) !== null) found.push(name)
  }
  return found
}
