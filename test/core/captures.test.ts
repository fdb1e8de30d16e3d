// Tool lists of real servers: every one is read and digested, the same as when its digest was noted, whatever the order of items
// and members, and the same as with JSON.parse and the npm canonicalizer.
import { readdirSync, readFileSync } from "node:fs"
import referenceCanonicalize from "canonicalize"
import { expect, test } from "vitest"
import { formatDefinitions, parseDefinitions } from "../../src/core/definitions.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { isArray, isObject, type JsonValue, parseJson } from "../../src/core/json.js"
import {
  computeItemDigest,
  computeSurface,
  computeSurfaceDigest,
  parseSurface,
  SECTION_NAMES,
  type Surface,
} from "../../src/core/section.js"
import { describeShared, hasShared, sharedPath } from "../shared.js"
import digests from "./fixtures/capture-digests.json" with { type: "json" }

const NOTED: Readonly<Record<string, string>> = digests
const FILES = hasShared
  ? readdirSync(sharedPath("captures")).filter((file) => file.includes("@") && file.endsWith(".json"))
  : []
const LISTS = ["tools", "prompts", "resourceTemplates", "resources"] as const

const digestOf = (surface: Surface): string =>
  computeSurfaceDigest("listed", computeSurface(surface, SECTION_NAMES).lines)

/** The same value with the members of every object in reverse. */
function reverseMembers(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(reverseMembers)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, reverseMembers(member)] as const)
      .reverse(),
  )
}

const reverseItems = (list: JsonValue): JsonValue => (isArray(list) ? [...list].reverse() : list)

describeShared("captured tool lists", () => {
  test("all are there and noted", () => {
    expect(FILES).toHaveLength(58)
    expect(Object.keys(NOTED).sort()).toEqual([...FILES].sort())
  })

  test.each(FILES)("%s", (file) => {
    const bytes = readFileSync(sharedPath(`captures/${file}`))
    const surface = parseSurface(parseJson(bytes))
    expect(digestOf(surface)).toBe(NOTED[file])
    expect(digestOf(parseSurface(reverseMembers(parseJson(bytes))))).toBe(NOTED[file])
    const reversed = { ...surface, ...Object.fromEntries(LISTS.map((name) => [name, reverseItems(surface[name])])) }
    expect(digestOf(reversed)).toBe(NOTED[file])
    expect(digestOf(parseDefinitions(formatDefinitions(surface, SECTION_NAMES)).surface)).toBe(NOTED[file])
  })

  test.each(FILES)("%s: items as JSON.parse and the npm canonicalizer see them", (file) => {
    const text = readFileSync(sharedPath(`captures/${file}`), "utf8")
    const surface = parseSurface(parseJson(text))
    const parsed = JSON.parse(text) as Record<string, unknown[] | null>
    for (const name of LISTS) {
      const items = isArray(surface[name]) ? surface[name] : []
      const reference = items.map((_, i) => referenceCanonicalize(parsed[name]?.[i]) ?? "")
      const inexact = (item: JsonValue): boolean =>
        typeof item === "bigint" || (typeof item === "object" && item !== null && Object.values(item).some(inexact))
      for (const [i, item] of items.entries()) {
        if (!inexact(item)) expect(computeItemDigest(item)).toBe(computeTextDigest(reference[i] ?? ""))
      }
    }
  })
})
