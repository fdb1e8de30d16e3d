// One report over one lockfile or several (DESIGN 7). Where there are several, servers are called by their file too, and a lockfile that
// cannot be judged does not hide what the others say.
import { relative, sep } from "node:path"
import type { BaseReport } from "../core/base-report.js"
import { escapeInvisible, ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import type { ServerVerdict } from "../core/verdict.js"
import type { LockfileReport } from "../core/verify-lockfile.js"
import type { ReviewedServer } from "../features/gate.js"
import type { LockfileStore } from "../ports.js"
import { type ExitCode, exitCodeOfError, worstExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import { baseMembers } from "./render-base.js"
import { refutedMember, renderRefuted } from "./render-refuted.js"
import { reportMembers } from "./report-json.js"
import { pasteLine } from "./shell-words.js"
import { describeWarning } from "./warnings.js"

type ProjectPart = LockfileReport<ReviewedServer>

/** What one lockfile says. `file`: how it is called; null for the only one. */
export interface LockfilePart {
  readonly file: string | null
  readonly report: ProjectPart
}

/** A file that could not be judged, a lockfile or a client configuration, and why. */
export interface FailedFile {
  readonly file: string
  readonly error: ToolsumError
}

/** What all lockfiles say together. */
export interface ProjectReport extends ProjectPart {
  readonly parts: readonly LockfilePart[]
  readonly failed: readonly FailedFile[]
}

/** What is said of one lockfile. `unread`: client configurations that could not be read. */
export type Judged = ProjectPart & { readonly unread?: readonly FailedFile[] }

/** Judge each lockfile, in order. Throws what `judge` throws for the only one; of several, errors are kept. */
export async function reportOn(
  stores: readonly LockfileStore[],
  io: Io,
  judge: (store: LockfileStore) => Promise<Judged>,
): Promise<ProjectReport> {
  const [only, ...more] = stores
  if (only !== undefined && more.length === 0) {
    const { unread = [], ...report } = await judge(only)
    return combine([{ file: null, report }], unread)
  }
  const parts: LockfilePart[] = []
  const failed: FailedFile[] = []
  for (const store of stores) {
    const file = relative(io.cwd, store.path).replaceAll(sep, "/")
    try {
      const { unread = [], ...report } = await judge(store)
      parts.push({ file, report: prefixed(file, report) })
      failed.push(...unread)
    } catch (error) {
      if (!(error instanceof ToolsumError)) throw error
      failed.push({ file, error })
    }
  }
  return combine(parts, failed)
}

const prefixed = (file: string, report: ProjectPart): ProjectPart => ({
  ...report,
  servers: report.servers.map((server) => ({ ...server, name: `${file}:${server.name}` })),
})

function combine(parts: readonly LockfilePart[], failed: readonly FailedFile[]): ProjectReport {
  const all = parts.map(({ report }) => report)
  const codes: ExitCode[] = [
    ...all.map(({ exitCode }) => exitCode),
    ...failed.map(({ error }) => exitCodeOfError(error)),
  ]
  return {
    servers: all.flatMap(({ servers }) => servers),
    roots: distinct(
      all.flatMap(({ roots }) => roots),
      ({ log, fingerprint, source }) => JSON.stringify([log, fingerprint, source]),
    ),
    refuted: distinct(
      all.flatMap(({ refuted }) => refuted),
      ({ origin, error }) => JSON.stringify([origin, error.message]),
    ),
    warnings: [...new Set(all.flatMap(({ warnings }) => warnings))],
    exitCode: worstExitCode(codes),
    parts,
    failed,
  }
}

const distinct = <T>(values: readonly T[], keyOf: (value: T) => string): readonly T[] => [
  ...new Map(values.map((value) => [keyOf(value), value])).values(),
]

/** A report as members of a document. */
export const projectMembers = ({ roots, servers, refuted, failed, parts }: ProjectReport) => ({
  roots: roots.map((root) => ({ ...root })),
  ...reportMembers(servers),
  ...(refuted.length > 0 ? { refutedLogs: refuted.map(refutedMember) } : {}),
  ...(failed.length > 0 ? { failedFiles: failed.map(failedMember) } : {}),
  ...baseMembers(basesOf({ parts })),
})

/** How the lockfiles differ from `--base`; none without it. */
export const basesOf = ({ parts }: Pick<ProjectReport, "parts">): readonly BaseReport[] =>
  parts.flatMap(({ report }) => report.base ?? [])

const failedMember = ({ file, error: { code, kind, message } }: FailedFile): JsonValue => ({
  file,
  error: { code, kind, message },
})

/** Say what no line of a server says: which logs are refuted, and which files could not be judged. */
export function showFaults({ refuted, failed }: ProjectReport, json: boolean, io: Io): void {
  if (!json) for (const log of refuted) io.stdout(renderRefuted(log))
  for (const { file, error } of failed)
    io.stderr(`toolsum: ${escapeInvisible(`${file}: ${error.message.replaceAll("\n", " ")}`)} (${error.code})\n`)
}

/** A lockfile's warnings, a line each. */
export const describeWarnings = ({ file, report }: LockfilePart): readonly string[] =>
  report.warnings.map(
    (warning) => `warning: ${file === null ? "" : `${escapeInvisible(file)}: `}${describeWarning(warning)}\n`,
  )

/** A command on the pin of a server, as a line to paste; null where a name in it cannot be pasted. */
export function pinCommand(
  server: ServerVerdict,
  { file }: LockfilePart,
  command: string,
  ...options: readonly string[]
): string | null {
  const name = file === null ? server.name : server.name.slice(file.length + 1)
  return pasteLine("toolsum", command, name, ...options, ...(file === null ? [] : ["--lock", file]))
}

/** How to approve the pin of a server as it is; nothing where that cannot be pasted. */
export function approveStep(server: ServerVerdict, part: LockfilePart): readonly string[] {
  const line = server.pin && pinCommand(server, part, "approve", "--to", server.pin)
  return line ? [`${line} --reason "…"`] : []
}

/** Which part of a report a server is in. */
export function findParts({ parts }: ProjectReport): (server: ServerVerdict) => LockfilePart | null {
  const byServer = new Map(parts.flatMap((part) => part.report.servers.map((server) => [server, part] as const)))
  return (server) => byServer.get(server) ?? null
}
