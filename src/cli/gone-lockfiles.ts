// `--base` where lockfiles are looked for: one that the base has and the tree has not would not be found, and what is left would pass.
import { existsSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { findLockfile, LOCKFILE_NAME } from "../adapters/lockfile-fs.js"
import { createFileLockfile } from "../adapters/lockfile-store.js"
import { isSearched } from "../adapters/lockfiles-below.js"
import type { LockfileStore } from "../ports.js"
import type { Io } from "./io.js"
import { findCommits } from "./open-base.js"

/** The stores that were found, and before them those that the base has besides: with `all` everywhere, else the nearest one from the working
 *  folder upwards. Throws as `openBase`. */
export async function withGoneLockfiles(
  stores: readonly LockfileStore[],
  { ref, all, io }: { ref: string; all: boolean; io: Io },
): Promise<readonly LockfileStore[]> {
  const top = findLockfile(io.cwd).gitRoot ?? io.cwd
  const there = (await namesAtBase(join(top, LOCKFILE_NAME), ref, io)).map((name) => join(top, name))
  const wanted = all ? there : there.filter((path) => isAround(path, io.cwd)).slice(-1) // of folders in each other, the inmost
  const gone = wanted.filter((path) => stores.every((store) => store.path !== path))
  if (gone.length === 0) return stores
  // Where the tree has none, what was found is only the place for one.
  return [...gone.map(createFileLockfile), ...stores.filter(({ path }) => existsSync(path))]
}

/** Lockfiles of the merge base that the base has still, the outer before the inner. */
async function namesAtBase(path: string, ref: string, io: Io): Promise<readonly string[]> {
  const { repository, commit, mergeBase } = await findCommits(path, ref, io)
  const [before, now] = [
    await repository.findFiles(mergeBase, LOCKFILE_NAME),
    await repository.findFiles(commit, LOCKFILE_NAME),
  ]
  return before.filter((name) => now.includes(name) && isSearched(name)).sort((a, b) => a.length - b.length)
}

const isAround = (path: string, folder: string): boolean => relative(dirname(path), folder).split(sep)[0] !== ".."
