// What the later of two surfaces shows that the earlier did not: by rule, place and the text that it is about, so that what was approved with
// a finding in it does not come up again until somebody changes that text. Both sides are analysed with the same rules.
import { canonicalize } from "../core/canonical.js"
import { ToolsumError } from "../core/errors.js"
import { itemKey, SECTION_NAMES, type SectionName } from "../core/item.js"
import { isArray, type JsonValue } from "../core/json.js"
import { parsePointer, valueAt } from "../core/pointer.js"
import { type Surface, surfaceMember } from "../core/section.js"
import { isAtLeast, type Severity } from "../core/severity.js"
import type { Change } from "../core/verdict.js"
import type { Finding } from "./finding.js"

/** A surface (after masks) and what it shows. */
export interface ShownSide {
  readonly surface: Surface
  readonly findings: readonly Finding[]
}

/** The findings of `after` that `before` has not, or not as grave; in their order. A renamed item (`changes` say so) is compared with what
 *  it was. */
export function findAppeared(before: ShownSide, after: ShownSide, changes: readonly Change[]): readonly Finding[] {
  const earlier = identities(before.surface, () => null)
  const known = new Map<string, Severity>()
  for (const finding of before.findings) {
    const id = earlier(finding)
    const graver = known.get(id)
    if (graver === undefined || isAtLeast(finding.severity, graver)) known.set(id, finding.severity)
  }
  const later = identities(after.surface, formerNames(changes))
  return after.findings.filter((finding) => {
    const severity = known.get(later(finding))
    return severity === undefined || !isAtLeast(severity, finding.severity)
  })
}

type FormerName = (section: string, item: string | null) => string | null

function formerNames(changes: readonly Change[]): FormerName {
  const names = new Map(
    changes.flatMap(({ kind, section, item, from }) =>
      kind === "renamed" ? [[JSON.stringify([section, item]), from]] : [],
    ),
  )
  return (section, item) => names.get(JSON.stringify([section, item])) ?? null
}

/** Names a finding such that the same rule at the same place about the same text has the same name. What is about a whole item is named by
 *  what it points at: another text somewhere in the item makes no news of it. */
function identities(surface: Surface, formerName: FormerName): (finding: Finding) => string {
  const items = new Map<string, readonly JsonValue[]>()
  for (const section of SECTION_NAMES) collectItems(surface, section, items)
  items.set(placeKey("instructions", null), [surface.instructions ?? null])
  items.set(placeKey("server", null), [surface.serverInfo ?? null])
  const texts = new Map<string, string>()
  return (finding) => {
    const { section, item, pointer, rule, like, other, target, decoded } = finding
    const key = placeKey(section, item)
    const place = JSON.stringify([key, pointer])
    const text = pointer === "" && section in ITEMS ? "" : (texts.get(place) ?? textsAt(items.get(key) ?? [], pointer))
    texts.set(place, text)
    return JSON.stringify([
      section,
      formerName(section, item) ?? item,
      pointer,
      rule,
      like,
      other,
      target,
      decoded,
      text,
    ])
  }
}

const ITEMS = { tools: true, prompts: true, templates: true, resources: true }

const placeKey = (section: string, item: string | null): string => JSON.stringify([section, item])

function collectItems(surface: Surface, section: SectionName, into: Map<string, readonly JsonValue[]>): void {
  const list = surface[surfaceMember(section)] ?? null
  const byKey = new Map<string, JsonValue[]>()
  for (const item of isArray(list) ? list : []) {
    const key = placeKey(section, itemKey(section, item))
    const same = byKey.get(key)
    if (same) same.push(item)
    else byKey.set(key, [item])
  }
  for (const [key, same] of byKey) into.set(key, same)
}

/** What stands at a pointer in each of the items of one name, whatever their order. */
function textsAt(items: readonly JsonValue[], pointer: string): string {
  const tokens = parsePointer(pointer, (why) => new ToolsumError("USAGE", why)) // of our own making
  const values = items.map((item) => valueAt(item, tokens)).filter((value) => value !== undefined)
  return JSON.stringify(values.map(canonicalize).sort())
}
