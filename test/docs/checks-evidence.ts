// Recomputes the examples of FORMAT.md that show a fork: the evidence file of section 20 and the evidence of section 21.
import { compareHeads, createLogView, type KnownHead } from "../../src/client/heads.js"
import { formatCheckpoint, headKey } from "../../src/core/checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { signNote } from "../../src/core/note.js"
import { verifyHeads } from "../../src/core/tree-heads.js"
import { formatEvidence } from "../../src/features/evidence.js"
import type { LogSource } from "../../src/ports.js"
import { headOf, notesOf } from "./checks-log.js"
import { exampleLogOf, LOG_KEY, ORIGIN } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

/** The error of a fork between the example's newest head and a forged one, found in a lockfile or in a log. */
async function forkOf(what: string, doc: FormatDocument): Promise<ToolsumError> {
  const { text } = await exampleLogOf(doc)
  const notes = await notesOf(doc)
  const forged = (size: bigint): KnownHead => {
    const rootHash = new Uint8Array(32)
    const note = signNote(formatCheckpoint({ origin: ORIGIN, size, rootHash, extensions: [] }), [LOG_KEY])
    return { size, rootHash, note }
  }
  const served: KnownHead = { ...headOf(notes["3"] ?? ""), note: notes["3"] ?? "" }
  const source: LogSource = {
    location: "memory",
    local: false,
    read: async (path) => (await exampleLogOf(doc)).bytes(`public/${path}`),
  }
  const view = createLogView(source, [text("public/keyring/1")])
  const keyring = verifyKeyring({ notes: [text("public/keyring/1")] })
  const fork = forged(what.startsWith("same") ? 3n : 2n)
  const work = what.endsWith("lockfile")
    ? async () =>
        verifyHeads({ keyring, heads: { [headKey(served)]: served.note, [headKey(fork)]: fork.note }, links: {} })
    : () => compareHeads({ view, known: fork, served })
  const error: unknown = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ToolsumError) return error
  throw new Error("no fork")
}

export const EVIDENCE_CHECKS: Checks = {
  evidence: cases("evidence", async (what, doc) => {
    const { code, evidence = {} } = await forkOf(what, doc)
    return [code, ...Object.keys(evidence).sort()].join(" ")
  }),
  "evidence-file": async (doc) => formatEvidence(await forkOf("same size, log", doc), ORIGIN)?.text ?? "none",
}
