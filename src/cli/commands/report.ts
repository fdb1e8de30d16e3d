// `toolsum report`: what the lockfile says, for others to read: what it proves, what the pinned lists show by themselves, what the log has
// signed before. Starts no server. With `--statement`: for an auditor, under roots from outside, without any log.
import type { CommandSpec } from "../commands.js"
import { LOG_OPTIONS } from "../logs.js"
import { LOCKFILE_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { FORMAT_OPTIONS } from "../report-format.js"

export const reportCommand: CommandSpec = {
  usage: "report [name…] | report --statement --root <fingerprint>",
  words: [0, 1000],
  options: [
    ...FORMAT_OPTIONS,
    ["--statement", "For an auditor: what is proven by what, and what is not; demands --root, asks no log"],
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
  ],
  examples: [
    "toolsum report --format html --output report.html",
    "toolsum report memory --format markdown",
    "toolsum report --statement --root SHA256:…",
  ],
  run: async (line, io) =>
    line.options.flag("statement")
      ? (await import("../report-statement.js")).printStatement(line, io)
      : (await import("../report-lockfile.js")).reportLockfile(line, io),
}
