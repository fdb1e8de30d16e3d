// `--base REF`: what a git revision vouches for, such as the branch that a pull request goes to. Its `toolsum.json` may name roots; the one
// in the working tree never does, since that is the tree under test (DESIGN 8).
import { dirname, join } from "node:path"
import { decodeUtf8 } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonValue, parseJson } from "../core/json.js"
import { type PinnedRoot, parseRootArgument } from "../core/root.js"
import type { OptionSpec } from "./options.js"

/** Options of commands that hold a project to an earlier revision of it. */
export const BASE_OPTIONS: readonly OptionSpec[] = [
  ["--base <ref>", "Git revision to trust: roots of its toolsum.json count, and definitions must be there"],
]

/** Name of a project's settings. */
const SETTINGS_NAME = "toolsum.json"

/** Roots that `toolsum.json` beside the lockfile names at the git revision `ref`; none where there is no such file. Other members are
 *  not looked at. Throws USAGE for a revision that git does not know, CONFIG_INVALID for a file that is no list of roots. */
export async function readBaseRoots(ref: string, lockfilePath: string): Promise<readonly PinnedRoot[]> {
  const { readAtRevision } = await import("../adapters/git.js") // starts processes: loaded only when asked for
  const bytes = await readAtRevision(ref, join(dirname(lockfilePath), SETTINGS_NAME))
  return bytes === null ? [] : parseRoots(bytes, `${SETTINGS_NAME} at ${ref}`)
}

function parseRoots(bytes: Uint8Array, where: string): readonly PinnedRoot[] {
  const bad = (why: string, cause?: unknown) => new ToolsumError("CONFIG_INVALID", `${where}: ${why}`, { cause })
  const settings = readJson(decodeUtf8(bytes, bad), bad)
  if (!isObject(settings)) throw bad("expected an object")
  const { roots = [] } = settings
  if (!isArray(roots)) throw bad("expected roots to be a list")
  return roots.map((root) => parseRoot(root, bad))
}

type BadSettings = (why: string, cause?: unknown) => ToolsumError

function readJson(text: string, bad: BadSettings): JsonValue {
  try {
    return parseJson(text)
  } catch (error) {
    throw error instanceof ToolsumError ? bad(error.message, error) : error
  }
}

function parseRoot(root: JsonValue, bad: BadSettings): PinnedRoot {
  if (typeof root !== "string") throw bad(`expected roots to be texts, got ${quote(String(root))}`)
  try {
    return { ...parseRootArgument(root), source: "base" }
  } catch (error) {
    throw error instanceof ToolsumError ? bad(error.message, error) : error
  }
}
