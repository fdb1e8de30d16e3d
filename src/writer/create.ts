// Making a log: a separate act that refuses where anything is (brief 5.1, Sunlight). Keyring 1 is signed by the root keys, served as
// public/keyring/1 and is the first entry; settings, keyring and first checkpoint become real with the first commit or not at all.
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { verifyKeyring } from "../core/keyring.js"
import { formatKeyringText } from "../core/keyring-text.js"
import { signNote } from "../core/note.js"
import type { SigningKey } from "../core/vkey.js"
import type { Clock, TileStore } from "../ports.js"
import { EMPTY_EDGE } from "./edge.js"
import { finishStep, verifiersOf } from "./follow.js"
import { readCommit } from "./history.js"
import { keyringKey } from "./keyrings.js"
import { createWriter, type LogWriter, type OpenOptions } from "./log.js"
import { formatSettings, type LogSettings, SETTINGS_KEY } from "./settings.js"
import { checkState, loadStaging } from "./state.js"
import { appendStep } from "./step.js"

/** A new log. Each signer's key name must be the origin. */
export interface CreateOptions extends Omit<OpenOptions, "knownHeads">, LogSettings {
  readonly rootSigners: readonly SigningKey[]
  /** How many root keys must sign each keyring; 1 unless given. */
  readonly rootThreshold?: number
  readonly clock: Clock
}

/** Make a log and publish its first checkpoint, of size 1. Throws FILE_EXISTS where a log or part of one is (after
 *  finishing one whose making was cut off), KEYRING_INVALID and the
 *  like for keys that cannot start a log, IO_FAILED. */
export async function createLog(options: CreateOptions): Promise<LogWriter> {
  const { store, origin, archive } = options
  const keyring = encodeUtf8(signFirstKeyring(options))
  await requireNothing(store)
  const settings = { origin, archive }
  return createWriter(options, settings, async (context) => {
    const files = [
      { key: keyringKey(1n), bytes: keyring },
      { key: SETTINGS_KEY, bytes: formatSettings(settings) },
    ]
    const first = await appendStep(context, { commit: null, edge: EMPTY_EDGE }, { entries: [keyring], files })
    if (first === null) throw exists()
    return first
  })
}

/** True where a log is: something has been committed. */
export const logExists = async (store: TileStore): Promise<boolean> => (await store.list("private/commits")).length > 0

const exists = (cause?: unknown) => new ToolsumError("FILE_EXISTS", "there is a log already, or part of one", { cause })

async function requireNothing(store: TileStore): Promise<void> {
  const nothing = !(await logExists(store)) && (await store.list("public")).length === 0
  if (nothing) return
  const cause = await finishCreation(store).catch((error: unknown) => error)
  throw exists(cause)
}

/** Publish the first step of a log whose making ended between commit and publication: nobody else would find it to open it. */
async function finishCreation(store: TileStore): Promise<void> {
  const first = await readCommit(store, 0n)
  const staging = first === null ? null : await loadStaging(store, first)
  const keyring = staging?.files.find(({ key }) => key === keyringKey(1n))
  if (keyring === undefined) return
  const keys = verifyKeyring({ notes: [keyring.bytes] }).newest.logs.map(({ key }) => key)
  const { settings, ...checked } = await checkState({ store, keys, knownHeads: [] })
  await finishStep(
    { store, origin: settings.origin, signers: [], keys, cosigning: {}, reindex: async () => undefined },
    checked,
  )
}

function signFirstKeyring(options: CreateOptions): string {
  const { origin, rootSigners, rootThreshold = 1, signers, clock } = options
  const logs = verifiersOf(signers).map((key) => ({ key, from: 0n, closing: null, revoked: false }))
  const text = formatKeyringText({
    origin,
    version: 1n,
    prev: null,
    issued: BigInt(Math.floor(clock())),
    expires: null,
    rootThreshold,
    roots: verifiersOf(rootSigners),
    logs,
    policy: null,
  })
  const note = signNote(text, rootSigners)
  verifyKeyring({ notes: [note], origin })
  return note
}
