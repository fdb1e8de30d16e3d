// An honest log for tests of the audit, made by the writer, and everything to audit it with: what is served can be changed, and forged trees can
// be served under the log's own key.
import { createHash } from "node:crypto"
import { encodeUtf8 } from "../../../src/core/bytes.js"
import { formatCheckpoint } from "../../../src/core/checkpoint.js"
import { type Hash, hashLeaf } from "../../../src/core/hash.js"
import { verifyKeyring } from "../../../src/core/keyring.js"
import { joinHashes } from "../../../src/core/merkle.js"
import { computeTreeHash } from "../../../src/core/merkle-tree.js"
import { signNote } from "../../../src/core/note.js"
import { formatBundle, formatBundlePath, formatTilePath, parseBundle } from "../../../src/core/tile.js"
import type { SigningKey } from "../../../src/core/vkey.js"
import { type AuditOptions, type AuditReport, auditLog } from "../../../src/features/audit/audit-log.js"
import { SEED_BYTES } from "../../../src/features/audit/subject-sums.js"
import type { AuditState, LogIdentity, LogSource } from "../../../src/ports.js"
import { createMemoryStore } from "../../../src/writer/memory-store.js"
import { tilesForSize } from "../../core/tiles-for-size.js"
import { MemoryState } from "../../fakes/memory-state.js"
import { LOG_KEY, newLog, ORIGIN, rawEntry, reopen, submission } from "../../fakes/writer-fixtures.js"

/** Seconds: a minute after the records of the log. */
export const NOW = 1_796_083_260

/** A log as it is served, and the memory of whoever audits it. */
export interface AuditWorld {
  /** By path below public/. */
  readonly files: Map<string, Uint8Array>
  readonly source: LogSource & { local: boolean; reads: string[] }
  readonly state: MemoryState
  readonly auditState: MemoryAuditState
  readonly trust: AuditOptions["trust"]
  audit(over?: Partial<AuditOptions>): Promise<AuditReport>
}

/** The AuditState port in memory. */
export class MemoryAuditState implements AuditState {
  readonly stored = new Map<string, Uint8Array>()
  saves = 0

  async load(log: LogIdentity): Promise<Uint8Array | null> {
    return this.stored.get(log.origin) ?? null
  }

  async save(log: LogIdentity, parts: readonly Uint8Array[]): Promise<void> {
    this.saves++
    this.stored.set(log.origin, new Uint8Array(Buffer.concat(parts)))
  }
}

/** A log as the writer stores it, and as it is served: by path below public/. */
export interface MadeLog {
  readonly stored: ReadonlyMap<string, Uint8Array>
  readonly files: ReadonlyMap<string, Uint8Array>
}

const made = (stored: ReadonlyMap<string, Uint8Array>): MadeLog => ({ stored, files: publicFiles(stored) })

/** A log of three streams and `raw` entries of another type, published in several steps; the same each time. */
export async function makeLog(raw: number): Promise<MadeLog> {
  const store = createMemoryStore()
  const log = await newLog(store)
  await log.append([submission(["a"]), submission(["b"], { subject: "local:other" })])
  await log.append([submission(["a", "c"], { observed: 1_796_083_201n })])
  await log.appendEntries(Array.from({ length: raw }, (_, i) => rawEntry(i)))
  await log.append([submission(["a"], { observed: 1_796_083_202n }), submission(["d"], { subject: "local:late" })])
  await log.close()
  return made(store.files)
}

/** Let a stored log grow by records of its first stream. */
export async function growLog(files: ReadonlyMap<string, Uint8Array>, tools: readonly string[][]): Promise<MadeLog> {
  const store = createMemoryStore(files)
  const log = await reopen(store)
  for (const [i, names] of tools.entries())
    await log.append([submission(names, { observed: 1_796_083_210n + BigInt(i) })])
  await log.close()
  return made(store.files)
}

const publicFiles = (files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> =>
  new Map([...files].flatMap(([key, bytes]) => (key.startsWith("public/") ? [[key.slice(7), bytes] as const] : [])))

/** A log with these files. */
export function makeWorld(served: ReadonlyMap<string, Uint8Array>): AuditWorld {
  const files = new Map(served)
  const reads: string[] = []
  const source = {
    ...{ location: "memory", local: false, reads },
    read: async (path: string, maxBytes: number) => {
      reads.push(path)
      const bytes = files.get(path) ?? null
      if (bytes !== null && bytes.length > maxBytes) throw new Error(`${path} has ${bytes.length} bytes`)
      return bytes
    },
  }
  const state = new MemoryState()
  const auditState = new MemoryAuditState()
  const { fingerprint } = verifyKeyring({ notes: [served.get("keyring/1") ?? ""] })
  const root = { dialect: "tlog-tiles", name: ORIGIN, fingerprint, floor: null, source: "flag" } as const
  const trust = { kind: "roots", roots: [root] } as const
  const audit = (over: Partial<AuditOptions> = {}) =>
    auditLog({ source, trust, clock: () => NOW, seed: new Uint8Array(SEED_BYTES).fill(7), state, auditState, ...over })
  return { files, source, state, auditState, trust, audit }
}

/** Entries of the log of a world. */
export function entriesOf({ files }: AuditWorld): readonly Uint8Array[] {
  const size = BigInt(text(files.get("checkpoint")).split("\n")[1] ?? "")
  return [...tilesForSize(size)].flatMap((ref) =>
    ref.level === 0 ? parseBundle(files.get(formatBundlePath(ref)) ?? new Uint8Array(0), ref.width) : [],
  )
}

/** Serve a tree of these entries under the log's own key, with all tiles of that size. */
export function serveTree({ files }: AuditWorld, entries: readonly Uint8Array[], key: SigningKey = LOG_KEY): void {
  const size = BigInt(entries.length)
  const levels: Hash[][] = [entries.map(hashLeaf)]
  for (const ref of tilesForSize(size)) {
    const row = levels[ref.level] ?? []
    levels[ref.level] = row
    if (ref.level > 0) row.push(...parents(levels[ref.level - 1] ?? [], ref.index, ref.width))
    const from = Number(ref.index) * 256
    files.set(formatTilePath(ref), joinHashes(row.slice(from, from + ref.width)))
    if (ref.level === 0) files.set(formatBundlePath(ref), formatBundle(entries.slice(from, from + ref.width)))
  }
  const head = { origin: ORIGIN, size, rootHash: computeTreeHash(levels[0] ?? []), extensions: [] }
  files.set("checkpoint", encodeUtf8(signNote(formatCheckpoint(head), [key])))
}

function parents(below: readonly Hash[], index: bigint, width: number): readonly Hash[] {
  const first = Number(index) * 256
  return Array.from({ length: width }, (_, i) => computeTreeHash(below.slice((first + i) * 256, (first + i + 1) * 256)))
}

/** Change a file. */
export function edit({ files }: AuditWorld, path: string, change: (bytes: Uint8Array) => Uint8Array): void {
  const bytes = files.get(path)
  if (bytes === undefined) throw new Error(`the log has no ${path}`)
  files.set(path, change(bytes.slice()))
}

/** Change one bit. */
export const flip =
  (at: number) =>
  (bytes: Uint8Array): Uint8Array => {
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  }

export const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** Codes of a report but the usual notes. */
export const codesOf = ({ findings }: AuditReport): readonly string[] =>
  findings.map(({ code }) => code).filter((code) => !["no_witnesses", "other_entries"].includes(code))

/** Path of the object with this text. */
export function objectPathOf(value: string): string {
  const hex = createHash("sha256").update(value).digest("hex")
  return `objects/${hex.slice(0, 2)}/${hex}`
}
