// The log that `add` and `update` append to: `--log-dir`, the personal log, or one whose key is not here.

import { createDirLog } from "../adapters/log-dir.js"
import type { TargetLog } from "../features/record-pin.js"
import type { LockfileStore } from "../ports.js"
import type { Io } from "./io.js"
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
    open: async () => openLogForWriting(folder, await lockfile.read(), io),
    read: async () =>
      openLogForReading({ source: createDirLog(folder), origin, lockfile: await lockfile.read(), options, io }),
  }
}
