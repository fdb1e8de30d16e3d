// Applies `changes` to a surface, written from their description alone: if the result is the later surface, nothing was swallowed.
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import type { SectionName } from "../../src/core/item.js"
import { isArray, type JsonValue } from "../../src/core/json.js"
import { parsePointer } from "../../src/core/pointer.js"
import { computeItemDigest, itemKey, type Surface, surfaceMember } from "../../src/core/section.js"
import type { Change } from "../../src/core/verdict.js"

const fail = (why: string) => new ToolsumError("USAGE", why)

export function applyChanges(before: Surface, changes: readonly Change[]): Surface {
  const of = (section: string) => changes.filter((change) => change.section === section)
  const result: Record<string, JsonValue> = {
    instructions: applySingle(before.instructions, of("instructions")),
    serverInfo: applySingle(before.serverInfo, of("server")),
  }
  for (const section of ["tools", "prompts", "templates", "resources"] as const)
    result[surfaceMember(section)] = applyList(section, before[surfaceMember(section)], of(section))
  return result as unknown as Surface // has all six members
}

function applySingle(before: JsonValue, changes: readonly Change[]): JsonValue {
  if (changes[0]?.kind === "added") return changes[0].after ?? null
  if (changes[0]?.kind === "removed") return null
  return applyPointers(before, changes)
}

function applyList(section: SectionName, before: JsonValue, changes: readonly Change[]): JsonValue {
  const list = changes.find((change) => change.note === "list")
  const entries = changes.filter((change) => change.note !== "list")
  const items = isArray(before) ? [...before] : []
  const find = (is: (item: JsonValue) => boolean): number => {
    const index = items.findIndex(is)
    if (index < 0) throw fail("no such item")
    return index
  }
  const byItem = new Map<string, Change[]>()
  for (const change of entries.filter((c) => c.kind === "renamed" || c.kind === "changed")) {
    const id = JSON.stringify([change.item, change.digest])
    byItem.set(id, [...(byItem.get(id) ?? []), change])
  }
  const replaced: [number, JsonValue][] = [...byItem.values()].map((own) => {
    const first = own[0]
    if (!first) throw fail("no change")
    const name = first.kind === "renamed" ? first.from : first.item
    const matches = (item: JsonValue) => itemKey(section, item) === name
    if (!first.digest && items.filter(matches).length !== 1) throw fail("a name that is not one item needs a digest")
    const at = find((item) => (first.digest ? computeItemDigest(item) === first.digest : matches(item)))
    return [at, applyPointers(items[at] as JsonValue, own)]
  })
  for (const [at, item] of replaced) items[at] = item
  for (const change of entries.filter((c) => c.kind === "removed"))
    items.splice(
      find(
        (item) => canonicalize(item) === canonicalize(change.before ?? null) && itemKey(section, item) === change.item,
      ),
      1,
    )
  for (const change of entries.filter((c) => c.kind === "added")) items.push(change.after ?? null)
  if (list?.kind === "removed" && items.length > 0) throw fail("a list that went still has items")
  if (list?.kind === "removed") return null
  return before === null && list?.kind !== "added" ? null : items
}

/** Later pointers first, so that taking out an element moves none that is still to be found. */
function applyPointers(value: JsonValue, changes: readonly Change[]): JsonValue {
  const copy = { root: structuredClone(value) as unknown }
  for (const change of changes.toReversed()) {
    const tokens = parsePointer(change.pointer, fail)
    let at: Record<string, unknown> = copy
    let last = "root"
    for (const token of tokens) {
      at = at[last] as Record<string, unknown>
      last = token
    }
    const found = Object.hasOwn(at, last) ? canonicalize(at[last] as JsonValue) : undefined
    const expected = change.before === undefined ? undefined : canonicalize(change.before)
    if (found !== expected && change.kind !== "renamed") throw fail(`before differs at ${change.pointer}`)
    if (change.after !== undefined)
      Object.defineProperty(at, last, { value: change.after, enumerable: true, configurable: true, writable: true })
    else if (Array.isArray(at)) at.splice(Number(last), 1)
    else delete at[last]
  }
  return copy.root as JsonValue
}
