// Recomputes the examples of FORMAT.md, sections 15 to 17 and 21 to 24: lockfile, definitions, verdicts, report, harmless edits.
import { createHash } from "node:crypto"
import { printDocument, reportMembers } from "../../src/cli/report-json.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { headKey } from "../../src/core/checkpoint.js"
import { DEFINITIONS_NOTICE, formatDefinitions, parseDefinitions } from "../../src/core/definitions.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { isArray, isObject, type JsonObject, type JsonValue, parseJson } from "../../src/core/json.js"
import { formatLockfile, type Lockfile, parseLockfile } from "../../src/core/lockfile.js"
import { signNote } from "../../src/core/note.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"
import { type PinnedRoot, parseRootArgument } from "../../src/core/root.js"
import { computeItemDigest, computeSurface, surfaceItems } from "../../src/core/section.js"
import { type LockfileReport, verifyLockfile } from "../../src/core/verify-lockfile.js"
import { headOf, linkOf, notesOf } from "./checks-log.js"
import { ASKED, exampleLogOf, ORIGIN, outcome, PIN_NAME, surfaceOf, targetOf, WITNESS_KEY } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

const NOW_SEC = 1_796_100_000n

/** The root of the example log, named for it as in a trust store. */
export const rootOf = (doc: FormatDocument, name: string | null = ORIGIN): PinnedRoot => ({
  ...parseRootArgument(doc.line("root")),
  name,
  source: "flag",
})

async function buildLockfile(doc: FormatDocument): Promise<Lockfile> {
  const { first, text } = await exampleLogOf(doc)
  const notes = Object.values(await notesOf(doc))
  const tools = computeSurface(surfaceOf(doc), ASKED).sections.tools?.items ?? []
  return {
    format: "toolsum-lock/v1",
    logs: {
      [ORIGIN]: {
        dialect: "tlog-tiles",
        url: `https://${ORIGIN}/`,
        keyring: [text("public/keyring/1")],
        heads: Object.fromEntries(notes.map((note) => [headKey(headOf(note)), note])),
        links: { "2-3": await linkOf(doc) },
      },
    },
    servers: {
      [PIN_NAME]: {
        from: [{ file: ".mcp.json", name: PIN_NAME }],
        target: targetOf(doc),
        log: ORIGIN,
        record: first.record,
        index: first.index,
        head: headKey(headOf(first.checkpoint)),
        proof: first.proof,
        observation: null,
        tools: Object.fromEntries(tools.map(({ key, digest }) => [key ?? "", digest])),
        prompts: {},
        templates: {},
        masks: [],
        read: { platform: "linux", node: "20.20.2", protocol: "2025-11-25" },
        approved: {
          pin: `sha256:${doc.line("pin-digest").slice(7)}`,
          from: null,
          at: "2026-11-30T14:00:00Z",
          by: "ada@example.com",
          reason: "read and wanted",
          only: null,
        },
      },
    },
    removed: { old: { at: "2026-10-01T08:00:00Z", by: "ada@example.com", reason: null } },
  }
}

/** What to verify: the document's lockfile and definitions, unless given. */
interface Edit {
  readonly lockfile?: string
  readonly definitions?: string
  readonly roots?: readonly PinnedRoot[]
}

/** The report on the document's lockfile, edited or not. */
export function verifyExample(doc: FormatDocument, edit: Edit = {}): LockfileReport {
  return verifyLockfile({
    lockfile: parseLockfile(edit.lockfile ?? doc.text("lockfile")),
    definitions: { [PIN_NAME]: encodeUtf8(edit.definitions ?? doc.text("definitions")) },
    roots: edit.roots ?? [rootOf(doc)],
    nowSec: NOW_SEC,
  })
}

const verdict = (doc: FormatDocument, edit: Edit): string =>
  outcome(() => {
    const { servers, exitCode } = verifyExample(doc, edit)
    return servers.map(({ verdict, reason }) => `${verdict}${reason ? `(${reason})` : ""}, exit ${exitCode}`).join()
  })

/** Replaces `from` everywhere; throws when it is not there, so that no edit is empty. */
function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`expected ${from} in the example`)
  return text.replaceAll(from, to)
}

const EDITS: Readonly<Record<string, (doc: FormatDocument) => Edit>> = {
  "as it is": () => ({}),
  "without a pinned root": () => ({ roots: [] }),
  "another root pinned by name": (doc) => {
    const fingerprint = `SHA256:${createHash("sha256").digest("base64").slice(0, 43)}`
    return { roots: [{ ...rootOf(doc), fingerprint }] }
  },
  "approved at another digest": (doc) => ({
    lockfile: replaced(doc.text("lockfile"), `"pin": "${doc.line("pin-digest")}"`, `"pin": "${computeTextDigest("")}"`),
  }),
  "record edited": (doc) => ({ lockfile: replaced(doc.text("lockfile"), "version 1.2.0", "version 1.3.0") }),
  "argument edited": (doc) => ({ lockfile: replaced(doc.text("lockfile"), '"--read-only"', '"--read-write"') }),
  "item digest edited": (doc) => ({
    lockfile: doc.text("lockfile").replace(/("add": "sha256:)[0-9a-f]{64}/, `$1${"0".repeat(64)}`),
  }),
  "definitions edited": (doc) => ({ definitions: replaced(doc.text("definitions"), "Add a note", "Add any note") }),
}

const reversed = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  const object = value as JsonObject // no array
  return Object.fromEntries(
    Object.keys(object)
      .reverse()
      .map((name) => [name, reversed(object[name] ?? null)]),
  )
}

const signedBy = (note: string): string => {
  const [, line = ""] = signNote(note.slice(0, note.indexOf("\n\n") + 1), [WITNESS_KEY]).split("\n\n")
  return `${note}${line}`
}

const HARMLESS: Readonly<Record<string, (doc: FormatDocument) => Edit>> = {
  "white space between tokens": (doc) => ({ lockfile: doc.text("lockfile").replaceAll('": ', '"\t:\r\n') }),
  "order of members": (doc) => ({ lockfile: JSON.stringify(reversed(parseJson(doc.text("lockfile")))) }),
  "escapes that need not be": (doc) => ({ lockfile: replaced(doc.text("lockfile"), "toolsum", "t\\u006fols\\u0075m") }),
  "a signature line by an unknown key": (doc) => {
    const lockfile = parseLockfile(doc.text("lockfile"))
    const log = lockfile.logs[ORIGIN]
    if (log === undefined) return {}
    const heads = Object.fromEntries(Object.entries(log.heads).map(([key, note]) => [key, signedBy(note)]))
    return { lockfile: formatLockfile({ ...lockfile, logs: { [ORIGIN]: { ...log, heads } } }) }
  },
  "another name of the pin": (doc) => ({
    lockfile: replaced(doc.text("lockfile"), `    "${PIN_NAME}":`, '    "memo":'),
  }),
  "another node version in read": (doc) => ({ lockfile: replaced(doc.text("lockfile"), '"20.20.2"', '"22.1.0"') }),
  "order of items in the definitions": (doc) => {
    const { notice, ...rest } = parseJson(doc.text("definitions")) as JsonObject // an object, as the check of its own shows
    const lists = Object.entries(rest).map(([name, list]) => [name, Array.isArray(list) ? [...list].reverse() : list])
    return { definitions: canonicalizeFirst({ notice: notice ?? null }, Object.fromEntries(lists)) }
  },
}

/** A file of two objects' members, the first one's first. */
const canonicalizeFirst = (first: JsonObject, rest: JsonObject): string =>
  `${canonicalize(first).slice(0, -1)},${canonicalize(rest).slice(1)}`

/** The surface of the example with something else in a place, and whether its digest moved. */
const SURFACE_EDITS: Readonly<Record<string, readonly [string, string]>> = {
  "serverInfo.version": ['"1.2.0"', '"9.9.9"'],
  "spelling of JSON": ['"Add a note."', '"\\u0041dd a\\u0020note."'],
  "a member of _meta": ['"beta": true', '"beta": false'],
}

function surfaceMoves(doc: FormatDocument, what: string): string {
  const surface = surfaceOf(doc)
  const [from, to] = SURFACE_EDITS[what] ?? ["", ""]
  const edited =
    what === "order of tools"
      ? { ...surface, tools: [...(surfaceItems(surface, "tools") ?? [])].reverse() }
      : surfaceOf({ ...doc, text: (name) => replaced(doc.text(name), from, to) })
  const same =
    canonicalize({ ...computeSurface(edited, ASKED).lines }) ===
    canonicalize({ ...computeSurface(surface, ASKED).lines })
  return same ? "same surface digest" : "another surface digest"
}

function printReport(doc: FormatDocument): string {
  const { servers, exitCode, roots, warnings } = verifyExample(doc)
  const printed: string[] = []
  const io = { stdout: (text: string) => void printed.push(text) } as Parameters<typeof printDocument>[0] // all it uses
  const rest = { roots: roots.map((root) => ({ ...root })), ...reportMembers(servers), warnings: [...warnings] }
  printDocument(io, { command: "verify", exitCode, ...rest })
  return printed.join("")
}

/** The members of a report that the document shows: others may have been added since. */
function shownPart(report: JsonValue, shown: JsonValue): JsonValue {
  if (isArray(report) && isArray(shown)) return report.map((item, i) => shownPart(item, shown[i] ?? null))
  if (!isObject(report) || !isObject(shown)) return report
  const names = Object.keys(report).filter((name) => Object.hasOwn(shown, name))
  return Object.fromEntries(names.map((name) => [name, shownPart(report[name] ?? null, shown[name] ?? null)]))
}

const RESERVED_EDITS: Readonly<Record<string, readonly [string, string]>> = {
  "approved.only": ['"only": null', '"only": ["tools"]'],
}

export const LOCKFILE_CHECKS: Checks = {
  lockfile: async (doc) => formatLockfile(await buildLockfile(doc)),
  definitions: (doc) => {
    const text = formatDefinitions(surfaceOf(doc), ASKED)
    const items = parseDefinitions(text).surface.tools
    const [digest] = Array.isArray(items) ? items.map(computeItemDigest) : []
    if (!doc.text("section-text").startsWith(digest?.slice(7) ?? "-")) throw new Error("other items are shown")
    return text.includes(DEFINITIONS_NOTICE) ? text : "no notice"
  },
  verdicts: cases("verdicts", (what, doc) => verdict(doc, EDITS[what]?.(doc) ?? { lockfile: "no such edit" })),
  report: (doc) => `${formatPrettyJson(shownPart(parseJson(printReport(doc)), parseJson(doc.text("report"))))}\n`,
  "not-covered": cases("not-covered", (what, doc) => surfaceMoves(doc, what)),
  harmless: cases("harmless", (what, doc) => verdict(doc, HARMLESS[what]?.(doc) ?? { lockfile: "no such edit" })),
  reserved: cases("reserved", (what, doc) => {
    const [from, to] = RESERVED_EDITS[what] ?? ["", ""]
    return verdict(doc, { lockfile: replaced(doc.text("lockfile"), from, to) })
  }),
}
