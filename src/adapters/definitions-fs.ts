// Approved definitions beside the lockfile, `.mcp-tools/<pin>.json` (DESIGN 7). Only files are handled here; their format, and whether
// they match a pin, is core/definitions.ts's.
import { lstatSync, mkdirSync, type Stats } from "node:fs"
import { dirname, join } from "node:path"
import { equalBytes } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { isPinName } from "../core/pin.js"
import { ioFailed, quotePath, readRegularFile } from "./regular-file.js"

/** Folder of the definitions, beside the lockfile. */
export const DEFINITIONS_FOLDER = ".mcp-tools"

/** Path of the definitions of pin `name`. Throws USAGE for what is no pin name. */
export function definitionsPath(lockfile: string, name: string): string {
  if (!isPinName(name)) throw new ToolsumError("USAGE", `expected a pin name, got ${quote(name)}`)
  return join(dirname(lockfile), DEFINITIONS_FOLDER, `${name}.json`)
}

/** Definitions of each pin, null where there is no file. A folder or a file too large to be definitions reads as no bytes, which match
 *  nothing. Throws USAGE for what is no pin name, IO_FAILED. */
export function readDefinitions(
  lockfile: string,
  names: readonly string[],
): Readonly<Record<string, Uint8Array | null>> {
  return Object.fromEntries(names.map((name) => [name, readOne(definitionsPath(lockfile, name))]))
}

function readOne(path: string): Uint8Array | null {
  try {
    return readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "DEFINITIONS_MALFORMED" })
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "DEFINITIONS_MALFORMED") return new Uint8Array(0)
    throw error
  }
}

/** Refuse a place where the definitions of these pins could not be written or removed: a link instead of their folder, since a
 *  repository could point it anywhere, a file instead of it, a folder instead of one of the files. Throws CONFIG_INVALID, and USAGE for
 *  what is no pin name. */
export function requireDefinitionsPlace(lockfile: string, names: readonly string[]): void {
  for (const path of names.map((name) => definitionsPath(lockfile, name))) {
    requireFolder(dirname(path))
    if (statusOf(path)?.isDirectory()) throw misplaced("a file", path, "a folder")
  }
}

/** Bytes of definitions files by pin; null: no file. */
export type DefinitionsFiles = Readonly<Record<string, Uint8Array | null>>

/** Those of `wanted` that are not there like that. Throws as `requireDefinitionsPlace`, IO_FAILED. */
export function findChangedDefinitions(lockfile: string, wanted: DefinitionsFiles): DefinitionsFiles {
  requireDefinitionsPlace(lockfile, Object.keys(wanted))
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, bytes]) => !isLike(definitionsPath(lockfile, name), bytes)),
  )
}

function isLike(path: string, bytes: Uint8Array | null): boolean {
  if (bytes === null) return statusOf(path) === undefined
  const now = readOne(path)
  return now !== null && equalBytes(now, bytes)
}

/** Write the definitions of pin `name`, durably; their folder is made. For a writer that is alone by a lock. Throws CONFIG_INVALID,
 *  IO_FAILED. */
export async function writeDefinitions(lockfile: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = definitionsPath(lockfile, name)
  makeFolder(dirname(path))
  const { replaceFile } = await import("./durable-file.js") // only for a write: `verify` reads definitions on every run
  await replaceFile(path, bytes, { tempPath: `${path}.tmp` })
}

/** Remove the definitions of pin `name`, durably; no error where none are. Throws CONFIG_INVALID, IO_FAILED. */
export async function removeDefinitions(lockfile: string, name: string): Promise<void> {
  const path = definitionsPath(lockfile, name)
  requireFolder(dirname(path))
  const { removeFile } = await import("./durable-file.js")
  await removeFile(path)
}

function makeFolder(folder: string): void {
  requireFolder(folder)
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw ioFailed("make the folder", folder, error)
  }
}

/** Refuse what is there and no folder. */
function requireFolder(path: string): void {
  const status = statusOf(path)
  if (status === undefined || status.isDirectory()) return
  throw misplaced("a folder", path, status.isSymbolicLink() ? "a symbolic link" : "a file")
}

function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw ioFailed("look at", path, error)
  }
}

const misplaced = (expected: string, path: string, got: string) =>
  new ToolsumError("CONFIG_INVALID", `expected ${expected} at ${quotePath(path)}, got ${got}`)
