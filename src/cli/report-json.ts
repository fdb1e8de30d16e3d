// The one JSON document of `--json` (DESIGN 9; schemas/report.schema.json): fields are only ever added. Written with exact number
// tokens, so that a default of 2^63-1 in somebody's schema stays what it is.
import type { ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { formatPrettyJson } from "../core/pretty-json.js"
import { type Change, countVerdicts } from "../core/verdict.js"
import type { ReviewedServer } from "../features/gate.js"
import { instabilityMembers, instabilityOf } from "../features/unstable-error.js"
import { analysisMembers } from "./analysis-json.js"
import type { ExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import { formatSec } from "./render.js"

/** What every document says. */
export interface DocumentHead {
  readonly command: string
  readonly exitCode: ExitCode
}

/** One document, before what every one has is put first. */
export type Document = DocumentHead & { readonly [member: string]: JsonValue | undefined }

/** Print one document: schema version, command and exit code first. */
export function printDocument(io: Pick<Io, "stdout">, document: Document): void {
  const { command, exitCode, ...rest } = document
  io.stdout(
    `${formatPrettyJson({ schemaVersion: 1, command, ok: exitCode === 0, exitCode, ...withoutUndefined(rest) })}\n`,
  )
}

const withoutUndefined = (members: {
  readonly [name: string]: JsonValue | undefined
}): { readonly [name: string]: JsonValue } =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )

/** Counts and servers of a report, as members of a document. */
export function reportMembers(servers: readonly ReviewedServer[]): {
  readonly counts: JsonValue
  readonly servers: JsonValue
} {
  return { counts: { ...countVerdicts(servers.map((server) => server.verdict)) }, servers: servers.map(serverMember) }
}

function serverMember(server: ReviewedServer): JsonValue {
  const { head, record, searched } = server
  return {
    name: server.name,
    subject: server.subject,
    version: server.version,
    verdict: server.verdict,
    reason: server.reason,
    detail: server.detail,
    compared: [...server.compared],
    covered: server.covered.map(({ section, fields }) => ({
      section,
      fields: typeof fields === "string" ? fields : [...fields],
    })),
    notCovered: [...server.notCovered],
    head: head && { origin: head.origin, size: String(head.size), cosigners: head.cosigners, ageSec: head.ageSec },
    record: record && { index: String(record.index), observed: formatSec(record.observedSec) },
    newest: server.newest,
    ...(searched ? { searched: { from: String(searched.from), size: String(searched.size) } } : {}),
    pin: server.pin,
    items: { ...server.items },
    changes: server.changes.map(changeMember),
    warnings: [...server.warnings],
    ...analysisMembers(server),
    ...(server.lowered ? { lowered: { ...server.lowered } } : {}),
    ...(server.allowed ? { allowed: { ...server.allowed } } : {}),
  }
}

/** One change as a member of a document; `before` and `after` are left out where nothing was. */
export const changeMember = (change: Change): JsonValue => withoutUndefined({ ...change })

/** An error as a member of a document. */
export const errorMember = (error: ToolsumError): JsonValue => {
  const { code, kind, message } = error
  const instability = instabilityOf(error)
  return {
    code,
    kind,
    message: toWellFormed(message),
    ...(instability === null ? {} : instabilityMembers(instability)),
  }
}

/** JSON has no lone surrogates; words that were typed on Windows may. */
export const toWellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/gu, "\ufffd")
