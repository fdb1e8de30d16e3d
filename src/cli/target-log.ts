// The log that `add` and `update` append to: `--log-dir`, the personal log, or one whose key is not here.

import { createDirLog } from "../adapters/log-dir.js"
import { readProjectSettings } from "../adapters/settings-fs.js"
import type { Settings } from "../core/settings.js"
import { requireNotPrivate } from "../features/check-settings.js"
import type { TargetLog } from "../features/record-pin.js"
import type { LockfileStore } from "../ports.js"
import type { LogWriter } from "../writer/log.js"
import { type Io, withMembers } from "./io.js"
import { hasLogKey } from "./local-keys.js"
import { findLogFolder, openLogForReading, openLogForWriting, peekLog } from "./logs.js"
import type { Options } from "./options.js"

/** The log in the folder to use, if there is one. `origin`: the pin's log; when that is another, its key is elsewhere. */
export async function openTargetLog(p: {
  options: Options
  lockfile: LockfileStore
  origin: string | null
  io: Io
}): Promise<TargetLog | null> {
  const { options, lockfile, io } = p
  const folder = findLogFolder(options, io)
  const here = await peekLog(folder)
  const origin = p.origin ?? here?.origin ?? null
  if (origin === null) return null
  if (here?.origin !== origin || !hasLogKey(origin, io)) return { kind: "elsewhere", origin }
  return {
    kind: "own",
    origin,
    open: async () =>
      withoutPrivate(await openLogForWriting(folder, await lockfile.read(), io), origin, readSettings(lockfile)),
    read: async () =>
      openLogForReading({ source: createDirLog(folder), origin, lockfile: await lockfile.read(), options, io }),
  }
}

const readSettings = ({ path }: LockfileStore): Settings => readProjectSettings(path).settings

/** The log, which takes no record of a subject that the project keeps private from it. Its `append` throws SUBJECT_PRIVATE then. */
const withoutPrivate = (writer: LogWriter, origin: string, settings: Settings): LogWriter =>
  withMembers(writer, {
    append: async (submissions: Parameters<LogWriter["append"]>[0]) => {
      for (const { observation } of submissions) requireNotPrivate(settings, observation.subject, origin)
      return writer.append(submissions)
    },
  })
