// The user's trust store (DESIGN 8, Roots): fingerprints of logs' root keys, each with the log's name, where the log is, when it
// was added and on whose word. Written by `init` and `trust add`, outside any repository. Text forms are core/root.ts's.
import { type Bad, quote, ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { formatRootArgument, type PinnedRoot, parseRootArgument, type RootArgument } from "../core/root.js"
import type { Clock } from "../ports.js"
import { quotePath } from "./regular-file.js"
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
  /** Add a root, or replace the entry of the same name and fingerprint; false when it was there as it is. A name that is trusted under
   *  another fingerprint is refused with CONFIG_INVALID: whoever means it takes the old one out of the file first. */
  add(request: TrustRequest): Promise<boolean>
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
  return {
    list: async () => readStore(path, FORMAT),
    add: async (request) => {
      let added = false
      await reviseStore(path, FORMAT, (roots) => {
        const revised = addRoot(
          roots,
          { ...request.root, log: request.log, from: request.from, at: new Date(clock() * 1000).toISOString() },
          path,
        )
        added = revised !== roots
        return revised
      })
      return added
    },
  }
}

function addRoot(roots: readonly TrustedRoot[], added: TrustedRoot, path: string): readonly TrustedRoot[] {
  const { name, fingerprint } = added
  const other = roots.find((root) => root.name !== null && root.name === name && root.fingerprint !== fingerprint)
  if (other) {
    const why = `${quote(other.name ?? "")} is trusted as ${other.fingerprint}`
    throw new ToolsumError(
      "CONFIG_INVALID",
      `${why}; whoever means to change that removes it from ${quotePath(path)} first`,
    )
  }
  const isSame = (root: TrustedRoot) => root.name === name && root.fingerprint === fingerprint
  const old = roots.find(isSame)
  if (old && old.log === added.log && formatRootArgument(old) === formatRootArgument(added)) return roots
  return [...roots.filter((root) => !isSame(root)), added]
}

/** The roots as verification takes them. */
export const pinnedRoots = (roots: readonly TrustedRoot[]): readonly PinnedRoot[] =>
  roots.map(({ dialect, name, fingerprint, floor }) => ({ dialect, name, fingerprint, floor, source: "trust-store" }))
