// Values of items that others read differently or that a digest does not reach: integers beyond exact doubles, and addresses of content
// that lies elsewhere.
import { quote } from "../../core/errors.js"
import { itemKey, SECTION_NAMES } from "../../core/item.js"
import { isArray, isObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import type { Surface } from "../../core/section.js"
import type { Finding, Place } from "../finding.js"
import { memberOf } from "../members.js"
import { listItems } from "./tool-view.js"

type Owner = Pick<Place, "section" | "item">

/** Findings about values, wherever in an item they are. */
export function lintValues(surface: Surface): readonly Finding[] {
  const items = SECTION_NAMES.flatMap((section) =>
    listItems(surface, section).map((value) => ({ owner: { section, item: itemKey(section, value) }, value })),
  )
  const server = { owner: { section: "server", item: null }, value: surface.serverInfo } as const
  return [...items, server].flatMap(({ owner, value }) => [
    ...lintAddresses(owner, value),
    ...findInexact(owner, value),
  ])
}

/** One value on the way down; pointers are made only for what is told. */
interface Step {
  readonly value: JsonValue
  readonly token: string
  readonly parent: Step | null
}

const pointerOf = (step: Step): string => {
  const tokens: string[] = []
  for (let at = step; at.parent !== null; at = at.parent) tokens.unshift(at.token)
  return formatPointer(tokens)
}

/** The scalars below a value that are wanted, in the order of the text. A loop, since a value may be nested to any depth. */
function scalarsBelow(value: JsonValue, isWanted: (scalar: JsonValue) => boolean): readonly Step[] {
  const open: Step[] = [{ value, token: "", parent: null }]
  const found: Step[] = []
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const at = step.value
    if (typeof at !== "object" || at === null) {
      if (isWanted(at)) found.push(step)
      continue
    }
    const entries = Object.entries(at)
    for (let i = entries.length - 1; i >= 0; i--) {
      const [token, child] = entries[i] ?? ["", null]
      open.push({ value: child, token, parent: step })
    }
  }
  return found
}

/** Most lists hold none, and that is seen without a note of every way down. */
function hasInexact(value: JsonValue): boolean {
  const open: JsonValue[] = [value]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (isArray(at)) for (const child of at) open.push(child)
    else if (isObject(at)) for (const name in at) open.push(at[name] ?? null)
    else if (isInexact(at)) return true
  }
  return false
}

function findInexact(owner: Owner, value: JsonValue): readonly Finding[] {
  if (!hasInexact(value)) return []
  return scalarsBelow(value, isInexact).map((step) => ({
    ...owner,
    pointer: pointerOf(step),
    rule: "inexact-number",
    severity: "info",
    message: "integer beyond 2^53 - 1, which readers that use doubles take for a neighbour",
  }))
}

/** Up to 2^53 - 1 every integer is a double of its own (RFC 8259 §6). */
const isInexact = (value: JsonValue): boolean =>
  typeof value === "bigint" && (value < BigInt(Number.MIN_SAFE_INTEGER) || value > BigInt(Number.MAX_SAFE_INTEGER))

/** What an address in `_meta` starts with: a page or an application that a client loads. */
const ADDRESS = /^(?:https?|ui|file|wss?):\/\//i

const isAddress = (value: JsonValue): boolean => typeof value === "string" && ADDRESS.test(value)

function lintAddresses(owner: Owner, value: JsonValue): readonly Finding[] {
  const icons = memberOf(value, "icons")
  const meta = memberOf(value, "_meta")
  const sources = (isArray(icons) ? icons : []).flatMap((icon, i) => {
    const src = isObject(icon) ? memberOf(icon, "src") : icon
    const pointer = isObject(icon) ? `/icons/${i}/src` : `/icons/${i}`
    return typeof src === "string" && !/^data:/i.test(src) ? [notCovered(owner, pointer, src)] : []
  })
  const pages = scalarsBelow(meta ?? null, isAddress).map((step) =>
    notCovered(owner, `/_meta${pointerOf(step)}`, String(step.value)),
  )
  return [...sources, ...pages]
}

const notCovered = (owner: Owner, pointer: string, address: string): Finding => ({
  ...owner,
  pointer,
  rule: "not-covered-by-pin",
  severity: "info",
  message: `the address ${quote(address)} is pinned, what is loaded from it is not`,
})
