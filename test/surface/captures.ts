// The captured tool lists of real servers, read two ways: through the product's reader, and through JSON.parse for comparison.
import { readdirSync } from "node:fs"
import { parseJson } from "../../src/core/json.js"
import { parseSurface, type Surface } from "../../src/core/section.js"
import { hasShared, readShared, sharedPath } from "../shared.js"

export interface Pair {
  readonly package: string
  readonly before: string
  readonly after: string
  /** Items that differ, by area and field. */
  readonly changes: Readonly<Record<string, number>>
}

/** Every consecutive pair of captures; none where there is no shared data. */
export const PAIRS: readonly Pair[] = hasShared ? JSON.parse(readShared("captures/pairs.json")) : []

/** File names of all captures. */
export const CAPTURES: readonly string[] = hasShared
  ? readdirSync(sharedPath("captures")).filter((file) => file.endsWith(".json") && file !== "pairs.json")
  : []

export const readCapture = (file: string): Surface => parseSurface(parseJson(readShared(`captures/${file}`)))

export const parseCapture = (file: string): unknown => JSON.parse(readShared(`captures/${file}`))
