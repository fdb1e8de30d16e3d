// Keys of the hostile log: TEST KEYS, made from labels in this file, so that anybody has them. They sign nothing that anybody relies on.
import { encodeUtf8 } from "../../core/bytes.js"
import { sha256 } from "../../core/hash.js"
import {
  computeSigningKey,
  computeVerifierKey,
  ED25519_COSIGNATURE,
  ED25519_NOTE,
  type SigningKey,
  type VerifierKey,
} from "../../core/vkey.js"

/** Origin of the hostile log. `.test` is a name that nobody can own (RFC 6761). */
export const ORIGIN = "toolsum.test/hostile"
/** Origin of another log, whose keys are as well known. */
export const OTHER_ORIGIN = "toolsum.test/other"

/** The test key of that name and label. */
const testKey = (name: string, label: string): SigningKey =>
  computeSigningKey({ name, seed: sha256(encodeUtf8(`toolsum hostile log, test key: ${label}`)) })

/** Root keys: `a` signs keyrings 1 and 2, `a` and `b` those after. `c` is new in some lies. */
export const ROOTS = {
  a: testKey(`${ORIGIN}/root-a`, "root a"),
  b: testKey(`${ORIGIN}/root-b`, "root b"),
  c: testKey(`${ORIGIN}/root-c`, "root c"),
} as const

/** Log keys: `first` retires with keyring 2, `second` signs since, `third` takes over in some lies; `stranger` has the log's name only. */
export const LOG_KEYS = {
  first: testKey(ORIGIN, "log 1"),
  second: testKey(ORIGIN, "log 2"),
  third: testKey(ORIGIN, "log 3"),
  stranger: testKey(ORIGIN, "stranger"),
  other: testKey(OTHER_ORIGIN, "other log"),
} as const

/** Witnesses, of which two of three must cosign. */
export const WITNESSES = {
  a: testKey("witness-a.toolsum.test", "witness a"),
  b: testKey("witness-b.toolsum.test", "witness b"),
  c: testKey("witness-c.toolsum.test", "witness c"),
} as const

/** The public half of a key for note texts. */
export const verifierOf = ({ name, publicKey }: SigningKey): VerifierKey =>
  computeVerifierKey({ name, type: ED25519_NOTE, publicKey })

/** The public half of a witness. */
export const witnessOf = ({ name, publicKey }: SigningKey): VerifierKey =>
  computeVerifierKey({ name, type: ED25519_COSIGNATURE, publicKey })

/** The policy of keyring 2 and later: two of three witnesses. */
export const POLICY_TEXT: string = [
  ...Object.entries(WITNESSES).map(([name, key]) => `witness ${name} ${witnessOf(key).vkey}\n`),
  "group two-of-three 2 a b c\nquorum two-of-three\n",
].join("")
