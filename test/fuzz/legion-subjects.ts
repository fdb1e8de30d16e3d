// Every parser of the LEGION dialect, with well-formed documents of a small log.
import fc from "fast-check"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { sha256 } from "../../src/core/hash.js"
import { type JsonObject, parseJson } from "../../src/core/json.js"
import { verifyOtsAnchor } from "../../src/core/legion/anchor-ots.js"
import {
  parseConsistencyAnswer,
  parseHeadAnswer,
  parseHistoryAnswer,
  parseInclusionAnswer,
  parseLookupAnswer,
  parseRecordAnswer,
} from "../../src/core/legion/answers.js"
import { parseArchive } from "../../src/core/legion/archive.js"
import { parseBitcoinHeaders } from "../../src/core/legion/bitcoin-headers.js"
import { parseBundle } from "../../src/core/legion/bundle.js"
import { formatLegionEvidence, parseLegionEvidence } from "../../src/core/legion/evidence.js"
import { parseLegionJson } from "../../src/core/legion/json.js"
import { verifyLegionKeyring } from "../../src/core/legion/keyring.js"
import { parseKeyringEntry } from "../../src/core/legion/keyring-entry.js"
import { formatLegionLockfile, parseLegionLockfile } from "../../src/core/legion/lockfile.js"
import { parseLegionEntry } from "../../src/core/legion/record.js"
import { parseTime } from "../../src/core/legion/time.js"
import { parseSignedTreeHead } from "../../src/core/legion/tree-head.js"
import { formatPinnedLeaves, makeServersLog } from "../fakes/legion-lockfile.js"
import { formatArchive, makeLegionLog, toolOf } from "../fakes/legion-log.js"
import { answersOf } from "../fakes/legion-source.js"
import { bytesOf, type Fuzzed, fuzzed, type Input, normal, textOf } from "./subject.js"

const TOOLS = [toolOf("a"), toolOf("b", "Schläft 1.5 s.")]
const PLANS = [
  { serverId: "io.test/one", tools: TOOLS },
  { serverId: "io.test/two", tools: [], version: "v1" as const },
  { serverId: "io.test/one", tools: [toolOf("a")], version: "v3" as const },
]
const LOG = makeLegionLog(PLANS)
const answer = answersOf(LOG, PLANS)
const served = (path: string) => fc.constant(answer(path) ?? "")
const asObject = (input: Input): JsonObject => parseJson(input) as JsonObject // readers must refuse whatever else it is

/** One reader of documents that are never written again. */
const reader = (name: string, valid: fc.Arbitrary<Input>, parse: (input: Input) => unknown): Fuzzed =>
  fuzzed({ name: `LEGION ${name}`, valid, parse })

const EVIDENCE = formatLegionEvidence({
  serverId: "io.test/one",
  url: "https://mcp.example.com/mcp",
  fetchedAt: "2026-05-01T00:00:00Z",
  authRequired: false,
  httpStatus: null,
  liveTools: [toolOf("a")],
  bundle: parseBundle(JSON.stringify(LOG.bundle(2))),
  keyring: LOG.keyring,
  history: LOG.records.slice(0, 1),
  signedTools: { a: toolOf("a") },
  newerUncovered: 0n,
})

const ARTIFACT = encodeUtf8("a head")
/** A proof of one promise of a calendar. */
const OTS = new Uint8Array([
  ...encodeUtf8("\0OpenTimestamps\0\0Proof\0"),
  ...[0xbf, 0x89, 0xe2, 0xe8, 0x84, 0xe8, 0x92, 0x94, 1, 8],
  ...sha256(ARTIFACT),
  ...[0xf0, 2, 1, 2, 8, 0, 0x83, 0xdf, 0xe3, 0x0d, 0x2e, 0xf9, 0x0c, 0x8e, 12, 11],
  ...encodeUtf8("https://c.t"),
])

/** All of them. */
export const LEGION: readonly Fuzzed[] = [
  reader("keyring", fc.constant(LOG.keyring), (x) => verifyLegionKeyring({ text: textOf(x) })),
  reader("keyring entry", fc.constantFrom(...LOG.keyring.trimEnd().split("\n")), (x) =>
    parseKeyringEntry(textOf(x), 1),
  ),
  reader("JSON", served("/servers/io.test%2Fone/latest"), (x) => parseLegionJson(x)),
  reader("bundle", served("/servers/io.test%2Fone/latest"), (x) => parseBundle(x)),
  reader("record", served("/records/0"), (x) => parseLegionEntry(parseRecordAnswer(x))),
  reader("head", served("/head"), (x) => parseHeadAnswer(x)),
  reader("signed tree head", fc.constant(JSON.stringify(LOG.head(3))), (x) => parseSignedTreeHead(asObject(x))),
  reader("inclusion", served("/proof/inclusion?leaf_index=1&tree_size=3"), (x) => parseInclusionAnswer(x)),
  reader("consistency", served("/proof/consistency?old_size=1&new_size=3"), (x) => parseConsistencyAnswer(x)),
  reader("history", served("/v0/servers/io.test%2Fone"), (x) => parseHistoryAnswer(x)),
  reader("lookup", fc.constant('{"matches":[{"server_id":"io.test/one"}]}'), (x) => parseLookupAnswer(x)),
  reader("archive", fc.constant(formatArchive(TOOLS)), (x) => parseArchive(x)),
  reader("time", fc.constantFrom("2026-03-01T00:00:00Z", "2026-03-01T00:00:00.5+01:00"), (x) => parseTime(textOf(x))),
  reader("Bitcoin headers", fc.constant(`{"1":{"merkleroot":"${"0".repeat(64)}","time":1}}`), (x) =>
    parseBitcoinHeaders(x),
  ),
  reader("OpenTimestamps proof", fc.constant(OTS), (x) =>
    verifyOtsAnchor({ artifact: ARTIFACT, ots: bytesOf(x), headers: new Map(), digest: (_, data) => sha256(data) }),
  ),
  normal({
    name: "LEGION lockfile",
    valid: fc.constant(formatPinnedLeaves(makeServersLog(["io.test/one", "io.test/two"]), [0, 1])),
    parse: (x) => parseLegionLockfile(x),
    format: formatLegionLockfile,
    // Members come from JSON.parse or from the strict reader, whose objects have another prototype.
    meaning: ({ source: _, ...rest }) => structuredClone(rest),
  }),
  normal({
    name: "LEGION evidence",
    valid: fc.constant(EVIDENCE),
    parse: (x) => parseLegionEvidence(x),
    format: formatLegionEvidence,
  }),
]
