import fc from "fast-check"
import { expect, test } from "vitest"
import { formatLockfile, type Lockfile, parseLockfile } from "../../src/core/lockfile.js"
import { formatConflict } from "../../src/features/conflict-text.js"
import { mergeLockfiles } from "../../src/features/merge-lockfiles.js"
import { arbSides } from "./arbitrary-merge.js"

const text = formatLockfile
const RUNS = { numRuns: 60 }

/** What a person has who takes one side of every conflict. */
function takeSide(conflict: string, side: "ours" | "theirs"): string {
  return conflict.replace(/^<{7} ours\n([\s\S]*?)^={7}\n([\s\S]*?)^>{7} theirs\n/gm, side === "ours" ? "$1" : "$2")
}

test("merging the other way round gives the same, with the sides of conflicts swapped", () => {
  fc.assert(
    fc.property(arbSides, ({ base, ours, theirs }) => {
      const one = mergeLockfiles({ base, ours, theirs })
      const other = mergeLockfiles({ base, ours: theirs, theirs: ours })
      expect(text(other.otherwise)).toBe(text(one.lockfile))
      expect(text(other.lockfile)).toBe(text(one.otherwise))
      expect(other.conflicts).toEqual(one.conflicts)
    }),
    RUNS,
  )
})

test("two sides that are the same are the result", () => {
  fc.assert(
    fc.property(arbSides, ({ base, ours }) => {
      const merged = mergeLockfiles({ base, ours, theirs: ours })
      expect(merged.conflicts).toEqual([])
      expect(text(merged.lockfile)).toBe(text(ours))
    }),
    RUNS,
  )
})

/** The keyrings of `lockfile`, none older than those of `before`: a merge never goes back. */
const withKeyringsOf = (lockfile: Lockfile, before: Lockfile): Lockfile => ({
  ...lockfile,
  logs: Object.fromEntries(
    Object.entries(lockfile.logs).map(([origin, log]) => {
      const earlier = before.logs[origin]?.keyring ?? []
      const isLonger = earlier.join("").length > log.keyring.join("").length // of dialect legion it is one text that grows
      return [origin, { ...log, keyring: isLonger ? earlier : log.keyring }]
    }),
  ),
})

test("where only one side changed something, that side is the result", () => {
  fc.assert(
    fc.property(arbSides, ({ base, ours }) => {
      const changed = withKeyringsOf(ours, base)
      for (const sides of [
        { base, ours: changed, theirs: base },
        { base, ours: base, theirs: changed },
      ]) {
        const merged = mergeLockfiles(sides)
        expect(merged.conflicts).toEqual([])
        expect(text(merged.lockfile)).toBe(text(changed))
      }
    }),
    RUNS,
  )
})

test("the result is a lockfile, and so is the other one; they differ only in conflicts", () => {
  fc.assert(
    fc.property(arbSides, (sides) => {
      const { lockfile, otherwise, conflicts } = mergeLockfiles(sides)
      expect(text(parseLockfile(text(lockfile)))).toBe(text(lockfile))
      expect(text(parseLockfile(text(otherwise)))).toBe(text(otherwise))
      expect(text(lockfile) === text(otherwise)).toBe(conflicts.length === 0)
    }),
    RUNS,
  )
})

test("every pin of the result is one that a side has, but for approval and origins; nothing that one side added is missing", () => {
  const bare = (lockfile: Lockfile, name: string) => {
    const pin = lockfile.servers[name]
    return pin && text({ ...lockfile, removed: {}, servers: { pin: { ...pin, from: [], approved: null } }, logs: {} })
  }
  fc.assert(
    fc.property(arbSides, ({ base, ours, theirs }) => {
      const { lockfile, otherwise } = mergeLockfiles({ base, ours, theirs })
      for (const name of Object.keys(lockfile.servers)) {
        expect([bare(ours, name), bare(theirs, name)]).toContain(bare(lockfile, name))
      }
      for (const side of [ours, theirs]) {
        for (const name of Object.keys(side.servers)) {
          if (base.servers[name] === undefined) {
            expect([bare(lockfile, name), bare(otherwise, name)]).not.toEqual([undefined, undefined])
          }
        }
      }
    }),
    RUNS,
  )
})

test("a conflict is refused as such, and taking one side of all of it gives a lockfile", () => {
  fc.assert(
    fc.property(arbSides, (sides) => {
      const { lockfile, otherwise, conflicts } = mergeLockfiles(sides)
      const conflict = formatConflict(text(lockfile), text(otherwise))
      expect(takeSide(conflict, "ours")).toBe(text(lockfile))
      expect(takeSide(conflict, "theirs")).toBe(text(otherwise))
      if (conflicts.length === 0) expect(conflict).toBe(text(lockfile))
      else expect(() => parseLockfile(conflict)).toThrow(/conflict markers/)
    }),
    RUNS,
  )
})
