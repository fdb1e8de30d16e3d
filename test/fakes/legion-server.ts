// A test log behind HTTP on this machine, with the paths of LEGION's API. What it serves can be changed between questions.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { type LegionTestLog, makeLegionLog, type RecordPlan } from "./legion-log.js"
import { answersOf, type Serving } from "./legion-source.js"

/** A log that answers until the test ends. */
export interface LegionServer {
  /** Base of its API. */
  readonly url: string
  readonly log: LegionTestLog
  /** Paths that were asked for. */
  readonly asked: string[]
  /** From now on: this many leaves, and answers that are not the log's own. */
  serve(serving: Serving): void
}

/** Serve a log of these records. */
export async function serveLegion(plans: readonly RecordPlan[], log = makeLegionLog(plans)): Promise<LegionServer> {
  let answer = answersOf(log, plans)
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = (request.url ?? "").replace(/^\/tlog\/v1/, "").replace(/^\/tlog(?=\/v0)/, "")
    asked.push(path)
    const body = answer(spellHistory(path))
    response.writeHead(body === null ? 404 : 200, { "content-type": "application/json" })
    response.end(body ?? "")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${port}/tlog/v1`, log, asked },
    serve: (serving) => {
      answer = answersOf(log, plans, serving)
    },
  }
}

/** History leaves the slashes of an id as they are. */
const spellHistory = (path: string): string =>
  path.replace(/^\/v0\/servers\/(.*)$/, (_, id: string) => `/v0/servers/${encodeURIComponent(decodeURIComponent(id))}`)
