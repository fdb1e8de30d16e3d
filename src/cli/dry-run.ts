// `--dry-run`: everything is read, checked and said as always, and nothing is written.
import { formatLockfile } from "../core/lockfile.js"
import type { LockfileStore } from "../ports.js"
import type { OptionSpec, Options } from "./options.js"

/** Option of every command that writes. */
export const DRY_RUN_OPTIONS: readonly OptionSpec[] = [["--dry-run", "Say what would be done, write nothing"]]

/** Member of a document; none unless it is a dry run. */
export const dryRunMember = (options: Options): { readonly dryRun?: true } =>
  options.flag("dry-run") ? { dryRun: true } : {}

/** The lockfile to change: on a dry run one that keeps nothing and refuses what the real one would refuse. */
export const lockfileToChange = (store: LockfileStore, options: Options): LockfileStore =>
  options.flag("dry-run") ? createDryLockfile(store) : store

const createDryLockfile = (store: LockfileStore): LockfileStore => ({
  ...store,
  update: async (change) => {
    const current = await store.read()
    const { lockfile, definitions = {} } = await change(current)
    await store.requireWritable(Object.keys(definitions))
    return current === null || formatLockfile(current) !== formatLockfile(lockfile)
  },
})
