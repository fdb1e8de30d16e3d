// Publishing a signed keyring: into the log as an entry, onto its place beside the others, under a checkpoint that counts by its own rules.
// It can be run again after anything: what is there already is recognised, and what a crash cut off is finished first.
import { createDirLog } from "../adapters/log-dir.js"
import { createFsStore } from "../adapters/store-fs.js"
import type { LogClient } from "../client/open-log.js"
import { ToolsumError } from "../core/errors.js"
import { type KeyringNote, parseKeyring } from "../core/keyring.js"
import { parseNote } from "../core/note.js"
import { formatKeyId, type VerifierKey } from "../core/vkey.js"
import { isInUse } from "../features/ceremony/plan.js"
import { findNewestCommit } from "../writer/history.js"
import { loadKeyrings } from "../writer/keyrings.js"
import { loadStaging } from "../writer/state.js"
import type { Io } from "./io.js"
import { findLogKeys, verifierOf } from "./local-keys.js"
import { openLogForReading, openLogForWriting } from "./logs.js"
import type { Options } from "./options.js"

/** What became of it. */
export interface Published {
  readonly version: bigint
  /** Index of the entry; null where it was in the log before this run. */
  readonly index: bigint | null
  /** Entries of the log now. */
  readonly size: bigint
  /** True when it was published before. */
  readonly before: boolean
}

interface PublishInput {
  readonly folder: string
  /** The log as it was read before. */
  readonly client: LogClient
  /** The signed keyring. */
  readonly note: string
  readonly options: Options
  readonly io: Io
}

/** Publish a keyring and read the log back as anybody would. Throws USAGE when another keyring of this version is published, or when no key
 *  on this account may sign under this one, QUORUM_NOT_MET when its witnesses do not cosign, and what the writer throws. */
export async function publishKeyring(input: PublishInput): Promise<Published> {
  const { folder, client, note, options, io } = input
  const keyring = parseKeyring(note)
  const { version } = keyring
  if (isThere(client.keyringNotes, keyring)) return { version, index: null, size: client.head.size, before: true }
  const earlierKeys = await findEarlierKeys(client, io)
  const writer = await openLogForWriting(folder, null, io, { nextKeyring: note, earlierKeys }).catch(
    (error: unknown) => {
      throw explain(error, keyring)
    },
  )
  let index: bigint | null = null
  try {
    // A crash may have left it committed: opening the log has published it then.
    if (!isThere(await loadKeyrings(createFsStore(folder)), keyring)) index = (await writer.appendKeyring(note)).index
  } finally {
    await writer.close()
  }
  const { origin } = client
  const after = await openLogForReading({ source: createDirLog(folder), origin, lockfile: null, options, io })
  return { version, index, size: after.head.size, before: false }
}

/** Finish the newest step of the log in `folder` where a crash cut it off: it may hold the very keyring that is about to be made again.
 *  `client`: the log as it was read. False, and nothing written, when there is nothing to finish or it cannot be finished: what keeps it
 *  from that shows when the next keyring is published. */
export async function finishCutOff(folder: string, client: LogClient, io: Io): Promise<boolean> {
  const store = createFsStore(folder)
  const newest = await findNewestCommit(store)
  if (newest === null || (await loadStaging(store, newest)) === null) return false
  try {
    await (await openLogForWriting(folder, null, io, { earlierKeys: await findEarlierKeys(client, io) })).close()
    return true
  } catch (error) {
    if (error instanceof ToolsumError) return false
    throw error
  }
}

/** Log keys that may have signed before, and that are not on this account. */
async function findEarlierKeys({ origin, keyring }: LogClient, io: Io): Promise<readonly VerifierKey[]> {
  const own = (await findLogKeys(origin, io)).map(({ key }) => verifierOf(key).vkey)
  return keyring.newest.logs.map(({ key }) => key).filter(({ vkey }) => !own.includes(vkey))
}

/** Whether just this keyring is among the published ones. Throws USAGE for another one of its version. */
function isThere(published: readonly string[], { version, note }: KeyringNote): boolean {
  const there = published[Number(version) - 1]
  if (there === undefined || parseNote(there).text === note.text) return there !== undefined
  throw new ToolsumError(
    "USAGE",
    `another keyring ${version} is published: delete this one, two of one version show as a fork to everybody; make a new draft`,
  )
}

function explain(error: unknown, { logs, version }: KeyringNote): unknown {
  if (!(error instanceof ToolsumError) || !["USAGE", "FILE_MISSING"].includes(error.code)) return error
  const ids = logs.filter(isInUse).map(({ key }) => formatKeyId(key.id))
  const why = `expected the private part of log key ${ids.join(" or ")}, which keyring ${version} lets sign, on this account`
  return new ToolsumError(error.code, `${why}: ${error.message}`, { cause: error })
}
