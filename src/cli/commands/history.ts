// `toolsum history`: every signed entry that a LEGION log shows of one server, oldest first.

import { noRecord } from "../../client/legion-log.js"
import { escapeInvisible, ToolsumError } from "../../core/errors.js"
import { describeEntry } from "../../features/legion-evidence-report.js"
import { type LegionHistory, readLegionHistory } from "../../features/legion-history.js"
import { historyWarnings } from "../../features/legion-verify-server.js"
import type { CommandSpec } from "../commands.js"
import { keepEvidence } from "../evidence.js"
import type { Io } from "../io.js"
import { entryMember } from "../legion-evidence.js"
import { LEGION_LOG_OPTION, openLegion, readLegionPlace } from "../legion-logs.js"
import { ROOT_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"
import { showWord } from "../shell-words.js"
import { describeWarning } from "../warnings.js"

export const historyCommand: CommandSpec = {
  usage: "history <id> --log legion",
  words: [1, 1],
  options: [LEGION_LOG_OPTION, ...ROOT_OPTIONS],
  examples: ["toolsum history io.example/files --log legion"],
  run: async ({ words: [serverId = ""], options }, io) => {
    const log = options.value("log")
    if (log === null) throw new ToolsumError("USAGE", "expected --log: which log to ask, such as legion")
    const place = await readLegionPlace(log, io)
    const client = await openLegion(place, { options, io })
    const history = await keepEvidence(place.origin, io, async () => {
      const newest = await client.latest(serverId)
      if (newest === null) throw noRecord(place.origin, serverId)
      return readLegionHistory(client, { serverId, newest })
    })
    const warnings = [...client.warnings, ...historyWarnings(history)]
    if (options.flag("json")) {
      const { fingerprint, source } = client.root
      const entries = history.entries.map(({ entry, isProven }) => ({ ...entryMember(entry), proven: isProven }))
      printDocument(io, {
        ...{ command: "history", exitCode: 0, roots: [{ log: place.origin, fingerprint, source }] },
        ...{ subject: serverId, log: place.origin, size: String(history.newest.head.size), entries, warnings },
      })
    } else if (!options.flag("quiet")) show(history, { origin: place.origin, warnings, io })
    return 0
  },
}

function show(
  { serverId, newest, entries }: LegionHistory,
  { origin, warnings, io }: { origin: string; warnings: readonly string[]; io: Io },
): void {
  io.stdout(`${showWord(serverId)} in ${showWord(origin)}, head ${newest.head.size}\n`)
  for (const { entry, isProven } of entries)
    io.stdout(`  ${escapeInvisible(describeEntry(entry))}${isProven ? "" : "  signed, not proven to be in the tree"}\n`)
  io.stdout("nothing shows that no entry was left out\n")
  for (const warning of warnings) io.stderr(`warning: ${describeWarning(warning)}\n`)
}
