// JSON as this package writes it for people and git: two spaces, members in canonical order, exact numbers, and every invisible
// character as a `\u` escape so that a review sees it. A final newline is the caller's.
import { canonicalize } from "./canonical.js"
import { escapeHidden } from "./invisible.js"
import { isArray, isObject, type JsonValue } from "./json.js"

/** Text of a value. `indent` is that of the line it starts on. Throws JSON_MALFORMED as `canonicalize`. */
export function formatPrettyJson(value: JsonValue, indent = ""): string {
  const inner = `${indent}  `
  if (isArray(value))
    return enclose(
      "[",
      value.map((item) => formatPrettyJson(item, inner)),
      "]",
      indent,
    )
  if (!isObject(value)) return formatScalar(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${formatScalar(name)}: ${formatPrettyJson(value[name] ?? null, inner)}`)
  return enclose("{", members, "}", indent)
}

const enclose = (open: string, parts: readonly string[], close: string, indent: string): string =>
  parts.length === 0 ? open + close : `${open}\n${indent}  ${parts.join(`,\n${indent}  `)}\n${indent}${close}`

const formatScalar = (value: JsonValue): string => escapeHidden(canonicalize(value))
