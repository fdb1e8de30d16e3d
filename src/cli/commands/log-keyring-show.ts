// `toolsum log keyring [version]`: the chain of a log, a served one's or a lockfile's, in words: which keys signed what from when to when.
import { resolve } from "node:path"
import { createDirLog } from "../../adapters/log-dir.js"
import { fetchKeyrings } from "../../client/open-log.js"
import { parseDecimal } from "../../core/bytes.js"
import { attempt, escapeInvisible, quote, ToolsumError } from "../../core/errors.js"
import type { JsonValue } from "../../core/json.js"
import { type KeyringNote, parseKeyring, type VerifiedKeyring, verifyKeyring } from "../../core/keyring.js"
import { openNote } from "../../core/note.js"
import { matchRoot } from "../../core/root.js"
import { samePublicKey, type VerifierKey } from "../../core/vkey.js"
import type { LogSource } from "../../ports.js"
import { openTypedUrl } from "../asked-logs.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import { findLogKeys, verifierOf } from "../local-keys.js"
import { findLogFolder, LOG_OPTIONS, openLogForReading } from "../logs.js"
import type { Options } from "../options.js"
import { collectRoots, openLockfileAt, ROOT_OPTIONS } from "../project.js"
import { describeChanges, describeKeyring, showKey } from "../render-keyring.js"
import { printDocument } from "../report-json.js"
import { showWord } from "../shell-words.js"
import { isUrl } from "../typed-target.js"
import { describeWarning } from "../warnings.js"

export const logKeyringCommand: CommandSpec = {
  usage: "log keyring [version] [--log folder or url] [--lock file]",
  words: [0, 1],
  options: [
    ...LOG_OPTIONS,
    ["--log <place>", "Another log: its folder, or its https URL"],
    ["--lock <file>", "The keyrings that a lockfile has"],
    ...ROOT_OPTIONS,
  ],
  examples: [
    "toolsum log keyring",
    "toolsum log keyring 2 --json",
    "toolsum log keyring --log https://log.example.com/tools/",
  ],
  run: async ({ words: [version = null], options }, io) => {
    const chains = await findChains(options, io)
    for (const chain of chains) if (!options.flag("json")) io.stdout(await describeChain(chain, version, io))
    if (options.flag("json")) {
      const logs = await Promise.all(chains.map((chain) => chainMember(chain, version)))
      printDocument(io, { command: "log keyring", exitCode: 0, logs })
    }
    return 0
  },
}

/** A verified chain, and which pinned root it is under; null: none. */
interface Chain {
  readonly keyring: VerifiedKeyring
  readonly notes: readonly KeyringNote[]
  readonly pinned: string | null
}

async function findChains(options: Options, io: Io): Promise<readonly Chain[]> {
  const file = options.value("lock")
  if (file !== null) return chainsOfLockfile(file, options, io)
  const place = options.value("log")
  const source =
    place === null
      ? createDirLog(findLogFolder(options, io))
      : isUrl(place)
        ? await openTypedUrl(place, io)
        : createDirLog(resolve(io.cwd, place))
  return [await chainOfLog(source, options, io)]
}

async function chainsOfLockfile(file: string, options: Options, io: Io): Promise<readonly Chain[]> {
  const lockfile = await openLockfileAt(file, io).read()
  if (lockfile === null) throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quote(file, 400)}`)
  const logs = Object.entries(lockfile.logs).filter(([, log]) => log.dialect === "tlog-tiles")
  if (logs.length === 0) throw new ToolsumError("USAGE", `${quote(file, 400)} has no log with keyrings`)
  return Promise.all(logs.map(([origin, log]) => verifyChain(log.keyring, { options, io, origin })))
}

/** Under a pinned root the log is opened as always: held to what was seen of it, so that a second keyring of one version shows. */
async function chainOfLog(source: LogSource, options: Options, io: Io): Promise<Chain> {
  const chain = await verifyChain(await fetchKeyrings(source), { options, io })
  if (chain.pinned !== null)
    await openLogForReading({ source, origin: chain.keyring.origin, lockfile: null, options, io })
  return chain
}

async function verifyChain(
  notes: readonly string[],
  { options, io, origin }: { options: Options; io: Io; origin?: string },
): Promise<Chain> {
  const named = origin === undefined ? {} : { origin }
  const keyring = verifyKeyring({ notes, nowSec: BigInt(Math.floor(io.nowSec())), ...named })
  const roots = await collectRoots(options, io)
  const root = attempt(() => matchRoot(keyring, roots))
  if (root instanceof ToolsumError && root.kind === "rejected") throw root
  const pinned = root instanceof ToolsumError ? null : root.source
  return { keyring, notes: notes.map(parseKeyring), pinned }
}

async function describeChain(chain: Chain, version: string | null, io: Io): Promise<string> {
  const { keyring, notes, pinned } = chain
  const own = (await findLogKeys(keyring.origin, io)).map(({ key }) => verifierOf(key))
  const isOwn = (key: VerifierKey) => own.some((other) => samePublicKey(other, key))
  const lines = [
    showWord(keyring.origin),
    `  root ${keyring.fingerprint}, ${pinned === null ? "not pinned here: compare it" : `pinned (${pinned})`}`,
    ...keyring.warnings.map((warning) => `  warning: ${describeWarning(warning)}`),
    ...picked(notes, version).flatMap((note) => [
      `keyring ${note.version}${note === notes.at(-1) ? ", the newest" : ""}, signed by ${signersOf(notes, note).map(showKey).join(", ")}`,
      ...(note === notes.at(-1) || version !== null
        ? describeKeyring(note, isOwn)
        : describeStep(notes[Number(note.version) - 2], note)
      ).map((line) => `  ${line}`),
    ]),
  ]
  return lines.map((line) => `${escapeInvisible(line)}\n`).join("")
}

/** What an earlier keyring brought. */
const describeStep = (before: KeyringNote | undefined, note: KeyringNote): readonly string[] =>
  before === undefined ? describeKeyring(note, () => false).slice(2, -1) : describeChanges(before, note)

/** The keyring that was asked for, or all, the newest first. Throws USAGE. */
function picked(notes: readonly KeyringNote[], version: string | null): readonly KeyringNote[] {
  if (version === null) return notes.toReversed()
  const wanted = parseDecimal(version, (why) => new ToolsumError("USAGE", `version: ${why}`))
  const found = notes.filter((note) => note.version === wanted)
  if (found.length > 0) return found
  throw new ToolsumError("USAGE", `expected a version from 1 to ${notes.length}, got ${wanted}`)
}

/** The root keys, of this keyring or the one before, that have signed it. */
function signersOf(notes: readonly KeyringNote[], note: KeyringNote): readonly VerifierKey[] {
  const before = notes[Number(note.version) - 2]
  const older = before?.roots.filter((root) => !note.roots.some(({ vkey }) => vkey === root.vkey)) ?? []
  return openNote(note.note, [...note.roots, ...older]).verified
}

async function chainMember({ keyring, notes, pinned }: Chain, version: string | null): Promise<JsonValue> {
  return {
    log: keyring.origin,
    root: keyring.fingerprint,
    pinned,
    warnings: [...keyring.warnings],
    keyrings: picked(notes, version).map((note) => keyringMember(note, signersOf(notes, note))),
  }
}

const keyringMember = (note: KeyringNote, signers: readonly VerifierKey[]): JsonValue => ({
  keyring: String(note.version),
  issued: String(note.issued),
  expires: note.expires === null ? null : String(note.expires),
  signers: signers.map(({ vkey }) => vkey),
  rootThreshold: note.rootThreshold,
  roots: note.roots.map(({ vkey }) => vkey),
  logKeys: note.logs.map(({ key, from, closing, revoked }) => ({
    vkey: key.vkey,
    from: String(from),
    until: closing && String(closing.size),
    revoked,
  })),
  policy: note.policy && new TextDecoder().decode(note.policy.source),
  text: note.note.text,
})
