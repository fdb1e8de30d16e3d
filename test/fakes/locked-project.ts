// A log in memory and lockfiles with pins proven in it, for tests of what handles lockfiles: every branch of a project has its own
// lockfile, all of them have one log.
import { openLogClient } from "../../src/client/open-log.js"
import { parseJson } from "../../src/core/json.js"
import { type Approval, formatLockfile, type Lockfile, type Pin } from "../../src/core/lockfile.js"
import { computeRootFingerprint, type PinnedRoot } from "../../src/core/root.js"
import { parseSurface } from "../../src/core/section.js"
import type { Target } from "../../src/core/target.js"
import { approvalOf } from "../../src/features/approve.js"
import { describeReading } from "../../src/features/observe.js"
import { EMPTY_LOCKFILE } from "../../src/features/pins.js"
import { type Pinned, recordAndPin, type TargetLog } from "../../src/features/record-pin.js"
import type { LockfileStore, LogSource } from "../../src/ports.js"
import { verifiersOf } from "../../src/writer/follow.js"
import { createMemoryStore } from "../../src/writer/memory-store.js"
import { MemoryState } from "./memory-state.js"
import { newLog, ORIGIN, ROOT_KEY, reopen } from "./writer-fixtures.js"

export { ORIGIN }

const NOW = 1_796_083_200

/** The root of the log. */
export const ROOT: PinnedRoot = {
  dialect: "tlog-tiles",
  name: ORIGIN,
  fingerprint: computeRootFingerprint({ origin: ORIGIN, threshold: 1, roots: verifiersOf([ROOT_KEY]) }),
  floor: null,
  source: "flag",
}

/** A lockfile in memory. */
export interface MemoryLockfile extends LockfileStore {
  content: Lockfile | null
  /** Its definitions, by pin. */
  definitions: Record<string, Uint8Array>
  /** Called once, before the next change: another process may come in between. */
  meanwhile: (() => void) | null
}

/** A store that has `content`. */
export function createMemoryLockfile(content: Lockfile | null): MemoryLockfile {
  const store: MemoryLockfile = {
    path: "/project/toolsum.lock.json",
    content,
    definitions: {},
    meanwhile: null,
    read: async () => store.content,
    update: async (change) => {
      store.meanwhile?.()
      store.meanwhile = null
      const { lockfile, definitions = {} } = await change(store.content)
      const written = store.content === null || formatLockfile(lockfile) !== formatLockfile(store.content)
      if (written) store.content = lockfile
      for (const [name, bytes] of Object.entries(definitions)) {
        delete store.definitions[name]
        if (bytes !== null) store.definitions[name] = bytes
      }
      return written
    },
    requireWritable: async () => {},
    readDefinitions: async (pin) => store.definitions[pin] ?? null,
  }
  return store
}

/** What a pin is to say. */
export interface PinWish {
  readonly name: string
  /** Names of its tools; each has the same description always. */
  readonly tools: readonly string[]
  readonly version?: string
  /** Who approves it; null: nobody. */
  readonly by?: string | null
  readonly target?: Target
  /** Circumstances of the reading. */
  readonly read?: Readonly<Record<string, string>>
  /** True when its definitions are written too. */
  readonly definitions?: boolean
}

type OwnLog = Extract<TargetLog, { kind: "own" }>

/** The log and what can be done with it. */
export interface LockedProject {
  readonly log: OwnLog
  /** The lockfile with this pin recorded and proven. */
  pin(lockfile: Lockfile, wish: PinWish): Promise<Lockfile>
  /** The lockfile with this pin, not logged: written by somebody without the key. */
  pinUnlogged(lockfile: Lockfile, wish: PinWish): Promise<Lockfile>
  /** The pin in any store, recorded and proven unless another log is given. */
  pinInto(store: LockfileStore, wish: PinWish, log?: TargetLog): Promise<Pinned>
  /** Grow the log by other people's entries. */
  grow(count: number): Promise<void>
}

/** A new project: its log has one entry, the keyring. */
export async function makeLockedProject(): Promise<LockedProject> {
  const store = createMemoryStore()
  await (await newLog(store)).close()
  const source: LogSource = {
    location: "memory",
    local: true,
    read: (path, maxBytes) => store.read(`public/${path}`, maxBytes),
  }
  const log: OwnLog = {
    kind: "own",
    origin: ORIGIN,
    open: () => reopen(store),
    read: () => openLogClient({ source, roots: [ROOT], state: new MemoryState(), clock: () => NOW }),
  }
  return {
    log,
    pin: (lockfile, wish) => pinIn(lockfile, wish, log),
    pinUnlogged: (lockfile, wish) => pinIn(lockfile, wish, { kind: "elsewhere", origin: ORIGIN }),
    pinInto: (store, wish, other = log) => pinInto(store, wish, other),
    grow: async (count) => {
      const writer = await reopen(store)
      await writer.appendEntries(Array.from({ length: count }, () => new TextEncoder().encode("another entry\n")))
      await writer.close()
    },
  }
}

async function pinIn(lockfile: Lockfile, wish: PinWish, log: TargetLog): Promise<Lockfile> {
  const store = createMemoryLockfile(lockfile)
  await pinInto(store, wish, log)
  return store.content ?? EMPTY_LOCKFILE
}

function pinInto(store: LockfileStore, wish: PinWish, log: TargetLog): Promise<Pinned> {
  const { name, tools, version = "1.0.0", by = "a@example.com", read = READING.read, definitions = false } = wish
  const target = wish.target ?? { command: "npx", args: ["-y", `server-${name}@${version}`], env: [] }
  const list = tools.map((tool) => ({ name: tool, description: `the tool ${tool}`, inputSchema: { type: "object" } }))
  const surface = parseSurface(parseJson(JSON.stringify({ tools: list, serverInfo: { name, version } })))
  const reading = { ...READING, read, surface }
  const sections = ["tools"] as const
  const input = { name, target, placeholders: [], sections, masks: [], observer: "local", nowSec: NOW }
  const approve = (digest: Approval["pin"], before: Pin | null): Approval | null =>
    by === null ? (before?.approved ?? null) : approvalOf(digest, before, { by, reason: "read it", nowSec: NOW })
  const observed = describeReading(input, reading)
  return recordAndPin(store, { name, target, from: [], masks: [], sections, observed, approve, definitions }, log)
}

const READING = {
  protocol: "2025-11-25",
  capabilities: {},
  findings: [],
  failures: {},
  read: { node: "20.20.2" },
  isPrivate: false,
  resolved: { version: null, integrity: null },
}

/** The lockfile without this pin, and with the note that it was removed. */
export function removeFrom(lockfile: Lockfile, name: string, at = "2026-12-01T00:00:00Z"): Lockfile {
  const { [name]: _gone, ...servers } = lockfile.servers
  return {
    ...lockfile,
    servers,
    removed: { ...lockfile.removed, [name]: { at, by: "a@example.com", reason: "unused" } },
  }
}

/** The lockfile with this pin under another name. */
export function renameIn(lockfile: Lockfile, from: string, to: string): Lockfile {
  const { [from]: moved, ...servers } = lockfile.servers
  return moved ? { ...lockfile, servers: { ...servers, [to]: moved } } : lockfile
}

/** The lockfile with this pin changed by hand. */
export function editPin(lockfile: Lockfile, name: string, edit: (pin: Pin) => Pin): Lockfile {
  const pin = lockfile.servers[name]
  return pin ? { ...lockfile, servers: { ...lockfile.servers, [name]: edit(pin) } } : lockfile
}
