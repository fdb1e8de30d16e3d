// `toolsum lock merge` without files: how git comes to merge lockfiles with it, shown or done.
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
    const lines = Object.entries(settings).map(([name, value]) => `  git config ${name} "${value}"\n`)
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

/** What git can start: a command that npm started is not on git's path. */
const commandFor = (io: Io): string => (io.env.npm_command === undefined ? "toolsum" : "npx toolsum")
