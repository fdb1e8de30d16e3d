// The invented cases as the product sees them: each is read with the product's reader, analysed, and told in the corpus's words. One table
// maps the product's places and rules to the corpus's: pointers there start at the surface and name list items, ours at the item.
import { readdirSync } from "node:fs"
import { ToolsumError } from "../../src/core/errors.js"
import { isObject, type JsonValue, parseJson } from "../../src/core/json.js"
import { formatPointer, parsePointer, valueAt } from "../../src/core/pointer.js"
import { itemKey, parseSurface, type Surface, surfaceItems } from "../../src/core/section.js"
import type { Severity } from "../../src/core/severity.js"
import { answerLive } from "../../src/features/live-answer.js"
import { profileOf, requireProfile } from "../../src/features/profile.js"
import { analyseChanges, analyseSurface, type SurfaceAnalysis } from "../../src/surface/analysis.js"
import { readAppeared, severityOfMeaning } from "../../src/surface/change-severity.js"
import type { ChangeFinding, Finding, Place } from "../../src/surface/finding.js"
import { claimedVersion } from "../../src/surface/notes.js"
import { hasShared, readShared, sharedPath } from "../shared.js"

export interface Expectation {
  readonly verdict?: string
  readonly changes?: readonly {
    readonly pointer: string
    readonly kind: string
    readonly severity: Severity
    readonly was?: string
  }[]
  readonly findings?: readonly ({
    readonly pointer: string
    readonly rule: string
    readonly severity: Severity
  } & Details)[]
  readonly class?: Readonly<Record<string, { readonly tier: string; readonly kinds: readonly string[] }>>
}

export interface Details {
  readonly decoded?: string
  readonly like?: string
  readonly target?: string
  readonly other?: string
}

export interface Case {
  readonly id: string
  readonly kind: "diff" | "lint" | "classify"
  readonly beforeRaw?: string
  readonly afterRaw?: string
  readonly profiles?: Readonly<Record<"before" | "after", { readonly auth: string }>>
  readonly expect: Expectation
  readonly document: JsonValue
}

const readCase = (file: string): Case => {
  const text = readShared(`cases/surface/${file}`)
  return { ...(JSON.parse(text) as Omit<Case, "document">), document: parseJson(text) }
}

/** Every case; none where there is no shared data. */
export const CASES: readonly Case[] = hasShared
  ? readdirSync(sharedPath("cases/surface"))
      .filter((file) => file.endsWith(".json"))
      .map(readCase)
  : []

const member = (value: JsonValue, name: string): JsonValue => (isObject(value) ? (value[name] ?? null) : null)

/** The text or value of one side, as it would come from a server. */
function sideOf(one: Case, name: "before" | "after"): JsonValue {
  const raw = one[`${name}Raw`]
  return raw === undefined ? member(one.document, name) : parseJson(raw)
}

const factsOf = (value: JsonValue) => ({
  version: claimedVersion(member(value, "serverInfo")),
  capabilities: member(value, "capabilities"),
})

/** What the product says of a case. */
export async function judgeCase(one: Case): Promise<Expectation> {
  if (one.profiles !== undefined) return judgeProfiles(one.profiles)
  try {
    return one.kind === "diff" ? judgeDiff(one) : judgeSurface(one)
  } catch (error) {
    if (error instanceof ToolsumError && error.evidence?.duplicate !== undefined) return judgeDuplicate(one, error)
    throw error
  }
}

/** A list read with other rights than the pinned one is not compared: who asks is named in the profile, here by the header given. */
async function judgeProfiles(profiles: NonNullable<Case["profiles"]>): Promise<Expectation> {
  const target = (auth: string) => ({
    url: "https://mcp.example.com/",
    headers: auth === "anonymous" ? {} : { Authorization: "Bearer ${TOKEN}" },
  })
  const pinned = profileOf(target(profiles.before.auth), [])
  const answer = await answerLive(async () => requireProfile(pinned, target(profiles.after.auth)))
  return { verdict: answer.kind, changes: [], findings: [] }
}

/** The reader refuses an object with two members of one name, and says where it stands. */
function judgeDuplicate(one: Case, error: ToolsumError): Expectation {
  const tokens = parsePointer(error.evidence?.duplicate ?? "", (why) => new ToolsumError("USAGE", why))
  const [list = "", index = "", ...rest] = tokens
  const lenient = JSON.parse(one.afterRaw ?? "null") as JsonValue // the last of two wins: only to name the tool
  const name = valueAt(lenient, [list, index, "name"])
  const pointer = formatPointer([list, String(name), ...rest])
  return { verdict: "refused", changes: [], findings: [{ pointer, rule: "duplicate-member", severity: "critical" }] }
}

function judgeDiff(one: Case): Expectation {
  const [first, second] = [sideOf(one, "before"), sideOf(one, "after")]
  const [before, after] = [parseSurface(first), parseSurface(second)]
  const facts = { before: factsOf(first), after: factsOf(second) }
  const analysis = analyseChanges({ before, after, facts })
  const { changes, meanings, notes, appeared } = analysis
  const shown = readAppeared(appeared)
  return {
    verdict: changes.length + notes.length > 0 ? "changed" : "unchanged",
    changes: meanings.map((one) => ({
      pointer: toCorpusPointer(one, [after, before]),
      kind: one.rule,
      severity: severityOfMeaning(one, shown),
      ...(one.was === undefined ? {} : { was: one.was }),
    })),
    findings: appeared.map((finding) => toCorpusFinding(finding, after)),
    class: classesOf(analysis.after),
  }
}

function judgeSurface(one: Case): Expectation {
  const surface = parseSurface(sideOf(one, "after"))
  const others = (one.document as { others?: readonly JsonValue[] }).others ?? []
  const analysis = analyseSurface(surface, {
    others: others.map((other) => ({
      name: String(member(other, "server")),
      surface: parseSurface(member(other, "after")),
    })),
  })
  return { findings: analysis.findings.map((finding) => toCorpusFinding(finding, surface)), class: classesOf(analysis) }
}

const classesOf = ({ classes }: SurfaceAnalysis): NonNullable<Expectation["class"]> =>
  Object.fromEntries(classes.tools.map(({ item, tier, kinds }) => [item, { tier, kinds }]))

function toCorpusFinding(finding: Finding, surface: Surface) {
  const { rule, severity, decoded, like, target, other } = finding
  const details = Object.fromEntries(
    Object.entries({ decoded, like, target, other }).filter(([, value]) => value !== undefined),
  )
  return { pointer: toCorpusPointer(finding, [surface]), rule, severity, ...details }
}

/** How the corpus calls the parts of a surface. */
const ROOTS: Readonly<Record<Place["section"], string>> = {
  tools: "/tools",
  prompts: "/prompts",
  templates: "/resourceTemplates",
  resources: "/resources",
  instructions: "/instructions",
  server: "/serverInfo",
  capabilities: "/capabilities",
  protocol: "/protocolVersion",
  version: "/serverInfo/version",
}

/** The mapping table: product place to corpus pointer. `surfaces`: those in which the place is looked up, best first. */
function toCorpusPointer(place: Place & Partial<ChangeFinding>, surfaces: readonly Surface[]): string {
  const item = place.item === null ? "" : formatPointer([place.item])
  const tokens = parsePointer(place.pointer, (why) => new ToolsumError("USAGE", why))
  if (place.was !== undefined && place.pointer.lastIndexOf("/") === 0) return ROOTS[place.section] + item // a rename is about the item
  if (place.section === "prompts" && tokens[0] === "arguments")
    tokens.length > 1 && nameArgument(tokens as string[], place, surfaces)
  const pointer = formatPointer(tokens)
  const isMember = place.member !== undefined && tokens.at(-1) === "required"
  return ROOTS[place.section] + item + pointer + (isMember ? formatPointer([place.member ?? ""]) : "")
}

/** The corpus names arguments. */
function nameArgument(tokens: string[], { item }: Place, surfaces: readonly Surface[]): void {
  for (const surface of surfaces) {
    const prompt = surfaceItems(surface, "prompts")?.find((one) => itemKey("prompts", one) === item)
    const name = prompt === undefined ? undefined : valueAt(prompt, ["arguments", tokens[1] ?? "", "name"])
    if (typeof name === "string") {
      tokens[1] = name
      return
    }
  }
}
