// `toolsum lock merge` without files: how git comes to merge lockfiles with it, shown or done.
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { ATTRIBUTES_LINE, driverSettings, installMergeDriver } from "../adapters/git-merge-driver.js"
import { escapeInvisible } from "../core/errors.js"
import type { ExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { printDocument } from "./report-json.js"

/** Print the lines, or with `--install` write them. */
export async function setUpMergeDriver(options: Options, io: Io): Promise<ExitCode> {
  const command = commandFor(io)
  const settings = driverSettings(command)
  const done = options.flag("install") ? await installMergeDriver(io.cwd, command) : null
  if (options.flag("json")) {
    const members = { config: { ...settings }, attributes: ATTRIBUTES_LINE, added: done?.added ?? false }
    printDocument(io, { command: "lock merge", exitCode: 0, installed: done !== null, ...members })
  } else if (!options.flag("quiet")) {
    const lines = Object.entries(settings).map(([name, value]) => `  git config ${name} '${value}'\n`)
    const line = `  ${ATTRIBUTES_LINE}\n`
    if (done === null) io.stdout(`Run once per clone:\n${lines.join("")}Commit in .gitattributes:\n${line}`)
    else {
      const file = escapeInvisible(done.attributes)
      const attributes = done.added ? `added to ${file}, commit it` : `was in ${file}`
      io.stdout(`Done, in this clone only:\n${lines.join("")}The line ${attributes}:\n${line}`)
    }
  }
  return 0
}

/** What git can start: `toolsum` where it is on the path, or npm's way to it, or this very script. */
function commandFor(io: Io): string {
  if (io.env.npm_command !== undefined) return "npx toolsum"
  const names = io.platform === "win32" ? ["toolsum.cmd", "toolsum.exe"] : ["toolsum"]
  const folders = (io.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "")
  if (folders.some((folder) => names.some((name) => existsSync(join(folder, name))))) return "toolsum"
  return `"${process.execPath}" "${process.argv[1] ?? "toolsum"}"`
}
