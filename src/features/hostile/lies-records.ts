// Lies about what the entries mean: records, objects, the subject index. Every entry is in the signed tree, so that no proof notices; the
// tree extends all that was seen. Numbers and chains, times, subjects and the index are what is wrong.

import { objectPath } from "../../client/objects.js"
import { encodeUtf8 } from "../../core/bytes.js"
import type { Digest } from "../../core/hash.js"
import { formatRecord, parseRecord, type ToolRecord } from "../../core/record.js"
import { computeSurfaceDigest } from "../../core/section.js"
import {
  formatSubjectBucket,
  parseSubjectBucket,
  subjectBucketName,
  subjectBucketPath,
} from "../../core/subject-index.js"
import { describeTools } from "./build-log.js"
import { append, type Draft, edit, editText, type Lie, liesOf, putText, withhold } from "./lie.js"
import { OTHER_SUBJECT, OTHER_TEXT, PINNED_SUBJECT } from "./world.js"

/** The record after the pinned one, of the same stream and with the same lists. */
function nextRecord({ world }: Draft, over: Partial<ToolRecord> = {}): string {
  const { record, index, leafHash } = world.pinned
  const next = { ...record, seq: record.seq + 1n, prev: { index, leafHash }, observed: world.nowSec - 120n }
  return formatRecord({ ...next, ...over })
}

/** Lines of another list than the pinned one. */
function otherList(): Pick<ToolRecord, "lines" | "surface"> {
  const { lines } = describeTools(OTHER_TEXT)
  return { lines, surface: computeSurfaceDigest("listed", lines) }
}

/** Lines of a reading that was refused for want of credentials: such a record changes nothing of what is pinned. */
function refusedList(): Pick<ToolRecord, "lines" | "surface" | "state"> {
  const none = "-"
  const lines = { tools: none, prompts: none, templates: none, resources: none, instructions: none, server: none }
  return { lines, state: "auth", surface: computeSurfaceDigest("auth", lines) }
}

/** One more entry in the log, in the words of its own key. */
const appends =
  (entry: (draft: Draft) => string) =>
  (draft: Draft): void =>
    void append(draft, [entry(draft)])

const CHAINS = liesOf({ kind: "lie", step: "records", from: "SECURITY.md: an older true record is replayed" }, [
  {
    name: "older-record-replayed",
    says: "the first record of the pinned server once more, as its newest",
    tell: appends(({ world }) => world.first.text),
  },
  {
    name: "newest-record-twice",
    says: "the newest record of the pinned server a second time",
    tell: appends(({ world }) => world.pinned.text),
  },
  {
    name: "seq-gap",
    says: "a record whose number leaves one out",
    tell: appends((draft) => nextRecord(draft, { seq: draft.world.pinned.record.seq + 2n })),
  },
  {
    name: "seq-twice",
    says: "a record with the number of the one before it",
    tell: appends((draft) => nextRecord(draft, { seq: draft.world.pinned.record.seq, ...otherList() })),
  },
  {
    name: "second-beginning",
    says: "a record that begins the pinned stream a second time",
    tell: appends((draft) => nextRecord(draft, { seq: 0n, prev: null, ...otherList() })),
  },
  {
    name: "prev-of-another-stream",
    says: "a record that names one of another server as the one before it",
    tell: appends((draft) => nextRecord(draft, { prev: draft.world.other, ...otherList() })),
  },
  {
    name: "prev-other-hash",
    says: "a record that names the one before it by another leaf hash",
    tell: appends((draft) => {
      const { index, leafHash } = draft.world.pinned
      return nextRecord(draft, { prev: { index, leafHash: leafHash.map((byte) => byte ^ 255) }, ...otherList() })
    }),
  },
  {
    name: "prev-later",
    says: "a record that names a later entry as the one before it",
    tell: appends((draft) => {
      const { leafHash } = draft.world.pinned
      return nextRecord(draft, { prev: { index: draft.world.heads.now.size + 9n, leafHash }, ...otherList() })
    }),
  },
])

const MEANING = liesOf({ kind: "lie", step: "history", from: "FORMAT.md" }, [
  {
    name: "backdated",
    says: "a record that was observed before the one that it follows",
    tell: appends((draft) =>
      nextRecord(draft, { ...refusedList(), observed: draft.world.pinned.record.observed - 86_400n }),
    ),
  },
  {
    name: "observed-in-the-future",
    says: "a record that will be observed next month",
    tell: appends((draft) => nextRecord(draft, { ...refusedList(), observed: draft.world.nowSec + 30n * 86_400n })),
  },
  {
    name: "malformed-record",
    says: "a record of the pinned server that cannot be read",
    tell: appends((draft) => nextRecord(draft).replace(/^tools .*$/m, "tools many")),
  },
  {
    name: "surface-digest-wrong",
    says: "a record whose surface digest is not that of its lines",
    tell: appends((draft) => nextRecord(draft, { surface: `sha256:${"0".repeat(64)}` })),
  },
  {
    name: "newer-format",
    says: "a record of the pinned server in a format of tomorrow",
    tell: appends((draft) => nextRecord(draft).replace("toolsum-record/v1", "toolsum-record/v2")),
  },
  {
    name: "look-alike-subject",
    says: "a record of a server whose name looks like the pinned one's",
    tell: appends((draft) => nextRecord(draft, { subject: "pkg:npm/%40acme/n0tes", seq: 0n, prev: null })),
  },
  {
    name: "another-server-broken",
    says: "a broken chain in the records of a server that is not pinned here",
    tell: appends(({ world }) => {
      const { record, index, leafHash } = world.other
      return formatRecord({ ...record, seq: record.seq + 3n, prev: { index, leafHash } })
    }),
  },
])

/** The index of a log that has grown to `size`, with `indexes` for a subject. */
function putBucket(draft: Draft, subject: string, size: bigint, indexes: readonly bigint[]): void {
  const name = subjectBucketName(subject)
  const bytes = draft.files.get(subjectBucketPath(name))
  if (bytes === undefined) throw new RangeError("the honest log has an index")
  const subjects = new Map(parseSubjectBucket(bytes, name).subjects).set(subject, indexes)
  draft.files.set(subjectBucketPath(name), formatSubjectBucket({ size, subjects }))
}

/** Indexes of the pinned server's records, as the honest index has them. */
function indexedOf({ files }: Draft, subject: string): readonly bigint[] {
  const name = subjectBucketName(subject)
  return parseSubjectBucket(files.get(subjectBucketPath(name)) ?? new Uint8Array(0), name).subjects.get(subject) ?? []
}

/** A changed list at the end of the log, which the index does not tell of though it says that it reaches `beyond` the end. */
function hideNewest(draft: Draft, beyond: bigint): void {
  const known = indexedOf(draft, PINNED_SUBJECT)
  append(draft, [nextRecord(draft, otherList())])
  putBucket(draft, PINNED_SUBJECT, draft.world.heads.now.size + 1n + beyond, known)
}

const INDEX = liesOf({ kind: "lie", step: "index", from: "SECURITY.md: a newer record is held back" }, [
  {
    name: "index-hides-newest",
    says: "an index up to the head that leaves out the pinned server's newest record, which has other tools",
    tell: (draft) => hideNewest(draft, 0n),
  },
  {
    name: "index-ahead-of-head",
    says: "the same, in an index that says it reaches beyond the head",
    tell: (draft) => hideNewest(draft, 5000n),
  },
  {
    name: "index-lists-nothing",
    says: "an index that has never heard of the pinned server",
    tell: (draft) => {
      const name = subjectBucketName(PINNED_SUBJECT)
      putText(draft, subjectBucketPath(name), `${draft.world.heads.now.size}\n`)
    },
  },
  {
    name: "index-malformed",
    says: "an index with a number that no index has",
    tell: (draft) => editText(draft, subjectBucketPath(subjectBucketName(PINNED_SUBJECT)), (text) => `0${text}`),
  },
  {
    name: "index-hides-another",
    says: "an index without the newest record of a server that is not pinned here",
    tell: (draft) => {
      const indexes = indexedOf(draft, OTHER_SUBJECT).slice(0, -1)
      putBucket(draft, OTHER_SUBJECT, draft.world.heads.now.size, indexes)
    },
  },
])

const SUBJECT = liesOf({ kind: "lie", step: "subject", from: "SECURITY.md: evidence of another server" }, [
  {
    name: "index-lists-foreign-record",
    says: "an index that lists another server's record under the pinned subject",
    tell: (draft) => {
      const indexes = [...indexedOf(draft, PINNED_SUBJECT), draft.world.other.index]
      putBucket(draft, PINNED_SUBJECT, draft.world.heads.now.size, indexes)
    },
  },
])

/** Path of the object with the tool list of a record. */
const toolsObject = (text: string): string => objectPath(parseRecord(text).lines.tools.split(" ")[1] as Digest) // its form

const OBJECTS = liesOf({ kind: "lie", step: "objects", from: "FORMAT.md" }, [
  {
    name: "object-changed",
    says: "other bytes under the digest of the pinned record's tools",
    tell: (draft) => edit(draft, toolsObject(draft.world.pinned.text), () => encodeUtf8("something else\n")),
  },
  {
    name: "object-missing",
    says: "no bytes under the digest of the pinned record's tools",
    tell: (draft) => withhold(draft, toolsObject(draft.world.pinned.text)),
  },
])

const HARMLESS = liesOf({ kind: "harmless", step: "history", from: "FORMAT.md" }, [
  {
    name: "another-entry-type",
    says: "an entry of a type that nobody here reads",
    tell: appends(() => "tomorrow-type/v7\nwho knows\n"),
  },
])

/** Lies about records, index and objects. */
export const RECORD_LIES: readonly Lie[] = [...CHAINS, ...MEANING, ...INDEX, ...SUBJECT, ...OBJECTS, ...HARMLESS]
