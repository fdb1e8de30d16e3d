// Fingerprints of tool lists as LEGION computes them: over name, description and inputSchema of each tool and nothing else. Three versions
// differ in how numbers and member order are written, two rules in what stands for a missing member. FORMAT.md, "LEGION dialect".
import { compareUtf8 } from "../bytes.js"
import { canonicalize } from "../canonical.js"
import { type Bad, quote, ToolsumError } from "../errors.js"
import { computeTextDigest } from "../hash.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../json.js"
import { formatPythonJson } from "./python-json.js"
import type { FingerprintVersion, LegionFingerprint } from "./record.js"

/** The members that are covered, in code point order. */
export const COVERED_MEMBERS = ["description", "inputSchema", "name"] as const

/** What stands for a missing description or schema. `observe`: "" and {}, as for what is empty or false in Python, which is how the log reads
 *  a live list; `archive`: nothing. */
export type FingerprintRule = "observe" | "archive"

const malformed: Bad = (why) => new ToolsumError("SURFACE_MALFORMED", why)

/** What is hashed of each tool, by name in code point order. Throws SURFACE_MALFORMED for a tool that is no object or has no name, and for
 *  two of one name: no record could tell them apart. */
export function coverTools(tools: readonly JsonValue[], rule: FingerprintRule): ReadonlyMap<string, JsonObject> {
  const covered = tools.map((tool) => coverTool(tool, rule))
  covered.sort((a, b) => compareUtf8(a.name, b.name))
  const byName = new Map(covered.map(({ name, members }) => [name, members]))
  if (byName.size === covered.length) return byName
  const twice = covered.find(({ name }, i) => name === covered[i + 1]?.name)
  throw malformed(`expected tools of different names, got ${quote(twice?.name ?? "")} twice`)
}

function coverTool(tool: JsonValue, rule: FingerprintRule): { name: string; members: JsonObject } {
  if (!isObject(tool) || typeof tool.name !== "string") throw malformed("expected tools that are objects with a name")
  const { name, description, inputSchema } = tool
  if (rule === "archive") {
    const present = COVERED_MEMBERS.flatMap((member) => {
      const value = tool[member]
      return value === undefined ? [] : [[member, value] as const]
    })
    return { name, members: Object.fromEntries(present) }
  }
  return {
    name,
    members: {
      description: isFalsy(description) ? "" : description,
      inputSchema: isFalsy(inputSchema) ? {} : inputSchema,
      name,
    },
  }
}

/** What Python takes for false: absent, null, false, zero, and whatever is empty. */
function isFalsy(value: JsonValue | undefined): value is undefined {
  if (isArray(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return !value
}

/** The text that version 1 hashes is Python's; 2 and 3 hash the canonical form, in which 2 never has an integer beyond 2^53. */
const formatCovered = (value: JsonValue, version: FingerprintVersion): string =>
  version === "v1" ? formatPythonJson(value, { sort: true, indent: false }) : canonicalize(value)

const hexOf = (text: string): string => computeTextDigest(text).slice("sha256:".length)

/** Fingerprint of a list. Version 1 needs tools that were read with integers as bigints (`parseLegionJson`): a number is a float there.
 *  Throws SURFACE_MALFORMED. */
export function computeFingerprint(p: {
  tools: readonly JsonValue[]
  version: FingerprintVersion
  rule: FingerprintRule
}): LegionFingerprint {
  const { version } = p
  const covered = coverTools(p.tools, p.rule)
  const tools = new Map([...covered].map(([name, members]) => [name, hexOf(formatCovered(members, version))]))
  return { version, sha256: hexOf(formatCovered([...covered.values()], version)), tools }
}

/** True when both are of one list, whatever the version says. Where the hashes of the lists are equal, those of the tools are too. */
export const equalTables = (a: LegionFingerprint, b: LegionFingerprint): boolean =>
  a.tools.size === b.tools.size && [...a.tools].every(([name, hash]) => b.tools.get(name) === hash)
