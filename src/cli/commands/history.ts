// `toolsum history`: what a log has signed of one server, in either dialect. This finds the log; the work is history-tiles.ts's and
// history-legion.ts's.
import { quote, ToolsumError } from "../../core/errors.js"
import { judgeLegionLog } from "../../core/legion/judge-log.js"
import type { Lockfile, Pin } from "../../core/lockfile.js"
import { isPinName } from "../../core/pin.js"
import { isRegistryId } from "../../core/subject.js"
import { findPin, subjectOf } from "../../features/pins.js"
import type { CommandSpec } from "../commands.js"
import type { ExitCode } from "../exit-codes.js"
import { TILE_HISTORY_OPTIONS } from "../history-options.js"
import type { Io } from "../io.js"
import { findLegionPlace, isLegionLog, readLegionPlace, rootsOfLegion, unknownPlace } from "../legion-logs.js"
import { LOG_OPTIONS, MAX_AGE_OPTION, readMaxAge } from "../logs.js"
import type { Options } from "../options.js"
import {
  announceWitnessPolicy,
  findProjectLockfile,
  LOCKFILE_OPTIONS,
  openTrustStore,
  ROOT_OPTIONS,
  WITNESS_POLICY_OPTIONS,
} from "../project.js"
import { isUrl } from "../typed-target.js"

export const historyCommand: CommandSpec = {
  usage: "history <name|subject> [--between <a> <b> | --find <pointer=value>]",
  words: [1, 1],
  options: [
    ["--log <place>", "Log to ask: its folder, its https URL, or its origin; legion: the public LEGION log"],
    ...TILE_HISTORY_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
    ...WITNESS_POLICY_OPTIONS,
    MAX_AGE_OPTION,
  ],
  examples: [
    "toolsum history memory",
    "toolsum history memory --between leaf:17 2026-12-01",
    "toolsum history memory --find '/tools/read_graph/description=~/.ssh'",
    "toolsum history pkg:npm/%40modelcontextprotocol/server-memory --stream all",
    "toolsum history io.example/files --log legion",
  ],
  run: async ({ words: [name = ""], options }, io) => {
    await announceWitnessPolicy(options, io)
    readMaxAge(options) // a mistyped one is told before anything is asked
    const typed = options.value("log")
    const lockfile = isPinName(name) ? await (await findProjectLockfile(options, io)).read() : null
    const pin = findPin(lockfile, name)
    if (pin === null && isPinName(name)) throw notPinned(name)
    const isTheirs = pin === null ? await isOfLegion(name, typed, io) : pin.evidence !== undefined
    if (isTheirs) return showTheirs(name, { pin, lockfile, typed }, { options, io })
    return (await import("../history-tiles.js")).showTileHistory(name, pin, { options, io })
  },
}

const notPinned = (name: string) =>
  new ToolsumError(
    "NOT_PINNED",
    `no pin is called ${quote(name)}; a server without a pin is named by its subject, such as pkg:npm/…, local:… or an https URL`,
  )

/** A LEGION log: named so, or at a URL that nothing here calls one of ours, and asked about an id of the official registry. */
async function isOfLegion(name: string, typed: string | null, io: Io): Promise<boolean> {
  if (typed === null) return false
  if (await isLegionLog(typed, io)) return true
  const isOurs = async () =>
    (await openTrustStore(io).list()).some(({ dialect, log }) => dialect === "tlog-tiles" && log === typed)
  return isUrl(typed) && isRegistryId(name) && !(await isOurs())
}

interface Asked {
  readonly pin: Pin | null
  readonly lockfile: Lockfile | null
  readonly typed: string | null
}

async function showTheirs(
  name: string,
  { pin, lockfile, typed }: Asked,
  { options, io }: { options: Options; io: Io },
): Promise<ExitCode> {
  const other = TILE_HISTORY_OPTIONS.map(([form]) => form.split(" ")[0]?.slice(2) ?? "").find((o) => options.flag(o))
  if (other !== undefined)
    throw new ToolsumError(
      "USAGE",
      `--${other} is for tlog-tiles logs: a LEGION log serves what it wants to be seen of a history`,
    )
  const { showLegionHistory } = await import("../history-legion.js")
  if (pin === null || lockfile === null)
    return showLegionHistory(name, { place: await readLegionPlace(typed ?? "", io) }, { options, io })
  const { url = null, keyring = [] } = lockfile.logs[pin.log] ?? {}
  const roots = await rootsOfLegion(pin.log, options, io)
  const judged = judgeLegionLog({ origin: pin.log, keyring: keyring[0] ?? null, rootPin: null, roots })
  const root = judged.root?.fingerprint ?? null
  const place = await findLegionPlace({ origin: pin.log, url, root }, options, io)
  if (place === null) throw unknownPlace(pin.log)
  const expected = root === null ? {} : { expectedRoot: root }
  return showLegionHistory(subjectOf(pin), { place, ...expected }, { options, io })
}
