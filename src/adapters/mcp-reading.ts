// Reads what a server tells before any call, over any transport and protocol revision (DESIGN 3, 4 and 9): every page of every list
// that was asked for and declared, within limits, again when the server says that it changed. Only lists are ever asked for.
import { computeJsonDigest } from "../core/canonical.js"
import { quote, ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../core/json.js"
import { itemKey, SECTION_NAMES, type SectionName, surfaceMember } from "../core/section.js"
import type { ReadFinding, ReadLimits, ReadRequest, ServerReading } from "../ports.js"
import { authErrorOf } from "./auth-signs.js"
import { type Introduction, isPrivateResult, readServerInfo } from "./mcp-eras.js"
import { type Answer, INVALID_PARAMS, METHOD_NOT_FOUND, type RpcError, readMember } from "./mcp-messages.js"
import { LIST_METHODS, type ListMethod } from "./mcp-recorder.js"

/** An open session with a server: what it said of itself, as received, and a way to ask for lists. */
export interface McpSession extends Introduction {
  /** Revision 2026-07-28: an empty cursor is a cursor, which earlier servers write at the end of a list, and results say more. */
  readonly isModern: boolean
  /** The raw answer to a list request. Throws TIMEOUT, SERVER_UNREACHABLE, SERVER_AUTH or READING_INCOMPLETE when none came. */
  readonly ask: (method: ListMethod, params?: { readonly cursor: string }) => Promise<Answer>
  /** How often the server has said that the list of this section changed. */
  readonly listChanges: (section: SectionName) => number
  /** What the session itself has to tell, so far. */
  readonly findings: () => readonly ReadFinding[]
}

/** The part of a reading that comes from the session alone. */
export type SessionReading = Pick<
  ServerReading,
  "surface" | "protocol" | "capabilities" | "findings" | "failures" | "isPrivate"
>

/** All lists of one server together may take this long; each request has its own limit besides. */
export const MAX_LISTING_MS = 300_000
/** How often a list is read again that changes while it is read. */
const MAX_ROUNDS = 3

/** What came of one section. `items`: null when it is not declared, or there is no such list. */
interface SectionReading {
  readonly items: readonly JsonValue[] | null
  readonly failure: ToolsumError | null
  readonly findings: readonly ReadFinding[]
}

/** What results say beside their items (2026-07-28): the server as they name it, at most two that differ, and the sections that are for
 *  this reader alone. */
interface Asides {
  readonly serverInfos: JsonValue[]
  readonly privateSections: Set<SectionName>
}

interface Walk {
  readonly session: McpSession
  readonly limits: ReadLimits
  /** Milliseconds left for all lists. */
  readonly leftMs: () => number
  readonly asides: Asides
}

/** Read the sections asked for. What goes wrong in one section is in `failures`. `now`: milliseconds of a steady clock. Throws
 *  READING_INCOMPLETE when interrupted. */
export async function readSurface(
  session: McpSession,
  request: ReadRequest,
  now: () => number = () => performance.now(),
): Promise<SessionReading> {
  const end = now() + MAX_LISTING_MS
  const asides: Asides = { serverInfos: [], privateSections: new Set() }
  const walk: Walk = { session, limits: request.limits, leftMs: () => end - now(), asides }
  const lists: Record<ReturnType<typeof surfaceMember>, JsonValue> = {
    tools: null,
    prompts: null,
    resourceTemplates: null,
    resources: null,
  }
  const failures: Partial<Record<SectionName, ToolsumError>> = {}
  const findings: ReadFinding[] = [...findInstructions(session.instructions)]
  for (const section of SECTION_NAMES.filter((name) => request.sections.includes(name))) {
    const reading = await readSection(walk, section)
    if (request.signal?.aborted) throw new ToolsumError("READING_INCOMPLETE", "the reading was interrupted")
    lists[surfaceMember(section)] = reading.items
    if (reading.failure) failures[section] = reading.failure
    findings.push(...reading.findings, ...findBadItems(section, reading.items ?? []))
  }
  const { protocol, capabilities, instructions } = session
  const serverInfo = session.serverInfo ?? asides.serverInfos[0] ?? null
  const surface = { instructions, serverInfo, ...lists }
  const isPrivate = session.isPrivate || asides.privateSections.size > 0
  const told = [...session.findings(), ...findAsides(session, asides, serverInfo), ...findings]
  return { surface, protocol, capabilities, failures, isPrivate, findings: told }
}

/** Read a section until its list holds still: no notice of a change came meanwhile, or the change left the items as they were. */
async function readSection(walk: Walk, section: SectionName): Promise<SectionReading> {
  let previous: SectionReading | null = null
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = walk.session.listChanges(section)
    const reading: SectionReading = await readList(walk, section)
    if (reading.failure || reading.items === null || walk.session.listChanges(section) === before) return reading
    if (previous && sameItems(previous.items, reading.items)) return reading
    previous = reading
  }
  const failure = new ToolsumError("READING_UNSTABLE", `${LIST_METHODS[section]} changed each time it was read`)
  return { items: previous?.items ?? null, failure, findings: [] }
}

const sameItems = (a: JsonValue, b: JsonValue) => computeJsonDigest(a) === computeJsonDigest(b)

/** Read all pages of a section once. A failure keeps the items of the pages before it. */
async function readList(walk: Walk, section: SectionName): Promise<SectionReading> {
  if (!isDeclared(walk.session.capabilities, section)) return { items: null, failure: null, findings: [] }
  const pages: Page[] = []
  const allItems = () => pages.flatMap(({ items }) => items)
  try {
    const exists = await readPages(walk, section, pages)
    if (exists) return { items: allItems(), failure: null, findings: [] }
    const message = `the server declares this list, but does not know ${LIST_METHODS[section]}`
    return { items: null, failure: null, findings: [{ code: "declared_without_list", section, message }] }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    return { items: pages.length === 0 ? null : allItems(), failure: error, findings: [] }
  }
}

/** Templates and resources live under one capability. */
function isDeclared(capabilities: JsonValue, section: SectionName): boolean {
  const name = section === "templates" ? "resources" : section
  const value = isObject(capabilities) && Object.hasOwn(capabilities, name) ? capabilities[name] : undefined
  return value !== undefined && value !== null && value !== false
}

/** Puts each page into `pages`; false when the server has no such list. Throws what ended the list too early. */
async function readPages(walk: Walk, section: SectionName, pages: Page[]): Promise<boolean> {
  const { maxItems, maxPages } = walk.limits
  const method = LIST_METHODS[section]
  const cursors = new Set<string>()
  let cursor: string | null = null
  let count = 0
  for (;;) {
    if (walk.leftMs() <= 0) throw incomplete(method, `all lists together take more than ${MAX_LISTING_MS / 1000} s`)
    const answer = cursor === null ? await walk.session.ask(method) : await walk.session.ask(method, { cursor })
    if ("malformed" in answer) throw answer.malformed
    // Before 2026-07-28 an empty cursor is followed once: it is the end when the server refuses it or starts all over.
    const probing = cursor === "" && !walk.session.isModern
    if ("error" in answer) {
      if (answer.error.code === METHOD_NOT_FOUND && cursor === null) return false
      if (answer.error.code === INVALID_PARAMS && probing) return true
      throw refusal(method, answer.error)
    }
    const page = parsePage(section, answer.result)
    if (walk.session.isModern) noteAsides(walk.asides, section, page.result)
    if (probing && pages.some((earlier) => isRepeated(earlier, page))) return true
    pages.push(page)
    count += page.items.length
    if (count > maxItems) throw incomplete(method, `it has more than ${maxItems} items`)
    if (page.next === null) return true
    if (pages.length >= maxPages) throw incomplete(method, `it has more than ${maxPages} pages`)
    if (cursors.has(page.next)) throw incomplete(method, `the cursor ${quote(page.next, 40)} came again`)
    cursors.add(page.next)
    cursor = page.next
  }
}

/** The items of an earlier page, and nothing behind them that was not behind that one: else there may be more. */
const isRepeated = (earlier: Page, { items, next }: Page): boolean =>
  (next === null || next === earlier.next) && sameItems(earlier.items, items)

const incomplete = (method: ListMethod, why: string) =>
  new ToolsumError("READING_INCOMPLETE", `${method} could not be read to its end: ${why}`)

const refusal = (method: ListMethod, error: RpcError) =>
  authErrorOf(error) ??
  incomplete(method, `the server answered error ${error.code ?? "without code"}: ${quote(error.message, 200)}`)

interface Page {
  readonly result: JsonObject
  readonly items: readonly JsonValue[]
  readonly next: string | null
}

function parsePage(section: SectionName, result: JsonValue): Page {
  const method = LIST_METHODS[section]
  const malformed = (why: string) => new ToolsumError("PROTOCOL_MALFORMED", `unreadable answer to ${method}: ${why}`)
  if (!isObject(result)) throw malformed("expected an object as result")
  const type = readMember(result, "resultType")
  if (type !== null && type !== "complete") throw malformed("expected a complete result")
  const items = readMember(result, surfaceMember(section))
  if (!isArray(items)) throw malformed(`expected a list as ${surfaceMember(section)}`)
  const next = readMember(result, "nextCursor")
  if (next !== null && typeof next !== "string") throw malformed("expected text as nextCursor")
  return { result, items, next }
}

function noteAsides({ serverInfos, privateSections }: Asides, section: SectionName, result: JsonObject): void {
  if (isPrivateResult(result)) privateSections.add(section)
  const serverInfo = readServerInfo(result)
  if (serverInfo !== null && serverInfos.length < 2 && !serverInfos.some((known) => sameItems(known, serverInfo)))
    serverInfos.push(serverInfo)
}

/** What results say beside their items that is worth telling. */
function findAsides(session: McpSession, asides: Asides, serverInfo: JsonValue): readonly ReadFinding[] {
  const found: ReadFinding[] = []
  const sections = SECTION_NAMES.filter((name) => asides.privateSections.has(name))
  const marked = [...(session.isPrivate ? ["what it says of itself"] : []), ...sections]
  if (marked.length > 0) {
    const [only] = sections
    const section = marked.length === 1 && only !== undefined ? only : null
    const message = `the server marks as meant for this reader alone: ${marked.join(", ")}`
    found.push({ code: "private_list", section, message })
  }
  if (asides.serverInfos.some((other) => !sameItems(other, serverInfo))) {
    const message = "the server gives itself more than one name, title or version in the same reading"
    found.push({ code: "server_info_differs", section: null, message })
  }
  return found
}

/** Items that have a digest like any other, but can never be newly pinned (DESIGN 3.4). */
function findBadItems(section: SectionName, items: readonly JsonValue[]): readonly ReadFinding[] {
  const keys = new Set<string>()
  const findings: ReadFinding[] = []
  for (const item of items) {
    const key = itemKey(section, item)
    const add = (code: string, message: string) => findings.push({ code, section, message })
    if (key === null) add("item_nameless", "an item has no name")
    else if (keys.has(key)) add("item_duplicate", `more than one item is called ${quote(key)}`)
    if (key !== null) keys.add(key)
    if (section === "tools" && isObject(item) && !isObject(readMember(item, "inputSchema")))
      add("item_schema", `the inputSchema of ${key === null ? "an item" : quote(key)} is no object`)
  }
  return findings
}

const findInstructions = (instructions: JsonValue): readonly ReadFinding[] =>
  instructions === null || typeof instructions === "string"
    ? []
    : [{ code: "instructions_no_text", section: null, message: "the instructions are no text" }]
