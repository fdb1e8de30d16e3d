// `toolsum init`: a personal log with its keys and a root in the trust store. Run once; afterwards it shows what is there.

import { randomBytes } from "node:crypto"
import { resolve } from "node:path"
import { generateKey, writeKeyFile } from "../../adapters/key-files.js"
import { createFsStore } from "../../adapters/store-fs.js"
import { ToolsumError } from "../../core/errors.js"
import { initLog } from "../../features/init-log.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import { findLogFolder, keyPath, LOG_OPTIONS, peekLog, readPassphrase, refuseWorkTree } from "../logs.js"
import type { Options } from "../options.js"
import { openTrustStore } from "../project.js"
import { printDocument } from "../report-json.js"

export const initCommand: CommandSpec = describeCommand("init")

/** `log create` is the same by another name, for the log of a team. */
export const logCreateCommand: CommandSpec = describeCommand("log create")

function describeCommand(command: string): CommandSpec {
  return {
    usage: `${command} [--log-dir folder] [--origin name] [--root-key file]`,
    words: [0, 0],
    options: [
      ...LOG_OPTIONS,
      ["--origin <name>", "Name of a team's log, such as log.example.com/tools; a personal log gets a random one"],
      ["--root-key <file>", "Where the root key goes; without it beside the log key"],
      ["--passphrase-env <name>", "Variable with a passphrase for the root key"],
    ],
    run: async ({ options }, io) => {
      const folder = findLogFolder(options, io)
      report(command, folder, await makeLog(folder, options, io), options, io)
      return 0
    },
  }
}

function report(command: string, folder: string, made: MadeLog, options: Options, io: Io): void {
  const { created, origin, fingerprint, rootKey } = made
  if (options.flag("json")) {
    printDocument(io, { command, exitCode: 0, created, log: folder, origin, root: fingerprint, rootKey })
    return
  }
  if (options.flag("quiet")) return
  const found = created ? "Created" : "There is already"
  io.stdout(`${found} a log in ${folder}\n  origin  ${origin}\n  root    ${fingerprint}\n`)
  if (rootKey !== null)
    io.stdout(`\nThe root key is in ${rootKey}.\nMove it off this machine: whoever has it can name new log keys.\n`)
  io.stdout(`\nOthers prove your pins with: toolsum verify --root ${origin}=${fingerprint}\n`)
}

interface MadeLog {
  readonly created: boolean
  readonly origin: string
  readonly fingerprint: string
  readonly rootKey: string | null
}

/** The log in `folder`, made when there is none. Also what the first `add` calls. */
export async function makeLog(folder: string, options: Options, io: Io): Promise<MadeLog> {
  const there = await peekLog(folder)
  if (there !== null) return { created: false, ...there, rootKey: null }
  if (io.env.CI && options.value("log-dir") === null) {
    throw new ToolsumError(
      "USAGE",
      "CI is set: a personal log is not made there; give --log-dir, or verify and check only",
    )
  }
  await refuseWorkTree(folder)
  const origin = options.value("origin") ?? `toolsum.local/${randomBytes(16).toString("hex")}`
  const [logKey, rootKey] = [generateKey(origin), generateKey(`${origin}/root-a`)]
  const given = options.value("root-key")
  const rootPath = given === null ? keyPath(origin, "root", io) : resolve(io.cwd, given)
  // Keys first: a log whose key was lost could never be appended to.
  await writeKeyFile(rootPath, rootKey, readPassphrase(options, io))
  await writeKeyFile(keyPath(origin, "log", io), logKey, null)
  const fingerprint = await initLog({ store: createFsStore(folder), origin, logKey, rootKey, clock: io.nowSec })
  const root = { dialect: "tlog-tiles" as const, name: origin, fingerprint, floor: null }
  await openTrustStore(io).add({ root, log: folder, from: "init" })
  return { created: true, origin, fingerprint, rootKey: rootPath }
}
