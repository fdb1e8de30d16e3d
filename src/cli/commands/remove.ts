// `toolsum remove`: takes a pin out; the lockfile keeps who did it, when and why.
import { removePin } from "../../features/remove.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import type { CommandSpec } from "../commands.js"
import { findProjectLockfile, LOCKFILE_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"

export const removeCommand: CommandSpec = {
  usage: "remove <name> [--reason text]",
  words: [1, 1],
  options: [...ACTOR_OPTIONS, ...LOCKFILE_OPTIONS],
  run: async ({ words: [name = ""], options }, io) => {
    await removePin({ lockfile: await findProjectLockfile(options, io), name, actor: await findActor(options, io) })
    if (options.flag("json")) printDocument(io, { command: "remove", exitCode: 0, name })
    else if (!options.flag("quiet")) io.stdout(`${name} removed\n`)
    return 0
  },
}
