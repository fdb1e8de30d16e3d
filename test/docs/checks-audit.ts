// Recomputes the audit state of FORMAT.md, section 20: the example's log, grown, is audited, and what that keeps is shown as the document says.
import { decodeUtf8, formatHex } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { sha256 } from "../../src/core/hash.js"
import { auditLog } from "../../src/features/audit/audit-log.js"
import { parseAuditState } from "../../src/features/audit/state.js"
import { SEED_BYTES } from "../../src/features/audit/subject-sums.js"
import type { LogSource } from "../../src/ports.js"
import { openLog } from "../../src/writer/log.js"
import { createMemoryStore } from "../../src/writer/memory-store.js"
import { CREATED_SEC, exampleLogOf, LOG_KEY, ORIGIN } from "./example-log.js"
import type { Checks, FormatDocument } from "./format-document.js"

const FILLER = Array.from({ length: 256 }, () => Uint8Array.of(0x78))
const ROW_BYTES = [104, 40, 16, 16]
const SEED = sha256(new Uint8Array(0)).slice(0, SEED_BYTES)
const damaged = (why: string) => new ToolsumError("STATE_CORRUPT", why)

/** The state after an audit of the grown log, as bytes. */
async function auditState(doc: FormatDocument): Promise<Uint8Array> {
  const store = createMemoryStore((await exampleLogOf(doc)).files)
  const log = await openLog({ store, signers: [LOG_KEY], waitMs: 0 })
  await log.appendEntries(FILLER)
  await log.close()
  const source: LogSource = {
    ...{ location: "memory", local: false },
    read: async (path) => store.files.get(`public/${path}`) ?? null,
  }
  const root = {
    dialect: "tlog-tiles",
    name: ORIGIN,
    fingerprint: doc.line("root"),
    floor: null,
    source: "flag",
  } as const
  let saved = new Uint8Array(0)
  await auditLog({
    ...{ source, trust: { kind: "roots", roots: [root] }, clock: () => CREATED_SEC + 86_400, seed: SEED },
    auditState: {
      load: async () => null,
      save: async (_, parts) => {
        saved = new Uint8Array(Buffer.concat(parts))
      },
    },
  })
  return saved
}

async function auditStateText(doc: FormatDocument): Promise<string> {
  const bytes = await auditState(doc)
  parseAuditState(bytes, { origin: ORIGIN, root: doc.line("root") })
  const end = bytes.indexOf(10) + 1
  const line = decodeUtf8(bytes.subarray(0, end), damaged).replace(/,"(?=[A-Za-z]+":)/g, ',\n"')
  const counts = [...line.matchAll(/"[a-z]+ ([0-9]+) sha256:/g)].map(([, count]) => Number(count))
  const rows: string[] = []
  let at = end
  for (const [table, count] of counts.entries())
    for (let row = 0; row < count; row++) {
      const length = ROW_BYTES[table] ?? 0
      rows.push(`${formatHex(bytes.subarray(at, at + length))}\n`)
      at += length
    }
  return line + rows.join("")
}

export const AUDIT_CHECKS: Checks = { "audit-state": auditStateText }
