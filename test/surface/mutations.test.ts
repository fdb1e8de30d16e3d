// Any single edit of any captured tool, prompt, template or resource has a meaning that stands at the edit, at what holds it, or, where a
// whole member came or went, inside it; and the change has a severity.
import fc from "fast-check"
import { expect, test } from "vitest"
import { isArray, isObject, type JsonValue } from "../../src/core/json.js"
import { formatPointer, replaceAt, valueAt } from "../../src/core/pointer.js"
import { SECTION_NAMES, type SectionName, type Surface, surfaceItems, surfaceMember } from "../../src/core/section.js"
import { SEVERITIES } from "../../src/core/severity.js"
import { analyseChanges } from "../../src/surface/analysis.js"
import { RULES } from "../../src/surface/rules.js"
import { describeShared } from "../shared.js"
import { arbValue, bare } from "./arbitrary.js"
import { CAPTURES, readCapture } from "./captures.js"

interface Place {
  readonly section: SectionName
  readonly item: JsonValue
}

const placesIn = (surface: Surface): readonly Place[] =>
  SECTION_NAMES.flatMap((section) => (surfaceItems(surface, section) ?? []).map((item) => ({ section, item })))

/** Paths of every value inside an item, the item itself left out. */
function pathsIn(value: JsonValue, path: readonly string[] = []): readonly (readonly string[])[] {
  const below = isArray(value)
    ? value.flatMap((child, i) => pathsIn(child, [...path, String(i)]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, child]) => pathsIn(child, [...path, name]))
      : []
  return path.length === 0 ? below : [path, ...below]
}

type Edit = "change" | "remove" | "add"

/** The item after an edit at `path`, and the path of what was edited. */
function edit(
  item: JsonValue,
  path: readonly string[],
  kind: Edit,
  value: JsonValue,
): { readonly item: JsonValue; readonly path: readonly string[] } {
  if (kind === "change") return { item: replaceAt(item, path, value), path }
  if (kind === "remove") {
    const parent = valueAt(item, path.slice(0, -1)) ?? null
    return { item: replaceAt(item, path.slice(0, -1), without(parent, path.at(-1) ?? "")), path }
  }
  const target = valueAt(item, path) ?? null
  if (isArray(target))
    return { item: replaceAt(item, path, [...target, value]), path: [...path, String(target.length)] }
  if (isObject(target))
    return { item: replaceAt(item, path, bare({ ...target, "x-new": value })), path: [...path, "x-new"] }
  return { item: bare({ ...(item as object), "x-new": value }), path: ["x-new"] }
}

function without(parent: JsonValue, token: string): JsonValue {
  if (isArray(parent)) return parent.filter((_, i) => String(i) !== token)
  return isObject(parent) ? bare(Object.fromEntries(Object.entries(parent).filter(([name]) => name !== token))) : parent
}

const alone = (section: SectionName, item: JsonValue): Surface => ({
  instructions: null,
  tools: null,
  prompts: null,
  resourceTemplates: null,
  resources: null,
  serverInfo: null,
  [surfaceMember(section)]: [item],
})

const isOn = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`)

function expectLocated({ section, item }: Place, edited: JsonValue, path: readonly string[]): void {
  const { changes, meanings, diff } = analyseChanges({ before: alone(section, item), after: alone(section, edited) })
  if (diff.changes.length === 0) return // the edit wrote what was there
  const at = formatPointer(path)
  // An object in the place of another is told by the members that differ.
  expect(meanings.some(({ pointer }) => isOn(at, pointer) || isOn(pointer, at))).toBe(true)
  for (const change of changes) {
    expect(SEVERITIES).toContain(change.severity)
    const own = meanings.filter((one) => one.section === change.section && one.item === change.item)
    expect(own.filter(({ covers }) => covers.includes(change.pointer))).not.toEqual([])
  }
  for (const { rule } of meanings) expect(Object.keys(RULES)).toContain(rule)
}

/** Largest item, in characters, all of whose places are edited: each edit takes an analysis. */
const MAX_SIZE = 700

const KINDS: readonly Edit[] = ["change", "remove", "add"]

describeShared("single edits of captured items", () => {
  const places = CAPTURES.flatMap((file) => placesIn(readCapture(file)))

  test("any edit anywhere has a meaning that locates it", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.constantFrom(...KINDS), arbValue, (which, where, kind, value) => {
        const place = places[which % places.length]
        const paths = place === undefined ? [] : pathsIn(place.item)
        const path = paths[where % paths.length]
        if (place === undefined || path === undefined) return
        const edited = edit(place.item, path, kind, value)
        expectLocated(place, edited.item, edited.path)
      }),
      { seed: 1927, numRuns: 120 },
    )
  })

  test("any edit of every place of one item of each section has", () => {
    for (const section of SECTION_NAMES) {
      const small = places.filter((one) => one.section === section && size(one.item) <= MAX_SIZE)
      const [place] = small.sort((a, b) => size(b.item) - size(a.item))
      if (place === undefined) throw new Error(`no capture with ${section}`)
      for (const path of pathsIn(place.item))
        for (const kind of KINDS) {
          const edited = edit(place.item, path, kind, "another")
          expectLocated(place, edited.item, edited.path)
        }
    }
  })
})

const size = (item: JsonValue): number =>
  JSON.stringify(item, (_, value) => (typeof value === "bigint" ? "" : value)).length
