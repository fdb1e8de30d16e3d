// `toolsum import`: the pins of a LEGION lockfile as pins of ours, in the lockfile beside it. Theirs is never written.
import { dirname, join, relative, resolve, sep } from "node:path"
import { LOCKFILE_NAME } from "../../adapters/lockfile-fs.js"
import { escapeInvisible, ToolsumError } from "../../core/errors.js"
import type { JsonValue } from "../../core/json.js"
import { type Imported, importLegion } from "../../features/import-legion.js"
import type { LockfileStore } from "../../ports.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember } from "../dry-run.js"
import { type ExitCode, worstExitCode } from "../exit-codes.js"
import { LEGION_LOCKFILE_NAME } from "../file-kind.js"
import type { Io } from "../io.js"
import { proveLegionLockfile } from "../legion-lockfile.js"
import { LOG_OPTIONS } from "../logs.js"
import { OBSERVER_OPTIONS } from "../observer.js"
import type { Options } from "../options.js"
import { findProjectLockfile, isUserLockfile, LOCKFILE_OPTIONS, openLockfileAt, ROOT_OPTIONS } from "../project.js"
import { openRegistry, REGISTRY_OPTION } from "../registry.js"
import { printDocument } from "../report-json.js"
import { showWord } from "../shell-words.js"
import { READ_OPTIONS } from "../typed-target.js"

export const importCommand: CommandSpec = {
  usage: "import [file] [--live]",
  words: [0, 1],
  options: [
    ["--live", "Read the servers too, and pin in your own log what LEGION's records do not cover, as NAME-live"],
    REGISTRY_OPTION,
    ["--accept-targets", "With --live: contact what the registry names without a question"],
    ...READ_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
    ...ACTOR_OPTIONS,
    ...OBSERVER_OPTIONS,
    ["--no-definitions", "With --live: do not write .mcp-tools/<name>.json"],
    ...DRY_RUN_OPTIONS,
  ],
  examples: ["toolsum import", "toolsum import path/to/.mcp-tools.lock.json", "toolsum import --live"],
  run: async ({ words: [file = LEGION_LOCKFILE_NAME], options }, io) => {
    const { lockfile: theirs, roots, offline } = await proveLegionLockfile(file, options, io)
    const lockfile = await findOurs(file, options, io)
    const dryRun = options.flag("dry-run")
    if (dryRun && options.flag("live"))
      throw new ToolsumError("USAGE", "expected one of --live and --dry-run, not both")
    if (!dryRun) await lockfile.requireWritable([])
    const named = relative(dirname(lockfile.path), resolve(io.cwd, file)).replaceAll(sep, "/")
    const actor = await findActor(options, io)
    const imported = await importLegion({ theirs, offline, roots, lockfile, actor, file: named, dryRun })
    // Nothing was wrong with what is left out; but it is not pinned here either.
    const left = imported.skipped.length > 0 ? 2 : 0
    const json = options.flag("json")
    if (!json && (!options.flag("quiet") || left !== 0)) show(imported, { lockfile, options, io })
    const live = options.flag("live") ? await pinRest(imported, { lockfile, options, io }) : null
    const exitCode = worstExitCode([left, ...(live?.codes ?? [])])
    if (json) print({ imported, exitCode, file, lockfile, live: live?.members ?? null }, options, io)
    return exitCode
  },
}

/** The rest of each imported server, from the server itself; said at once. */
async function pinRest(imported: Imported, place: { lockfile: LockfileStore; options: Options; io: Io }) {
  const { options, io } = place
  const { exitCodeOfLive, liveMember, pinLiveRest, showLive } = await import("../import-live.js")
  const live = { ...place, registry: await openRegistry(options, io) }
  const outcomes = await pinLiveRest(imported.pins, live)
  if (!options.flag("json")) for (const one of outcomes) await showLive(one, live)
  return { codes: outcomes.map(exitCodeOfLive), members: outcomes.map(liveMember) }
}

/** The lockfile that is named, or the one beside theirs. */
async function findOurs(file: string, options: Options, io: Io): Promise<LockfileStore> {
  if (isUserLockfile(options) || options.values("lock").length > 0) return findProjectLockfile(options, io)
  return openLockfileAt(join(dirname(resolve(io.cwd, file)), LOCKFILE_NAME), io)
}

interface Done {
  readonly imported: Imported
  readonly exitCode: ExitCode
  readonly file: string
  readonly lockfile: LockfileStore
  /** Outcomes of `--live`; null without it. */
  readonly live: readonly JsonValue[] | null
}

function print({ imported, exitCode, file, lockfile, live }: Done, options: Options, io: Io): void {
  printDocument(io, {
    ...{ command: "import", exitCode, file, lockfile: relative(io.cwd, lockfile.path).replaceAll(sep, "/") },
    written: imported.written,
    pins: imported.pins.map(({ name, serverId, leafIndex, digest, change }) => ({
      ...{ name, subject: serverId, index: String(leafIndex), pin: digest, change },
    })),
    skipped: imported.skipped.map(({ serverId, reason, detail }) => ({ subject: serverId, reason, detail })),
    ...(live === null ? {} : { live }),
    ...dryRunMember(options),
  })
}

function show(
  imported: Imported,
  { lockfile, options, io }: { lockfile: LockfileStore; options: Options; io: Io },
): void {
  const width = Math.max(0, ...imported.pins.map(({ name }) => name.length))
  for (const { name, serverId, leafIndex, change } of imported.pins)
    io.stdout(`${name.padEnd(width)}  ${change.padEnd(9)}  ${showWord(serverId)}, leaf ${leafIndex}\n`)
  for (const { serverId, reason, detail } of imported.skipped)
    io.stdout(`${showWord(serverId)}: left out, ${escapeInvisible(`${reason}: ${detail}`)}\n`)
  const done = options.flag("dry-run") ? "would be in" : imported.written ? "written to" : "are in"
  const path = showWord(relative(io.cwd, lockfile.path).replaceAll(sep, "/"))
  io.stdout(
    `${imported.pins.length} ${imported.pins.length === 1 ? "pin" : "pins"} ${done} ${path}; theirs is as it was\n`,
  )
}
