// Recomputes the example of FORMAT.md, section 18: merges of small changes to the document's lockfile.
import { type LockedLog, type Lockfile, type Pin, parseLockfile } from "../../src/core/lockfile.js"
import { mergeLockfiles } from "../../src/features/merge-lockfiles.js"
import { PIN_NAME } from "./example-log.js"
import { type Checks, cases } from "./format-document.js"

/** What the two sides do to the example's lockfile. */
interface Merge {
  readonly ours?: (base: Lockfile) => Lockfile
  readonly theirs?: (base: Lockfile) => Lockfile
}

const pinsOf = (base: Lockfile, change: (pin: Pin) => Readonly<Record<string, Pin>>): Lockfile => {
  const pin = base.servers[PIN_NAME]
  return pin ? { ...base, servers: change(pin) } : base
}

const removed = (base: Lockfile): Lockfile => ({
  ...base,
  servers: {},
  removed: { [PIN_NAME]: { at: "2026-12-02T09:00:00Z", by: "ada@example.com", reason: null } },
})

const updated =
  (...args: readonly string[]) =>
  (base: Lockfile) =>
    pinsOf(base, (pin) => ({ [PIN_NAME]: { ...pin, target: { command: "npx", args, env: [] } } }))

const added = (name: string) => (base: Lockfile) => pinsOf(base, (pin) => ({ [PIN_NAME]: pin, [name]: pin }))

const MERGES: Readonly<Record<string, Merge>> = {
  "ours adds memo, theirs adds list": { ours: added("memo"), theirs: added("list") },
  "ours removes notes, theirs does nothing": { ours: removed },
  "ours renames notes to memo, theirs does nothing": { ours: (base) => pinsOf(base, (memo) => ({ memo })) },
  "ours removes notes, theirs updates it": { ours: removed, theirs: updated("-y", "@example/notes@1.3.0") },
  "both update notes, differently": {
    ours: updated("-y", "@example/notes@1.3.0"),
    theirs: updated("-y", "@example/notes@1.4.0"),
  },
  "ours drops head 2 that a pin names": {
    ours: (base) => ({
      ...base,
      logs: mapLogs(base, (log) => ({ ...log, heads: withoutFirst(log.heads), links: {} })),
    }),
  },
}

const mapLogs = ({ logs }: Lockfile, change: (log: LockedLog) => LockedLog): Lockfile["logs"] =>
  Object.fromEntries(Object.entries(logs).map(([origin, log]) => [origin, change(log)]))

const withoutFirst = <T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(members).slice(1))

function describeMerge(base: Lockfile, { ours = (same) => same, theirs = (same) => same }: Merge): string {
  const { lockfile, conflicts } = mergeLockfiles({ base, ours: ours(base), theirs: theirs(base) })
  const [first] = conflicts
  if (first) return `conflict: ${first.name} ${first.what}`
  const heads = Object.values(lockfile.logs).flatMap((log) => Object.keys(log.heads).map((key) => key.split("-")[0]))
  return `pins ${Object.keys(lockfile.servers).join(" ") || "none"}, heads ${heads.join(" ")}`
}

export const MERGE_CHECKS: Checks = {
  merges: cases("merges", (what, doc) => describeMerge(parseLockfile(doc.text("lockfile")), MERGES[what] ?? {})),
}
