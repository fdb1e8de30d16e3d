// `toolsum rename`: another name for a pin, nothing else.
import { renamePin } from "../../features/remove.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember, lockfileToChange } from "../dry-run.js"
import { findProjectLockfile, LOCKFILE_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"

export const renameCommand: CommandSpec = {
  usage: "rename <name> <new-name>",
  words: [2, 2],
  options: [...LOCKFILE_OPTIONS, ...DRY_RUN_OPTIONS],
  run: async ({ words: [from = "", to = ""], options }, io) => {
    await renamePin({ lockfile: lockfileToChange(await findProjectLockfile(options, io), options), from, to })
    if (options.flag("json"))
      printDocument(io, { command: "rename", exitCode: 0, from, name: to, ...dryRunMember(options) })
    else if (!options.flag("quiet")) io.stdout(`${from} ${options.flag("dry-run") ? "would be" : "is now"} ${to}\n`)
    return 0
  },
}
