// The members in which an item differs, each with what the diff says of it. What that means is left to the file that grades the member.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import { unescapeToken } from "../../core/pointer-token.js"
import type { Change } from "../../core/verdict.js"
import type { ChangeFinding, Finding, Place } from "../finding.js"
import { memberOf } from "../members.js"
import { diffValues } from "../values.js"

/** A value on both sides; absent where there is none. */
export interface TwoSides {
  readonly before?: JsonValue
  readonly after?: JsonValue
}

/** A member of an item or of serverInfo that differs. */
export interface ChangedMember extends Place, TwoSides {
  readonly name: string
  /** The changes at and below `pointer`; more than those of the diff where that names only the whole item. */
  readonly changes: readonly Change[]
  /** What the later surface shows in this item. */
  readonly findings: readonly Finding[]
}

/** Grades one member. What it leaves uncovered is graded as something else that changed. */
export type MemberGrader = (member: ChangedMember) => readonly ChangeFinding[]

/** An item, or serverInfo, that differs. */
export interface ChangedItem extends Pick<Place, "section" | "item"> {
  readonly before: JsonValue
  readonly after: JsonValue
  readonly changes: readonly Change[]
  readonly findings: readonly Finding[]
}

/** How a value came to be what it is, as the last word of a kind. */
export const wayOf = ({ before, after }: TwoSides): "added" | "removed" | "changed" =>
  before === undefined ? "added" : after === undefined ? "removed" : "changed"

/** What a difference means, in our words. `at`: where, if not at `place`. */
export type Said = Pick<ChangeFinding, "rule" | "severity" | "message" | "member" | "was"> & { readonly at?: string }

/** A meaning that accounts for the change at its pointer, or for that of what holds it. */
export function meaning(place: Place, { at, ...said }: Said, covers?: readonly string[]): ChangeFinding {
  const pointer = at ?? place.pointer
  return { section: place.section, item: place.item, pointer, ...said, covers: covers ?? [pointer] }
}

/** The members that differ, by name; none where a side is no object. */
export function changedMembers(item: ChangedItem): readonly ChangedMember[] {
  const { before, after, section, findings } = item
  if (!isObject(before) || !isObject(after)) return []
  return [...changesByMember(item, before, after)].map(([name, changes]) => {
    const place = { section, item: item.item, pointer: formatPointer([name]) }
    return { ...place, name, ...sidesOf(before, after, name), changes, findings }
  })
}

/** The values of a member on both sides. */
function sidesOf(before: JsonObject, after: JsonObject, name: string): TwoSides {
  const [a, b] = [memberOf(before, name), memberOf(after, name)]
  return { ...(a === undefined ? {} : { before: a }), ...(b === undefined ? {} : { after: b }) }
}

function changesByMember(
  item: ChangedItem,
  before: JsonObject,
  after: JsonObject,
): ReadonlyMap<string, readonly Change[]> {
  const whole = item.changes.find(({ pointer }) => pointer === "")
  if (whole !== undefined) return changesOfWhole(whole, before, after)
  const found = new Map<string, Change[]>()
  for (const change of item.changes) {
    const name = firstToken(change.pointer)
    const own = found.get(name)
    if (own) own.push(change)
    else found.set(name, [change])
  }
  return found
}

/** What differs in each member where the diff names only the whole. */
function changesOfWhole(whole: Change, before: JsonObject, after: JsonObject): ReadonlyMap<string, readonly Change[]> {
  const found = new Map<string, readonly Change[]>()
  const place = { section: whole.section, item: whole.item, kind: "changed", from: null } as const
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const pointer = formatPointer([name])
    const sides = sidesOf(before, after, name)
    const within =
      sides.before === undefined || sides.after === undefined
        ? [{ pointer: "", ...sides }]
        : diffValues(sides.before, sides.after)
    if (within.length > 0)
      found.set(
        name,
        within.map((change) => ({ ...place, ...change, pointer: pointer + change.pointer })),
      )
  }
  return found
}

const firstToken = (pointer: string): string => unescapeToken(pointer.split("/", 2)[1] ?? "")
