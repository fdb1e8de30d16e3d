// Lies about keys: keyrings that break the chain from the pinned root, and keys that sign what they may not.
import { concatBytes, encodeUtf8, formatBase64 } from "../../core/bytes.js"
import type { LogKey } from "../../core/keyring-text.js"
import { parseKeyringText } from "../../core/keyring-text.js"
import { parseNote } from "../../core/note.js"
import { parsePolicy } from "../../core/policy.js"
import { computeKeyId, ED25519_COSIGNATURE, ED25519_NOTE, formatKeyId, type SigningKey } from "../../core/vkey.js"
import { forgeTree, joinNote, type KeyringChange, nextKeyringText, signatureLines, signText } from "./forge.js"
import { LOG_KEYS, ORIGIN, POLICY_TEXT, ROOTS, verifierOf, WITNESSES } from "./keys.js"
import {
  append,
  appendKeyring,
  type Draft,
  editText,
  type Lie,
  liesOf,
  publish,
  putText,
  withhold,
  witnessing,
} from "./lie.js"
import { keyringPath } from "./world.js"

const SPEC = "FORMAT.md: keyrings"

/** The newest keyring of the honest log. */
const newestOf = ({ world }: Draft): string => world.keyrings.at(-1) ?? ""

/** Text of the keyring after the honest ones, issued a minute ago. */
const nextText = (draft: Draft, change: KeyringChange): string =>
  nextKeyringText(newestOf(draft), { issued: draft.world.nowSec - 60n, ...change })

const BOTH = [ROOTS.a, ROOTS.b] as const

/** The next keyring in the log, signed by these root keys; `reword` changes its text before. */
const nextKeyring =
  (
    change: (draft: Draft) => KeyringChange,
    {
      roots = BOTH,
      reword = (text) => text,
    }: { roots?: readonly SigningKey[]; reword?: (text: string) => string } = {},
  ) =>
  (draft: Draft): void =>
    void appendKeyring(draft, signText(reword(nextText(draft, change(draft))), roots, []))

const nothing = (): KeyringChange => ({})

/** A point that signs any message: the neutral element. */
const LOW_ORDER = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0))

/** The vkey of a key that no reader of vkeys takes. */
function lowOrderVkey(name: string, type: number): string {
  const id = computeKeyId({ name, type, publicKey: LOW_ORDER })
  return `${name}+${formatKeyId(id)}+${formatBase64(concatBytes(Uint8Array.of(type), LOW_ORDER))}`
}

const reworded = (draft: Draft, find: RegExp, word: string): void =>
  nextKeyring(nothing, { reword: (text) => text.replace(find, word) })(draft)

const policyLine = (text: string): string => `policy ${formatBase64(encodeUtf8(text))}`

const CHAIN = liesOf({ kind: "lie", step: "keyring", from: SPEC }, [
  {
    name: "keyring-missing",
    says: "no keyring 2, between 1 and 3",
    tell: (draft) => withhold(draft, keyringPath(2)),
  },
  {
    name: "keyring-gap",
    says: "keyring 5 in the place of keyring 4",
    tell: nextKeyring(() => ({ version: 5n })),
  },
  {
    name: "keyring-prev-wrong",
    says: "a keyring that names another one as the one before it",
    tell: nextKeyring(() => ({ prev: new Uint8Array(32).fill(9) })),
  },
  {
    name: "keyring-rollback",
    says: "only the keyrings before the newest that the client has seen",
    tell: (draft) => withhold(draft, keyringPath(3)),
  },
  {
    name: "keyring-equivocation",
    says: "another keyring 3 than the client has seen, signed by the same root keys",
    tell: (draft) => {
      const second = draft.world.keyrings[1] ?? ""
      const { rootThreshold, roots } = parseKeyringText(parseNote(newestOf(draft)).text)
      const twin = nextKeyringText(second, { issued: draft.world.nowSec - 60n, rootThreshold, roots })
      putText(draft, keyringPath(3), signText(twin, BOTH, []))
    },
  },
  {
    name: "keyring-not-logged",
    says: "a well signed keyring that is no entry of the log: a quiet change of keys for one victim",
    tell: (draft) => putText(draft, keyringPath(4), signText(nextText(draft, {}), BOTH, [])),
  },
  {
    name: "keyring-logged-not-served",
    says: "a keyring that is an entry of the log and is not served",
    tell: (draft) => void append(draft, [signText(nextText(draft, {}), BOTH, [])]),
  },
  {
    name: "keyring-signed-by-old-set-only",
    says: "a keyring with a third root key and a threshold of three, signed by the two old ones",
    tell: nextKeyring(() => ({ rootThreshold: 3, roots: [...BOTH, ROOTS.c].map(verifierOf) })),
  },
  {
    name: "keyring-signed-by-new-set-only",
    says: "a keyring whose only root key is new, and who alone signed it",
    tell: nextKeyring(() => ({ rootThreshold: 1, roots: [verifierOf(ROOTS.c)] }), { roots: [ROOTS.c] }),
  },
  {
    name: "keyring-one-root-twice",
    says: "a keyring that one root key signed twice, where two must",
    tell: (draft) => {
      const text = nextText(draft, {})
      const line = signatureLines(text, [ROOTS.a])
      appendKeyring(draft, joinNote(text, [...line, ...line]))
    },
  },
  {
    name: "keyring-text-changed",
    says: "a keyring that says something else than its root keys signed",
    tell: (draft) => editText(draft, keyringPath(3), (note) => note.replace("expires never", "expires 99999999999")),
  },
  {
    name: "keyring-other-origin",
    says: "a keyring of another log, signed by this log's root keys",
    tell: nextKeyring(() => ({ origin: `${ORIGIN}-2` })),
  },
  {
    name: "keyring-threshold-0",
    says: "a keyring after which no root key has to sign",
    tell: nextKeyring(() => ({ rootThreshold: 0 })),
  },
  {
    name: "keyring-root-signs-log",
    says: "a keyring with one public key as root key and as log key",
    tell: nextKeyring((draft) => {
      const { name } = LOG_KEYS.third
      return { logs: [...logsOf(draft), { ...live(LOG_KEYS.third), key: verifierOf({ ...ROOTS.a, name }) }] }
    }),
  },
  {
    name: "low-order-log-key",
    says: "a keyring with a log key that signs any message",
    tell: (draft) => {
      const line = `log ${lowOrderVkey(ORIGIN, ED25519_NOTE)} from 0`
      reworded(draft, /^log .*$/m, line)
    },
  },
  {
    name: "low-order-witness-key",
    says: "a policy with a witness whose key signs any message",
    tell: (draft) => {
      const { name } = WITNESSES.a
      const text = POLICY_TEXT.replace(/(?<=^witness a ).*/m, lowOrderVkey(name, ED25519_COSIGNATURE))
      reworded(draft, /^policy .*$/m, policyLine(text))
    },
  },
  {
    name: "policy-threshold-0",
    says: "a policy that is met by nobody",
    tell: (draft) =>
      reworded(draft, /^policy .*$/m, policyLine(POLICY_TEXT.replace("two-of-three 2", "two-of-three 0"))),
  },
  {
    name: "policy-second-quorum",
    says: "a policy with a second quorum line, which wants nobody",
    tell: (draft) => reworded(draft, /^policy .*$/m, policyLine(`${POLICY_TEXT}quorum none\n`)),
  },
  {
    name: "keyring-expired",
    says: "a keyring that expired yesterday, and no newer one",
    tell: nextKeyring(({ world }) => ({ issued: world.nowSec - 90n * 86_400n, expires: world.nowSec - 86_400n })),
  },
])

/** Log keys of the newest keyring. */
const logsOf = (draft: Draft): readonly LogKey[] => parseKeyringText(parseNote(newestOf(draft)).text).logs

const live = (key: SigningKey, from = 0n): LogKey => ({ key: verifierOf(key), from, closing: null, revoked: false })

/** The log keys after the third one took over from the second at the head, whose closing tree is said to be `closing`. */
function takenOver(draft: Draft, closing = draft.world.heads.now, revoked = false): readonly LogKey[] {
  const [first, second] = [LOG_KEYS.first, LOG_KEYS.second].map((key) => {
    const { vkey } = verifierOf(key)
    return logsOf(draft).find((log) => log.key.vkey === vkey)
  })
  if (first === undefined || second === undefined) throw new RangeError("the honest log has had two keys")
  const { size, rootHash } = closing
  return [first, { ...second, closing: { size, rootHash }, revoked }, live(LOG_KEYS.third, size)]
}

const KEYS = liesOf({ kind: "lie", step: "keyring", from: SPEC }, [
  {
    name: "retired-key-goes-on",
    says: "a head beyond the closing tree of the only key that signed it",
    tell: (draft) => publish(draft, draft.world.heads.now, { signers: [LOG_KEYS.first] }),
  },
  {
    name: "retired-key-forks-the-past",
    says: "another tree below the closing size of the key that signed it: a stolen key that was retired",
    tell: (draft) => {
      const tree = forgeTree(draft.world.entries.slice(1, 41))
      for (const [path, bytes] of tree.files) draft.files.set(path, bytes)
      publish(draft, tree.headAt(40n), { signers: [LOG_KEYS.first] })
    },
  },
  {
    name: "revoked-key-signs",
    says: "a head beyond the closing tree of a key that was revoked, signed by nobody else",
    tell: (draft) => {
      const note = signText(nextText(draft, { logs: takenOver(draft, draft.world.heads.now, true) }), BOTH, [])
      appendKeyring(draft, note, { signers: [LOG_KEYS.second] })
    },
  },
  {
    name: "closing-tree-never-was",
    says: "a new log key, and a closing tree of the old one that the log never had",
    tell: (draft) => {
      const { size } = draft.world.heads.now
      const closing = { ...draft.world.heads.now, size, rootHash: new Uint8Array(32).fill(3) }
      const note = signText(nextText(draft, { logs: takenOver(draft, closing) }), BOTH, [])
      appendKeyring(draft, note, { signers: [LOG_KEYS.third] })
    },
  },
  {
    name: "key-before-its-time",
    says: "a head by a key that may only sign larger trees",
    tell: (draft) => {
      const logs = [...logsOf(draft), live(LOG_KEYS.third, 1_000_000n)]
      appendKeyring(draft, signText(nextText(draft, { logs }), BOTH, []), { signers: [LOG_KEYS.third] })
    },
  },
])

const HARMLESS = liesOf({ kind: "harmless", step: "keyring", from: SPEC }, [
  {
    name: "rotation",
    says: "a new log key that takes over at the closing tree of the old one, and signs from there",
    tell: (draft) => {
      const note = signText(nextText(draft, { logs: takenOver(draft) }), BOTH, [])
      appendKeyring(draft, note, { signers: [LOG_KEYS.third] })
    },
  },
  {
    name: "new-policy",
    says: "a keyring with one witness fewer, and heads that the two others cosign",
    tell: (draft) => {
      const lines = POLICY_TEXT.split("\n").filter((line) => !line.startsWith("witness c"))
      const policy = parsePolicy(lines.join("\n").replace("2 a b c", "2 a b"))
      const witnesses = witnessing(draft, [WITNESSES.a, WITNESSES.b])
      appendKeyring(draft, signText(nextText(draft, { policy }), BOTH, []), { witnesses })
    },
  },
])

/** Lies about keyrings and log keys. */
export const KEYRING_LIES: readonly Lie[] = [...CHAIN, ...KEYS, ...HARMLESS]
