// Lint on real lists: how much it says, and that each of it can be defended.
import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { isAtLeast } from "../../../src/core/severity.js"
import { describeShared, hasShared, sharedPath } from "../../shared.js"
import { readCapture } from "../captures.js"
import { lint } from "./support.js"

const files = hasShared
  ? readdirSync(sharedPath("captures")).filter((file) => file.endsWith(".json") && file !== "pairs.json")
  : []

const packageOf = (file: string): string => file.replace(/@[\d.]+\.json$/, "")

describeShared("captured lists", () => {
  const captures = files.map((file) => {
    const surface = readCapture(file)
    return { name: packageOf(file), file, surface, found: lint(surface) }
  })

  test("what is found in all of them, by rule and severity", () => {
    const counts: Record<string, number> = {}
    for (const { rule, severity } of captures.flatMap(({ found }) => found)) {
      const key = `${rule} ${severity}`
      counts[key] = (counts[key] ?? 0) + 1
    }
    expect(counts).toEqual({
      // firecrawl_search of two versions says readOnlyHint, and takes actions that click, type and run the caller's script on pages; its
      // sister firecrawl_scrape, with the same actions, says that it does not only read.
      "annotation-contradiction high": 2,
      // Three versions of one server list every tool without "type" in its schema: SDK clients refuse those lists.
      "schema-not-an-object medium": 31,
      // One tool of a server that describes the parameters of the 17 others.
      "convention info": 2,
      // Icons of two servers.
      "not-covered-by-pin info": 3,
    })
  })

  test("medium and above are of five lists", () => {
    const grave = captures.filter(({ found }) => found.some(({ severity }) => isAtLeast(severity, "medium")))
    expect(grave.map(({ file }) => file)).toEqual([
      "@modelcontextprotocol__server-filesystem@0.6.2.json",
      "@modelcontextprotocol__server-filesystem@2025.1.14.json",
      "@modelcontextprotocol__server-filesystem@2025.8.21.json",
      "firecrawl-mcp@3.25.3.json",
      "firecrawl-mcp@3.26.0.json",
    ])
  })

  test("the newest of each, side by side in one lockfile: none governs another", () => {
    const newest = [...new Map(captures.map((capture) => [capture.name, capture])).values()]
    const found = newest.flatMap(({ name, surface }) =>
      lint(
        surface,
        newest.filter((other) => other.name !== name),
      ).filter(({ target }) => target !== undefined),
    )
    expect(newest.length).toBeGreaterThan(10)
    expect(found).toEqual([])
  })

  test("one server twice: every tool has a twin, and its own texts govern nobody", () => {
    for (const { name, surface } of captures) {
      const rules = lint(surface, [{ name: `${name}-2`, surface }]).filter(({ target }) => target !== undefined)
      expect(new Set(rules.map(({ rule }) => rule))).toEqual(new Set(["shadowing.same-name"]))
    }
  })
})
