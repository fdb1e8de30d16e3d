// Makes git use a merge driver for lockfiles in one repository: two lines of its configuration, one of .gitattributes. The configuration
// is not shared by cloning, so everybody who merges does this once; the line in .gitattributes is committed.
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { replaceFile } from "./durable-file.js"
import { LOCKFILE_NAME } from "./lockfile-fs.js"
import { errnoOf, quotePath, readRegularFile } from "./regular-file.js"

/** Name of the driver in git's configuration. */
export const MERGE_DRIVER = "toolsum-lock"
/** The line of .gitattributes. */
export const ATTRIBUTES_LINE = `${LOCKFILE_NAME} text eol=lf merge=${MERGE_DRIVER}`

const MAX_ATTRIBUTES_BYTES = 1024 * 1024
const HAS_DRIVER = /^(?:\*\*\/)?toolsum\.lock\.json[ \t](?:.*[ \t])?merge=toolsum-lock(?:[ \t]|\r?$)/m

const run = promisify(execFile)

/** The configuration that makes `command` the driver, by name. */
export const driverSettings = (command: string): Readonly<Record<string, string>> => ({
  [`merge.${MERGE_DRIVER}.name`]: "unites toolsum lockfiles",
  [`merge.${MERGE_DRIVER}.driver`]: `${command} lock merge %O %A %B %P`,
})

/** Set the driver up in the repository around `folder`. Throws USAGE outside a git work tree or without git, IO_FAILED.
 *  `attributes`: path of the .gitattributes; `added`: false when the line was there. */
export async function installMergeDriver(
  folder: string,
  command: string,
): Promise<{ readonly attributes: string; readonly added: boolean }> {
  const top = (await git(folder, ["rev-parse", "--show-toplevel"])).trim()
  for (const [name, value] of Object.entries(driverSettings(command))) await git(folder, ["config", name, value])
  const attributes = join(top, ".gitattributes")
  return { attributes, added: await addLine(attributes) }
}

async function git(folder: string, args: readonly string[]): Promise<string> {
  try {
    return (await run("git", [...args], { cwd: folder })).stdout
  } catch (cause) {
    const why = errnoOf(cause) === "ENOENT" ? "git cannot be started" : "expected a git work tree"
    throw new ToolsumError("USAGE", `${why} in ${quotePath(folder)}`, { cause })
  }
}

async function addLine(path: string): Promise<boolean> {
  const bytes = await readRegularFile(path, { maxBytes: MAX_ATTRIBUTES_BYTES, code: "CONFIG_INVALID" })
  const text = new TextDecoder().decode(bytes ?? new Uint8Array(0))
  if (HAS_DRIVER.test(text)) return false
  const start = text === "" || text.endsWith("\n") ? "" : "\n"
  const added = encodeUtf8(`${start}${ATTRIBUTES_LINE}\n`)
  // The bytes that are there stay as they are, whatever their encoding.
  await replaceFile(path, new Uint8Array([...(bytes ?? []), ...added]))
  return true
}
