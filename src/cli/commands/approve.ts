// `toolsum approve`: reads the options, approves, says so.
import { ToolsumError } from "../../core/errors.js"
import { parseDigest } from "../../core/hash.js"
import { approvePin } from "../../features/approve.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember, lockfileToChange } from "../dry-run.js"
import { findProjectLockfile, LOCKFILE_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"

export const approveCommand: CommandSpec = {
  usage: "approve <name> --to sha256:… [--reason text]",
  words: [1, 1],
  options: [
    ["--to <digest>", "The pin digest that you reviewed"],
    ...ACTOR_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...DRY_RUN_OPTIONS,
  ],
  examples: ['toolsum approve memory --to sha256:… --reason "new tool read and wanted"'],
  run: async ({ words: [name = ""], options }, io) => {
    const to = options.value("to")
    if (to === null) throw new ToolsumError("USAGE", "expected --to with the pin digest that you reviewed")
    const digest = parseDigest(to, (why) => new ToolsumError("USAGE", `--to: ${why}`))
    const lockfile = lockfileToChange(await findProjectLockfile(options, io), options)
    const written = await approvePin({ lockfile, name, to: digest, actor: await findActor(options, io) })
    if (options.flag("json")) {
      const members = { name, pin: digest, changed: written, ...dryRunMember(options) }
      printDocument(io, { command: "approve", exitCode: 0, ...members })
    } else if (!options.flag("quiet")) {
      const done = options.flag("dry-run") ? "would be approved" : "approved"
      io.stdout(written ? `${name} ${done} at ${digest}\n` : `${name} was approved at ${digest} before\n`)
    }
    return 0
  },
}
