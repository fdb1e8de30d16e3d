// Real lists: for every captured pair, each item and member that differs between the raw texts is named, and nothing else.
// The comparison here is written independently of the product: JSON.parse, then the paths of all values.
import { expect, test } from "vitest"
import { computeSurface, SECTION_NAMES } from "../../src/core/section.js"
import type { Change } from "../../src/core/verdict.js"
import { diffSurfaces } from "../../src/surface/diff.js"
import { describeShared } from "../shared.js"
import { applyChanges } from "./apply.js"
import { PAIRS, type Pair, parseCapture, readCapture } from "./captures.js"

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Capture = Record<string, Json>

const LISTS = [
  ["tools", "tools", "name"],
  ["prompts", "prompts", "name"],
  ["resourceTemplates", "templates", "uriTemplate"],
  ["resources", "resources", "uri"],
] as const

/** Escaped pointer of every value and what it is: a scalar's text, or "{}" and "[]" for objects and arrays. */
function nodes(value: Json | undefined, at = ""): readonly (readonly [string, string])[] {
  if (value === undefined) return []
  if (typeof value !== "object" || value === null) return [[at, JSON.stringify(value)]]
  const children = Object.entries(value).flatMap(([name, child]) =>
    nodes(child, `${at}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`),
  )
  return [[at, Array.isArray(value) ? "[]" : "{}"], ...children]
}

function differingPaths(a: Json | undefined, b: Json | undefined): string[] {
  const [before, after] = [new Map(nodes(a)), new Map(nodes(b))]
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
}

const covers = (pointer: string, path: string) => path === pointer || path.startsWith(`${pointer}/`) || pointer === ""

/** Every differing value lies under a named pointer, and under every named pointer lies a differing value. */
function expectNamed(pointers: readonly string[], a: Json | undefined, b: Json | undefined, where: string): void {
  const differing = differingPaths(a, b)
  const unnamed = differing.filter((path) => !pointers.some((pointer) => covers(pointer, path)))
  const invented = pointers.filter((pointer) => !differing.some((path) => covers(pointer, path)))
  expect({ where, unnamed, invented }).toEqual({ where, unnamed: [], invented: [] })
}

const byKey = (list: Json | undefined, key: string) =>
  new Map((Array.isArray(list) ? list : []).map((item) => [(item as Capture)[key] as string, item]))

const withoutVersion = (info: Json | undefined): Json => {
  const { version: _, ...rest } = (info ?? {}) as { [name: string]: Json }
  return rest
}

function expectListNamed(changes: readonly Change[], a: Json | undefined, b: Json | undefined, key: string): void {
  const [before, after] = [byKey(a, key), byKey(b, key)]
  const renamed = new Map(changes.filter((c) => c.kind === "renamed").map((c) => [c.item ?? "", c.from ?? ""]))
  const named = (kind: string) => changes.filter((c) => c.kind === kind && c.note !== "list").map((c) => c.item)
  expect([...named("removed"), ...renamed.values()].sort()).toEqual(
    [...before.keys()].filter((k) => !after.has(k)).sort(),
  )
  expect([...named("added"), ...renamed.keys()].sort()).toEqual([...after.keys()].filter((k) => !before.has(k)).sort())
  for (const [name, item] of after) {
    const earlier = before.get(renamed.get(name) ?? name)
    if (earlier === undefined) continue
    const own = changes.filter((c) => c.item === name && (c.kind === "changed" || c.kind === "renamed"))
    expectNamed(
      own.map((c) => c.pointer),
      earlier,
      item,
      name,
    )
  }
  expect(changes.filter((c) => c.note === "list").map((c) => c.kind)).toEqual(
    (a === null) === (b === null) ? [] : [a === null ? "added" : "removed"],
  )
}

/** How many items differ in a field, as pairs.json counts: renamed ones are one removed and one added. */
function countByField(changes: readonly Change[]): Record<string, number> {
  const renamed = new Set(changes.filter((c) => c.kind === "renamed").map((c) => `${c.section} ${c.item}`))
  const seen = new Set<string>()
  for (const change of changes) {
    if (change.note !== undefined) continue // order of required and enum, and the list itself, are not counted there
    const area = change.section === "templates" ? "resourceTemplates" : change.section
    const id = `${change.section} ${change.item}`
    if (change.kind === "renamed") for (const field of ["added", "removed"]) seen.add(`${area}.${field} ${id}`)
    else if (change.section === "instructions") seen.add("server.instructions")
    else if (change.section === "server") seen.add("server.serverInfo")
    else if (change.kind !== "changed") seen.add(`${area}.${change.kind} ${id}`)
    else if (!renamed.has(id)) seen.add(`${area}.${change.pointer.split("/")[1]} ${id}`)
  }
  const counts: Record<string, number> = {}
  for (const entry of seen) {
    const field = entry.split(" ", 1)[0] ?? ""
    counts[field] = (counts[field] ?? 0) + 1
  }
  return counts
}

/** The counts of pairs.json that are about what is hashed. */
function hashedCounts(pair: Pair, versionOnly: boolean): Record<string, number> {
  const skipped = ["server.capabilities", "server.protocolVersion", "tools.order", "prompts.order"]
  if (versionOnly) skipped.push("server.serverInfo")
  return Object.fromEntries(Object.entries(pair.changes).filter(([field]) => !skipped.includes(field)))
}

describeShared("captured pairs", () => {
  test.each(PAIRS)("$before to $after: everything that differs is named, and nothing else", (pair) => {
    const [a, b] = [parseCapture(pair.before) as Capture, parseCapture(pair.after) as Capture]
    const { changes } = diffSurfaces(readCapture(pair.before), readCapture(pair.after))
    for (const [member, section, key] of LISTS)
      expectListNamed(
        changes.filter((c) => c.section === section),
        a[member],
        b[member],
        key,
      )
    const pointers = (section: string) => changes.filter((c) => c.section === section).map((c) => c.pointer)
    expectNamed(pointers("instructions"), a.instructions ?? undefined, b.instructions ?? undefined, "instructions")
    expectNamed(pointers("server"), withoutVersion(a.serverInfo), withoutVersion(b.serverInfo), "server")
    const versionOnly = differingPaths(a.serverInfo, b.serverInfo).every((path) => path === "/version")
    expect(countByField(changes)).toEqual(hashedCounts(pair, versionOnly))
  })

  test.each(PAIRS)("$before to $after: the changes make one of the other, and only then do digests differ", (pair) => {
    const [before, after] = [readCapture(pair.before), readCapture(pair.after)]
    const { changes } = diffSurfaces(before, after)
    const lines = computeSurface(after, SECTION_NAMES).lines
    expect(computeSurface(applyChanges(before, changes), SECTION_NAMES).lines).toEqual(lines)
    expect(changes.length > 0).toBe(
      JSON.stringify(computeSurface(before, SECTION_NAMES).lines) !== JSON.stringify(lines),
    )
  })

  test("an empty list of changes in pairs.json means that nothing is reported", () => {
    const quiet = PAIRS.filter((pair) => Object.keys(pair.changes).every((field) => field === "server.serverInfo"))
    expect(quiet.length).toBeGreaterThanOrEqual(4)
    for (const pair of quiet)
      expect(diffSurfaces(readCapture(pair.before), readCapture(pair.after)).changes).toEqual([])
  })

  test("real renames are found, and nothing else is taken for one", () => {
    const found = PAIRS.flatMap((pair) =>
      diffSurfaces(readCapture(pair.before), readCapture(pair.after))
        .changes.filter((c) => c.kind === "renamed")
        .map((c) => `${c.from} -> ${c.item}`),
    )
    expect(found.sort()).toEqual(RENAMES)
  })
})

const RENAMES = [
  "API-create-a-database -> API-create-a-data-source",
  "API-post-database-query -> API-query-data-source",
  "API-update-a-database -> API-update-a-data-source",
  "add -> get-sum",
  "annotatedMessage -> get-annotated-message",
  "browser_run_code -> browser_run_code_unsafe",
  "getResourceLinks -> get-resource-links",
  "getResourceReference -> get-resource-reference",
  "getTinyImage -> get-tiny-image",
  "longRunningOperation -> trigger-long-running-operation",
  "printEnv -> get-env",
  "resource_prompt -> resource-prompt",
  "simple_prompt -> simple-prompt",
  "structuredContent -> get-structured-content",
  "take_memory_snapshot -> take_heapsnapshot",
  "tavily-crawl -> tavily_crawl",
  "tavily-extract -> tavily_extract",
  "tavily-map -> tavily_map",
  "tavily-search -> tavily_search",
]
