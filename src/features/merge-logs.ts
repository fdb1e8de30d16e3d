// The logs of two lockfiles as one: the longer keyring chain, the heads and links of both. Offline, so that no new link can be made:
// heads that nothing ties together stay, with the warning `unlinked`, until the next online command that writes. What a lockfile
// remembers of a log never gets less by a merge: the newest head stays, the longer keyring wins, and a contradiction is refused.
import { attempt, quote, ToolsumError } from "../core/errors.js"
import type { LockedLog, Pin } from "../core/lockfile.js"
import { uniteNotes } from "../core/note.js"
import { closingSizes } from "./link-heads.js"
import { firstByText, mapSides, mergeValue, namesOf, ownMember, type Sides } from "./merge-sides.js"

/** Logs by origin. */
export type Logs = Readonly<Record<string, LockedLog>>

/** The united logs; `ours` and `theirs` differ only in the URLs of the logs in `disputed`. */
export interface MergedLogs {
  readonly ours: Logs
  readonly theirs: Logs
  /** Origins of logs to which each side gave another URL. */
  readonly disputed: readonly string[]
}

/** Unite the logs of both sides. `pins`: every pin that the merge may have; their logs and heads stay whatever a side dropped.
 *  Throws LOG_INCONSISTENT, with both notes as evidence, for two keyrings of one version and for two heads of one size. */
export function mergeLogs(sides: Sides<Logs>, pins: readonly Pin[]): MergedLogs {
  const used = collectHeads(pins)
  const origins = namesOf(sides.ours, sides.theirs)
  const merged = origins.flatMap((origin) => {
    const log = mergeLog(
      origin,
      mapSides(sides, (logs) => ownMember(logs, origin)),
      used.get(origin),
    )
    return log === null ? [] : [[origin, log] as const]
  })
  const pick = (side: "ours" | "theirs"): Logs =>
    Object.fromEntries(merged.map(([origin, { log, urls }]) => [origin, { ...log, url: urls[side] }]))
  const disputed = merged.flatMap(([origin, { urls }]) => (urls.ours === urls.theirs ? [] : [origin]))
  return { ours: pick("ours"), theirs: pick("theirs"), disputed }
}

/** Heads that pins name, by log; a log with pins that name none is there too. */
function collectHeads(pins: readonly Pin[]): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>()
  for (const { log, head } of pins) {
    const heads = used.get(log) ?? new Set()
    used.set(log, head === null ? heads : heads.add(head))
  }
  return used
}

interface MergedLog {
  readonly log: LockedLog
  readonly urls: { readonly ours: string | null; readonly theirs: string | null }
}

function mergeLog(
  origin: string,
  sides: Sides<LockedLog | null>,
  named: ReadonlySet<string> | undefined,
): MergedLog | null {
  const { base, ours, theirs } = sides
  if (ours === null || theirs === null) {
    const only = ours ?? theirs
    const isDropped = base !== null && named === undefined && logText(base) === logText(only)
    return only === null || isDropped ? null : { log: only, urls: { ours: only.url, theirs: only.url } }
  }
  if (ours.dialect !== theirs.dialect)
    throw new ToolsumError("LOG_INCONSISTENT", `${quote(origin)} is a log of two dialects`)
  const merge = ours.dialect === "legion" ? mergeLegionKeyrings : mergeKeyrings
  const keyring = merge(ours.keyring, theirs.keyring)
  const logs = { base, ours, theirs }
  const heads = mergeHeads(
    mapSides<LockedLog | null, LockedLog["heads"]>(logs, (log) => log?.heads ?? {}),
    named ?? new Set(),
  )
  const links = mergeLinks(logs, keyring, heads)
  return { log: { dialect: ours.dialect, url: null, keyring, heads, links }, urls: mergeUrls(logs) }
}

const logText = (log: LockedLog | null): string =>
  log === null ? "" : JSON.stringify([log.dialect, log.url, log.keyring, sorted(log.heads), sorted(log.links)])

const sorted = (record: Readonly<Record<string, string>>) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))

/** Where the log is: what one side says, or each what it says. */
function mergeUrls(sides: { base: LockedLog | null; ours: LockedLog; theirs: LockedLog }): MergedLog["urls"] {
  const { base, ours, theirs } = mapSides<LockedLog | null, string | null>(sides, (log) => log?.url ?? null)
  const merged = mergeValue({ base, ours, theirs }, (url) => url ?? "")
  if (merged !== null) return { ours: merged.value, theirs: merged.value }
  return { ours: ours ?? theirs, theirs: theirs ?? ours }
}

/** The longer of two chains, of which one continues the other. */
function mergeKeyrings(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  for (const [i, note] of ours.entries()) {
    const other = theirs[i]
    if (other === undefined || signedText(note) === signedText(other)) continue
    throw new ToolsumError("LOG_INCONSISTENT", `fork: the two sides have different keyrings of version ${i + 1}`, {
      evidence: { a: note, b: other },
    })
  }
  const longer = ours.length > theirs.length ? ours : theirs
  return longer.map((note, i) => fuller(ours[i] ?? note, theirs[i] ?? note))
}

/** A keyring of dialect legion is one text that grows at its end. */
function mergeLegionKeyrings(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  const [a = "", b = ""] = [ours[0], theirs[0]]
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  if (longer.startsWith(shorter)) return [longer]
  throw new ToolsumError("LOG_INCONSISTENT", "fork: the two sides have keyrings of which none continues the other", {
    evidence: { a, b },
  })
}

/** Of two spellings of one signed thing the longer one: it has more signatures. */
const fuller = (a: string, b: string): string =>
  a.length === b.length ? firstByText(a, b, (text) => text) : a.length > b.length ? a : b

/** What the signatures of a note are over: two notes of one text differ in who signed only. */
const signedText = (note: string): string => {
  const end = note.lastIndexOf("\n\n")
  return end < 0 ? note : note.slice(0, end + 1)
}

/** Heads of both sides without those that one side has dropped, unless a pin names them or nothing is newer. */
function mergeHeads(sides: Sides<LockedLog["heads"]>, named: ReadonlySet<string>): LockedLog["heads"] {
  const keys = namesOf(sides.ours, sides.theirs)
  const newest = refuseFork(sides, keys)
  const kept = keys.flatMap((key) => {
    const { base, ours, theirs } = mapSides(sides, (heads) => ownMember(heads, key))
    const isDropped = base !== null && (ours === null || theirs === null)
    return isDropped && !named.has(key) && key !== newest ? [] : [[key, mergeHead({ base, ours, theirs })] as const]
  })
  return Object.fromEntries(kept)
}

/** The key of the newest head, of which there must be one of each size. */
function refuseFork({ ours, theirs }: Sides<LockedLog["heads"]>, keys: readonly string[]): string | null {
  const bySize = new Map<bigint, string>()
  const noteOf = (key: string) => ownMember(ours, key) ?? ownMember(theirs, key) ?? ""
  for (const key of keys) {
    const size = BigInt(key.slice(0, key.indexOf("-")))
    const other = bySize.get(size)
    if (other !== undefined)
      throw new ToolsumError("LOG_INCONSISTENT", `fork: the two sides have different heads of size ${size}`, {
        evidence: { a: noteOf(other), b: noteOf(key) },
      })
    bySize.set(size, key)
  }
  const newest = [...bySize.keys()].reduce<bigint | null>((a, b) => (a !== null && a > b ? a : b), null)
  return newest === null ? null : (bySize.get(newest) ?? null)
}

/** A checkpoint with the cosignatures of both sides. What is no note, or would be too long as one, is taken from one side. */
function mergeHead(sides: Sides<string | null>): string {
  const { ours, theirs } = sides
  const united = ours === null || theirs === null ? null : attempt(() => uniteNotes(ours, theirs))
  return typeof united === "string" ? united : mergeTexts(sides)
}

/** A checkpoint or a link. */
function mergeTexts(sides: Sides<string | null>): string {
  const { ours, theirs } = sides
  if (ours === null || theirs === null) return ours ?? theirs ?? ""
  return mergeValue(sides, (text) => text ?? "")?.value ?? fuller(ours, theirs)
}

/** Links of both sides. A link goes with the heads it ties, and comes back with them. */
function mergeLinks(
  sides: { base: LockedLog | null; ours: LockedLog; theirs: LockedLog },
  keyring: readonly string[],
  heads: LockedLog["heads"],
): LockedLog["links"] {
  const { base, ours, theirs } = mapSides<LockedLog | null, LinkedSide>(sides, (log) => linkedSide(log))
  const sizes = sizesOf(heads)
  const closing = closingSizesOf(keyring)
  const isTied = (side: LinkedSide, end: string) =>
    sizes.has(end) || (!side.sizes.has(end) && (side.newest === keyring.at(-1) || closing?.has(end) !== false))
  const isTakenOut = (side: LinkedSide, key: string) =>
    ownMember(side.links, key) === null &&
    ownMember(base.links, key) !== null &&
    key.split("-").every((end) => side.sizes.has(end) || !base.sizes.has(end))
  const stays = (key: string) =>
    [ours, theirs].some(
      (side) => ownMember(side.links, key) !== null && key.split("-").every((end) => isTied(side, end)),
    ) && ![ours, theirs].some((side) => isTakenOut(side, key))
  return Object.fromEntries(
    namesOf(ours.links, theirs.links)
      .filter(stays)
      .map((key) => [key, mergeTexts(mapSides({ base, ours, theirs }, ({ links }) => ownMember(links, key)))]),
  )
}

interface LinkedSide {
  readonly links: LockedLog["links"]
  /** Sizes of its heads. */
  readonly sizes: ReadonlySet<string>
  /** Its newest keyring. */
  readonly newest: string | undefined
}

const linkedSide = (log: LockedLog | null): LinkedSide => ({
  links: log?.links ?? {},
  sizes: sizesOf(log?.heads ?? {}),
  newest: log?.keyring.at(-1),
})

const sizesOf = (heads: LockedLog["heads"]): ReadonlySet<string> =>
  new Set(Object.keys(heads).map((key) => key.slice(0, key.indexOf("-"))))

/** Sizes that a link may end at although they are no heads; null when the keyring cannot be read. */
function closingSizesOf(keyring: readonly string[]): ReadonlySet<string> | null {
  const sizes = attempt(() => closingSizes({ keyring }))
  return sizes instanceof ToolsumError ? null : new Set(sizes.map(String))
}
