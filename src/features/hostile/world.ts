// The honest log that every lie starts from: two log keys one after the other, two root keys, three witnesses, several subjects and
// streams, entries of another type, objects, a subject index; and what a client remembers of it from before: a state, a lockfile with one
// pin, older heads. Equal times make equal bytes.
import { proveInclusion } from "../../client/prove.js"
import { formatMemory } from "../../client/remember.js"
import { createVerifiedTree } from "../../client/tiles.js"
import { headKey } from "../../core/checkpoint.js"
import { ToolsumError } from "../../core/errors.js"
import { verifyKeyring } from "../../core/keyring.js"
import type { Lockfile, Pin } from "../../core/lockfile.js"
import type { TreeHead } from "../../core/merkle.js"
import { computePinDigest } from "../../core/pin.js"
import { TILE_WIDTH } from "../../core/tile.js"
import type { LogIdentity, LogSource } from "../../ports.js"
import { formatInstant } from "../pins.js"
import { createBuilder, describeTools, PINNED_TARGET, type PlacedRecord, type SignedHead } from "./build-log.js"
import { ORIGIN } from "./keys.js"

/** The honest log and what a client knows of it. */
export interface HonestWorld {
  /** POSIX seconds; all times of the log lie before it. */
  readonly nowSec: bigint
  readonly fingerprint: string
  /** What is served, by path below public/. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly entries: readonly Uint8Array[]
  readonly keyrings: readonly string[]
  /** `early`: 90 days ago; `seen`: what the client remembers, from two days ago; `now`: what the log serves. */
  readonly heads: { readonly early: SignedHead; readonly seen: SignedHead; readonly now: SignedHead }
  /** The record that is pinned: the newest of its stream. */
  readonly pinned: PlacedRecord
  /** The first record of the same stream, and the newest one of another subject. */
  readonly first: PlacedRecord
  readonly other: PlacedRecord
  /** What the client remembers of the log, and its pin, both at `seen`. */
  readonly state: Uint8Array
  readonly lockfile: Lockfile
}

/** What the pinned server is filed under. */
export const PINNED_SUBJECT = "pkg:npm/%40acme/notes"
/** Another server, of which the log has two records. */
export const OTHER_SUBJECT = "pkg:npm/%40acme/mail"
/** Name of the pin. */
export const PIN_NAME = "notes"
/** What the pinned server says. */
export const PINNED_TEXT = "Searches your notes."

const DAY = 86_400n
const AGES = { first: 100n * DAY, early: 90n * DAY, seen: 2n * DAY, now: 60n } as const

/** Make the honest log as of `nowSec`, of some 1,100 entries. `filler`: so many more, to make the tree larger. */
export async function makeHonestWorld({
  nowSec,
  filler = 0,
}: {
  nowSec: bigint
  filler?: number
}): Promise<HonestWorld> {
  const log = await createBuilder(nowSec, AGES.first)
  const [first] = await log.observe([PINNED_SUBJECT, "Searches."], ["https://mcp.example.com/x", "one"])
  await log.observe([OTHER_SUBJECT, "Reads mail."])
  await log.fill(60)
  await log.rotate()
  await log.observe([PINNED_SUBJECT, "Searches notes."])
  await log.fill(200)
  const [pinned] = await log.observe([PINNED_SUBJECT, PINNED_TEXT])
  log.passTo(AGES.early)
  await log.fill(150)
  const early = log.head()
  log.passTo(AGES.seen)
  await log.addRoot()
  await log.raw(filler)
  const [other] = await log.observe([OTHER_SUBJECT, "Reads mail and sends it."])
  await log.fill(270)
  const seen = log.head()
  const keyringsSeen = keyringsOf(log.stored)
  log.passTo(AGES.now)
  await log.fill(360)
  await log.raw(4)
  if (first === undefined || pinned === undefined || other === undefined) throw new Error("each was appended")
  const files = publicFiles(log.stored)
  const now = log.head()
  const known = { nowSec, early, seen, keyrings: keyringsSeen, pinned }
  return {
    ...{ nowSec, files, first, pinned, other },
    fingerprint: verifyKeyring({ notes: keyringsSeen }).fingerprint,
    entries: await readAll(filesSource(files), now),
    keyrings: keyringsOf(log.stored),
    heads: { early, seen, now },
    state: rememberLog(known),
    lockfile: await lockPin(known, filesSource(files)),
  }
}

/** Path of a keyring. */
export const keyringPath = (version: number): string => `keyring/${version}`

/** A log's files as its readers see them. */
export const filesSource = (files: ReadonlyMap<string, Uint8Array>): LogSource => ({
  location: "memory",
  local: false,
  read: async (path, maxBytes) => {
    const bytes = files.get(path) ?? null
    if (bytes !== null && bytes.length > maxBytes)
      throw new ToolsumError("LOG_UNAVAILABLE", `${path}: expected at most ${maxBytes} bytes, got more`)
    return bytes
  },
})

/** What tells the log apart in a client's state. */
export const identityOf = (keyrings: readonly string[]): LogIdentity => ({
  origin: ORIGIN,
  root: verifyKeyring({ notes: keyrings }).fingerprint,
})

const publicFiles = (stored: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> =>
  new Map(
    [...stored].flatMap(([key, bytes]) => (key.startsWith("public/") ? [[key.slice("public/".length), bytes]] : [])),
  )

function keyringsOf(stored: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const notes: string[] = []
  for (let bytes = stored.get("public/keyring/1"); bytes !== undefined; ) {
    notes.push(new TextDecoder().decode(bytes))
    bytes = stored.get(`public/keyring/${notes.length + 1}`)
  }
  return notes
}

async function readAll(source: LogSource, head: TreeHead): Promise<readonly Uint8Array[]> {
  const tree = createVerifiedTree(source, head)
  const entries: Uint8Array[] = []
  for (let bundle = 0n; bundle * BigInt(TILE_WIDTH) < head.size; bundle++)
    entries.push(...(await tree.readEntries(bundle)))
  return entries
}

/** What the client had from the log when it last looked. */
interface Known {
  readonly nowSec: bigint
  readonly early: SignedHead
  readonly seen: SignedHead
  readonly keyrings: readonly string[]
  readonly pinned: PlacedRecord
}

function rememberLog({ nowSec, early, seen, keyrings }: Known): Uint8Array {
  const seenSec = nowSec - AGES.seen
  const keyring = { version: BigInt(keyrings.length), note: keyrings.at(-1) ?? "" }
  const memory = { head: seen, headSeenSec: seenSec, keyring, keyringSeenSec: seenSec, earlier: [early] }
  return formatMemory(memory, identityOf(keyrings))
}

async function lockPin({ nowSec, seen, keyrings, pinned }: Known, source: LogSource): Promise<Lockfile> {
  const { proof } = await proveInclusion(createVerifiedTree(source, seen), pinned.index)
  const { sections } = describeTools(PINNED_TEXT)
  const { record, index } = pinned
  const pin: Pin = {
    ...{ from: [], target: PINNED_TARGET, log: ORIGIN, masks: [], read: {}, observation: null },
    ...{ record: pinned.text, index, head: headKey(seen), proof },
    tools: Object.fromEntries((sections.tools?.items ?? []).map(({ key, digest }) => [key ?? "", digest])),
    ...{ prompts: {}, templates: {} },
    approved: {
      pin: computePinDigest({ ...record, log: ORIGIN, target: PINNED_TARGET }),
      ...{ from: null, at: formatInstant(Number(nowSec - AGES.seen)), by: "test", reason: null, only: null },
    },
  }
  const log = {
    dialect: "tlog-tiles",
    url: null,
    keyring: keyrings,
    heads: { [headKey(seen)]: seen.note },
    links: {},
  } as const
  return { format: "toolsum-lock/v1", logs: { [ORIGIN]: log }, servers: { [PIN_NAME]: pin }, removed: {} }
}
