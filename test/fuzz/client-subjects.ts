// Readers outside of src/core: what the client remembers of a LEGION log, files between commands, client configurations, headers.
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { toStrictJson } from "../../src/adapters/client-configs/strict-json.js"
import { mapVariables } from "../../src/adapters/client-configs/variables.js"
import { parseChallenge } from "../../src/adapters/oauth-challenge.js"
import { parseRetryAfter } from "../../src/adapters/retry-after.js"
import { formatLegionMemory, parseLegionMemory } from "../../src/client/legion-memory.js"
import { concatBytes } from "../../src/core/bytes.js"
import { attempt, ToolsumError } from "../../src/core/errors.js"
import { parseJson } from "../../src/core/json.js"
import { formatKeyringText } from "../../src/core/keyring-text.js"
import { parseLegionJson } from "../../src/core/legion/json.js"
import { verifyLegionKeyring } from "../../src/core/legion/keyring.js"
import { parseSignedTreeHead, verifyTreeHead } from "../../src/core/legion/tree-head.js"
import { parseTemplate } from "../../src/core/template.js"
import { KEY_BYTES } from "../../src/features/audit/key-table.js"
import { formatAuditState, parseAuditState } from "../../src/features/audit/state.js"
import { SEED_BYTES } from "../../src/features/audit/subject-sums.js"
import { checkDraft, formatDraft, parseDraft } from "../../src/features/ceremony/draft.js"
import { formatSuccession, parseSuccession } from "../../src/features/ceremony/succession.js"
import { formatObservations, parseObservations } from "../../src/features/observation-file.js"
import { arbObservation } from "../core/arbitrary-record.js"
import { head, keyring, keyringNote, nextKeyring, ORIGIN, signer } from "../core/log-fixtures.js"
import { makeServersLog } from "../fakes/legion-lockfile.js"
import { ROOT } from "../fakes/legion-log.js"
import { repairSum } from "./repair.js"
import { bytesOf, exact, type Fuzzed, fuzzed, normal, textOf } from "./subject.js"

const bad = (why: string) => new ToolsumError("JSON_MALFORMED", why)
const arbText = fc.string({ unit: "grapheme", maxLength: 30 })

const LEGION_LOG = { origin: "log.test/legion", root: ROOT.pin }
const SERVERS = makeServersLog(["io.test/one", "io.test/two"])
const legionKeyring = verifyLegionKeyring({ text: SERVERS.keyring })
const MEMORY = formatLegionMemory(
  {
    head: verifyTreeHead(legionKeyring, parseSignedTreeHead(parseLegionJson(JSON.stringify(SERVERS.head(2))))),
    headSeenSec: 7n,
    keyring: legionKeyring,
    keyringText: SERVERS.keyring,
  },
  LEGION_LOG,
)

const CONFIGURATION = `{ // servers
  "mcpServers": { "a": { "command": "npx", "args": ["-y", "@a/b@1.2.3",], "env": { "KEY": "\${env:KEY}" } } /* one */ },
}
`

const FIRST = keyring()
const DRAFT = formatDraft({
  keyrings: [keyringNote(FIRST)],
  text: formatKeyringText(nextKeyring({ version: 1n, text: formatKeyringText(FIRST) }, { issued: 1796000001n })),
  signatures: [],
})

const AUDITED = { origin: "log.example/a", root: "SHA256:x" }
const AUDIT = formatAuditState(
  {
    ...{
      position: 512,
      head: "log.example/a\n600\n",
      edge: [new Uint8Array(64)],
      seed: new Uint8Array(SEED_BYTES),
      logged: 1,
    },
    ...{ sums: ["0a 7 0123456789abcdef"], entries: { records: 500, keyrings: 1, other: 11, types: { a: 11 } } },
    objects: { read: 3, missing: 0 },
    findings: [{ code: "record_repeated", kind: "irregular", where: "entry 7", message: "said twice" }],
    counts: { record_repeated: 1 },
  },
  { streams: [], subjects: [], told: [new Uint8Array(2 * KEY_BYTES)], objects: [] },
  AUDITED,
)

/** All of them. */
export const CLIENT: readonly Fuzzed[] = [
  exact({
    name: "memory of a LEGION log",
    valid: fc.constant(MEMORY),
    parse: (x) => parseLegionMemory(bytesOf(x), LEGION_LOG),
    format: (memory) => formatLegionMemory(memory, LEGION_LOG),
    repair: repairSum,
  }),
  exact({
    name: "audit state",
    valid: fc.constant(concatBytes(...AUDIT)),
    parse: (x) => parseAuditState(bytesOf(x), AUDITED),
    format: ({ at, tables }) => concatBytes(...formatAuditState(at, tables, AUDITED)),
    repair: repairSum,
  }),
  normal({
    name: "keyring draft",
    valid: fc.constant(DRAFT),
    parse: (x) => parseDraft(x),
    format: formatDraft,
  }),
  fuzzed({
    name: "checking a keyring draft",
    valid: fc.constant(DRAFT),
    parse: (x) => checkDraft(parseDraft(x)),
  }),
  exact({
    name: "succession",
    valid: fc.constant(
      formatSuccession({ root: `SHA256:${"A".repeat(43)}`, checkpoint: head(ORIGIN, 5, [signer(ORIGIN)]) }),
    ),
    parse: (x) => parseSuccession(bytesOf(x)),
    format: formatSuccession,
  }),
  normal({
    name: "observations",
    valid: fc
      .array(fc.record({ observation: arbObservation, objects: fc.array(arbText, { maxLength: 2 }) }), { maxLength: 2 })
      .map(formatObservations),
    parse: (x) => parseObservations(bytesOf(x)),
    format: formatObservations,
  }),
  fuzzed({
    name: "configuration with comments",
    valid: fc.constant(CONFIGURATION),
    parse: (x) => ({ given: textOf(x), strict: toStrictJson(textOf(x), bad) }),
    holds: ({ given, strict }) => {
      if (strict.length !== given.length) throw new Error("lines and columns moved")
      const meant = attempt(() => parseJson(given))
      if (!(meant instanceof ToolsumError) && !isDeepStrictEqual(parseJson(strict), meant))
        throw new Error("changed what was strict JSON")
    },
  }),
  ...(["braces", "bare", "curly"] as const).map((dialect) =>
    fuzzed({
      name: `variables in ${dialect}`,
      valid: fc.constantFrom(
        "${KEY}",
        "a${env:KEY}$$",
        "${input:id}",
        "${{ secrets.A }}",
        "$KEY",
        "{env:KEY}",
        "${workspaceFolder}/a",
      ),
      parse: (x) => mapVariables(textOf(x), { dialect, projectIsHere: true }),
      holds: (mapped) => {
        if ("template" in mapped) parseTemplate(mapped.template)
      },
    }),
  ),
  fuzzed({
    name: "challenge",
    valid: fc.constantFrom('Bearer realm="a", error="invalid_token"', 'Basic, Bearer scope="a b", resource_metadata=x'),
    parse: (x) => parseChallenge(textOf(x)),
  }),
  fuzzed({
    name: "Retry-After",
    valid: fc.constantFrom("120", "Wed, 21 Oct 2026 07:28:00 GMT"),
    parse: (x) => parseRetryAfter(textOf(x)),
    holds: (ms) => {
      if (ms !== null && !(ms >= 0)) throw new Error("a time before now")
    },
  }),
]
