// Where in the project's files a finding stands: the line of the definitions file that holds its value, else the line of the pin in the
// lockfile. Reads JSON in any spelling; what is not found is pointed at by the nearest thing around it.
import { type Node, parseTree } from "jsonc-parser"
import { parseDefinitions } from "../../core/definitions.js"
import { attempt, ToolsumError } from "../../core/errors.js"
import { KEY_MEMBERS, SECTION_NAMES } from "../../core/item.js"
import { parsePointer } from "../../core/pointer.js"
import { surfaceMember } from "../../core/section.js"
import type { Place } from "../../surface/finding.js"
import type { ReportServer } from "./model.js"

/** A line of a file; `path` is relative to the repository. */
export interface FilePlace {
  readonly path: string
  /** 1-based. */
  readonly line: number
}

/** Where the lockfile of a project is expected, for servers that come from no file. */
export const DEFAULT_PLACE: FilePlace = { path: "toolsum.lock.json", line: 1 }

/** Finds places of one server; made once for each, since it reads the whole file. */
export function createLocator({ definitions, lockfile }: ReportServer): (place: Place, was?: string) => FilePlace {
  const fallback = lockfile && isRelative(lockfile.path) ? lockfile : DEFAULT_PLACE
  const root = definitions && isRelative(definitions.path) ? readTree(definitions.text) : null
  if (definitions === null || root === null) return () => fallback
  const toLine = createLineFinder(definitions.text)
  const items = new Map<string, Node>()
  for (const section of SECTION_NAMES)
    for (const item of member(root, surfaceMember(section))?.children ?? [])
      items.set(`${section} ${stringAt(item, KEY_MEMBERS[section])}`, item)
  return ({ section, item, pointer }, was) => {
    const single = section === "instructions" ? "instructions" : section === "server" ? "serverInfo" : null
    const node =
      single === null
        ? (items.get(`${section} ${item}`) ?? (was === undefined ? null : items.get(`${section} ${was}`)))
        : member(root, single)
    return node ? { path: definitions.path, line: toLine(descend(node, pointer).offset) } : fallback
  }
}

/** True for a path below the folder that it is relative to. */
export const isRelative = (path: string): boolean =>
  path !== "" && !/^(?:[/\\]|[a-z]:)/i.test(path) && !path.split(/[/\\]/).includes("..")

/** The tree of a definitions file; null where it is none: its strict reader bounds size and depth before this one walks it. */
function readTree(text: string): Node | null {
  const known = attempt(() => parseDefinitions(text))
  return known instanceof ToolsumError ? null : (parseTree(text) ?? null)
}

/** The value of a member, behind its name. */
const member = (node: Node, name: string): Node | undefined =>
  node.type === "object"
    ? node.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1]
    : undefined

/** A string member as a key; what has none is found by no name. */
function stringAt(node: Node, name: string): string | null {
  const value = member(node, name)
  return value?.type === "string" ? value.value : null
}

/** The node at a pointer, or the last one on the way to it. */
function descend(from: Node, pointer: string): Node {
  const tokens = attempt(() => parsePointer(pointer, (why) => new ToolsumError("CONFIG_INVALID", why)))
  let node = from
  for (const token of tokens instanceof ToolsumError ? [] : tokens) {
    const next = node.type === "array" ? node.children?.[Number(token)] : member(node, token)
    if (next === undefined) break
    node = next
  }
  return node
}

/** Lines of offsets, by search among the line feeds. */
function createLineFinder(text: string): (offset: number) => number {
  const feeds: number[] = []
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) feeds.push(at)
  return (offset) => {
    let [low, high] = [0, feeds.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((feeds[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
