// Recomputes the examples of FORMAT.md, sections 1 to 4: keys, canonical JSON, items, sections, surface, masks.
import { canonicalize } from "../../src/core/canonical.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { parseJson } from "../../src/core/json.js"
import { applyMasks, computeMaskDigest, type Mask, parseMasks } from "../../src/core/mask.js"
import { formatPointer } from "../../src/core/pointer.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"
import { computeItemDigest, computeSection, computeSurface, formatSurfaceLines } from "../../src/core/section.js"
import { parseTextQuery } from "../../src/features/find-text.js"
import { nameOf } from "../../src/features/record-changes.js"
import { ASKED, LOG_KEY, outcome, ROOT_KEY, surfaceOf, verifierOf, WITNESS_KEY, witnessOf } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

const vkeys: Readonly<Record<string, string>> = {
  "example root a": verifierOf(ROOT_KEY).vkey,
  "example log": verifierOf(LOG_KEY).vkey,
  "example witness": witnessOf(WITNESS_KEY).vkey,
}

const toolsOf = (doc: FormatDocument) => {
  const { sections } = computeSurface(surfaceOf(doc), ASKED)
  const tools = sections.tools
  if (tools === undefined) throw new Error("the example has tools")
  return tools
}

const linesOf = (doc: FormatDocument): string =>
  formatSurfaceLines("listed", computeSurface(surfaceOf(doc), ASKED).lines)

const masksOf = (doc: FormatDocument): readonly Mask[] => parseMasks(parseJson(doc.text("masks")))

/** The shell lines that rebuild the section digest from the canonical items of the document. */
function recipe(doc: FormatDocument): string {
  const items = doc.text("items").trimEnd().split("\n")
  const lines = items.map((item) => {
    const [{ key } = { key: null }] = computeSection("tools", [parseJson(item)]).items
    return `  echo "$(printf '%s' '${item}' | sha256sum | cut -c1-64)  "'${canonicalize(key)}'`
  })
  return `{\n${lines.join("\n")}\n} | LC_ALL=C sort -k2 | sha256sum | cut -c1-64\n`
}

/** A search as it is read: where, and what. */
function describeQuery(text: string): string {
  const { member, key, rest, exact, wanted } = parseTextQuery(text)
  const pointer = formatPointer([...(member === null ? [] : [nameOf(member)]), ...(key === null ? [] : [key]), ...rest])
  return `${pointer}; ${exact ? `value ${wanted}` : `text ${JSON.stringify(wanted)}`}`
}

export const SURFACE_CHECKS: Checks = {
  find: cases("find", (text) => outcome(() => describeQuery(text))),
  keys: cases("keys", (label) => vkeys[label] ?? "no such key"),
  canonical: cases("canonical", (input) => outcome(() => canonicalize(parseJson(input)))),
  surface: (doc) => (surfaceOf(doc).tools === null ? "" : doc.text("surface")),
  items: (doc) =>
    toolsOf(doc)
      .items.map(({ text }) => `${text}\n`)
      .join(""),
  "section-text": (doc) => toolsOf(doc).text,
  "section-recipe": recipe,
  "section-digest": (doc) => `${computeTextDigest(doc.text("section-text"))}\n`,
  "surface-lines": linesOf,
  "surface-digest": (doc) => `${computeTextDigest(doc.text("surface-lines"))}\n`,
  masks: (doc) => `${formatPrettyJson(parseJson(doc.text("masks")))}\n`,
  masked: cases("masked", (input, doc) => {
    const { value } = applyMasks("tools", "status", parseJson(input), masksOf(doc))
    return computeItemDigest(value)
  }),
  "mask-digest": (doc) => `${computeMaskDigest(masksOf(doc))}\n`,
}
