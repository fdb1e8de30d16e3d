// The user's trust store (DESIGN 8, Roots): fingerprints of logs' root keys, each with the log's name, where the log is, when it
// was added and on whose word. Written by `init`, `trust add` and `trust remove`, outside any repository. Text forms are core/root.ts's.
import { type Bad, quote, ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import {
  formatRootArgument,
  type KeyringFloor,
  type PinnedRoot,
  parseRootArgument,
  type RootArgument,
} from "../core/root.js"
import type { Clock } from "../ports.js"
import { expectMembers, expectText, readStore, reviseStore, type StoreFormat } from "./user-store.js"

/** A root that the user trusts. */
export interface TrustedRoot extends RootArgument {
  /** Where the log is read: an https URL, an absolute path, or null when only lockfiles are verified with it. */
  readonly log: string | null
  /** When it was added, ISO 8601. */
  readonly at: string
  /** On whose word: the user's own note, such as "init" or "read aloud by Ada". */
  readonly from: string
}

/** What `trust add` takes in. */
export interface TrustRequest {
  readonly root: RootArgument
  readonly log: string | null
  readonly from: string
}

/** The trust store. Reads throw STATE_CORRUPT when the file is damaged and IO_FAILED; writing is durable before it returns. */
export interface TrustStore {
  /** All roots, in the order in which they were added. */
  list(): Promise<readonly TrustedRoot[]>
  /** Add a root, or what is new to the entry of the same name and fingerprint: a stored place stays where none is given, and of two
   *  floors the higher one counts. False when nothing was new. A name that is trusted under another fingerprint is refused with
   *  CONFIG_INVALID: whoever means it removes the old one first. */
  add(request: TrustRequest, options?: WriteOptions): Promise<boolean>
  /** Take out all roots that `which` picks, and return them. */
  remove(which: (root: TrustedRoot) => boolean, options?: WriteOptions): Promise<readonly TrustedRoot[]>
}

/** How a store is changed. */
export interface WriteOptions {
  /** True: only find out what a change would do. */
  readonly dryRun?: boolean
}

const MEMBERS = ["root", "log", "at", "from"] as const

const FORMAT: StoreFormat<readonly TrustedRoot[]> = {
  format: "toolsum-trust/v1",
  empty: [],
  parse: (document, bad) => {
    const { roots } = expectMembers(document, ["format", "roots"], bad)
    if (!Array.isArray(roots)) throw bad("expected roots to be a list")
    return roots.map((root: JsonValue) => parseTrusted(root, bad))
  },
  members: (roots) => ({
    roots: roots.map((root) => ({ root: formatRootArgument(root), log: root.log, at: root.at, from: root.from })),
  }),
}

function parseTrusted(value: JsonValue, bad: Bad): TrustedRoot {
  const { root, log, at, from } = expectMembers(value, MEMBERS, bad)
  return {
    ...parseRoot(expectText(root, "root", bad), bad),
    log: log === null ? null : expectText(log, "log", bad),
    at: expectText(at, "at", bad),
    from: expectText(from, "from", bad),
  }
}

function parseRoot(text: string, bad: Bad): RootArgument {
  try {
    return parseRootArgument(text)
  } catch (error) {
    throw bad(error instanceof Error ? error.message : String(error))
  }
}

/** The trust store kept in the file `path`. */
export function createFileTrustStore(path: string, clock: Clock): TrustStore {
  type Roots = readonly TrustedRoot[]
  /** What is stored before and after `change`. */
  const revise = async (change: (roots: Roots) => Roots, { dryRun = false }: WriteOptions): Promise<[Roots, Roots]> => {
    let before = readStore(path, FORMAT)
    if (dryRun) return [before, change(before)]
    const after = await reviseStore(path, FORMAT, (roots) => {
      before = roots
      return change(roots)
    })
    return [before, after]
  }
  return {
    list: async () => readStore(path, FORMAT),
    add: async ({ root, log, from }, options = {}) => {
      const added = { ...root, log, from, at: new Date(clock() * 1000).toISOString() }
      const [before, after] = await revise((roots) => addRoot(roots, added), options)
      return before !== after
    },
    remove: async (which, options = {}) => {
      const keep = (roots: Roots) => (roots.some(which) ? roots.filter((root) => !which(root)) : roots)
      const [before] = await revise(keep, options)
      return before.filter(which)
    },
  }
}

function addRoot(roots: readonly TrustedRoot[], added: TrustedRoot): readonly TrustedRoot[] {
  const { name, fingerprint } = added
  const other = roots.find((root) => root.name !== null && root.name === name && root.fingerprint !== fingerprint)
  if (other) {
    const why = `${quote(other.name ?? "")} is trusted as ${other.fingerprint}`
    throw new ToolsumError(
      "CONFIG_INVALID",
      `${why}; whoever means to change that removes it with toolsum trust remove`,
    )
  }
  const isSame = (root: TrustedRoot) => root.name === name && root.fingerprint === fingerprint
  const old = roots.find(isSame)
  const merged = { ...added, log: added.log ?? old?.log ?? null, floor: higherFloor(old?.floor ?? null, added.floor) }
  if (old && old.log === merged.log && formatRootArgument(old) === formatRootArgument(merged)) return roots
  return [...roots.filter((root) => !isSame(root)), merged]
}

/** The floor that demands more; of two for one version the later one. */
function higherFloor(old: KeyringFloor | null, added: KeyringFloor | null): KeyringFloor | null {
  if (old === null || added === null) return added ?? old
  return old.version > added.version ? old : added
}

/** The roots as verification takes them. */
export const pinnedRoots = (roots: readonly TrustedRoot[]): readonly PinnedRoot[] =>
  roots.map(({ dialect, name, fingerprint, floor }) => ({ dialect, name, fingerprint, floor, source: "trust-store" }))
