// What the server of a cell sends: the list, the way it comes in pages, and what goes wrong, put together as the script of one server.
import { type Cell, troubledCursor, troubleOf } from "./cells.js"
import { CONTENTS, type Content, INSTRUCTIONS, PAGINGS, type Page, type Paging, SERVER_INFO, TOOLS } from "./lists.js"
import { type Asked, isModern, openingOf, type Revision, rpcError, type Script, type Step } from "./scripted-server.js"
import type { Answer } from "./troubles.js"

/** The script of a cell. */
export function scriptOf(cell: Cell): Script {
  const { revision } = cell
  const trouble = troubleOf(cell)
  const content: Content = CONTENTS[cell.content]
  const atOpening = cell.place === "opening"
  const hit = troubledCursor(cell)
  let last: Answer | null = null
  const respond = (asked: Asked, result: string, isHit: boolean): readonly Step[] => {
    const message = `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":${result}}`
    const { id, before } = asked
    const answer = { id, before, message, place: cell.place, way: cell.way }
    last = answer
    const steps = isHit && trouble.act ? trouble.act(answer) : [{ send: message }]
    return isHit && trouble.slow ? [...steps, { parks: true }] : steps
  }
  const list = (asked: Asked): readonly Step[] => {
    const cursor = asked.cursor ?? "first"
    const page = (PAGINGS[cell.paging] as Paging).pages[cursor]
    if (content.unknown || asked.method !== "tools/list")
      return [{ send: rpcError(asked.id, -32601, "Method not found") }]
    if (page === undefined) return [{ send: rpcError(asked.id, -32602, `no page ${cursor}`) }]
    if ("error" in page) return [{ send: rpcError(asked.id, ...page.error) }]
    const steps = respond(asked, listResult(page, content, asked.before, revision), cursor === hit)
    const isSwap = content.swapped && asked.before === 0 && cursor === "first"
    return isSwap ? [{ send: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}' }, ...steps] : steps
  }
  const onStream = atOpening && trouble.onStream === true && cell.way === "sse"
  return {
    revision,
    ...(trouble.start ? { start: trouble.start } : {}),
    ...(onStream ? { stream: (before) => streamSteps(trouble.act?.(answerOfStream(before)) ?? []) } : {}),
    answer: (asked) =>
      asked.method === openingOf(revision)
        ? respond(asked, openingResult(revision, content), atOpening && !onStream)
        : list(asked),
    ...(trouble.get ? { get: () => trouble.get?.(last) ?? [] } : {}),
    ...(trouble.end ? { end: trouble.end } : {}),
  }
}

const answerOfStream = (before: number): Answer => ({
  id: 0,
  place: "opening",
  way: "sse",
  message: "",
  before,
})
/** Null where a message would come: the stream is as it should be. */
const streamSteps = (steps: readonly Step[]): readonly Step[] | null =>
  steps.some((step) => "send" in step) ? null : steps

const MODERN_RESULT = '"resultType":"complete","ttlMs":60000,"cacheScope":"public",'

function openingResult(
  revision: Revision,
  { instructions = INSTRUCTIONS, serverInfo = SERVER_INFO, undeclared = false }: Content,
): string {
  const capabilities = undeclared ? "{}" : '{"tools":{"listChanged":true}}'
  return isModern(revision)
    ? `{${MODERN_RESULT}"supportedVersions":["2026-07-28"],"capabilities":${capabilities},"instructions":${instructions},` +
        `"_meta":{"io.modelcontextprotocol/serverInfo":${serverInfo}}}`
    : `{"protocolVersion":"${revision}","capabilities":${capabilities},"serverInfo":${serverInfo},"instructions":${instructions}}`
}

function listResult(
  page: Extract<Page, { names: string }>,
  content: Content,
  before: number,
  revision: Revision,
): string {
  const isAsPinned = content.swapped && before === 0
  const tools = [...page.names].flatMap(
    (name) => (isAsPinned ? undefined : content.tools?.[name]) ?? [TOOLS[name] ?? ""],
  )
  const next = page.next === undefined ? "" : `,"nextCursor":${JSON.stringify(page.next)}`
  return `{${isModern(revision) ? MODERN_RESULT : ""}"tools":[${tools.join(",")}]${next}}`
}
