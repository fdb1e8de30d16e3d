// The commands that a lie is told to. Each is run as a person would run it, with a home and a project of its own, against the log as it is
// served over HTTP; what it said is brought down to one word: the code that it ended with, or the warning that it gave.
import { LOCKFILE, writeClient } from "../../src/cli/hostile-client.js"
import type { Draft, Lie } from "../../src/features/hostile/lie.js"
import { PIN_NAME, PINNED_TEXT } from "../../src/features/hostile/world.js"
import { type CliWorld, type Document, makeCliWorld, makePackage } from "../fakes/cli-world.js"
import { believe } from "./naive-lockfile.js"

/** What a command said. `exit`: its exit code. `said`: code of what it ended with, or of a warning; null when it noticed nothing. */
export interface Said {
  readonly exit: number
  readonly said: string | null
}

/** A lie as it is served. */
export interface Told {
  readonly lie: Lie
  readonly draft: Draft
  readonly url: string
}

/** A command of the matrix; `run` gives null where there is nothing to run it on. */
export interface Column {
  readonly name: string
  readonly run: (told: Told) => Promise<Said | null>
}

/** A client of the log in folders that go with the test. */
export async function makeClient({ draft, url }: Told): Promise<CliWorld> {
  const world = await makeCliWorld()
  world.nowSec = Number(draft.world.nowSec)
  await writeClient(draft, { home: world.home, project: world.folder, url, platform: process.platform })
  return world
}

/** Warnings that the truth gives too. */
const USUAL: readonly string[] = ["definitions_missing"]

const firstWord = (warning: string): string => warning.split(":")[0] ?? ""

/** The first unusual warning of a document. */
const warningOf = (document: Document): string | null => {
  const warnings: readonly string[] = [...(document.warnings ?? []), ...(document.servers?.[0]?.warnings ?? [])]
  return warnings.map(firstWord).find((word) => !USUAL.includes(word)) ?? null
}

/** What a document says of the pinned server and its log. */
function said(exit: number, document: Document): Said {
  const [server] = document.servers ?? []
  const refuted = document.refutedLogs?.[0]?.error?.code
  const failed = document.error?.code ?? refuted ?? document.logs?.find((log: Document) => log.ok === false)?.error.code
  if (exit === 0) return { exit, said: warningOf(document) }
  return { exit, said: failed ?? server?.reason ?? server?.verdict ?? "nothing" }
}

const command =
  (...argv: readonly string[]) =>
  async (told: Told): Promise<Said> => {
    const { code, document } = await (await makeClient(told)).json(...argv)
    return said(code, document)
  }

/** `verify` of the lockfile that somebody made who believed the log; of the client's own where that is what may be damaged. */
async function verify(told: Told): Promise<Said | null> {
  const { draft, lie } = told
  const lockfile = lie.kind === "damage" ? draft.lockfile : believe(draft)
  if (lockfile === null) return null
  return command("verify", "--no-config")({ ...told, draft: { ...draft, lockfile } })
}

const LISTED = {
  serverInfo: { name: "notes", version: "1" },
  tools: [{ name: "search", description: PINNED_TEXT, inputSchema: { type: "object" } }],
}

/** `verify-server` of the pinned server, which says what it always said. */
async function verifyServer(told: Told): Promise<Said> {
  const world = await makeClient(told)
  const { launch } = await makePackage(world, LISTED)
  const { code, document, stderr } = await world.json("verify-server", "--log", told.url, "--", ...launch)
  const isLeftOut = stderr.includes("was left out")
  return isLeftOut ? { exit: code, said: "lockfile_left_out" } : said(code, document)
}

/** Kinds of findings, the worst first, and those that the truth has too. */
const KINDS = ["violation", "irregular", "unread", "note"]
const USUAL_FINDINGS: readonly string[] = ["other_entries", "index_not_compared"]

async function audit(told: Told): Promise<Said> {
  const { code: exit, document } = await (await makeClient(told)).json("audit", told.url)
  if (document.error) return { exit, said: document.error.code }
  const findings: readonly { code: string; kind: string }[] = document.findings
  const unusual = findings.filter(({ code }) => !USUAL_FINDINGS.includes(code))
  const worst = KINDS.flatMap((kind) => unusual.filter((finding) => finding.kind === kind))[0]
  return { exit, said: worst?.code ?? null }
}

/** `log compare` of the lockfile, this account's memory and the log. */
async function compare(told: Told): Promise<Said> {
  const { code: exit, document } = await (await makeClient(told)).json("log", "compare", LOCKFILE, "state", told.url)
  const logs: readonly Document[] = document.logs ?? []
  const problems = logs.flatMap(({ views }) => views.flatMap((view: Document) => view.problems))
  const unread = (document.unreadViews ?? []).map(({ error }: Document) => error)
  const errors = [document.error, ...logs.flatMap(({ fault, forks }) => [fault, ...forks]), ...problems, ...unread]
  const first = errors.find((error) => error !== null && error !== undefined)
  return { exit, said: first?.code ?? (exit === 0 ? null : "not_compared") }
}

/** The commands, those that see most first. */
export const COLUMNS: readonly Column[] = [
  { name: "audit", run: audit },
  { name: "check", run: command("check", "--log-only") },
  { name: "check --exhaustive", run: command("check", "--log-only", "--exhaustive") },
  { name: "verify-server", run: verifyServer },
  { name: "history", run: command("history", PIN_NAME) },
  { name: "log compare", run: compare },
  { name: "update --proofs", run: command("update", "--proofs") },
  { name: "verify", run: verify },
]
