// The project that a command works on: its lockfile, and the roots that the user trusts from outside it (DESIGN 7 and 8).
import { join, resolve } from "node:path"
import { findLockfile, LOCKFILE_NAME } from "../adapters/lockfile-fs.js"
import { createFileLockfile } from "../adapters/lockfile-store.js"
import { createFileTrustStore, pinnedRoots, type TrustStore } from "../adapters/trust-fs.js"
import { findUserDirs } from "../adapters/user-dirs.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { JsonObject } from "../core/json.js"
import type { Policy } from "../core/policy.js"
import { type PinnedRoot, parseRootArgument } from "../core/root.js"
import type { LockfileStore } from "../ports.js"
import type { Io } from "./io.js"
import type { OptionSpec, Options } from "./options.js"

const USER_OPTION: OptionSpec = ["--user", "Your own lockfile, in your configuration folder, instead of the project's"]

/** Options of every command that works on a lockfile. */
export const LOCKFILE_OPTIONS: readonly OptionSpec[] = [
  ["--lock <file>", "Lockfile to use; without it the nearest toolsum.lock.json up to the git root"],
  USER_OPTION,
]

/** The same for commands that report on several. */
export const LOCKFILES_OPTIONS: readonly OptionSpec[] = [
  ["--lock <file>", "Lockfile to use, repeatable; without it the nearest toolsum.lock.json up to the git root"],
  USER_OPTION,
]

/** Options of every command that proves something. */
export const ROOT_OPTIONS: readonly OptionSpec[] = [
  ["--root <fingerprint>", "Root to trust, [LOG=]SHA256:…; repeatable; also TOOLSUM_ROOT and the trust store"],
]

/** Options of commands that hold every head to a policy of the user's own. */
export const WITNESS_POLICY_OPTIONS: readonly OptionSpec[] = [
  [
    "--witness-policy <file>",
    "A tlog-policy: cosignatures that every head must have, beyond those its own log asks for",
  ],
]

/** The lockfile of the project, existing or not: `--lock`, the nearest one, or one at the git root or here; with `--user` the user's.
 *  Throws USAGE for both options. */
export async function findProjectLockfile(options: Options, io: Io): Promise<LockfileStore> {
  if (isUserLockfile(options)) return openUserLockfile(io)
  const given = options.value("lock")
  return given === null ? findNearestLockfile(io) : openLockfileAt(given, io)
}

/** Every lockfile that `--lock` names, or the project's, or with `--user` the user's; at least one. Throws USAGE for both options. */
export function findProjectLockfiles(options: Options, io: Io): readonly LockfileStore[] {
  if (isUserLockfile(options)) return [openUserLockfile(io)]
  const paths = new Set(options.values("lock").map((path) => resolve(io.cwd, path)))
  return paths.size === 0 ? [findNearestLockfile(io)] : [...paths].map(createFileLockfile)
}

/** The same for a command that may hold them to `--base`: with those that it has and the tree has not. Throws as `openBase`. */
export async function findHeldLockfiles(options: Options, io: Io): Promise<readonly LockfileStore[]> {
  const stores = findProjectLockfiles(options, io)
  return isUserLockfile(options) || options.values("lock").length > 0 ? stores : withGone(stores, false, options, io)
}

/** Every lockfile below the git root, or below the working folder outside git; of `--base`, too. Throws FILE_MISSING for none, USAGE for too
 *  large a tree. */
export async function findAllLockfiles(options: Options, io: Io): Promise<readonly LockfileStore[]> {
  const { findLockfilesBelow } = await import("../adapters/lockfiles-below.js")
  const root = findLockfile(io.cwd).gitRoot ?? io.cwd
  const stores = await withGone(findLockfilesBelow(root).map(createFileLockfile), true, options, io)
  if (stores.length > 0) return stores
  throw new ToolsumError("FILE_MISSING", `expected a ${LOCKFILE_NAME} below ${quote(root, 400)}`)
}

async function withGone(stores: readonly LockfileStore[], all: boolean, options: Options, io: Io) {
  const ref = options.value("base")
  return ref === null ? stores : (await import("./gone-lockfiles.js")).withGoneLockfiles(stores, { ref, all, io })
}

/** The lockfile at a path as it was typed. */
export const openLockfileAt = (path: string, io: Io): LockfileStore => createFileLockfile(resolve(io.cwd, path))

function findNearestLockfile(io: Io): LockfileStore {
  const found = findLockfile(io.cwd)
  return createFileLockfile(found.lockfile ?? join(found.gitRoot ?? io.cwd, LOCKFILE_NAME))
}

/** True for the user's own lockfile, which no `--lock` can name as well. Throws USAGE. */
export function isUserLockfile(options: Options): boolean {
  if (options.flag("user") && options.values("lock").length > 0)
    throw new ToolsumError("USAGE", "expected one of --user and --lock, not both")
  return options.flag("user")
}

/** The user's own lockfile, which need not exist: pins of servers that this account starts whatever the project. */
export function openUserLockfile(io: Io): LockfileStore {
  const { config } = findUserDirs(io.env, io.platform)
  const store = createFileLockfile(join(config, LOCKFILE_NAME))
  const requireWritable = async (pins: readonly string[]) => {
    await (await import("../adapters/durable-file.js")).makePrivateDirectory(config)
    await store.requireWritable(pins)
  }
  return { ...store, requireWritable }
}

/** The user's trust store. */
export const openTrustStore = (io: Io): TrustStore =>
  createFileTrustStore(join(findUserDirs(io.env, io.platform).config, "trust.json"), io.nowSec)

/** Every root the user trusts: by `--root`, by TOOLSUM_ROOT, in the trust store. Throws KEY_MALFORMED, STATE_CORRUPT. */
export async function collectRoots(options: Options, io: Io): Promise<readonly PinnedRoot[]> {
  const read = (text: string, source: PinnedRoot["source"]): PinnedRoot => ({ ...parseRoot(text, source), source })
  return [
    ...options.values("root").map((text) => read(text, "flag")),
    ...(io.env.TOOLSUM_ROOT ?? "")
      .split(" ")
      .filter((text) => text !== "")
      .map((text) => read(text, "env")),
    ...pinnedRoots(await openTrustStore(io).list()),
  ]
}

/** The policy that `--witness-policy` names, which heads are held to beside their own; null without the option. Throws FILE_MISSING and as
 *  `parsePolicy`. */
export async function collectWitnessPolicy(options: Options, io: Io): Promise<Policy | null> {
  const file = options.value("witness-policy")
  return file === null ? null : (await import("./witness-policy.js")).readWitnessPolicy(file, io)
}

/** Say on stderr what that policy tolerates; a document has `witnessPolicyMembers`. Call it before anything is read or started, since it refuses a
 *  bad file. Throws as `collectWitnessPolicy`. */
export async function announceWitnessPolicy(options: Options, io: Io): Promise<void> {
  const [file, policy] = [options.value("witness-policy"), await collectWitnessPolicy(options, io)]
  if (file === null || policy === null || options.flag("json") || options.flag("quiet")) return
  io.stderr((await import("./witness-policy.js")).describeWitnessPolicy(file, policy))
}

/** The same as members of a document; none without the option. */
export async function witnessPolicyMembers(options: Options, io: Io): Promise<{ readonly witnessPolicy?: JsonObject }> {
  const [file, policy] = [options.value("witness-policy"), await collectWitnessPolicy(options, io)]
  if (file === null || policy === null) return {}
  return { witnessPolicy: (await import("./witness-policy.js")).witnessPolicyMember(file, policy) }
}

function parseRoot(text: string, source: "flag" | "env" | PinnedRoot["source"]) {
  try {
    return parseRootArgument(text)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    throw new ToolsumError("USAGE", `${source === "env" ? "TOOLSUM_ROOT" : "--root"}: ${error.message}`, {
      cause: error,
    })
  }
}
