// Members of values whose shape nobody has checked: what a server sends may lack anything, or have something else in its place.
import { isObject, type JsonValue } from "../core/json.js"

/** Own member of an object, undefined where there is none. */
export const memberOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Text of a member, "" where it is none. */
export function stringMember(value: JsonValue | undefined, name: string): string {
  const text = memberOf(value, name)
  return typeof text === "string" ? text : ""
}
