// Servers beside each other: tools of one name, and texts of one server that govern the tools of another. Only with the names of the
// others is it certain that a text speaks of them.
import { escapeInvisible, quote } from "../../core/errors.js"
import { itemKey } from "../../core/item.js"
import type { Surface } from "../../core/section.js"
import type { Severity } from "../../core/severity.js"
import type { Finding } from "../finding.js"
import type { OtherServer } from "../options.js"
import { collectTexts, type PlacedText } from "../text/collect-texts.js"
import { sentenceAround } from "./sentences.js"
import { listItems, toolFinding } from "./tool-view.js"

/** Findings about this server's names and texts beside `others`. */
export function lintShadowing(surface: Surface, others: readonly OtherServer[]): readonly Finding[] {
  if (others.length === 0) return []
  const foreign = toolOwners(others)
  if (foreign.size === 0) return []
  const own = new Set(namesOf(surface))
  const sameNames = [...own].flatMap((name) => {
    const servers = foreign.get(name)
    return servers ? [sameName(name, servers)] : []
  })
  return [...sameNames, ...collectTexts(surface).flatMap((text) => lintText(text, foreign, own))]
}

const namesOf = (surface: Surface): readonly string[] =>
  listItems(surface, "tools").flatMap((item) => itemKey("tools", item) || [])

/** Servers by the names of their tools, in order of server name. */
function toolOwners(others: readonly OtherServer[]): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>()
  for (const other of [...others].sort((a, b) => (a.name < b.name ? -1 : 1)))
    for (const name of new Set(namesOf(other.surface))) {
      const servers = owners.get(name) ?? []
      servers.push(other.name)
      owners.set(name, servers)
    }
  return owners
}

function sameName(name: string, [server = "", ...more]: readonly string[]): Finding {
  const rest = more.length === 0 ? "" : ` and ${more.length} more`
  return toolFinding(name, "", {
    rule: "shadowing.same-name",
    severity: "medium",
    message: `server ${quote(server)}${rest} has a tool of this name too, and which of them is called differs from client to client`,
    target: escapeInvisible(`${server}/${name}`),
  })
}

/** What may be a name: as tools are named, or as clients write them with their server. */
const IDENTIFIER = /[\p{L}\p{N}_][\p{L}\p{N}_.\-/]*/gu

/** What names another server's tool and says how it is to be used. Each tool is told once a text. */
function lintText(
  text: PlacedText,
  foreign: ReadonlyMap<string, readonly string[]>,
  own: ReadonlySet<string>,
): readonly Finding[] {
  if (text.isName) return []
  const found = new Map<string, Finding>()
  for (const match of text.text.matchAll(IDENTIFIER)) {
    const named = nameIn(match[0], foreign)
    if (named === null || own.has(named.name) || found.has(named.name)) continue
    const end = match.index + match[0].length
    if (!named.isQualified && !isMeantAsName(named.name, text.text, match.index, end)) continue
    const severity = steering(sentenceAround(text.text, match.index, end))
    if (severity !== null) found.set(named.name, shadowing(text, named, severity))
  }
  return [...found.values()]
}

interface Named {
  readonly name: string
  readonly server: string
  /** True where the text gives the server too. */
  readonly isQualified: boolean
}

/** The other server's tool that a word names: `name`, `server/name`, `server.name`, `mcp__server__name`; a full stop may follow. */
function nameIn(word: string, foreign: ReadonlyMap<string, readonly string[]>): Named | null {
  const plain = word.replace(/[./-]+$/, "")
  const servers = foreign.get(plain)
  if (servers) return { name: plain, server: servers[0] ?? "", isQualified: false }
  const [, prefix = "", name = ""] = /^(?:mcp__)?([^/]{1,100}?)(?:\/|\.|__)(.{1,200})$/u.exec(plain) ?? []
  const server = foreign.get(name)?.find((owner) => owner === prefix)
  return server === undefined ? null : { name, server, isQualified: true }
}

/** True where a word can hardly be prose: several words in one, in quotes, called, or said to be a tool. */
function isMeantAsName(name: string, text: string, start: number, end: number): boolean {
  if (/[_-]|\p{Ll}\p{Lu}/u.test(name)) return true
  const [before, after] = [text.slice(Math.max(0, start - 12), start), text.slice(end, end + 12)]
  if (/[`"'“‘]$/.test(before) && /^[`"'”’]/.test(after)) return true
  return /^(?:\(\)|\s+(?:tool|function)\b)/i.test(after) || /\btool\s+$/i.test(before)
}

/** Words that rule over a call rather than speak of it. */
const RULING =
  /\b(?:must|always|never|shall|ought|mandatory|required to|have to|has to|needs? to|do not|don['’]t|cannot|may not|instead of|rather than|in place of|replac(?:e|es|ing)|overrid(?:e|es|ing)|supersed(?:e|es|ing)|ignor(?:e|es|ing)|disregard|disabled?|deprecated|broken|before (?:you )?(?:any|each|every|calling|using|running|invoking)|after (?:any|each|every|calling|using)|(?:any|each|every|all) (?:call|use|time|invocation|request)s?|when(?:ever)? (?:you )?(?:call|us|invok|run)(?:e|ing)?|prior to|redirect|reroute|first call|only (?:call|use|with|if|when|after))\b/i
/** An order to call it. */
const ORDER =
  /(?:^|[,:]\s*|\b(?:then|and|first|please|next)\s+)(?:use|call|invoke|run|execute|pass|forward|send|route|prefer|avoid|skip)\b/i

function steering(sentence: string): Severity | null {
  if (RULING.test(sentence)) return "high"
  return ORDER.test(sentence) ? "medium" : null
}

function shadowing(text: PlacedText, { name, server }: Named, severity: Severity): Finding {
  const { section, item, pointer } = text
  const what = severity === "high" ? "lays down how" : "tells the model to use"
  const tool = `${quote(name)} of server ${quote(server)}`
  return {
    section,
    item,
    pointer,
    rule: "shadowing",
    severity,
    message: severity === "high" ? `${what} ${tool} is used` : `${what} ${tool}`,
    target: escapeInvisible(`${server}/${name}`),
  }
}
