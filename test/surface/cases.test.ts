// The invented cases: which of them are a change at all. Kinds and severities are not judged here.
import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { isObject, type JsonValue, parseJson } from "../../src/core/json.js"
import { parseSurface } from "../../src/core/section.js"
import { diffSurfaces } from "../../src/surface/diff.js"
import { claimedVersion, diffNotes } from "../../src/surface/notes.js"
import { describeShared, hasShared, readShared, sharedPath } from "../shared.js"

interface Case {
  readonly id: string
  readonly kind: string
  readonly beforeRaw?: string
  readonly afterRaw?: string
  readonly expect: { readonly verdict?: string; readonly changes?: readonly { readonly pointer: string }[] }
}

const files = hasShared ? readdirSync(sharedPath("cases/surface")).filter((file) => file.endsWith(".json")) : []
const cases = files
  .map((file) => readShared(`cases/surface/${file}`))
  .map((text) => ({ text, ...(JSON.parse(text) as Case) }))
  .filter((c) => c.kind === "diff" && (c.expect.verdict === "changed" || c.expect.verdict === "unchanged"))

describeShared("invented cases", () => {
  test.each(cases)("$id is $expect.verdict", (c) => {
    const document = parseJson(c.text)
    const side = (name: "before" | "after"): JsonValue => {
      const raw = c[`${name}Raw`]
      return raw === undefined ? (isObject(document) ? (document[name] ?? null) : null) : parseJson(raw)
    }
    const [before, after] = [side("before"), side("after")]
    const { changes } = diffSurfaces(parseSurface(before), parseSurface(after))
    const notes = diffNotes({ before: factsOf(before), after: factsOf(after) })
    expect(changes.length + notes.length > 0).toBe(c.expect.verdict === "changed")
    for (const { pointer } of c.expect.changes ?? []) {
      const section = pointer.split("/")[1]?.replace("resourceTemplates", "templates").replace("serverInfo", "server")
      if (notes.length === 0) expect(changes.map((change) => change.section)).toContain(section)
    }
  })
})

const factsOf = (value: JsonValue) => {
  const member = (name: string): JsonValue => (isObject(value) ? (value[name] ?? null) : null)
  return { version: claimedVersion(member("serverInfo")), capabilities: member("capabilities") }
}
