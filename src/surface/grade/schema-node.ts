// Two schemas that stand for each other, keyword by keyword: what was only spelled otherwise is set aside first, and each keyword that
// differs goes to the file that knows it.
import { isArray, isObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import { TEXT_KEYWORDS } from "../schema/effective.js"
import { gradeCondition, gradeList, gradeWholeList } from "./schema-alternatives.js"
import {
  type Comparison,
  type KeywordGrader,
  type KeywordPair,
  keywordIn,
  MAX_COMPARED_DEPTH,
  type ObjectPair,
  type SchemaPair,
} from "./schema-comparison.js"
import { gradeFormat, gradeLimit, gradePattern, gradeType, LIMIT_KEYWORDS } from "./schema-constraints.js"
import { gradeDependencies } from "./schema-dependencies.js"
import { gradeOpenness, gradeSubschema } from "./schema-openness.js"
import { gradeProperties, gradeRequired } from "./schema-properties.js"
import {
  gradeDefinitions,
  gradeDynamicRef,
  gradeNamedPlace,
  gradeRef,
  gradeRefOfSchema,
  isRefOneSided,
} from "./schema-refs.js"
import { gradeFlag, gradeHeaderMirror, gradeSchemaText, gradeUnknown } from "./schema-texts.js"
import { gradeConst, gradeDefault, gradeEnum, gradeExamples } from "./schema-values.js"

const forAll = (keywords: readonly string[], grade: KeywordGrader) =>
  keywords.map((keyword) => [keyword, grade] as const)

const gradeItems: KeywordGrader = (comparison, keyword) =>
  isArray(keyword.before) || isArray(keyword.after)
    ? gradeList(comparison, keyword)
    : gradeSubschema(comparison, keyword)

const GRADERS: ReadonlyMap<string, KeywordGrader> = new Map<string, KeywordGrader>([
  ...forAll([...TEXT_KEYWORDS, "markdownDescription", "errorMessage", "deprecationMessage"], gradeSchemaText),
  ...forAll(["properties", "patternProperties"], gradeProperties),
  ["required", gradeRequired],
  ["type", gradeType],
  [
    "nullable",
    (comparison, keyword) =>
      comparison.add({
        kind: keyword.after === true ? "type-widened" : "type-narrowed",
        severity: "low",
        message: "null is a value, or no longer",
        at: keyword.at,
      }),
  ],
  ["enum", gradeEnum],
  ["const", gradeConst],
  ["default", gradeDefault],
  ...forAll(["examples", "example"], gradeExamples),
  ["pattern", gradePattern],
  ...forAll(LIMIT_KEYWORDS, gradeLimit),
  ...forAll(["format", "contentEncoding", "contentMediaType"], gradeFormat),
  ...forAll(["additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems"], gradeOpenness),
  ...forAll(["contains", "propertyNames", "contentSchema", "then", "else"], gradeSubschema),
  ["items", gradeItems],
  ["prefixItems", gradeList],
  ...forAll(["anyOf", "oneOf", "allOf"], gradeWholeList),
  ...forAll(["not", "if"], gradeCondition),
  ...forAll(["dependentRequired", "dependentSchemas", "dependencies"], gradeDependencies),
  ["$ref", gradeRef],
  ...forAll(["$dynamicRef", "$recursiveRef"], gradeDynamicRef),
  ...forAll(["readOnly", "writeOnly", "deprecated"], gradeFlag),
  ["x-mcp-header", gradeHeaderMirror],
])

/** What references by name lead to. */
const NAMED_PLACES: readonly string[] = ["$id", "$anchor", "$dynamicAnchor"]
const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"])

/** Grade what differs between two schemas. */
export function compareSchemas(comparison: Comparison, pair: SchemaPair): void {
  if (comparison.same(pair.before, pair.after)) return
  if (pair.depth > MAX_COMPARED_DEPTH) {
    comparison.add({ kind: "cut", severity: "high", message: "too deep to be told apart", at: pair.at })
    return
  }
  const [before, after] = [asObject(pair.before), asObject(pair.after)]
  if (before === null || after === null) {
    compareOthers(comparison, pair)
    return
  }
  compareObjects(comparison, { ...pair, before, after })
}

/** A schema that is `true` demands nothing. */
const asObject = (schema: JsonValue) => (schema === true ? {} : isObject(schema) ? schema : null)

function compareOthers(comparison: Comparison, { before, after, at }: SchemaPair): void {
  if (before === false && asObject(after) !== null) {
    comparison.add({ kind: "opened", severity: "medium", message: "values are accepted where none were", at })
    return
  }
  if (after === false && asObject(before) !== null) {
    comparison.add({ kind: "closed", severity: "low", message: "no value is accepted any more", at })
    return
  }
  comparison.add({ kind: "changed", severity: "medium", message: "there is no schema where one must be", at })
}

function compareObjects(comparison: Comparison, pair: ObjectPair): void {
  const { before, after, at } = pair
  const keywords = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const differing = keywords.filter(
    (keyword) => !comparison.same(keywordIn(before, keyword), keywordIn(after, keyword)),
  )
  const definitions = differing.filter((keyword) => DEFINITIONS.has(keyword))
  for (const keyword of definitions) gradeDefinitions(comparison, keywordPair(pair, keyword))
  const named = differing.filter((keyword) => NAMED_PLACES.includes(keyword))
  for (const keyword of named) gradeNamedPlace(comparison, keywordPair(pair, keyword))
  const rest = differing.filter((keyword) => !DEFINITIONS.has(keyword) && !NAMED_PLACES.includes(keyword))
  if (rest.length === 0) return
  if (comparison.saysSame(before, after))
    for (const keyword of rest) comparison.addRepresentation(at + formatPointer([keyword]))
  else if (isRefOneSided(pair)) gradeRefOfSchema(comparison, pair)
  else for (const keyword of rest) gradeKeyword(comparison, keywordPair(pair, keyword))
}

function keywordPair(pair: ObjectPair, keyword: string): KeywordPair {
  const [before, after] = [keywordIn(pair.before, keyword), keywordIn(pair.after, keyword)]
  const sides = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
  return { keyword, at: pair.at + formatPointer([keyword]), ...sides, pair }
}

function gradeKeyword(comparison: Comparison, keyword: KeywordPair): void {
  if (isSpelling(comparison, keyword)) {
    comparison.addRepresentation(keyword.at)
    return
  }
  const grade = GRADERS.get(keyword.keyword) ?? gradeUnknown
  grade(comparison, keyword)
}

/** Keywords of which one may be spelled by others: they mean the same where the schemas as a whole accept the same. */
const INTERTWINED: ReadonlySet<string> = new Set(
  "$ref anyOf oneOf allOf enum const nullable items prefixItems".split(" "),
)
/** Keywords whose subschemas are compared one by one. */
const COMPARED: ReadonlySet<string> = new Set(["properties", "patternProperties"])

/** True where a keyword is spelled otherwise and says the same. */
function isSpelling({ effective }: Comparison, { keyword, pair }: KeywordPair): boolean {
  if (TEXT_KEYWORDS.has(keyword) || keyword.startsWith("$")) return keyword === "$schema"
  if (COMPARED.has(keyword)) return false
  if (INTERTWINED.has(keyword)) return effective.before.shapeOf(pair.before) === effective.after.shapeOf(pair.after)
  const says = (name: string) =>
    effective.before.keywordOf(pair.before, name) === effective.after.keywordOf(pair.after, name)
  return says(keyword) && (keyword !== "type" || says("nullable"))
}
