// `--base`: the pins of a lockfile beside those of its base. What a pin was changed to passes only if its evidence holds, if its approval
// leads from the one digest to the other, and if its record is no older; another target or mask, and a pin that is gone without a note, have
// to be accepted from outside the tree.
import type { BaseFinding } from "../core/base-report.js"
import { canonicalize } from "../core/canonical.js"
import { attempt, ToolsumError } from "../core/errors.js"
import type { JsonObject, JsonValue } from "../core/json.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { formatMasks, type Mask } from "../core/mask.js"
import { parseRecord, streamKey } from "../core/record.js"
import { formatTarget } from "../core/target.js"
import type { ServerVerdict } from "../core/verdict.js"
import type { FindingMaker } from "./base-change.js"
import { identityOf, isSamePin } from "./merge-pins.js"
import { ownMember } from "./merge-sides.js"
import { legionRecordOf, pinDigestOf } from "./pins.js"

/** The lockfiles of a comparison. */
export interface ComparedLockfiles {
  /** At the merge base: what the tree was made from. */
  readonly base: Lockfile
  /** At the base's newest commit: a pin that is as there is no change of the tree's. */
  readonly atRef: Lockfile
  readonly tree: Lockfile
}

/** A pin of the tree and what it was made from; null: it is new. */
export interface ChangedPin {
  readonly name: string
  readonly before: Pin | null
  /** What else the base has pinned of the same stream, or of the same subject under a name that is gone. */
  readonly earlier: readonly Pin[]
  readonly pin: Pin
}

/** The pins that the tree adds or changes. One that has only got another name is neither. */
export function findChangedPins({ base, atRef, tree }: ComparedLockfiles): readonly ChangedPin[] {
  const gone = goneNames({ base, atRef, tree }).map((name) => base.servers[name])
  return Object.entries(tree.servers).flatMap(([name, pin]) => {
    const [before, ref] = [ownMember(base.servers, name), ownMember(atRef.servers, name)]
    const isKnown = [before, ref, ...(before === null ? gone : [])].some((one) => one && isSameEvidence(one, pin))
    return isKnown ? [] : [{ name, before, earlier: findEarlier(name, pin, { base, gone: new Set(gone) }), pin }]
  })
}

/** A pin that takes the place of another by another name must not go back behind it either. */
function findEarlier(
  name: string,
  pin: Pin,
  { base, gone }: { base: Lockfile; gone: ReadonlySet<unknown> },
): readonly Pin[] {
  const now = readPlace(pin)
  return Object.entries(base.servers).flatMap(([other, one]) => {
    const then = readPlace(one)
    const isRelated = then.subject === now.subject && (gone.has(one) || then.stream === now.stream)
    return other !== name && then.subject !== null && isRelated ? [one] : []
  })
}

/** True where nothing that a base asks about differs: what is pinned, its approval, its record. */
const isSameEvidence = (a: Pin, b: Pin): boolean =>
  isSamePin(a, b) && a.record === b.record && a.evidence === b.evidence

const goneNames = ({ base, atRef, tree }: ComparedLockfiles): readonly string[] =>
  Object.keys(base.servers).filter(
    (name) =>
      ownMember(tree.servers, name) === null &&
      (ownMember(atRef.servers, name) !== null || ownMember(tree.removed, name) !== null),
  )

/** Pins of the base that the tree has no more: noted in `removed`, under another name, or simply gone. `areAlike`: whether the base's settings
 *  ask the same of two names. */
export function compareGone(
  lockfiles: ComparedLockfiles,
  areAlike: (name: string, other: string) => boolean,
  make: FindingMaker,
): readonly BaseFinding[] {
  const { base, tree } = lockfiles
  return goneNames(lockfiles).flatMap((name) => {
    const pin = base.servers[name]
    if (pin === undefined) return []
    const note = ownMember(tree.removed, name)
    if (note !== null) return [make.pass("removed", name, "removed", note.by)]
    const others = Object.keys(tree.servers).filter(
      (other) => tree.servers[other] && isSamePinned(tree.servers[other], pin),
    )
    if (others.some((other) => areAlike(name, other)))
      return [make.pass("removed", name, "pinned under another name", null)]
    const change = { kind: "removed", name, before: digestOf(pin), after: null } as const
    const why =
      others.length > 0 ? "toolsum.json at the base asks something else of its new name" : "nothing in removed says why"
    return [make.change(change, `its pin is gone, and ${why}`)]
  })
}

const isSamePinned = (a: Pin, b: Pin): boolean => identityOf(a) === identityOf(b)

/** The launch line or URL, and the masks, of a pin that was there before. `allowed`: masks that the base's settings have for it. */
export function compareReading(
  { name, before, pin }: ChangedPin,
  allowed: readonly Mask[],
  make: FindingMaker,
): readonly BaseFinding[] {
  const [masksThen, masksNow] = [before?.masks ?? [], pin.masks].map(formatMasks)
  const isMasked = canonicalize(masksThen ?? null) !== canonicalize(masksNow ?? null) && !isPartOf(pin.masks, allowed)
  const masks = { kind: "mask", name, before: masksThen ?? null, after: masksNow ?? null } as const
  const claimedBy = pin.approved?.by ?? null
  const found = isMasked ? [make.change(masks, describeMasks(before?.masks ?? [], pin.masks), claimedBy)] : []
  if (before === null) return found
  const [then, now] = [targetOf(before), targetOf(pin)]
  if (canonicalize(then) === canonicalize(now)) return found
  const change = { kind: "target", name, before: then, after: now } as const
  return [make.change(change, "its launch line or URL is another one", claimedBy), ...found]
}

const targetOf = ({ target }: Pin): JsonValue => target && formatTarget(target)

const describeMasks = (then: readonly Mask[], now: readonly Mask[]): string =>
  `its masks are others: ${then.length} before, ${now.length} now`

function isPartOf(part: readonly Mask[], whole: readonly Mask[]): boolean {
  const texts = new Set(whole.map((mask) => canonicalize({ ...mask })))
  return part.every((mask) => texts.has(canonicalize({ ...mask })))
}

/** Approval and place in the log of a pin whose evidence holds, or that it does not. */
export function compareEvidence(
  { name, before, earlier, pin }: ChangedPin,
  verdict: ServerVerdict | null,
  make: FindingMaker,
): readonly BaseFinding[] {
  const claimedBy = pin.approved?.by ?? null
  if (verdict?.reason === "unapproved")
    return [make.fault("unapproved", name, "nobody has approved this pin yet", claimedBy)]
  if (verdict?.verdict !== "PROVEN")
    return [make.fault("evidence", name, `its evidence is not proven: ${verdict?.reason ?? "not read"}`, claimedBy)]
  const [then, now] = [before && digestOf(before), digestOf(pin)]
  const [back = null] = [before, ...earlier].flatMap((one) => {
    const why = one && describeStepBack(one, pin)
    return why ? [{ why, from: placeOf(one) }] : []
  })
  const order = { kind: "order", name, before: back?.from ?? null, after: placeOf(pin) } as const
  const chain = { kind: "chain", name, before: then, after: now } as const
  const isChained = then === now || (pin.approved?.from ?? null) === then
  return [
    ...(back ? [make.change(order, back.why, claimedBy)] : []),
    ...(isChained ? [] : [make.change(chain, describeBrokenChain(pin, then), claimedBy)]),
  ]
}

const describeBrokenChain = ({ approved }: Pin, then: string | null): string =>
  `its approval replaces ${approved?.from ?? "nothing"}, the base has ${then ?? "no such pin"}`

/** What the pin digest is; null where the record cannot be read. */
function digestOf(pin: Pin): string | null {
  const digest = attempt(() => pinDigestOf(pin))
  return digest instanceof ToolsumError ? null : digest
}

/** Where a pin's record is: its log, its leaf, and in a stream which one it is. */
interface Place {
  readonly log: string
  readonly index: bigint | null
  readonly subject: string | null
  readonly stream: string | null
  readonly seq: bigint | null
}

function readPlace(pin: Pin): Place {
  const { log, index } = pin
  const legion = attempt(() => legionRecordOf(pin))
  const unknown = { log, index, subject: null, stream: null, seq: null }
  if (legion instanceof ToolsumError) return unknown
  if (legion !== null) return { ...unknown, index: legion.leafIndex }
  const record = pin.record === null ? null : attempt(() => parseRecord(pin.record ?? ""))
  if (record === null || record instanceof ToolsumError) return unknown
  return { log, index, subject: record.subject, stream: streamKey(record), seq: record.seq }
}

const placeOf = (pin: Pin): JsonObject => {
  const { log, index, seq } = readPlace(pin)
  return { log, index: index === null ? null : `${index}`, seq: seq === null ? null : `${seq}` }
}

/** Why the record of `pin` is older than that of `before`; null where it is not, or where two logs cannot be compared. */
function describeStepBack(before: Pin, pin: Pin): string | null {
  const [then, now] = [readPlace(before), readPlace(pin)]
  if (then.stream !== null && then.log === now.log && then.stream === now.stream && isLess(now.seq, then.seq))
    return `its record is older than the base's: seq ${now.seq} after ${then.seq} in the same stream`
  if (then.log === now.log && isLess(now.index, then.index))
    return `its record is older than the base's: leaf ${now.index} after leaf ${then.index}`
  return null
}

const isLess = (a: bigint | null, b: bigint | null): boolean => a !== null && b !== null && a < b
