// Approved definitions beside the lockfile, `.mcp-tools/<pin>.json` (DESIGN 7). Only files are handled here; their format, and whether
// they match a pin, is core/definitions.ts's.
import { lstatSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { encodeUtf8, equalBytes } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { isPinName } from "../core/pin.js"
import { errnoOf, quotePath, readRegularFile } from "./regular-file.js"

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

/** Write the definitions of pin `name`, durably; false when they were the same already. The folder is made; a link in its place is
 *  refused, since a repository could point it anywhere. Throws CONFIG_INVALID, IO_FAILED. */
export async function writeDefinitions(lockfile: string, name: string, text: string): Promise<boolean> {
  const path = definitionsPath(lockfile, name)
  makeFolder(dirname(path))
  const bytes = encodeUtf8(text)
  const now = readOne(path)
  if (now !== null && equalBytes(now, bytes)) return false
  const { replaceFile } = await import("./durable-file.js") // only for a write: `verify` reads definitions on every run
  await replaceFile(path, bytes)
  return true
}

/** Remove the definitions of pin `name`; no error where none are. Throws CONFIG_INVALID, IO_FAILED. */
export async function removeDefinitions(lockfile: string, name: string): Promise<void> {
  const path = definitionsPath(lockfile, name)
  refuseLink(dirname(path))
  const { removeFile } = await import("./durable-file.js")
  await removeFile(path)
}

function makeFolder(folder: string): void {
  refuseLink(folder)
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    const why = errnoOf(error) ?? String(error)
    throw new ToolsumError("IO_FAILED", `could not make the folder ${quotePath(folder)}: ${why}`, { cause: error })
  }
}

function refuseLink(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new ToolsumError("CONFIG_INVALID", `expected a folder at ${quotePath(folder)}, got a symbolic link`)
  }
}
