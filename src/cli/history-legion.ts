// `toolsum history` of a LEGION log: every signed entry that it shows of one server, oldest first.
import { noRecord } from "../client/legion-log.js"
import { escapeInvisible } from "../core/errors.js"
import { describeEntry } from "../features/legion-evidence-report.js"
import { type LegionHistory, readLegionHistory } from "../features/legion-history.js"
import { historyWarnings } from "../features/legion-verify-server.js"
import { keepEvidence } from "./evidence.js"
import type { Io } from "./io.js"
import { entryMember } from "./legion-evidence.js"
import { type LegionPlace, openLegion } from "./legion-logs.js"
import type { Options } from "./options.js"
import { printDocument } from "./report-json.js"
import { showWord } from "./shell-words.js"
import { describeWarning } from "./warnings.js"

/** Show the history of a server in the log at `place`. `expectedRoot`: the root that a lockfile has for it. Throws RESOURCE_MISSING where the log
 *  has no record of it, and what asking throws. */
export async function showLegionHistory(
  serverId: string,
  { place, expectedRoot }: { place: LegionPlace; expectedRoot?: string },
  { options, io }: { options: Options; io: Io },
): Promise<0> {
  const client = await openLegion(place, { ...(expectedRoot === undefined ? {} : { expectedRoot }), options, io })
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
