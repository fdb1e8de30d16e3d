// A key ceremony on the log's machine: the log is read and verified, the next keyring is planned and shown, and then either a draft goes
// out to be signed where the root keys are, or, with `--root-key`, it is signed and published at once. Keys are written before the draft
// that names them, so that whatever ends a ceremony early leaves nothing worse than a key that the next attempt takes up again.
import { resolve } from "node:path"
import { generateKey, readKeyFile, writeKeyFile } from "../adapters/key-files.js"
import { createDirLog } from "../adapters/log-dir.js"
import type { LogClient } from "../client/open-log.js"
import { parseDecimal } from "../core/bytes.js"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { parseKeyring } from "../core/keyring.js"
import { formatKeyringText, type Keyring } from "../core/keyring-text.js"
import { type SigningKey, samePublicKey, type VerifierKey } from "../core/vkey.js"
import {
  type CheckedDraft,
  checkDraft,
  DRAFT_FORMAT,
  type Draft,
  describeMissing,
  finishDraft,
  formatDraft,
  MAX_DRAFT_BYTES,
  signDraft,
} from "../features/ceremony/draft.js"
import type { CeremonyLog } from "../features/ceremony/plan.js"
import { describeNextSteps } from "./after-keyring.js"
import { DRY_RUN_OPTIONS, dryRunMember } from "./dry-run.js"
import type { Io } from "./io.js"
import { findLogKeys, type LocalKey, nextKeyPath, verifierOf } from "./local-keys.js"
import { findLogFolder, LOG_OPTIONS, openLogForReading, peekLog, readPassphrase } from "./logs.js"
import type { OptionSpec, Options } from "./options.js"
import { type OutputKind, writeOutput } from "./output-file.js"
import { finishCutOff, type Published, publishKeyring } from "./publish-keyring.js"
import { describeChanges, showKey } from "./render-keyring.js"
import { printDocument } from "./report-json.js"
import { pasteLine, showWord } from "./shell-words.js"

/** Options that name root keys. */
export const ROOT_KEY_OPTIONS: readonly OptionSpec[] = [
  ["--passphrase-env <name>", "Variable with the passphrase of the root key"],
  ["--yes", "Sign without asking"],
]

/** Options of every ceremony. */
export const CEREMONY_OPTIONS: readonly OptionSpec[] = [
  ...LOG_OPTIONS,
  [
    "--root-key <file>",
    "Sign with this root key and publish at once; repeatable. Without it: a draft to sign elsewhere",
  ],
  ...ROOT_KEY_OPTIONS,
  ["--out <file>", "Where the draft goes; without it keyring-<version>.json"],
  ["--expires <date>", "When the next keyring expires, YYYY-MM-DD or never; without it as the one before"],
  ...DRY_RUN_OPTIONS,
]

/** A log whose keys are to change. */
export interface OwnLog {
  readonly folder: string
  readonly client: LogClient
  /** Its signing keys on this account, those that no keyring names yet among them. */
  readonly keys: readonly LocalKey[]
  /** What a keyring is planned from. */
  readonly log: CeremonyLog
}

/** Open the log of `--log-dir`, or the personal one, verified under its pinned root and held to what was seen of it. */
export async function openOwnLog(options: Options, io: Io): Promise<OwnLog> {
  const folder = findLogFolder(options, io)
  const peeked = await peekLog(folder)
  if (peeked === null)
    throw new ToolsumError("LOG_UNAVAILABLE", `expected a log in ${quote(folder, 400)}; toolsum init makes one`)
  const { origin } = peeked
  const client = await readOwnLog(folder, origin, options, io)
  const keys = await findLogKeys(origin, io)
  const { newest: keyring } = client.keyring
  const log = { keyring, head: client.head, nowSec: BigInt(Math.floor(io.nowSec())), expires: readExpires(options) }
  return { folder, client, keys, log }
}

async function readOwnLog(folder: string, origin: string, options: Options, io: Io): Promise<LogClient> {
  const source = createDirLog(folder)
  const client = await openLogForReading({ source, origin, lockfile: null, options, io })
  if (options.flag("dry-run") || !(await finishCutOff(folder, client, io))) return client
  const whole = await openLogForReading({ source, origin, lockfile: null, options, io })
  const { keyring, head } = whole
  io.stderr(`note: finished what was cut off before: keyring ${keyring.newest.version}, ${head.size} entries\n`)
  return whole
}

function readExpires(options: Options): bigint | null | undefined {
  const text = options.value("expires")
  if (text === null) return undefined
  if (text === "never") return null
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
  if (!isDay) throw new ToolsumError("USAGE", `--expires: expected YYYY-MM-DD or never, got ${quote(text)}`)
  return BigInt(ms / 1000)
}

/** True when the private part of a log key is on this account. */
export const isOwnKey =
  ({ keys }: Pick<OwnLog, "keys">) =>
  (key: VerifierKey): boolean =>
    keys.some((local) => samePublicKey(verifierOf(local.key), key))

/** A key for the next keyring, which may have to be written yet. */
export type PreparedKey = LocalKey & { readonly isFresh: boolean }

/** One that an earlier ceremony made and no keyring ever had, or a fresh one. */
export function prepareKey(own: OwnLog, io: Io): PreparedKey {
  const { client, keys } = own
  const known = client.keyringNotes.flatMap((note) => parseKeyring(note).logs.map(({ key }) => key))
  const waiting = keys.find(({ key }) => !known.some((other) => samePublicKey(other, verifierOf(key))))
  if (waiting !== undefined) return { ...waiting, isFresh: false }
  return makeKey(own, io)
}

/** A fresh one, whatever lies here: whoever stole one key of this account may have those beside it. */
export function makeKey({ client }: Pick<OwnLog, "client">, io: Io): PreparedKey {
  const key = generateKey(client.origin)
  return { key, path: nextKeyPath(key, io), isFresh: true }
}

/** Where the key of a ceremony is, or goes. */
export const keyNotes = ({ path, isFresh }: { path: string; isFresh: boolean }): readonly string[] => [
  isFresh
    ? `  the new key goes to ${escapeInvisible(path)}`
    : `  the new key is the one in ${escapeInvisible(path)}, which no keyring has yet`,
]

/** What is to be signed and published. */
export interface Ceremony {
  readonly command: string
  readonly next: Keyring
  /** The key that the keyring brings; it is written first where it is fresh. */
  readonly newKey: PreparedKey | null
  /** Said under the changes. */
  readonly notes: readonly string[]
}

/** Hold a ceremony: show it, and write a draft, or sign and publish. */
export async function holdCeremony(own: OwnLog, ceremony: Ceremony, options: Options, io: Io): Promise<0> {
  const { next, newKey } = ceremony
  const draft = checkDraft({ keyrings: own.client.keyringNotes, text: formatKeyringText(next), signatures: [] })
  const rootKeys = await readRootKeys(options, io)
  const signed = signAll(draft, rootKeys)
  const say = (lines: readonly string[]) => {
    if (!options.flag("json") && !options.flag("quiet")) io.stdout(lines.map((line) => `${line}\n`).join(""))
  }
  say([...describeDraft(draft), ...ceremony.notes])
  if (options.flag("dry-run")) {
    say(["nothing written (--dry-run)"])
    return printCeremony({ own, ceremony, file: null, published: null }, options, io)
  }
  if (rootKeys.length > 0) await confirmSigning(signed, rootKeys, options, io)
  if (newKey?.isFresh) await writeKeyFile(newKey.path, newKey.key, null)
  if (rootKeys.length === 0) {
    const file = await writeDraft(draft, options, io)
    say(describeSteps(draft, file))
    return printCeremony({ own, ceremony, file, published: null }, options, io)
  }
  const published = await publishKeyring({
    folder: own.folder,
    client: own.client,
    note: finishDraft(signed),
    options,
    io,
  })
  const steps = { before: own.log.keyring, next, root: own.client.keyring.fingerprint, keys: own.keys }
  say([describePublished(published), ...describeNextSteps(steps, options)])
  return printCeremony({ own, ceremony, file: null, published }, options, io)
}

interface Held {
  readonly own: OwnLog
  readonly ceremony: Ceremony
  readonly file: string | null
  readonly published: Published | null
}

function printCeremony({ own, ceremony, file, published }: Held, options: Options, io: Io): 0 {
  if (!options.flag("json")) return 0
  const { command, next, newKey, notes } = ceremony
  printDocument(io, {
    command,
    exitCode: 0,
    ...keyringMembers({ origin: own.client.origin, root: own.client.keyring.fingerprint, version: next.version }),
    changes: describeChanges(own.client.keyring.newest, next),
    notes: notes.map((note) => note.trim()),
    newKey: newKey?.path ?? null,
    draft: file,
    published: published && publishedMember(published),
    ...dryRunMember(options),
  })
  return 0
}

/** Which keyring of which log, for a document. */
export const keyringMembers = (p: { origin: string; root: string; version: bigint }) => ({
  log: p.origin,
  root: p.root,
  keyring: String(p.version),
})

/** Where a keyring was published, for a document. */
export const publishedMember = ({ index, size, before }: Published): JsonValue => ({
  index: index === null ? null : String(index),
  size: String(size),
  before,
})

/** The same for people. */
export const describePublished = ({ version, index, size, before }: Published): string =>
  before
    ? `keyring ${version} was published before; the log has ${size} entries`
    : `keyring ${version} is published${index === null ? "" : ` as leaf ${index}`}; the log has ${size} entries`

/** Which log, which keyring, and what it changes. */
export function describeDraft({ chain, before, next }: CheckedDraft): readonly string[] {
  const changes = describeChanges(before, next)
  return [
    `keyring ${next.version} of ${showWord(chain.origin)}`,
    `  root ${chain.fingerprint} stays`,
    ...(changes.length === 0 ? ["nothing changes but the time"] : changes).map((line) => `  ${line}`),
  ]
}

function describeSteps(draft: CheckedDraft, file: string): readonly string[] {
  const sign = pasteLine("toolsum", "log", "keyring", "sign", file, "--root-key", "FILE")
  const publish = pasteLine("toolsum", "log", "keyring", "publish", file)
  return [
    "",
    `The draft is in ${escapeInvisible(file)}. It ${describeMissing(draft)}.`,
    `  1. where the root key is, without network:  ${sign ?? "toolsum log keyring sign"}`,
    `  2. back here:                               ${publish ?? "toolsum log keyring publish"}`,
  ]
}

/** The root keys that `--root-key` names. */
export async function readRootKeys(options: Options, io: Io): Promise<readonly SigningKey[]> {
  const passphrase = async () => readPassphrase(options, io)
  const keys: SigningKey[] = []
  for (const file of options.values("root-key")) keys.push(await readKeyFile(resolve(io.cwd, file), passphrase))
  return keys
}

/** The draft signed by all; at once, so that too few signatures are told before anything is asked or written. */
function signAll(draft: CheckedDraft, keys: readonly SigningKey[]): CheckedDraft {
  const signed = keys.reduce(signDraft, draft)
  if (keys.length === 0 || signed.isComplete) return signed
  const why = `keyring ${draft.next.version} ${describeMissing(signed)}`
  throw new ToolsumError("USAGE", `${why}; give --root-key for each, or leave it out for a draft that is passed on`)
}

/** Ask before a root key signs: what is published cannot be taken back. Throws USAGE without a yes. */
export async function confirmSigning(
  { next }: CheckedDraft,
  keys: readonly SigningKey[],
  options: Options,
  io: Io,
): Promise<void> {
  if (options.flag("yes")) return
  const who = keys.map((key) => showKey(verifierOf(key))).join(", ")
  if (io.ask === null || options.flag("json"))
    throw new ToolsumError("USAGE", `nobody can be asked whether ${who} signs keyring ${next.version}: give --yes`)
  const answer = await io.ask(
    `Sign keyring ${next.version} with ${who}? There must never be another keyring ${next.version}. Answer yes: `,
  )
  if (answer.trim().toLowerCase() !== "yes") throw new ToolsumError("USAGE", "not signed, nothing was written")
}

/** Draft files; one that somebody has signed is not written over by a new one. */
const UNSIGNED: OutputKind = {
  name: "unsigned draft of a keyring",
  pattern: new RegExp(`^\\{\\n {2}"format": "${DRAFT_FORMAT}"[\\s\\S]*\\n {2}"signatures": \\[\\]`),
  maxBytes: MAX_DRAFT_BYTES,
}

async function writeDraft(draft: Draft & { readonly next: Keyring }, options: Options, io: Io): Promise<string> {
  const file = options.value("out") ?? `keyring-${draft.next.version}.json`
  await writeOutput(resolve(io.cwd, file), formatDraft(draft), UNSIGNED)
  return file
}

/** A size: a decimal, or `+N` entries after `size`. Throws USAGE. */
export function readSize(text: string, size: bigint, option: string): bigint {
  const bad = (why: string) => new ToolsumError("USAGE", `${option}: ${why}`)
  return text.startsWith("+") ? size + parseDecimal(text.slice(1), bad) : parseDecimal(text, bad)
}
