// One pin that both sides of a merge have. What it pins is told by its pin digest, so two sides with one digest say the same of the
// server, however they prove it; what they pin is never mixed from both. Where nothing decides, the choice does not depend on the side.
import { canonicalize } from "../core/canonical.js"
import { ToolsumError } from "../core/errors.js"
import type { Approval, Pin } from "../core/lockfile.js"
import { formatPin } from "../core/lockfile-pin.js"
import { firstByText, mergeValue, type Sides } from "./merge-sides.js"
import { pinDigestOf } from "./pins.js"

/** Unite a pin. `base`: null when both sides added it. Null when each side pins something else than before and than the other. */
export function mergePins(sides: { base: Pin | null; ours: Pin; theirs: Pin }): Pin | null {
  const { base, ours, theirs } = sides
  const content = mergeContent(sides)
  if (content === null) return null
  const approvals = { base: base?.approved ?? null, ours: ours.approved, theirs: theirs.approved }
  const from = mergeOrigins({ base: base?.from ?? [], ours: ours.from, theirs: theirs.from })
  return { ...content, from, approved: mergeApprovals(approvals, identityOf(content)) }
}

/** What a pin pins: its pin digest. For one whose record this version cannot read: its content. */
export function identityOf(pin: Pin): string {
  try {
    return pinDigestOf(pin)
  } catch (error) {
    if (error instanceof ToolsumError && error.kind === "malformed") return contentText(pin)
    throw error
  }
}

/** True when both pin the same and have the same approval: whatever else differs proves the same anew. */
export const isSamePin = (a: Pin, b: Pin): boolean =>
  identityOf(a) === identityOf(b) && approvalText(a.approved) === approvalText(b.approved)

/** Everything but approval and origins. */
const contentText = (pin: Pin): string => canonicalize(formatPin({ ...pin, from: [], approved: null }))

function mergeContent({ base, ours, theirs }: { base: Pin | null; ours: Pin; theirs: Pin }): Pin | null {
  const merged = mergeValue<Pin | null>({ base, ours, theirs }, (pin) => (pin === null ? "" : contentText(pin)))
  if (merged !== null) return merged.value
  const [before, a, b] = [base === null ? null : identityOf(base), identityOf(ours), identityOf(theirs)]
  if (a === b) return betterProven(ours, theirs)
  if (b === before) return ours
  return a === before ? theirs : null
}

/** Of two pins of one digest: a logged one, then the later record, then the one under the larger head. */
function betterProven(a: Pin, b: Pin): Pin {
  for (const measure of [(pin: Pin) => pin.index ?? -1n, headSize]) {
    const [x, y] = [measure(a), measure(b)]
    if (x !== y) return x > y ? a : b
  }
  return firstByText(a, b, contentText)
}

// The reader of lockfiles has checked the spelling of a head's key: its size comes first.
const headSize = ({ head }: Pin): bigint => (head === null ? -1n : BigInt(head.slice(0, head.indexOf("-"))))

const approvalText = (approval: Approval | null): string =>
  approval === null ? "" : JSON.stringify([approval.at, approval.pin, approval.from, approval.by, approval.reason])

/** Two approvals: the one that names what is pinned, then the earlier one. One approval beats none. */
function mergeApprovals(sides: Sides<Approval | null>, pinned: string): Approval | null {
  const merged = mergeValue(sides, approvalText)
  if (merged !== null) return merged.value
  const { ours, theirs } = sides
  if (ours === null || theirs === null) return ours ?? theirs
  if ((ours.pin === pinned) !== (theirs.pin === pinned)) return ours.pin === pinned ? ours : theirs
  return firstByText(ours, theirs, approvalText)
}

/** Places in client configurations: what either side added, without what either took away. */
function mergeOrigins(sides: Sides<Pin["from"]>): Pin["from"] {
  const textOf = (one: Pin["from"][number]) => JSON.stringify([one.file, one.name])
  const merged = mergeValue(sides, (from) => JSON.stringify(from.map(textOf)))
  if (merged !== null) return merged.value
  const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map((from) => new Set(from.map(textOf)))
  const stays = (text: string) => (ours?.has(text) && theirs?.has(text)) || !base?.has(text)
  const all = new Map([...sides.ours, ...sides.theirs].map((one) => [textOf(one), one]))
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([text, one]) => (stays(text) ? [one] : []))
}
