// `--base`: the logs of a lockfile beside those of its base. A log that is new, elsewhere or under another root, and keyrings that go back, have
// to be accepted; heads that contradict those of the base refute the log.
import type { BaseFinding } from "../core/base-report.js"
import { canonicalize, computeJsonDigest } from "../core/canonical.js"
import type { ToolsumError } from "../core/errors.js"
import type { JsonObject } from "../core/json.js"
import type { LockedLog, Lockfile } from "../core/lockfile.js"
import { judgeLog } from "../core/verify-log.js"
import type { FindingMaker } from "./base-change.js"
import { ownMember } from "./merge-sides.js"

type Logs = Lockfile["logs"]

/** The logs of a tree beside those at the merge base and at the base's newest commit. `known`: origins that the base's settings name. */
export function compareLogs(
  { base, atRef, tree, known }: { base: Logs; atRef: Logs; tree: Logs; known: (origin: string) => boolean },
  make: FindingMaker,
): readonly BaseFinding[] {
  return Object.entries(tree).flatMap(([origin, log]) => {
    const [before, ref] = [ownMember(base, origin), ownMember(atRef, origin)]
    return [
      ...compareIdentity(origin, { before, ref, log, known }, make),
      ...compareKeyrings(origin, before, log, make),
    ]
  })
}

function compareIdentity(
  origin: string,
  p: { before: LockedLog | null; ref: LockedLog | null; log: LockedLog; known: (origin: string) => boolean },
  make: FindingMaker,
): readonly BaseFinding[] {
  const [before, ref, after] = [
    p.before && identityOf(origin, p.before),
    p.ref && identityOf(origin, p.ref),
    identityOf(origin, p.log),
  ]
  if ([before, ref].some((one) => one !== null && canonicalize(one) === canonicalize(after))) return []
  if (before === null && p.known(origin)) return []
  if (before !== null && before.root !== after.root)
    return [
      make.change(
        { kind: "root", name: origin, before: before.root ?? null, after: after.root ?? null },
        `its root was ${before.root ?? "unreadable"}, it is ${after.root ?? "unreadable"} now`,
      ),
    ]
  const detail = before === null ? `a new log, root ${after.root ?? "unreadable"}` : "its place is another one"
  return [make.change({ kind: "log", name: origin, before, after }, detail)]
}

/** What a log is: how it is read, where, and under which root keys. */
const identityOf = (origin: string, log: LockedLog): JsonObject & { root: string | null } => ({
  dialect: log.dialect,
  url: log.url,
  root: judgeLog({ origin, log, roots: [], nowSec: 0n }).fingerprint,
})

/** A keyring may get longer; one that is shorter or another could bring a revoked key back. */
function compareKeyrings(
  origin: string,
  before: LockedLog | null,
  log: LockedLog,
  make: FindingMaker,
): readonly BaseFinding[] {
  if (before === null || log.dialect === "legion") return []
  const [then, now] = [before, log].map(({ keyring }) => keyring.map(textOfNote))
  if (then === undefined || now === undefined || then.every((text, i) => now[i] === text)) return []
  const change = {
    kind: "keyring",
    name: origin,
    before: computeJsonDigest(then),
    after: computeJsonDigest(now),
  } as const
  return [make.change(change, `keyring ${then.length} of the base is not in it`)]
}

/** A signed note without its signatures, which two sides may have in another order. */
const textOfNote = (note: string): string => note.slice(0, note.lastIndexOf("\n\n") + 1)

/** Logs whose heads, each fine by itself, contradict those of the base. */
export function findContradictions(base: Logs, tree: Logs): readonly { origin: string; error: ToolsumError }[] {
  return Object.entries(tree).flatMap(([origin, log]) => {
    const before = ownMember(base, origin)
    if (before === null || before.dialect === "legion" || log.dialect === "legion") return []
    const keyring = before.keyring.length > log.keyring.length ? before.keyring : log.keyring
    const [heads, links] = [
      { ...before.heads, ...log.heads },
      { ...before.links, ...log.links },
    ]
    const { fault } = judgeLog({ origin, log: { ...log, keyring, heads, links }, roots: [], nowSec: 0n })
    return fault?.kind === "rejected" ? [{ origin, error: fault }] : []
  })
}
