// Plays one cell: its server is made, read once as a pin would have it read, and judged by `check` and by `verify-server`, which have to
// agree. What a reading leaves behind is asserted here as well.

import { createHttpToolSource } from "../../src/adapters/mcp-http.js"
import { createStdioToolSource } from "../../src/adapters/mcp-stdio.js"
import { openLogClient } from "../../src/client/open-log.js"
import { parseJson } from "../../src/core/json.js"
import { computeSurface, parseSurface, type Surface } from "../../src/core/section.js"
import type { Change, ServerVerdict } from "../../src/core/verdict.js"
import { checkPin } from "../../src/features/check.js"
import type { LogState } from "../../src/features/log-answer.js"
import { verifyServer } from "../../src/features/verify-server.js"
import {
  DEFAULT_READ_LIMITS,
  type ReadLimits,
  type ReadRequest,
  type ServerReading,
  type ToolSource,
} from "../../src/ports.js"
import { HostileLog } from "../fakes/hostile-log.js"
import { MemoryState } from "../fakes/memory-state.js"
import { observedOf, pinOf, readingOf, TARGET } from "../fakes/readings.js"
import type { ScriptedServer } from "../fakes/scripted-child.js"
import { type Handler, serveHttp } from "../fixtures/servers/http-server.js"
import { scriptOf } from "./cell-script.js"
import { type Cell, type Outcome, troubleOf } from "./cells.js"
import { INSTRUCTIONS, PAGINGS, type Paging, SERVER_INFO, TOOLS } from "./lists.js"
import { isModern, type Log, SECRET, scriptChild, scriptHandler } from "./scripted-server.js"

const SECTIONS = ["tools", "prompts", "templates"] as const
/** Time limit where a cell has to wait for one. */
const SLOW_MS = 800
/** A server that turns in circles must not be asked more often than this. */
const MAX_REQUESTS = 25

const NOW = 1_796_083_200

/** What is pinned, and signed in a log. */
const PINNED: Surface = parseSurface(
  parseJson(`{"tools":[${Object.values(TOOLS).join(",")}],"instructions":${INSTRUCTIONS},"serverInfo":${SERVER_INFO}}`),
)
const OBSERVED = observedOf({ ...readingOf({}), surface: PINNED }, { sections: SECTIONS })
const PIN = pinOf(OBSERVED)

/** Everything that cells share: one HTTP server, one log. */
export interface World {
  /** Play a cell. `parked` is called when it has nothing to do but wait. */
  readonly play: (cell: Cell, parked?: () => void) => Promise<Played>
  /** Sockets and processes that are open. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

/** What came of a cell. */
export interface Played {
  readonly outcome: Outcome
  readonly detail: string | null
  /** What is wrong besides the answer. */
  readonly faults: readonly string[]
}

export async function createWorld(): Promise<World> {
  const handlers = new Map<string, Handler>()
  const children = new Set<ScriptedServer>()
  const http = await serveHttp((hit, response, request) => {
    const handler = handlers.get(hit.path.split("/")[1] ?? "")
    return handler ? handler(hit, response, request) : response.writeHead(404).end()
  })
  const log = await openSignedLog()
  let count = 0
  const play = async (cell: Cell, parked: () => void = () => {}): Promise<Played> => {
    const seen: Log = { requests: [], faults: [], parked }
    const { way } = cell
    if (way === "stdio") {
      const child = scriptChild(scriptOf(cell), seen)
      children.add(child)
      const read = await readOnce(stdioSource(child, cell), cell)
      const left = child.running() > 0 ? [`${child.running()} processes are left`] : []
      const started = troubleOf(cell).unset && child.starts.length > 0 ? ["started without its variable"] : []
      if (left.length === 0) children.delete(child)
      return judge({ read, log, faults: [...faultsOfServer(cell, seen), ...left, ...started] })
    }
    const key = `cell-${count++}`
    handlers.set(key, scriptHandler(scriptOf(cell), way, seen))
    const read = await readOnce(httpSource(`${http.origin}/${key}/mcp`, cell), cell)
    handlers.delete(key)
    return judge({ read, log, faults: faultsOfServer(cell, seen) })
  }
  return {
    play,
    open: () => http.sockets() + [...children].reduce((sum, child) => sum + child.running(), 0),
    close: http.close,
  }
}

/** What the server has to complain of. */
const faultsOfServer = (cell: Cell, { requests, faults }: Log): readonly string[] => [
  ...faults,
  ...(requests.length > MAX_REQUESTS ? [`${requests.length} requests`] : []),
  ...(troubleOf(cell).unset && requests.length > 0 ? ["contacted without its variable"] : []),
]

/** What both commands make of a reading. */
async function judge({
  read,
  log,
  faults,
}: {
  readonly read: Read
  readonly log: LogState
  readonly faults: readonly string[]
}): Promise<Played> {
  const answer = await check(read)
  const { verdict, reason, detail } = answer
  if (verdict === "PROVEN" || verdict === "REJECTED") throw new Error(`${verdict} is no answer of a live server`)
  return {
    outcome: { verdict, reason, changes: answer.changes.map(describe).toSorted() },
    detail,
    faults: [...faults, ...faultsOf(answer), ...(await disagreement(answer, read, log))],
  }
}

type Read = () => Promise<ServerReading>

/** Read once; what came of it can be told again and again. */
async function readOnce(source: ToolSource, cell: Cell): Promise<Read> {
  try {
    const reading = await source.read(requestOf(cell))
    return async () => reading
  } catch (error) {
    return async () => {
      throw error
    }
  }
}

function requestOf(cell: Cell): ReadRequest {
  const { paging, place, revision, ask } = cell
  const trouble = troubleOf(cell)
  const time = place === "opening" ? { startTimeoutMs: SLOW_MS } : { requestTimeoutMs: SLOW_MS }
  const limits: ReadLimits = {
    ...DEFAULT_READ_LIMITS,
    ...(PAGINGS[paging] as Paging).limits,
    ...trouble.limits,
    ...(trouble.slow ? time : {}),
  }
  const other = isModern(revision) ? "2025-11-25" : "2026-07-28"
  const protocol = ask === "none" ? {} : { protocol: ask === "pin" ? revision : other }
  return { sections: SECTIONS, limits, ...protocol }
}

const environmentOf = (cell: Cell) => (troubleOf(cell).unset ? {} : { TOKEN: SECRET })

const stdioSource = (child: ScriptedServer, cell: Cell): ToolSource =>
  createStdioToolSource(
    {
      target: { command: "server", args: [], env: ["TOKEN"] },
      cwd: "/nowhere",
      environment: environmentOf(cell),
      placeholders: [],
      clientVersion: "0.0.0",
    },
    child.start,
  )

const httpSource = (url: string, cell: Cell): ToolSource =>
  createHttpToolSource({
    target: { url, headers: { Authorization: "Bearer ${TOKEN}" } },
    environment: environmentOf(cell),
    placeholders: [],
    clientVersion: "0.0.0",
    addresses: "loopback",
    clientCredentials: [],
  })

/** A pin that its lockfile proves. */
export const OFFLINE: ServerVerdict = {
  name: "notes",
  subject: "pkg:npm/%40acme/notes",
  version: "1.2.3",
  verdict: "PROVEN",
  reason: null,
  detail: null,
  compared: ["lock"],
  covered: [],
  notCovered: [],
  head: { origin: "log.example/test", size: 1n, cosigners: 0, ageSec: null },
  record: null,
  newest: null,
  pin: `sha256:${"0".repeat(64)}`,
  items: {},
  changes: [],
  warnings: [],
}

const check = (readLive: Read): Promise<ServerVerdict> =>
  checkPin({
    name: "notes",
    pin: PIN,
    offline: OFFLINE,
    log: null,
    needsLog: false,
    exhaustive: false,
    readLive,
    approved: async () => PINNED,
  })

/** Kind, section, item (`null` for none) and pointer. */
function describe({ kind, section, item, pointer }: Change): string {
  const isList = section !== "instructions" && section !== "server"
  return [kind, section, isList ? String(item) : "", pointer].filter((word) => word !== "").join(" ")
}

/** What must hold of every answer. */
function faultsOf(verdict: ServerVerdict): readonly string[] {
  const { detail, compared } = verdict
  const text = JSON.stringify(verdict, (_, value) => (typeof value === "bigint" ? `${value}` : value))
  const isRead = compared.includes("live")
  return [
    ...(text.includes(SECRET) ? ["tells a secret"] : []),
    ...(verdict.verdict !== "UNCHANGED" && !detail ? ["says nothing"] : []),
    ...(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/.test(detail ?? "") ? ["tells text unescaped"] : []),
    ...(isRead || verdict.verdict === "UNKNOWN" || verdict.verdict === "AUTH" ? [] : ["compares without a reading"]),
  ]
}

/** A log that has what is pinned, with its texts. */
async function openSignedLog(): Promise<LogState> {
  const log = new HostileLog()
  const { lines, sections } = computeSurface(PINNED, SECTIONS)
  for (const section of Object.values(sections)) if (section) log.archive(section.text)
  log.record({ ...OBSERVED.observation, lines })
  return openLogClient({ source: log, roots: [log.root], state: new MemoryState(), clock: () => NOW })
}

/** `verify-server` judges by a log that has what is pinned: it has to say the same. */
async function disagreement({ verdict, reason }: ServerVerdict, read: Read, log: LogState): Promise<readonly string[]> {
  const { subject, profile } = OBSERVED.observation
  const answered = await verifyServer({
    target: TARGET,
    subject,
    profile,
    sections: SECTIONS,
    nowSec: NOW,
    exhaustive: false,
    read,
    logs: Promise.resolve([{ name: "log", state: log }]),
  })
  if (answered.kind !== "answered") return [`verify-server: ${answered.kind}`]
  const { report } = answered
  const isSame = report.verdict === verdict && report.reason === reason
  return isSame ? [] : [`verify-server says ${report.verdict}(${report.reason})`]
}
