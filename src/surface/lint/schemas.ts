// Schemas of tools as documents: whether they can be read at all, whether their references lead anywhere, what they make a client send.
import { quote } from "../../core/errors.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import type { Finding } from "../finding.js"
import { memberOf } from "../members.js"
import { type ResolvedRef, resolveRef, type SchemaPlace, walkSchema } from "../schema/walk.js"
import { splitName } from "./name-words.js"
import { type ToolView, toolFinding } from "./tool-view.js"

/** Findings about the schemas of one tool. */
export function lintSchemas(tool: ToolView): readonly Finding[] {
  const output = memberOf(tool.item, "outputSchema")
  return [
    ...lintRoot(tool),
    ...lintSchema(tool, "inputSchema", memberOf(tool.item, "inputSchema")),
    ...lintSchema(tool, "outputSchema", output),
    ...(output === undefined || isObject(output)
      ? []
      : [notAnObject(tool, "/outputSchema", "outputSchema is no object")]),
  ]
}

/** MCP wants an object of `type` "object"; a strict client refuses the whole list for one tool without. */
function lintRoot(tool: ToolView): readonly Finding[] {
  const schema = memberOf(tool.item, "inputSchema")
  if (schema === undefined) return [notAnObject(tool, "", "has no inputSchema")]
  if (!isObject(schema)) return [notAnObject(tool, "/inputSchema", "inputSchema is no object")]
  if (memberOf(schema, "type") === "object") return []
  return [
    notAnObject(
      tool,
      "/inputSchema",
      'inputSchema does not say "type": "object", for which strict clients refuse the list',
    ),
  ]
}

const notAnObject = (tool: ToolView, pointer: string, message: string): Finding =>
  toolFinding(tool.key, pointer, { rule: "schema-not-an-object", severity: "medium", message })

function lintSchema(tool: ToolView, name: string, root: JsonValue | undefined): readonly Finding[] {
  if (!isObject(root)) return []
  const walked = walkSchema(root, `/${name}`)
  const resolve = memoize((ref) => resolveRef(root, ref, `/${name}`))
  const cut: readonly Finding[] = walked.isCut
    ? [
        toolFinding(tool.key, `/${name}`, {
          rule: "schema-cut",
          severity: "medium",
          message: "the schema is too large or too deep to be read to its end",
        }),
      ]
    : []
  return [...cut, ...walked.places.flatMap((place) => lintPlace(tool, place, resolve))]
}

function memoize(resolve: (ref: string) => ResolvedRef): (ref: string) => ResolvedRef {
  const known = new Map<string, ResolvedRef>()
  return (ref) => {
    const found = known.get(ref) ?? resolve(ref)
    known.set(ref, found)
    return found
  }
}

function lintPlace(tool: ToolView, place: SchemaPlace, resolve: (ref: string) => ResolvedRef): readonly Finding[] {
  const { schema, pointer } = place
  if (typeof schema === "boolean") return []
  if (!isObject(schema)) return [badSchema(tool, pointer, "expected a schema, an object or a boolean")]
  const findings = badKeywords(schema).map(([keyword, why]) => badSchema(tool, pointer + formatPointer([keyword]), why))
  const ref = memberOf(schema, "$ref")
  if (typeof ref === "string") findings.push(...lintRef(tool, `${pointer}/$ref`, ref, resolve(ref)))
  const header = memberOf(schema, "x-mcp-header")
  if (header !== undefined) findings.push(headerMirror(tool, place, schema, header))
  return findings
}

const badSchema = (tool: ToolView, pointer: string, message: string): Finding =>
  toolFinding(tool.key, pointer, { rule: "bad-schema", severity: "medium", message })

function lintRef(tool: ToolView, pointer: string, ref: string, resolved: ResolvedRef): readonly Finding[] {
  if (resolved.found) return []
  if (resolved.why === "remote")
    return [
      toolFinding(tool.key, pointer, {
        rule: "remote-ref",
        severity: "high",
        message: `${quote(ref)} is read from elsewhere: what it accepts is not covered by the pin`,
      }),
    ]
  const why = resolved.why === "cyclic" ? "leads back to itself" : "points at nothing in this schema"
  return [toolFinding(tool.key, pointer, { rule: "dangling-ref", severity: "medium", message: `${quote(ref)} ${why}` })]
}

/** Free text may hold a secret; one of a few known values, a number or a flag does not, unless its name says so. */
function headerMirror(tool: ToolView, place: SchemaPlace, schema: JsonObject, header: JsonValue): Finding {
  const closed = ["enum", "const"].some((keyword) => memberOf(schema, keyword) !== undefined)
  const isFree = !closed && !["boolean", "integer", "number"].includes(String(memberOf(schema, "type") ?? ""))
  const name = typeof header === "string" ? ` ${quote(header)}` : ""
  return toolFinding(tool.key, `${place.pointer}/x-mcp-header`, {
    rule: "header-mirror",
    severity: isFree || isSecretName(place.property ?? "") ? "high" : "medium",
    message: `clients copy this argument into the request header${name}, where proxies and logs see it`,
  })
}

/** Words of names of what must not be seen on the way; `key` only as an API's, an access or a private one. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  "token secret password passwd passphrase credential credentials auth authorization cookie session pin otp apikey".split(
    " ",
  ),
)
const KEY_OWNERS = ["api", "access", "private", "secret", "signing"]

function isSecretName(name: string): boolean {
  const words = splitName(name)
  const isKey = words.includes("key") && KEY_OWNERS.some((owner) => words.includes(owner))
  return isKey || words.some((word) => SECRET_WORDS.has(word))
}

const TYPES: readonly unknown[] = ["null", "boolean", "object", "array", "number", "integer", "string"]

const isText = (value: JsonValue): boolean => typeof value === "string"

interface Shape {
  readonly isGood: (value: JsonValue) => boolean
  readonly expected: string
}

const OBJECT: Shape = { isGood: isObject, expected: "an object" }
const LIST: Shape = { isGood: isArray, expected: "a list" }
const TEXT: Shape = { isGood: isText, expected: "a text" }
const NAMES: Shape = { isGood: (value) => isArray(value) && value.every(isText), expected: "a list of names" }
const TYPE: Shape = {
  isGood: (value) =>
    TYPES.includes(value) || (isArray(value) && value.length > 0 && value.every((type) => TYPES.includes(type))),
  expected: "a JSON Schema type",
}

/** What a keyword must be, for those that decide what is accepted. */
const KEYWORD_SHAPES: ReadonlyMap<string, Shape> = new Map([
  ["type", TYPE],
  ["properties", OBJECT],
  ["patternProperties", OBJECT],
  ["$defs", OBJECT],
  ["required", NAMES],
  ["enum", LIST],
  ["anyOf", LIST],
  ["oneOf", LIST],
  ["allOf", LIST],
  ["pattern", TEXT],
  ["format", TEXT],
  ["$ref", TEXT],
])

/** Keywords of another shape than they must have, with what was expected. */
function badKeywords(schema: JsonObject): readonly (readonly [string, string])[] {
  const bad: (readonly [string, string])[] = []
  for (const keyword of Object.keys(schema)) {
    const shape = KEYWORD_SHAPES.get(keyword)
    if (shape && !shape.isGood(schema[keyword] ?? null)) bad.push([keyword, `expected ${shape.expected} as ${keyword}`])
  }
  return bad
}
