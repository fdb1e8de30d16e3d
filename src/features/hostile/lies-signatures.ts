// Lies about who signed: the log's signature, witnesses and their quorum, times of cosignatures.
import { encodeUtf8 } from "../../core/bytes.js"
import { formatLockfile } from "../../core/lockfile.js"
import { parseNote } from "../../core/note.js"
import { formatSignatureLine } from "../../core/signature-line.js"
import { checkpointText, joinNote, signatureLines } from "./forge.js"
import { LOG_KEYS, WITNESSES, witnessOf } from "./keys.js"
import {
  CHECKPOINT,
  type Draft,
  editText,
  goBack,
  type Lie,
  liesOf,
  publish,
  putText,
  replaceTree,
  witnessing,
} from "./lie.js"

const SIGNED_NOTE = "C2SP signed-note"
const { a, b, c } = WITNESSES

/** The honest head in a note with these signature lines. */
const withLines = (draft: Draft, lines: (text: string) => readonly string[]): void => {
  const text = checkpointText(draft.world.heads.now)
  putText(draft, CHECKPOINT, joinNote(text, lines(text)))
}

/** Entries of a log that has another one at index `from`, and the same ones after it. */
const otherEntries = ({ world }: Draft, from: bigint): readonly Uint8Array[] =>
  world.entries.map((entry, i) => (BigInt(i) === from ? encodeUtf8("another-type/v1\nnot this one\n") : entry))

const SIGNATURES = liesOf({ kind: "lie", step: "signature" }, [
  {
    name: "forged-signature",
    says: "the head under the name and ID of the log's key, with a signature that it never made",
    from: SIGNED_NOTE,
    tell: (draft) => {
      const { name, id } = LOG_KEYS.second
      withLines(draft, () => [formatSignatureLine({ name, id, blob: new Uint8Array(64).fill(1) })])
    },
  },
  {
    name: "same-name-other-key",
    says: "the head signed by somebody else's key that has the log's name",
    from: SIGNED_NOTE,
    tell: (draft) => publish(draft, draft.world.heads.now, { signers: [LOG_KEYS.stranger] }),
  },
  {
    name: "unsigned-tree",
    says: "another tree with tiles and entries in order, and a checkpoint that the log's key never signed",
    from: "sigstore/sigstore-java#654",
    tell: (draft) =>
      replaceTree(draft, otherEntries(draft, draft.world.pinned.index), { signers: [LOG_KEYS.stranger] }),
  },
  {
    name: "witnesses-only",
    says: "a checkpoint that all witnesses cosigned and the log did not sign",
    from: SIGNED_NOTE,
    tell: (draft) => publish(draft, draft.world.heads.now, { signers: [] }),
  },
  {
    name: "bad-second-signature",
    says: "a checkpoint with the log's good signature, a quorum, and a bad line by a known witness",
    from: SIGNED_NOTE,
    tell: (draft) => {
      const { name, id } = witnessOf(c)
      const bad = formatSignatureLine({ name, id, blob: new Uint8Array(72).fill(1) })
      publish(draft, draft.world.heads.now, { witnesses: witnessing(draft, [a, b]) })
      editText(draft, CHECKPOINT, (note) => `${note}${bad}\n`)
    },
  },
  {
    name: "cosignatures-of-another-tree",
    says: "a new head with the cosignatures of an older one",
    from: "C2SP tlog-cosignature",
    tell: (draft) => {
      const old = parseNote(draft.world.heads.seen.note).signatures.map(({ line }) => line)
      withLines(draft, (text) => [...signatureLines(text, [LOG_KEYS.second]), ...old.slice(1)])
    },
  },
])

const QUORUM = liesOf({ kind: "lie", step: "quorum", from: "C2SP tlog-policy" }, [
  {
    name: "stripped-cosignatures",
    says: "a checkpoint without any of the cosignatures that the policy wants",
    tell: (draft) => publish(draft, draft.world.heads.now, { witnesses: [] }),
  },
  {
    name: "quorum-unmet",
    says: "a checkpoint that one witness cosigned, where two of three must",
    tell: (draft) => publish(draft, draft.world.heads.now, { witnesses: witnessing(draft, [a]) }),
  },
  {
    name: "one-witness-twice",
    says: "a checkpoint that one witness cosigned twice, at two times, for two of three",
    tell: (draft) =>
      publish(draft, draft.world.heads.now, { witnesses: [...witnessing(draft, [b]), ...witnessing(draft, [b], 60n)] }),
  },
  {
    name: "strangers-cosign",
    says: "a checkpoint with cosignatures by keys that are no witnesses of the policy",
    tell: (draft) =>
      publish(draft, draft.world.heads.now, { witnesses: witnessing(draft, [LOG_KEYS.stranger, LOG_KEYS.third]) }),
  },
  {
    name: "future-cosignatures",
    says: "a checkpoint whose cosignatures are of tomorrow",
    tell: (draft) =>
      publish(draft, draft.world.heads.now, { witnesses: witnessing(draft, Object.values(WITNESSES), -86_400n) }),
  },
])

const FRESHNESS = liesOf({ kind: "lie", step: "freshness", from: "freeze attack (TUF)" }, [
  {
    name: "freeze",
    says: "a true state of 90 days ago, for ever, to a client that has seen no later one",
    tell: (draft) => {
      draft.state = null
      draft.lockfile = formatLockfile(draft.world.earlyLockfile)
      goBack(draft)
    },
  },
])

/** Lies about signatures and witnesses. */
export const SIGNATURE_LIES: readonly Lie[] = [...SIGNATURES, ...QUORUM, ...FRESHNESS]
