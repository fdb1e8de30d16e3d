// What a difference between two JSON Schemas means: what is accepted more (widened), accepted no more (narrowed), or said otherwise. Both
// schemas are compared as schemas, and every change of the diff is covered by a meaning of what changed there.
import type { JsonValue } from "../../core/json.js"
import { isAtLeast, type Severity } from "../../core/severity.js"
import type { Change } from "../../core/verdict.js"
import type { ChangeFinding } from "../finding.js"
import { createEffectiveSchemas, createNames } from "../schema/effective.js"
import { type Comparison, MAX_SCHEMA_MEANINGS, type SchemaMeaning, type SchemaPair } from "./schema-comparison.js"
import { createCover } from "./schema-cover.js"
import { compareSchemas } from "./schema-node.js"
import { weighAdded } from "./schema-weight.js"

/** Two schemas of one tool and the changes of the diff inside them; null where there is none. */
export interface SchemaChangeInput {
  readonly before: JsonValue
  readonly after: JsonValue
  /** `input`: what callers send; `output`: what they get. */
  readonly direction: "input" | "output"
  /** Changes whose pointers are at or below `pointer`, or above it where the diff names only what holds the schema. */
  readonly changes: readonly Change[]
  /** Pointer of the schema in the item, such as "/inputSchema". */
  readonly pointer: string
  readonly item: string | null
}

/** The meaning of these changes: at least one finding for each. Rules "schema.*", for answers "output-schema.*". What only spells the
 *  same otherwise is one finding "representation" at the schema's root. Total and bounded (MAX_SCHEMA_MEANINGS, MAX_COMPARED_DEPTH). */
export function gradeSchemaChanges(input: SchemaChangeInput): readonly ChangeFinding[] {
  const comparison = createComparison(input)
  if (input.before === null || input.after === null) comparison.add(wholeSchema(input))
  else comparison.compare({ at: input.pointer, before: input.before, after: input.after, property: null, depth: 0 })
  const cover = createCover(input.changes.map(({ pointer }) => pointer))
  const found = comparison.meanings.map((meaning) =>
    toFinding(input, meaning, cover.covered(meaning.touches ?? [meaning.at])),
  )
  const spelled = cover.covered(comparison.representation)
  if (spelled.length > 0) found.push(toFinding(input, representation(input.pointer), spelled))
  if (comparison.isCut) found.push(toFinding(input, cut(input.pointer), cover.covered([input.pointer])))
  const left = cover.left().map((at) => toFinding(input, leftOver(at), [at]))
  return [...found, ...left]
}

const leftOver = (at: string): SchemaMeaning => ({ kind: "changed", severity: "medium", message: "it is another", at })

const representation = (at: string): SchemaMeaning => ({
  kind: "representation",
  severity: "info",
  message: "what is said is the same, spelled otherwise",
  at,
})

function wholeSchema({ after, pointer }: SchemaChangeInput): SchemaMeaning {
  if (after === null) return { kind: "removed", severity: "medium", message: "the schema is gone", at: pointer }
  const severity = weighAdded(after, after, null)
  return { kind: "added", severity, message: "a schema came", at: pointer }
}

const cut = (at: string): SchemaMeaning => ({
  kind: "cut",
  severity: "high",
  message: "more differs than is told apart",
  at,
})

function toFinding(
  { direction, item }: SchemaChangeInput,
  meaning: SchemaMeaning,
  covers: readonly string[],
): ChangeFinding {
  const { kind, severity, message, at, member, was } = meaning
  return {
    section: "tools",
    item,
    pointer: at,
    rule: `${direction === "output" ? "output-schema" : "schema"}.${kind}`,
    severity: direction === "output" ? milder(kind, severity) : severity,
    message,
    ...(member === undefined ? {} : { member }),
    ...(was === undefined ? {} : { was }),
    covers,
  }
}

/** What an answer may hold besides. */
const MORE_ANSWERS: ReadonlySet<string> = new Set(["added", "property-added", "enum-value-added", "alternative-added"])

/** An answer decides neither where data goes nor what runs: a reader is asked for where one may break, or says something else. */
function milder(kind: string, severity: Severity): Severity {
  if (MORE_ANSWERS.has(kind)) return "low"
  return isAtLeast(severity, "high") ? "medium" : severity
}

/** A comparison with what it found. */
interface RunningComparison extends Comparison {
  readonly meanings: readonly SchemaMeaning[]
  readonly representation: readonly string[]
  /** True where more would have been added than MAX_SCHEMA_MEANINGS. */
  readonly isCut: boolean
}

function createComparison(roots: Pick<SchemaChangeInput, "before" | "after">): RunningComparison {
  const names = createNames()
  const effective = {
    before: createEffectiveSchemas(roots.before, names),
    after: createEffectiveSchemas(roots.after, names),
  }
  return new LiveComparison({ roots, effective, identify: names.identify, previews: new Map() })
}

/** What all comparisons of two roots share. */
interface Shared extends Pick<Comparison, "roots" | "effective"> {
  readonly identify: (value: JsonValue | undefined) => string
  /** What pairs that were looked at aside mean: many references may lead to one. */
  readonly previews: Map<string, readonly SchemaMeaning[]>
}

/** Where meanings gather while two roots are walked. */
class LiveComparison implements RunningComparison {
  readonly meanings: SchemaMeaning[] = []
  readonly representation: string[] = []
  isCut = false
  private readonly shared: Shared

  constructor(shared: Shared) {
    this.shared = shared
  }

  get roots() {
    return this.shared.roots
  }

  get effective() {
    return this.shared.effective
  }

  same(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
    return this.shared.identify(before) === this.shared.identify(after)
  }

  saysSame(before: JsonValue, after: JsonValue): boolean {
    return this.effective.before.nameOf(before) === this.effective.after.nameOf(after)
  }

  add(meaning: SchemaMeaning): void {
    if (this.meanings.length < MAX_SCHEMA_MEANINGS) this.meanings.push(meaning)
    else this.isCut = true
  }

  addRepresentation(at: string): void {
    this.representation.push(at)
  }

  compare(pair: SchemaPair): void {
    if (!this.isCut) compareSchemas(this, pair)
  }

  preview(pair: SchemaPair): readonly SchemaMeaning[] {
    const { identify, previews } = this.shared
    const key = JSON.stringify([identify(pair.before), identify(pair.after), pair.property])
    const known = previews.get(key)
    if (known) return known
    previews.set(key, []) // a cycle adds nothing to what is found on the way
    const aside = new LiveComparison(this.shared)
    aside.compare(pair)
    previews.set(key, aside.meanings)
    return aside.meanings
  }
}
