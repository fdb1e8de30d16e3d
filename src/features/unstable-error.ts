// The error for a server whose two readings differ, with what differs: data for whoever shows it. Apart, so that what only reports errors
// loads none of the machinery behind it.
import { quote, ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { formatMasks, type Mask } from "../core/mask.js"
import type { UnstablePlace } from "../surface/unstable.js"

/** What two readings do not agree on, and the masks that make them agree: null where no masks do. `given`: masks that were used. */
export interface Instability {
  readonly places: readonly UnstablePlace[]
  readonly given: readonly Mask[]
  readonly masks: readonly Mask[] | null
}

/** READING_UNSTABLE with `instability` as its cause. */
export function unstableError(instability: Instability): ToolsumError {
  const { places, masks } = instability
  const [first] = places
  const where =
    first === undefined ? "" : `: ${describePlace(first)}${places.length > 1 ? ` and ${places.length - 1} more` : ""}`
  const remedy = masks === null ? "no masks cover it all" : "masks for it are offered"
  return new ToolsumError("READING_UNSTABLE", `two readings, one after the other, differ${where}; ${remedy}`, {
    cause: instability,
  })
}

/** What an error says of two readings; null for every other error. */
export function instabilityOf(error: unknown): Instability | null {
  if (!(error instanceof ToolsumError) || error.code !== "READING_UNSTABLE") return null
  const { cause } = error
  return isInstability(cause) ? cause : null
}

const isInstability = (cause: unknown): cause is Instability =>
  typeof cause === "object" && cause !== null && "places" in cause && "given" in cause && "masks" in cause

/** Where something is: `tool "search" /description`. */
export function describePlace({ section, item, pointer }: Pick<UnstablePlace, "section" | "item" | "pointer">): string {
  const at = pointer === "" ? "" : ` ${quote(pointer, 120)}`
  if (section === "instructions") return `its instructions${at}`
  if (section === "server") return `its server information${at}`
  if (item === null && pointer === "") return `its list of ${section}`
  return `${section.slice(0, -1)} ${item === null ? "without a name" : quote(item)}${at}`
}

/** The same as members of a document. */
export const instabilityMembers = ({ places, masks }: Instability): { readonly [member: string]: JsonValue } => ({
  unstable: places.map(({ section, item, pointer, first, second, problem, masks: offered }) => ({
    section,
    item,
    pointer,
    ...(first === undefined ? {} : { first }),
    ...(second === undefined ? {} : { second }),
    masks: formatMasks(offered),
    problem,
  })),
  masks: masks && formatMasks(masks),
})
