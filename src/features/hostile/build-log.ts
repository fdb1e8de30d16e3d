// Builds the honest log step by step with the writer, in memory: observations, entries of another type, a change of the log key, a second
// root key. The time is the builder's own and only goes forward.
import { encodeUtf8 } from "../../core/bytes.js"
import type { Hash } from "../../core/hash.js"
import { parseJson } from "../../core/json.js"
import type { TreeHead } from "../../core/merkle.js"
import { parseNote } from "../../core/note.js"
import { parsePolicy } from "../../core/policy.js"
import { parseRecord, type ToolRecord } from "../../core/record.js"
import { type ComputedSurface, computeSurface, computeSurfaceDigest, parseSurface } from "../../core/section.js"
import { computeHow } from "../../core/subject.js"
import type { Target } from "../../core/target.js"
import type { SigningKey } from "../../core/vkey.js"
import { createLog } from "../../writer/create.js"
import { type LogWriter, type OpenOptions, openLog, type Recorded } from "../../writer/log.js"
import { createMemoryStore } from "../../writer/memory-store.js"
import type { Submission } from "../../writer/submission.js"
import { DEFAULT_SECTIONS } from "../observe.js"
import { cosignatureLines, type KeyringChange, nextKeyringText, signText } from "./forge.js"
import { LOG_KEYS, ORIGIN, POLICY_TEXT, ROOTS, verifierOf, WITNESSES } from "./keys.js"

/** A head with its note. */
export interface SignedHead extends TreeHead {
  readonly note: string
}

/** A record and its place. */
export interface PlacedRecord {
  readonly index: bigint
  readonly text: string
  readonly record: ToolRecord
  readonly leafHash: Hash
}

/** How the pinned server is started; every record of the log was read under its conditions. */
export const PINNED_TARGET: Target = { command: "npx", args: ["-y", "@acme/notes@1.2.3"], env: [] }

/** Lines and archive texts of a server that has one tool with this description. */
export function describeTools(description: string): ComputedSurface {
  const tools = [{ name: "search", description, inputSchema: { type: "object" } }]
  const surface = parseSurface(parseJson(JSON.stringify({ tools, serverInfo: { name: "notes", version: "1" } })))
  return computeSurface(surface, DEFAULT_SECTIONS)
}

/** What was seen of a server at a time. */
function observeTools(subject: string, description: string, observed: bigint): Submission {
  const { lines, archive } = describeTools(description)
  const observation = {
    subject,
    version: subject.startsWith("pkg:") ? "1.2.3" : "-",
    profile: "anonymous",
    how: computeHow(PINNED_TARGET, { sections: DEFAULT_SECTIONS }).digest,
    observer: "ci.example",
    mask: "-",
    state: "listed",
    lines,
    surface: computeSurfaceDigest("listed", lines),
    observed,
  } as const
  return { observation, objects: archive }
}

/** A log that is being built. */
export interface LogBuilder {
  /** What is stored, by key. */
  readonly stored: ReadonlyMap<string, Uint8Array>
  /** Let the time be `ageSec` before the end; never backwards. */
  passTo(ageSec: bigint): void
  /** Record lists, each by its subject and a description. */
  observe(...seen: readonly (readonly [subject: string, description: string])[]): Promise<readonly PlacedRecord[]>
  /** Record so many other servers. */
  fill(count: number): Promise<void>
  /** Append so many entries of another type. */
  raw(count: number): Promise<void>
  /** Keyring 2: the second log key takes over from the first, and two of three witnesses must cosign. */
  rotate(): Promise<void>
  /** Keyring 3: two root keys, both of which must sign. */
  addRoot(): Promise<void>
  head(): SignedHead
}

/** Start a log whose end is at `nowSec` (POSIX seconds). */
export async function createBuilder(nowSec: bigint, startAgeSec: bigint): Promise<LogBuilder> {
  const store = createMemoryStore()
  let timeSec = nowSec - startAgeSec
  let fillers = 0
  const cosign: NonNullable<OpenOptions["cosign"]> = async ({ checkpoint }) => {
    const witnesses = Object.values(WITNESSES).map((key) => ({ key, timestamp: timeSec }))
    return { lines: cosignatureLines(parseNote(checkpoint).text, witnesses), absent: [] }
  }
  let log: LogWriter = await createLog({
    ...{ store, cosign, origin: ORIGIN, archive: true, waitMs: 0 },
    ...{ rootSigners: [ROOTS.a], signers: [LOG_KEYS.first], clock: () => Number(timeSec) },
  })
  const reopen = async (...signers: readonly SigningKey[]) => {
    await log.close()
    log = await openLog({ store, cosign, signers, waitMs: 0 })
  }
  const appendKeyring = async (version: bigint, change: KeyringChange, signers: readonly SigningKey[]) => {
    const before = new TextDecoder().decode(store.files.get(`public/keyring/${version - 1n}`))
    await log.appendKeyring(signText(nextKeyringText(before, { issued: timeSec, ...change }), signers, []))
  }
  return {
    stored: store.files,
    passTo: (ageSec) => {
      const nextSec = nowSec - ageSec
      if (nextSec > timeSec) timeSec = nextSec
    },
    observe: async (...seen) => {
      const done = await log.append(seen.map(([subject, text]) => observeTools(subject, text, timeSec)))
      return done.map(placeOf)
    },
    fill: async (count) => {
      const seen = Array.from({ length: count }, () => `pkg:npm/filler-${fillers++}`)
      await log.append(seen.map((subject) => observeTools(subject, "fills the log", timeSec)))
    },
    raw: async (count) => {
      await log.appendEntries(Array.from({ length: count }, (_, i) => encodeUtf8(`another-type/v1\nnumber ${i}\n`)))
    },
    rotate: async () => {
      await reopen(LOG_KEYS.first, LOG_KEYS.second)
      const { size, rootHash } = log.head()
      const logs = [
        { key: verifierOf(LOG_KEYS.first), from: 0n, closing: { size, rootHash }, revoked: false },
        { key: verifierOf(LOG_KEYS.second), from: size, closing: null, revoked: false },
      ]
      await appendKeyring(2n, { logs, policy: parsePolicy(POLICY_TEXT) }, [ROOTS.a])
      await reopen(LOG_KEYS.second)
    },
    addRoot: async () => {
      const change = { rootThreshold: 2, roots: [verifierOf(ROOTS.a), verifierOf(ROOTS.b)] }
      await appendKeyring(3n, change, [ROOTS.a, ROOTS.b])
    },
    head: () => {
      const { size, rootHash, checkpoint } = log.head()
      return { size, rootHash, note: checkpoint }
    },
  }
}

function placeOf({ index, record, leafHash }: Recorded): PlacedRecord {
  return { index, text: record, record: parseRecord(record), leafHash }
}
