// Names: items without one, names given twice, names that look like another's.
import { compareUtf8 } from "../../core/bytes.js"
import { escapeInvisible, quote } from "../../core/errors.js"
import { itemKey, KEY_MEMBERS, SECTION_NAMES, type SectionName } from "../../core/item.js"
import { isObject } from "../../core/json.js"
import type { Surface } from "../../core/section.js"
import type { Severity } from "../../core/severity.js"
import type { Finding } from "../finding.js"
import type { OtherServer } from "../options.js"
import { computeSkeleton } from "../text/confusables.js"
import { MAX_NAME_CHARS } from "./limits.js"
import { listItems } from "./tool-view.js"

/** How grave two items of one name are: what is called by its name, and what is only read by it. */
const DUPLICATE_SEVERITY: Readonly<Record<SectionName, Severity>> = {
  tools: "critical",
  prompts: "critical",
  templates: "medium",
  resources: "medium",
}

/** Findings about the names of all items. */
export function lintNames(surface: Surface, others: readonly OtherServer[]): readonly Finding[] {
  return SECTION_NAMES.flatMap((section) => [
    ...findUnnamed(surface, section),
    ...findDuplicates(surface, section),
    ...(section === "tools" || section === "prompts" ? findConfusable(surface, section, others) : []),
  ])
}

/** Items that no client can address. All nameless ones share a place, so each kind is told once. */
function findUnnamed(surface: Surface, section: SectionName): readonly Finding[] {
  const items = listItems(surface, section)
  const odd = items.filter((item) => !isObject(item)).length
  const nameless = items.filter((item) => isObject(item) && !itemKey(section, item)).length
  const place = { section, item: null, pointer: "", severity: "medium" } as const
  const count = (n: number) => (n === 1 ? "1 item is" : `${n} items are`)
  return [
    ...(odd > 0 ? [{ ...place, rule: "not-an-object", message: `${count(odd)} no object` }] : []),
    ...(nameless > 0
      ? [{ ...place, rule: "nameless", message: `${count(nameless)} without ${quote(KEY_MEMBERS[section])}` }]
      : []),
  ]
}

/** Counts of names, nameless ones left out. */
function countNames(surface: Surface, section: SectionName): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of listItems(surface, section)) {
    const key = itemKey(section, item)
    if (key) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

const findDuplicates = (surface: Surface, section: SectionName): readonly Finding[] =>
  [...countNames(surface, section)]
    .filter(([, count]) => count > 1)
    .map(([key, count]) => ({
      section,
      item: key,
      pointer: "",
      rule: "duplicate-name",
      severity: DUPLICATE_SEVERITY[section],
      message: `${count} items have this name, and which of them answers differs from client to client`,
    }))

interface Named {
  readonly name: string
  /** Null for this server. */
  readonly server: string | null
  readonly look: string
}

/** Of two names with one look the one that sorts later is told: the one with the odd letters, whatever the order of the list. Names of
 *  other servers are told where they are analysed themselves. */
function findConfusable(
  surface: Surface,
  section: "tools" | "prompts",
  others: readonly OtherServer[],
): readonly Finding[] {
  const own = [...countNames(surface, section).keys()].map((name) => toNamed(name, null))
  const foreign = others.flatMap((other) =>
    [...countNames(other.surface, section).keys()].map((name) => toNamed(name, other.name)),
  )
  const first = new Map<string, Named>()
  for (const named of [...own, ...foreign]) {
    const known = first.get(named.look)
    if (!known || byName(named, known) < 0) first.set(named.look, named)
  }
  return own.flatMap(({ name, look }) => {
    const like = first.get(look)
    return like && like.name !== name ? [confusable(section, name, like)] : []
  })
}

const toNamed = (name: string, server: string | null): Named => ({ name, server, look: lookOf(name) })

const byName = (a: Named, b: Named): number =>
  compareUtf8(a.name, b.name) || compareUtf8(a.server ?? "", b.server ?? "")

/** What names that look the same share. Long names are compared by their beginning and their length. */
export const lookOf = (name: string): string =>
  name.length <= MAX_NAME_CHARS
    ? computeSkeleton(name)
    : `${computeSkeleton(name.slice(0, MAX_NAME_CHARS))} ${name.length}`

function confusable(section: SectionName, name: string, like: Named): Finding {
  const where = like.server === null ? "" : ` of server ${quote(like.server)}`
  return {
    section,
    item: name,
    pointer: "",
    rule: "confusable-name",
    severity: "critical",
    message: `looks like ${quote(like.name)}${where} but is another name`,
    like: escapeInvisible(like.name),
    ...(like.server === null ? {} : { target: escapeInvisible(`${like.server}/${like.name}`) }),
  }
}
