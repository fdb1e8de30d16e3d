// The project that a command works on: its lockfile, and the roots that the user trusts from outside it (DESIGN 7 and 8).
import { join, resolve } from "node:path"
import { findLockfile, LOCKFILE_NAME } from "../adapters/lockfile-fs.js"
import { createFileLockfile } from "../adapters/lockfile-store.js"
import { createFileTrustStore, pinnedRoots, type TrustStore } from "../adapters/trust-fs.js"
import { findUserDirs } from "../adapters/user-dirs.js"
import { ToolsumError } from "../core/errors.js"
import { type PinnedRoot, parseRootArgument } from "../core/root.js"
import type { LockfileStore } from "../ports.js"
import type { Io } from "./io.js"
import type { OptionSpec, Options } from "./options.js"

/** Options of every command that works on a lockfile. */
export const LOCKFILE_OPTIONS: readonly OptionSpec[] = [
  ["--lock <file>", "Lockfile to use; without it the nearest toolsum.lock.json up to the git root"],
]

/** Options of every command that proves something. */
export const ROOT_OPTIONS: readonly OptionSpec[] = [
  ["--root <fingerprint>", "Root to trust, [LOG=]SHA256:…; repeatable; also TOOLSUM_ROOT and the trust store"],
]

/** The lockfile of the project, existing or not: `--lock`, the nearest one, or one at the git root or here. */
export async function findProjectLockfile(options: Options, io: Io): Promise<LockfileStore> {
  const given = options.value("lock")
  if (given !== null) return createFileLockfile(resolve(io.cwd, given))
  const found = findLockfile(io.cwd)
  return createFileLockfile(found.lockfile ?? join(found.gitRoot ?? io.cwd, LOCKFILE_NAME))
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
