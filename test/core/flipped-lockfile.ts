// What one flipped bit in a lockfile does, and the list of places where it does nothing, by design. FORMAT.md has the same list in words.
import { isDeepStrictEqual } from "node:util"
import { ToolsumError } from "../../src/core/errors.js"
import { type Lockfile, parseLockfile } from "../../src/core/lockfile.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { type LockfileReport, verifyLockfile } from "../../src/core/verify-lockfile.js"
import { findPlaces, type JsonPlace } from "../fakes/json-places.js"
import { isLooseByte } from "../fakes/loose-signature.js"
import { flipped } from "./flips.js"

/** `malformed`: no verdicts. `rejected`: evidence that fails. `changed`: unapproved. `unknown`: cannot be checked. `harmless`: every
 *  verdict, and all that is proven, is what it was. */
export type Outcome = "malformed" | "rejected" | "changed" | "unknown" | "harmless"

/** A place where a flipped bit may be harmless. */
export interface HarmlessPlace {
  readonly name: string
  covers(place: JsonPlace): boolean
}

/** Settings in `read` that are part of `how`. */
const PROVEN_SETTINGS = ["capabilities", "client", "language"]

const matches = (path: readonly string[], ...pattern: readonly string[]): boolean =>
  pattern.every((name, i) => (name === "*" ? path[i] !== undefined : path[i] === name))

const isApproval = ({ path }: JsonPlace): boolean =>
  matches(path, "servers", "*", "approved") && ["by", "reason", "at", "from"].includes(path[3] ?? "")

/** In every lockfile. What changes the value of nothing (another white space, the case of a digit in an escape) comes on top. */
export const HARMLESS: readonly HarmlessPlace[] = [
  { name: "url of a log", covers: ({ path, part }) => matches(path, "logs", "*", "url") && part === "value" },
  { name: "signature line that does not count, in a head or keyring", covers: isLooseSignature },
  { name: "name of a pin", covers: ({ path, part }) => path.length === 2 && path[0] === "servers" && part === "name" },
  { name: "from", covers: ({ path }) => matches(path, "servers", "*", "from", "*") },
  {
    name: "read, but for what belongs to how",
    covers: ({ path }) => matches(path, "servers", "*", "read", "*") && !PROVEN_SETTINGS.includes(path[3] ?? ""),
  },
  { name: "approved: by, reason, at, from", covers: isApproval },
  { name: "removed", covers: ({ path }) => path[0] === "removed" && path.length > 1 },
]

/** In a pin that no log has taken nothing is proven; these are not even in its pin digest. */
export const HARMLESS_UNLOGGED: HarmlessPlace = {
  name: "observation: observer and observed",
  covers: ({ path, before, text }) => {
    const line = text.split("\n")[before.split("\n").length - 1] ?? ""
    return matches(path, "servers", "*", "observation") && /^(?:observer|observed) /.test(line)
  },
}

/** Names of the harmless places that may cover a byte. */
export const harmlessAt = (place: JsonPlace, known: readonly HarmlessPlace[]): string | null =>
  known.find((harmless) => harmless.covers(place))?.name ?? null

function isLooseSignature({ path, before, text, part }: JsonPlace): boolean {
  const isNote = matches(path, "logs", "*", "heads", "*") || matches(path, "logs", "*", "keyring", "*")
  return isNote && part === "value" && isLooseByte(text, before)
}

/** True where a flip may give another spelling of the same: the case of a hex digit in an escape, one white space for another. */
export const isSpelling = (place: JsonPlace | undefined): boolean => place !== undefined && place.part !== "mark"

/** How a lockfile is verified. */
export interface Trust {
  readonly roots: readonly PinnedRoot[]
  readonly definitions?: Readonly<Record<string, Uint8Array>>
}

/** A lockfile whose bits can be flipped. */
export interface FlippedLockfile {
  readonly bytes: Uint8Array
  readonly places: readonly JsonPlace[]
  /** What bit `bit` of byte `at` does; "spelling": harmless, because the same lockfile is read. */
  outcome(at: number, bit: number): Outcome | "spelling"
}

/** Prepare a lockfile text for flipping; it must verify as it is. */
export function flipLockfile(text: string, trust: Trust): FlippedLockfile {
  const bytes = new TextEncoder().encode(text)
  const places = findPlaces(text)
  if (places.length !== bytes.length) throw new Error("every byte has a place")
  const lockfile = parseLockfile(bytes)
  const report = verify(lockfile, trust)
  return {
    bytes,
    places,
    outcome: (at, bit) => {
      const read = unlessRefused(() => parseLockfile(flipped(bytes, { at, bit })))
      if (read instanceof ToolsumError) return read.code === "LOCKFILE_MALFORMED" ? "malformed" : fail(read)
      const found = unlessRefused(() => verify(read, trust))
      if (found instanceof ToolsumError) return found.kind === "rejected" ? "rejected" : fail(found)
      if (!isDeepStrictEqual(proven(found), proven(report))) return worse(found, report)
      return isDeepStrictEqual(read, lockfile) ? "spelling" : "harmless"
    },
  }
}

const verify = (lockfile: Lockfile, trust: Trust) => verifyLockfile({ lockfile, nowSec: 1_796_100_000n, ...trust })

function unlessRefused<T>(work: () => T): T | ToolsumError {
  try {
    return work()
  } catch (error) {
    if (error instanceof ToolsumError) return error
    throw error
  }
}

function fail(error: ToolsumError): never {
  throw error
}

/** All that a report claims, without the names that pins have here. */
const proven = ({ servers, exitCode, roots }: LockfileReport) => ({
  exitCode,
  roots,
  servers: servers
    .map(({ verdict, reason, subject, pin, record, head }) =>
      JSON.stringify([verdict, reason, subject, pin, record?.index, head?.origin, head?.size].map(String)),
    )
    .sort(),
})

/** A report that differs must say less: nothing may be proven that was not. */
function worse(found: LockfileReport, report: LockfileReport): Outcome {
  const before = new Set(report.servers.filter(({ verdict }) => verdict === "PROVEN").map(({ pin }) => pin))
  for (const { verdict, pin } of found.servers) {
    if (verdict === "PROVEN" && !before.has(pin)) throw new Error(`something else is proven: ${pin}`)
  }
  const outcomes = new Map<number, Outcome>([
    [1, "changed"],
    [2, "unknown"],
    [3, "rejected"],
  ])
  const outcome = outcomes.get(found.exitCode)
  if (outcome === undefined) throw new Error("another report with exit code 0")
  return outcome
}
