// `toolsum remove`: takes a pin out; the lockfile keeps who did it, when and why.
import { removePin } from "../../features/remove.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember, lockfileToChange } from "../dry-run.js"
import { findProjectLockfile, LOCKFILE_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"

export const removeCommand: CommandSpec = {
  usage: "remove <name> [--reason text]",
  words: [1, 1],
  options: [...ACTOR_OPTIONS, ...LOCKFILE_OPTIONS, ...DRY_RUN_OPTIONS],
  run: async ({ words: [name = ""], options }, io) => {
    await removePin({
      lockfile: lockfileToChange(await findProjectLockfile(options, io), options),
      name,
      actor: await findActor(options, io),
    })
    if (options.flag("json")) printDocument(io, { command: "remove", exitCode: 0, name, ...dryRunMember(options) })
    else if (!options.flag("quiet")) io.stdout(`${name} ${options.flag("dry-run") ? "would be removed" : "removed"}\n`)
    return 0
  },
}
