// What it means that an item came, went or has another name, and which earlier item a changed one was.
import { canonicalize } from "../../core/canonical.js"
import { computeItemDigest, itemKey, type SectionName } from "../../core/item.js"
import type { JsonValue } from "../../core/json.js"
import type { Severity } from "../../core/severity.js"
import type { Change } from "../../core/verdict.js"
import type { Tier } from "../classify/classify.js"
import type { ChangeFinding, Place } from "../finding.js"
import { splitName } from "../lint/name-words.js"
import { memberOf } from "../members.js"
import { meaning } from "./changed-member.js"
import { editOf } from "./texts.js"

/** The word for an item of each section, as kinds have it. */
export const ITEM_WORDS: Readonly<Record<SectionName, string>> = {
  tools: "tool",
  prompts: "prompt",
  templates: "resource-template",
  resources: "resource",
}

/** Classes that make a new tool grave by itself: it sends out, or what it does cannot be undone. */
const FAR_REACHING: readonly Tier[] = ["R4", "R5"]

/** How much an item asks of a reader that is gone. */
const REMOVED: Readonly<Record<SectionName, Severity>> = {
  tools: "medium",
  prompts: "medium",
  templates: "low",
  resources: "low",
}

/** Meaning of an item that is gone. */
export function gradeRemoved(place: Place, section: SectionName): ChangeFinding {
  const word = ITEM_WORDS[section]
  const message = `the ${word.replace("-", " ")} is gone: callers may break`
  return meaning(place, { rule: `${word}.removed`, severity: REMOVED[section], message })
}

/** Meaning of an item that came. `twins`: how many items have its name now; `tier`: the class of the tool. */
export function gradeAdded(
  place: Place,
  section: SectionName,
  { twins, tier }: { readonly twins: number; readonly tier: Tier | null },
): ChangeFinding {
  const word = ITEM_WORDS[section]
  const words = word.replace("-", " ")
  if (place.item !== null && twins > 1) {
    const message = `${twins} items have this name: which one is used depends on the client`
    return meaning(place, { rule: `${word}.duplicated`, severity: "critical", message })
  }
  const grave = section === "tools" && tier !== null && FAR_REACHING.includes(tier)
  const message = tier === null ? `a ${words} appeared` : `a ${words} of class ${tier} appeared`
  return meaning(place, { rule: `${word}.added`, severity: grave ? "high" : "medium", message })
}

/** Meaning of another name. A tool whose name and text both say something else is a new tool under what was approved; one whose name is
 *  only written otherwise is the old one, with another text. */
export function gradeRenamed(change: Change, before: JsonValue, after: JsonValue): ChangeFinding {
  const word = ITEM_WORDS[change.section as SectionName] // only items of a list have names
  const { from, item, section } = change
  const rewritten = section === "tools" && !isSameName(from ?? "", item ?? "") && isRewritten(before, after)
  const message = rewritten
    ? "another name and another text: a new tool in the place of the one that was approved"
    : "another name: what is allowed by the old one no longer applies"
  return meaning(change, {
    rule: `${word}.renamed`,
    severity: rewritten ? "high" : "medium",
    message,
    was: from ?? "",
  })
}

/** The same words, in another case or with other signs between them. */
const isSameName = (a: string, b: string): boolean => splitName(a).join() === splitName(b).join()

/** True where the description says something else than before. */
function isRewritten(before: JsonValue, after: JsonValue): boolean {
  const [a, b] = [memberOf(before, "description"), memberOf(after, "description")]
  if (a === undefined && b === undefined) return false
  if (a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b)) return false
  const edit = editOf({ ...(a === undefined ? {} : { before: a }), ...(b === undefined ? {} : { after: b }) })
  return edit === "wording" || edit === "added"
}

/** Items of a list by key. */
export function itemsByKey(
  section: SectionName,
  items: readonly JsonValue[],
): ReadonlyMap<string | null, readonly JsonValue[]> {
  const found = new Map<string | null, JsonValue[]>()
  for (const item of items) {
    const key = itemKey(section, item)
    const same = found.get(key)
    if (same) same.push(item)
    else found.set(key, [item])
  }
  return found
}

/** The earlier and the later item that a change is about: alone of their names, or by digest where they are not. Null where it is neither,
 *  which the diff does not make. */
export function findSides(
  { from, item, digest }: Change,
  before: ReadonlyMap<string | null, readonly JsonValue[]>,
  after: ReadonlyMap<string | null, readonly JsonValue[]>,
): { readonly before: JsonValue; readonly after: JsonValue } | null {
  const earlier = before.get(from ?? item) ?? []
  const later = after.get(item) ?? []
  if (digest === undefined) return pick(earlier[0], later[0])
  const known = new Set(earlier.map(computeItemDigest))
  return pick(
    earlier.find((one) => computeItemDigest(one) === digest),
    later.find((one) => !known.has(computeItemDigest(one))),
  )
}

const pick = (before: JsonValue | undefined, after: JsonValue | undefined) =>
  before === undefined || after === undefined ? null : { before, after }

/** The graver of two classes. */
export const graverTier = (a: Tier | null, b: Tier): Tier => (a !== null && a >= b ? a : b)
