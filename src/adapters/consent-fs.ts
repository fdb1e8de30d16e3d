// The user's consent store (DESIGN 8, Consent): digests of targets that may be started, contacted or handed variables. It lies
// in the user's configuration folder, outside any repository, so that nothing in a repository can extend it.
import type { Bad } from "../core/errors.js"
import { type Digest, parseDigest } from "../core/hash.js"
import { isObject, type JsonObject } from "../core/json.js"
import type { Clock, Consent } from "../ports.js"
import { expectMembers, expectText, readStore, reviseStore, type StoreFormat } from "./user-store.js"

interface Grant {
  readonly at: string
  readonly why: string
}
type Grants = ReadonlyMap<Digest, Grant>

const FORMAT: StoreFormat<Grants> = {
  format: "toolsum-consent/v1",
  empty: new Map(),
  parse: (document, bad) => parseGrants(expectMembers(document, ["format", "targets"], bad), bad),
  members: (grants) => ({ targets: Object.fromEntries([...grants].sort(([a], [b]) => (a < b ? -1 : 1))) }),
}

function parseGrants({ targets }: JsonObject, bad: Bad): Grants {
  if (!isObject(targets)) throw bad("expected targets to be an object")
  const parseGrant = (value: JsonObject[string] | undefined): Grant => {
    const { at, why } = expectMembers(value, ["at", "why"], bad)
    return { at: expectText(at, "at", bad), why: expectText(why, "why", bad) }
  }
  return new Map(Object.keys(targets).map((digest) => [parseDigest(digest, bad), parseGrant(targets[digest])]))
}

/** Consent kept in the file `path`. Adding is durable before it returns; adding twice keeps the first entry. Throws STATE_CORRUPT when the
 *  file is damaged, IO_FAILED when it cannot be read or written, TIMEOUT when another process keeps it locked. */
export function createFileConsent(path: string, clock: Clock): Consent {
  return {
    has: async (digest) => (await readStore(path, FORMAT)).has(digest),
    add: async (digest, why) => {
      const grant = { at: new Date(clock() * 1000).toISOString(), why }
      await reviseStore(path, FORMAT, (grants) => (grants.has(digest) ? grants : new Map([...grants, [digest, grant]])))
    },
  }
}
