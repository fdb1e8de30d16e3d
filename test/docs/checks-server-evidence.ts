// Recomputes the examples of FORMAT.md, section 17, Evidence of a reading: the document's own surface, read again after the example log has
// signed another one.

import { exitCodeOfError } from "../../src/cli/exit-codes.js"
import { openLogClient } from "../../src/client/open-log.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseRootArgument } from "../../src/core/root.js"
import { formatServerEvidence, parseServerEvidence, type ServerEvidence } from "../../src/core/server-evidence.js"
import { exitCodeOfVerdict } from "../../src/core/verdict.js"
import { verifyServerEvidence } from "../../src/core/verify-server-evidence.js"
import { chooseSubject, verifyServer } from "../../src/features/verify-server.js"
import type { LogSource } from "../../src/ports.js"
import { MemoryState } from "../fakes/memory-state.js"
import { rootOf } from "./checks-lockfile.js"
import { ASKED, exampleLogOf, ORIGIN, surfaceOf, targetOf } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

/** Two hours after the log was made. */
const NOW_SEC = 1_796_093_000

async function makeEvidence(doc: FormatDocument): Promise<ServerEvidence> {
  const { files } = await exampleLogOf(doc)
  const source: LogSource = {
    location: "memory",
    local: false,
    read: async (path) => files.get(`public/${path}`) ?? null,
  }
  const roots = [rootOf(doc)]
  const state = await openLogClient({ source, roots, state: new MemoryState(), clock: () => NOW_SEC })
  const target = targetOf(doc)
  const verified = await verifyServer({
    ...{
      target,
      subject: chooseSubject(target, null),
      profile: "anonymous",
      sections: ASKED,
      nowSec: NOW_SEC,
      exhaustive: false,
    },
    read: async () => ({
      surface: surfaceOf(doc),
      ...{ protocol: "2025-11-25", capabilities: {}, findings: [], failures: {}, isPrivate: false },
      read: { platform: "linux", node: "20.20.2", protocol: "2025-11-25" },
      resolved: { version: null, integrity: null },
    }),
    logs: Promise.resolve([{ name: ORIGIN, state }]),
  })
  if (verified.kind === "refuted") throw verified.error
  return verified.evidence()
}

type Edit = (evidence: ServerEvidence) => ServerEvidence

const withInstructions =
  (instructions: string | null): Edit =>
  (evidence) => {
    const { reading } = evidence
    return { ...evidence, reading: { ...reading, surface: reading.surface && { ...reading.surface, instructions } } }
  }

const withRecords =
  (edit: (records: ServerEvidence["logs"][number]["records"]) => ServerEvidence["logs"][number]["records"]): Edit =>
  (evidence) => ({ ...evidence, logs: evidence.logs.map((log) => ({ ...log, records: edit(log.records) })) })

const EDITS: Readonly<Record<string, Edit>> = {
  "a word of the surface edited": withInstructions("Notes are kept for 31 days."),
  "the recorded surface as the one that was read": withInstructions(null),
  "an argument more": (evidence) => {
    const { target } = evidence.reading
    const args = "args" in target ? [...target.args, "--more"] : []
    return { ...evidence, reading: { ...evidence.reading, target: { ...target, args } as typeof target } }
  },
  "a record edited": withRecords((records) =>
    records.map((record) => ({ ...record, entry: record.entry.replace("ci.example.com", "cd.example.com") })),
  ),
  "the newest record left out": withRecords((records) => records.slice(0, -1)),
  "another verdict": (evidence) => ({ ...evidence, verdict: { verdict: "UNCHANGED", reason: null } }),
}

/** The file with these edits; its old sum unless a new one is among them. */
function edited(text: string, edits: readonly string[]): string {
  const evidence = edits.reduce((now, edit) => EDITS[edit]?.(now) ?? now, parseServerEvidence(text))
  const sealed = formatServerEvidence(evidence)
  const sumOf = (file: string) => /"sum": "[^"]+"/.exec(file)?.[0] ?? ""
  return edits.includes("a new sum") ? sealed : sealed.replace(sumOf(sealed), sumOf(text))
}

async function answer(what: string, doc: FormatDocument): Promise<string> {
  const edits = what.split(/, and |, /)
  const other = parseRootArgument("SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU")
  const roots =
    what === "without a pinned root"
      ? []
      : what === "another root pinned by name"
        ? [{ ...other, name: ORIGIN, source: "flag" as const }]
        : [rootOf(doc)]
  try {
    const evidence = parseServerEvidence(edited(doc.text("server-evidence"), edits))
    const { verdict, reason } = verifyServerEvidence({ evidence, roots, nowSec: BigInt(NOW_SEC) }).judgement
    return `${reason === null ? verdict : `${verdict}(${reason})`}, exit ${exitCodeOfVerdict(verdict)}`
  } catch (error) {
    if (error instanceof ToolsumError) return `${error.code}, exit ${exitCodeOfError(error)}`
    throw error
  }
}

export const SERVER_EVIDENCE_CHECKS: Checks = {
  "server-evidence": async (doc) => formatServerEvidence(await makeEvidence(doc)),
  "server-evidence-answers": cases("server-evidence-answers", answer),
}
