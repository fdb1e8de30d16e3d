// `--base`: what a tree's `toolsum.json` asks for that its base does not. Nothing of it counts before it is merged; merged it would weaken
// what comes after, so that somebody has to accept it. Also which of the two files counts for what.
import type { BaseFinding } from "../core/base-report.js"
import { canonicalize } from "../core/canonical.js"
import { isArray, type JsonValue } from "../core/json.js"
import { formatRootArgument } from "../core/root.js"
import type { Settings, SettingsFile } from "../core/settings.js"
import type { FindingMaker } from "./base-change.js"

/** The settings that count under a base: its own, and what the tree asks for that can only make an answer stricter. */
export const combineSettings = (base: Settings, tree: Settings): Settings => ({
  ...base,
  private: union(base.private, tree.private),
  required: union(base.required, tree.required),
})

const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]

/** Which values of a member weaken nothing, given those before: more of one list, less of another; else only the same. */
const HARMLESS: Readonly<Record<string, (before: JsonValue, after: JsonValue) => boolean>> = {
  required: (before, after) => isPartOf(before, after),
  private: (before, after) => isPartOf(before, after),
  allow: (before, after) => isPartOf(after, before),
  overrides: (before, after) => isPartOf(after, before),
  roots: () => true, // each new one is a finding of its own
  $schema: () => true,
}

const listOf = (value: JsonValue): readonly JsonValue[] => (isArray(value) ? value : [])

function isPartOf(part: JsonValue, whole: JsonValue): boolean {
  const texts = new Set(listOf(whole).map(canonicalize))
  return listOf(part).every((entry) => texts.has(canonicalize(entry)))
}

/** The settings of a tree beside those at the merge base; what is as at the base's newest commit is no change of the tree's. */
export function compareSettings(
  { base, atRef, tree }: { base: SettingsFile; atRef: SettingsFile; tree: SettingsFile },
  make: FindingMaker,
): readonly BaseFinding[] {
  const names = Object.keys({ ...base.document, ...atRef.document, ...tree.document }).sort()
  const members = names.flatMap((name) => {
    const [before, ref, after] = [base, atRef, tree].map(({ document }) => document[name] ?? null) as JsonValue[]
    const isSame = [before, ref].some((value = null) => isHarmless(name, value, after ?? null))
    if (isSame) return []
    const change = { kind: "settings", name, before: before ?? null, after: after ?? null } as const
    return [make.change(change, `${name} of toolsum.json differs from the base's, which counts here`)]
  })
  return [...members, ...findNewRoots({ base, atRef, tree }, make)]
}

const isHarmless = (name: string, before: JsonValue, after: JsonValue): boolean =>
  canonicalize(before) === canonicalize(after) || HARMLESS[name]?.(before, after) === true

function findNewRoots(
  { base, atRef, tree }: { base: SettingsFile; atRef: SettingsFile; tree: SettingsFile },
  make: FindingMaker,
): readonly BaseFinding[] {
  const known = new Set([base, atRef].flatMap(({ settings }) => settings.roots.map(formatRootArgument)))
  const added = tree.settings.roots.map(formatRootArgument).filter((root) => !known.has(root))
  return [...new Set(added)].map((root) =>
    make.change({ kind: "root", name: root, before: null, after: root }, "a new root in toolsum.json"),
  )
}
