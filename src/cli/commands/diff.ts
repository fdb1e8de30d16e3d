// `toolsum diff A B`: two pins, files or log records, word by word. Exit 1 when they differ, like diff(1).
import { resolve } from "node:path"
import { readRegularFile } from "../../adapters/regular-file.js"
import { fetchArchivedSurface } from "../../client/objects.js"
import { quote, ToolsumError } from "../../core/errors.js"
import { MAX_JSON_BYTES, parseJson } from "../../core/json.js"
import { parseRecord } from "../../core/record.js"
import { sectionsOf } from "../../core/section.js"
import { isAtLeast } from "../../core/severity.js"
import type { Change } from "../../core/verdict.js"
import { loadPinned } from "../../features/approved-surface.js"
import { alignSides, readSide, type Side } from "../../features/compare.js"
import { findPin, observationOf } from "../../features/pins.js"
import { reviewCompared } from "../../features/review.js"
import { gravestOf } from "../../surface/meanings.js"
import { countSeverities } from "../../surface/shown-finding.js"
import { describeCost } from "../../surface/token-cost.js"
import { analysisMembers } from "../analysis-json.js"
import type { CommandSpec } from "../commands.js"
import { FAIL_ON_CHANGE, readFailOn } from "../fail-on.js"
import type { Io } from "../io.js"
import { findLogFolder, findLogSource, LOG_OPTIONS, openLogForReading, peekLog, proveEntry } from "../logs.js"
import type { Options } from "../options.js"
import { loadPaint } from "../paint.js"
import { findProjectLockfile, LOCKFILE_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { renderDiff } from "../render-diff.js"
import { changeMember, printDocument } from "../report-json.js"

export const diffCommand: CommandSpec = {
  usage: "diff <a> <b>",
  words: [2, 2],
  options: [FAIL_ON_CHANGE, ...LOG_OPTIONS, ...LOCKFILE_OPTIONS, ...ROOT_OPTIONS],
  examples: [
    "toolsum diff memory ./list.json",
    "toolsum diff leaf:17 leaf:42",
    "toolsum diff old.json new.json --fail-on high",
  ],
  run: async ({ words: [a = "", b = ""], options }, io) => {
    const gate = readFailOn(options)
    const [before, after] = [await loadSide(a, options, io), await loadSide(b, options, io)]
    const compared = alignSides(before, after)
    const diff = await reviewCompared(compared, { given: [] })
    const { changes, tokens } = diff
    const gravest = gravestOf(changes)
    const isLowered = gate !== null && gravest !== null && !isAtLeast(gravest, gate.failOn)
    const exitCode = changes.length === 0 || isLowered ? 0 : 1
    if (options.flag("json")) {
      const lowered = isLowered ? { lowered: { ...gate, gravest } } : {}
      const members = { changes: changes.map(changeMember), ...analysisMembers(diff) }
      printDocument(io, { command: "diff", exitCode, ...members, ...lowered })
    } else if (!options.flag("quiet")) {
      const lines =
        changes.length === 0
          ? ["no difference"]
          : [
              ...renderDiff(diff, { paint: await loadPaint(io.colour) }),
              describeChanges(changes),
              ...(isLowered ? [`let pass: nothing is ${gate.failOn} or graver (--fail-on)`] : []),
              ...(tokens ? [describeCost(tokens)] : []),
            ]
      io.stdout(`${lines.join("\n")}\n`)
    }
    return exitCode
  },
}

/** `3 changes: 1 high, 2 info`. */
const describeChanges = (changes: readonly Change[]): string =>
  `${changes.length} ${changes.length === 1 ? "change" : "changes"}: ${countSeverities(changes.flatMap(({ severity }) => severity ?? []))}`

/** A side by what was typed: `leaf:N`, the name of a pin, else a file. */
async function loadSide(text: string, options: Options, io: Io): Promise<Side> {
  const leaf = /^leaf:(0|[1-9][0-9]{0,18})$/.exec(text)?.[1]
  if (leaf !== undefined) return loadLeaf(BigInt(leaf), options, io)
  const store = await findProjectLockfile(options, io)
  const lockfile = text.includes("/") || text.includes(".json") ? null : await store.read()
  const pin = findPin(lockfile, text)
  if (pin === null) return loadFile(text, io)
  const surface = await loadPinned({
    store,
    name: text,
    pin,
    log: await findLogSource(pin.log, lockfile, options, io),
  })
  if (surface === null)
    throw new ToolsumError(
      "RESOURCE_MISSING",
      `the texts of ${text} are neither in .mcp-tools nor in the log's archive`,
    )
  return { surface, sections: sectionsOf(observationOf(pin).lines), whole: true }
}

async function loadFile(path: string, io: Io): Promise<Side> {
  const bytes = await readRegularFile(resolve(io.cwd, path), { maxBytes: MAX_JSON_BYTES, code: "SURFACE_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a pin, a file or leaf:N, got ${quote(path)}`)
  return readSide(parseJson(bytes))
}

async function loadLeaf(index: bigint, options: Options, io: Io): Promise<Side> {
  const log = await peekLog(findLogFolder(options, io))
  const source = log && (await findLogSource(log.origin, null, options, io))
  if (!log || !source) throw new ToolsumError("LOG_UNAVAILABLE", "expected a log for leaf:N; give --log-dir")
  const client = await openLogForReading({ source, origin: log.origin, lockfile: null, options, io })
  const { entry } = await proveEntry(client, index)
  const { lines } = parseRecord(entry)
  const { surface, missing } = await fetchArchivedSurface(source, lines)
  if (missing.length > 0)
    throw new ToolsumError("RESOURCE_MISSING", `the log's archive lacks ${missing.join(", ")} of leaf ${index}`)
  return { surface, sections: sectionsOf(lines), whole: true }
}
