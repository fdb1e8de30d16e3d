// A process that audits a generated log, lets it grow, and audits it again; prints one JSON document with what that took. Runs the built code.
//   node audit-child.mjs RECORDS STREAMS MORE
import { auditLog } from "../../dist/features/audit/audit-log.js"
import { GeneratedLog } from "./generated-log.mjs"

const [records, streams, more] = process.argv.slice(2).map(Number)
const log = new GeneratedLog(streams)
let saved = null
const auditState = {
  load: async () => saved,
  save: async (_, parts) => {
    saved = Buffer.concat(parts)
  },
  clear: async () => {
    saved = null
  },
}

/** Audit; CPU milliseconds without those of making the log. */
async function audit() {
  const before = process.cpuUsage()
  log.spentMicros = 0
  const { exitCode, findings, from, entries, streams } = await auditLog({
    source: log,
    trust: {
      kind: "roots",
      roots: [{ dialect: "tlog-tiles", name: null, fingerprint: log.fingerprint, floor: null, source: "flag" }],
    },
    ...{ clock: () => 1_800_000_000, seed: new Uint8Array(16).fill(7), auditState },
  })
  const { user, system } = process.cpuUsage(before)
  const codes = findings.map(({ code }) => code)
  return { exitCode, codes, from, entries, streams, cpuMs: Math.round((user + system - log.spentMicros) / 1000) }
}

log.grow(records + 1)
const full = await audit()
log.grow(records + more + 1)
log.seek(Math.floor((records + 1) / 256))
const again = await audit()
const rssMb = Math.round(process.resourceUsage().maxRSS / 1024)
process.stdout.write(`${JSON.stringify({ full, again, rssMb, stateBytes: saved.length })}\n`)
