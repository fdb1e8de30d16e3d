// JSON as Python's json module writes it with non-ASCII characters kept: LEGION's lockfiles and evidence files, and what its fingerprint v1
// hashes. It differs from the canonical form in floats (`1.0`, `1e-07`), which it tells from integers, and in sorting by code point.
import { compareUtf8 } from "../bytes.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../json.js"

/** How to write: `sort` members by code point, else in the order of the object; `indent` of one space per level, else no white space. */
export interface PythonJsonStyle {
  readonly sort: boolean
  readonly indent: boolean
}

/** Text of a value that was read with integers as bigints: a number is a float here. No final newline. */
export function formatPythonJson(value: JsonValue, style: PythonJsonStyle, depth = 0): string {
  if (isArray(value)) {
    const items = value.map((item) => formatPythonJson(item, style, depth + 1))
    return enclose("[", items, "]", { style, depth })
  }
  if (isObject(value)) return formatMembers(value, style, depth)
  if (typeof value === "number") return formatPythonFloat(value)
  return typeof value === "bigint" ? String(value) : JSON.stringify(value)
}

function formatMembers(object: JsonObject, style: PythonJsonStyle, depth: number): string {
  const names = Object.keys(object)
  if (style.sort) names.sort(compareUtf8)
  const colon = style.indent ? ": " : ":"
  const members = names.map((name) => {
    const text = formatPythonJson(object[name] as JsonValue, style, depth + 1) // an own member
    return `${JSON.stringify(name)}${colon}${text}`
  })
  return enclose("{", members, "}", { style, depth })
}

function enclose(
  open: string,
  parts: readonly string[],
  close: string,
  { style, depth }: { style: PythonJsonStyle; depth: number },
): string {
  if (!style.indent || parts.length === 0) return `${open}${parts.join(",")}${close}`
  const inner = `\n${" ".repeat(depth + 1)}`
  return `${open}${inner}${parts.join(`,${inner}`)}\n${" ".repeat(depth)}${close}`
}

// Python writes a float plainly from 1e-4 to below 1e16, else with an exponent.
const LOWEST_PLAIN = -4
const LOWEST_SCIENTIFIC = 16

/** A finite double in Python's spelling: the shortest digits that give it back, always with a fraction or an exponent of two digits or more. */
export function formatPythonFloat(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : ""
  const [mantissa = "", power = ""] = Math.abs(value).toExponential().split("e")
  const exponent = Number(power)
  const digits = mantissa.replace(".", "")
  if (exponent >= LOWEST_PLAIN && exponent < LOWEST_SCIENTIFIC) return sign + placePoint(digits, exponent)
  const size = String(Math.abs(exponent)).padStart(2, "0")
  return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`
}

function placePoint(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0")
  return `${whole}.${digits.slice(exponent + 1) || "0"}`
}
