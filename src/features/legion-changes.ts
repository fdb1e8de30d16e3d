// How two tool lists of a LEGION log differ, as the changes of every report: in words where the texts of both sides are at hand, else by the
// names and hashes that were signed.
import type { JsonObject } from "../core/json.js"
import type { ListComparison } from "../core/legion/check.js"
import type { Surface } from "../core/section.js"
import type { Change } from "../core/verdict.js"
import { diffSurfaces } from "../surface/diff.js"

/** What is covered of each tool, by name, on both sides. */
export interface ListTexts {
  readonly before: ReadonlyMap<string, JsonObject>
  readonly after: ReadonlyMap<string, JsonObject>
}

/** The differences of a comparison. Without texts, a changed tool is named with the members that differ, or as a whole. */
export function changesOfLists(lists: ListComparison, texts: ListTexts | null): readonly Change[] {
  const inWords = texts === null ? [] : diffTexts(texts)
  return inWords.length > 0 ? inWords : changesByName(lists)
}

function diffTexts({ before, after }: ListTexts): readonly Change[] {
  const [from, to] = [surfaceOf(before), surfaceOf(after)]
  return diffSurfaces(from, to, { sections: ["tools"], listsOnly: true }).changes
}

const surfaceOf = (tools: ReadonlyMap<string, JsonObject>): Surface => ({
  ...{ instructions: null, prompts: null, resourceTemplates: null, resources: null, serverInfo: null },
  tools: [...tools.values()],
})

function changesByName({ added, removed, modified, note }: ListComparison): readonly Change[] {
  const tool = (item: string, kind: Change["kind"], pointer = ""): Change => ({
    ...{ section: "tools", item, kind },
    ...{ from: null, pointer },
  })
  if (note === "unexplained") return [{ section: "tools", item: null, kind: "changed", from: null, pointer: "" }]
  return [
    ...added.map((name) => tool(name, "added")),
    ...removed.map((name) => tool(name, "removed")),
    ...modified.flatMap(({ name, fields }) =>
      fields === null ? [tool(name, "changed")] : fields.map((field) => tool(name, "changed", `/${field}`)),
    ),
  ]
}
