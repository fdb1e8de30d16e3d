// `toolsum init`: a personal log with its keys and a root in the trust store. Run once; afterwards it shows what is there, and trusts the
// log again where its keys are this user's and only the trust was lost.

import { randomBytes } from "node:crypto"
import { resolve } from "node:path"
import { generateKey, writeKeyFile } from "../../adapters/key-files.js"
import { createFsStore } from "../../adapters/store-fs.js"
import { equalBytes } from "../../core/bytes.js"
import { escapeInvisible, ToolsumError } from "../../core/errors.js"
import { verifyKeyring } from "../../core/keyring.js"
import { initLog } from "../../features/init-log.js"
import { loadKeyrings } from "../../writer/keyrings.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember } from "../dry-run.js"
import type { Io } from "../io.js"
import { findLogKeys, keyPath } from "../local-keys.js"
import { findLogFolder, LOG_OPTIONS, peekLog, readPassphrase, refuseWorkTree } from "../logs.js"
import type { Options } from "../options.js"
import { openTrustStore } from "../project.js"
import { printDocument } from "../report-json.js"
import { pasteLine } from "../shell-words.js"

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
      ...DRY_RUN_OPTIONS,
    ],
    run: async ({ options }, io) => {
      const folder = findLogFolder(options, io)
      const made = options.flag("dry-run") ? await planLog(folder, options, io) : await makeLog(folder, options, io)
      report(
        { command, folder, made, trusted: !made.created && (await restoreTrust(folder, options, io)) },
        options,
        io,
      )
      return 0
    },
  }
}

/** What was done, or would be. */
interface LogReport {
  readonly command: string
  readonly folder: string
  readonly made: MadeLog
  /** True when the root of a log that was there is trusted again. */
  readonly trusted: boolean
}

function report({ command, folder, made, trusted }: LogReport, options: Options, io: Io): void {
  const { created, origin, fingerprint, rootKey } = made
  const dryRun = options.flag("dry-run")
  if (options.flag("json")) {
    const members = { created, log: folder, origin, root: fingerprint, rootKey, trusted, ...dryRunMember(options) }
    printDocument(io, { command, exitCode: 0, ...members })
    return
  }
  if (options.flag("quiet")) return
  const found = created ? (dryRun ? "Would create" : "Created") : "There is already"
  const lines = [
    `${found} a log in ${folder}`,
    `  origin  ${origin ?? "toolsum.local/… (random)"}`,
    `  root    ${fingerprint ?? "… (a new key)"}`,
  ]
  if (trusted)
    lines.push(
      `Its root ${dryRun ? "would be" : "is"} trusted again: its log key is yours, the trust store did not have it.`,
    )
  if (rootKey !== null)
    lines.push(
      "",
      `The root key ${dryRun ? "would go to" : "is in"} ${rootKey}.`,
      "Move it off this machine: whoever has it can name new log keys.",
    )
  const verify = origin && fingerprint && pasteLine("toolsum", "verify", "--root", `${origin}=${fingerprint}`)
  if (verify) lines.push("", `Others prove your pins with: ${verify}`)
  io.stdout(lines.map((line) => `${escapeInvisible(line)}\n`).join(""))
}

/** A log that is there or was made now; on a dry run its random name and its fingerprint are not known yet. */
/** A log that is there now; `created` when it was not before. */
export interface MadeLog {
  readonly created: boolean
  readonly origin: string | null
  readonly fingerprint: string | null
  /** Where its root key lies, when that was made now. */
  readonly rootKey: string | null
}

/** The log in `folder`, made when there is none. Also what the first `add` calls. */
export async function makeLog(folder: string, options: Options, io: Io): Promise<MadeLog> {
  const there = await findLog(folder, options, io)
  if (there !== null) return there
  const origin = options.value("origin") ?? `toolsum.local/${randomBytes(16).toString("hex")}`
  const [logKey, rootKey] = [generateKey(origin), generateKey(`${origin}/root-a`)]
  const rootPath = rootKeyPath(origin, options, io)
  // Keys first: a log whose key was lost could never be appended to.
  await writeKeyFile(rootPath, rootKey, readPassphrase(options, io))
  await writeKeyFile(keyPath(origin, "log", io), logKey, null)
  const fingerprint = await initLog({ store: createFsStore(folder), origin, logKey, rootKey, clock: io.nowSec })
  await openTrustStore(io).add({ root: rootOf(origin, fingerprint), log: folder, from: "init" })
  return { created: true, origin, fingerprint, rootKey: rootPath }
}

/** What `makeLog` would do. */
async function planLog(folder: string, options: Options, io: Io): Promise<MadeLog> {
  const there = await findLog(folder, options, io)
  if (there !== null) return there
  const origin = options.value("origin")
  if (origin !== null) generateKey(origin)
  readPassphrase(options, io)
  const rootKey = origin === null && options.value("root-key") === null ? null : rootKeyPath(origin ?? "", options, io)
  return { created: true, origin, fingerprint: null, rootKey }
}

/** The log in `folder`, or null where one may be made. Throws USAGE where none may be. */
async function findLog(folder: string, options: Options, io: Io): Promise<MadeLog | null> {
  const there = await peekLog(folder)
  if (there !== null) return { created: false, ...there, rootKey: null }
  if (io.env.CI && options.value("log-dir") === null) {
    throw new ToolsumError(
      "USAGE",
      "CI is set: a personal log is not made there; give --log-dir, or verify and check only",
    )
  }
  await refuseWorkTree(folder)
  return null
}

function rootKeyPath(origin: string, options: Options, io: Io): string {
  const given = options.value("root-key")
  return given === null ? keyPath(origin, "root", io) : resolve(io.cwd, given)
}

const rootOf = (name: string, fingerprint: string) => ({
  dialect: "tlog-tiles" as const,
  name,
  fingerprint,
  floor: null,
})

/** Trust the root of the log in `folder` where the trust store lacks it and the log's key is one of this user's. False when there was
 *  nothing to restore. Throws CONFIG_INVALID when the log's name is trusted under another root, and what a damaged keyring throws. */
async function restoreTrust(folder: string, options: Options, io: Io): Promise<boolean> {
  const notes = await loadKeyrings(createFsStore(folder))
  if (notes.length === 0) return false
  const { origin, fingerprint, newest } = verifyKeyring({ notes })
  const store = openTrustStore(io)
  if ((await store.list()).some((root) => root.name === origin && root.fingerprint === fingerprint)) return false
  const own = await findLogKeys(origin, io)
  if (!newest.logs.some(({ key }) => own.some((local) => equalBytes(key.publicKey, local.key.publicKey)))) return false
  const request = { root: rootOf(origin, fingerprint), log: folder, from: "init" }
  return store.add(request, { dryRun: options.flag("dry-run") })
}
