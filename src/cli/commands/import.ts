// `toolsum import`: the pins of a LEGION lockfile as pins of ours, in the lockfile beside it. Theirs is never written.
import { dirname, join, relative, resolve, sep } from "node:path"
import { LOCKFILE_NAME } from "../../adapters/lockfile-fs.js"
import { escapeInvisible } from "../../core/errors.js"
import { type Imported, importLegion } from "../../features/import-legion.js"
import type { LockfileStore } from "../../ports.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember } from "../dry-run.js"
import type { ExitCode } from "../exit-codes.js"
import { LEGION_LOCKFILE_NAME } from "../file-kind.js"
import type { Io } from "../io.js"
import { proveLegionLockfile } from "../legion-lockfile.js"
import type { Options } from "../options.js"
import { findProjectLockfile, isUserLockfile, LOCKFILE_OPTIONS, openLockfileAt, ROOT_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"
import { showWord } from "../shell-words.js"

export const importCommand: CommandSpec = {
  usage: "import [file]",
  words: [0, 1],
  options: [...LOCKFILE_OPTIONS, ...ROOT_OPTIONS, ...ACTOR_OPTIONS, ...DRY_RUN_OPTIONS],
  examples: ["toolsum import", "toolsum import path/to/.mcp-tools.lock.json", "toolsum import --dry-run"],
  run: async ({ words: [file = LEGION_LOCKFILE_NAME], options }, io) => {
    const { lockfile: theirs, roots, offline } = await proveLegionLockfile(file, options, io)
    const lockfile = await findOurs(file, options, io)
    const dryRun = options.flag("dry-run")
    if (!dryRun) await lockfile.requireWritable([])
    const named = relative(dirname(lockfile.path), resolve(io.cwd, file)).replaceAll(sep, "/")
    const actor = await findActor(options, io)
    const imported = await importLegion({ theirs, offline, roots, lockfile, actor, file: named, dryRun })
    // Nothing was wrong with what is left out; but it is not pinned here either.
    const exitCode = imported.skipped.length > 0 ? 2 : 0
    if (options.flag("json")) print({ imported, exitCode, file, lockfile }, options, io)
    else if (!options.flag("quiet") || exitCode !== 0) show(imported, { lockfile, options, io })
    return exitCode
  },
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
}

function print({ imported, exitCode, file, lockfile }: Done, options: Options, io: Io): void {
  printDocument(io, {
    ...{ command: "import", exitCode, file, lockfile: relative(io.cwd, lockfile.path).replaceAll(sep, "/") },
    written: imported.written,
    pins: imported.pins.map(({ name, serverId, leafIndex, digest, change }) => ({
      ...{ name, subject: serverId, index: String(leafIndex), pin: digest, change },
    })),
    skipped: imported.skipped.map(({ serverId, reason, detail }) => ({ subject: serverId, reason, detail })),
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
