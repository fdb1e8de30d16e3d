// Readers of what a log serves and of what its writer and its clients keep, with well-formed documents of each.
import fc from "fast-check"
import { formatMemory, parseMemory } from "../../src/client/remember.js"
import { parseCheckpoint } from "../../src/core/checkpoint.js"
import { joinHashes } from "../../src/core/merkle.js"
import { parseNote } from "../../src/core/note.js"
import { entryType, formatObservation, formatRecord, parseObservation, parseRecord } from "../../src/core/record.js"
import { formatSubjectBucket, parseSubjectBucket, subjectBucketName } from "../../src/core/subject-index.js"
import {
  formatBundle,
  formatBundlePath,
  formatTilePath,
  parseBundle,
  parseBundlePath,
  parseTile,
  parseTilePath,
} from "../../src/core/tile.js"
import { formatCommit, parseCommit } from "../../src/writer/commit.js"
import { formatSettings, parseSettings } from "../../src/writer/settings.js"
import { formatStaging, parseStaging } from "../../src/writer/staging.js"
import { arbDigest, arbHash, arbObservation, arbRecord } from "../core/arbitrary-record.js"
import { head, keyring, keyringNote, ORIGIN, signer } from "../core/log-fixtures.js"
import { arbSigned } from "./note-subjects.js"
import { repairRecord, repairSum } from "./repair.js"
import { bytesOf, exact, exactText, type Fuzzed, fuzzed, textOf } from "./subject.js"

const arbIndex = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const arbWidth = fc.integer({ min: 1, max: 256 })
const SIGNER = signer(ORIGIN)

/** What a log serves. */
export const LOG_FORMATS: readonly Fuzzed[] = [
  exact({
    name: "record",
    valid: arbRecord.map(formatRecord),
    parse: parseRecord,
    format: formatRecord,
    repair: repairRecord,
  }),
  exactText({
    name: "observation",
    valid: arbObservation.map(formatObservation),
    parse: parseObservation,
    format: formatObservation,
    repair: repairRecord,
  }),
  fuzzed({ name: "entry type", valid: arbRecord.map(formatRecord), parse: (x) => entryType(bytesOf(x)) }),
  exactText({
    name: "tile path",
    valid: fc.record({ level: fc.nat(63), index: arbIndex, width: arbWidth }).map(formatTilePath),
    parse: parseTilePath,
    format: formatTilePath,
  }),
  exactText({
    name: "bundle path",
    valid: fc.record({ index: arbIndex, width: arbWidth }).map(formatBundlePath),
    parse: parseBundlePath,
    format: formatBundlePath,
  }),
  exact({
    name: "tile",
    valid: fc.array(arbHash, { maxLength: 3 }).map(joinHashes),
    parse: (x) => parseTile(bytesOf(x), { width: 3 }),
    format: joinHashes,
  }),
  exact({
    name: "bundle",
    valid: fc.array(fc.uint8Array(), { minLength: 3, maxLength: 3 }).map(formatBundle),
    parse: (x) => parseBundle(bytesOf(x), 3),
    format: formatBundle,
  }),
  exact({
    name: "subject bucket",
    valid: fc
      .tuple(
        fc.constantFrom("pkg:npm/x", "local:a"),
        fc.uniqueArray(fc.bigInt({ min: 0n, max: 99n }), { minLength: 1, maxLength: 4 }),
      )
      .map(([subject, indexes]) =>
        formatSubjectBucket({ size: 100n, subjects: new Map([[subject, indexes.sort((a, b) => Number(a - b))]]) }),
      ),
    parse: (x) => parseSubjectBucket(bytesOf(x), subjectBucketName(textOf(x).split("\n")[1]?.split(" ")[0] ?? "")),
    format: formatSubjectBucket,
  }),
]

const KEPT_LOG = { origin: ORIGIN, root: "SHA256:x" }

/** Files that the writer and the client keep. */
export const KEPT_FILES: readonly Fuzzed[] = [
  exact({
    name: "commit record",
    valid: fc
      .tuple(fc.option(arbHash), arbDigest, arbSigned)
      .map(([prev, staging, checkpoint]) => formatCommit({ seq: prev ? 7n : 0n, prev, staging, checkpoint })),
    parse: (x) => parseCommit(bytesOf(x)),
    format: formatCommit,
  }),
  exact({
    name: "staging file",
    valid: fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 }).map((files) =>
      formatStaging({
        oldSize: 1n,
        newSize: 3n,
        files: files.map((bytes, i) => ({ key: `public/tile/0/00${i}.p/3`, bytes })),
      }),
    ),
    parse: (x) => parseStaging(bytesOf(x)),
    format: formatStaging,
  }),
  exact({
    name: "settings",
    valid: fc.constant(formatSettings({ origin: ORIGIN, archive: true })),
    parse: (x) => parseSettings(bytesOf(x)),
    format: formatSettings,
  }),
  exact({
    name: "memory of a log",
    valid: fc.constant(
      formatMemory(
        {
          head: {
            size: 5n,
            rootHash: parseCheckpoint(parseNote(head(ORIGIN, 5, [SIGNER])).text).rootHash,
            note: head(ORIGIN, 5, [SIGNER]),
          },
          headSeenSec: 1n,
          keyring: { version: 1n, note: keyringNote(keyring()) },
          keyringSeenSec: 2n,
          earlier: [],
        },
        KEPT_LOG,
      ),
    ),
    parse: (x) => parseMemory(bytesOf(x), KEPT_LOG),
    format: (memory) => formatMemory(memory, KEPT_LOG),
    repair: repairSum,
  }),
]
