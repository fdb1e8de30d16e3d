import { describe, expect, test } from "vitest"
import { MAX_KEYRING_BYTES, parseKeyring, verifyKeyring } from "../../../src/core/keyring.js"
import { formatKeyringText, type Keyring } from "../../../src/core/keyring-text.js"
import { type Policy, parsePolicy } from "../../../src/core/policy.js"
import {
  checkDraft,
  type Draft,
  describeMissing,
  finishDraft,
  formatDraft,
  parseDraft,
  signDraft,
} from "../../../src/features/ceremony/draft.js"
import { keyring, keyringNote, logKey, nextKeyring, ORIGIN, signer, verifier } from "../../core/log-fixtures.js"

const [a, b, c] = [signer("root-a"), signer("root-b"), signer("root-c")] as const
const ONE = keyringNote(keyring())
const code = (expected: string) => expect.objectContaining({ code: expected })

const nextText = (changes: Partial<Keyring>): string => {
  const { note, version } = parseKeyring(ONE)
  return formatKeyringText(nextKeyring({ version, text: note.text }, changes))
}
const draftOf = (changes: Partial<Keyring> = {}): Draft => ({
  keyrings: [ONE],
  text: nextText(changes),
  signatures: [],
})
const TWO_OF_THREE = { rootThreshold: 2, roots: [a, b, c].map((key) => verifier(key)) }

test("format and parse are inverses, also with signatures", () => {
  const signed = signDraft(checkDraft(draftOf()), a)
  for (const draft of [draftOf(), signed]) {
    const text = formatDraft(draft)
    expect(formatDraft(parseDraft(text))).toBe(text)
    expect(parseDraft(text)).toEqual({ keyrings: draft.keyrings, text: draft.text, signatures: draft.signatures })
  }
})

test("signatures in any order make the keyring that the chain wants", () => {
  for (const order of [
    [a, b],
    [b, a],
    [a, c],
    [c, b, a],
  ]) {
    const signed = order.reduce(signDraft, checkDraft(draftOf(TWO_OF_THREE)))
    expect(signed.isComplete).toBe(true)
    expect(verifyKeyring({ notes: [ONE, finishDraft(signed)] }).newest.version).toBe(2n)
  }
})

test.each([
  {
    name: "nobody",
    by: [],
    says: "1 more signature by root keys of keyring 1, and 2 more signatures by root keys of keyring 2",
  },
  { name: "the old set alone", by: [a], says: "wants 1 more signature by root keys of keyring 2" },
  { name: "the new set alone", by: [b, c], says: "wants 1 more signature by root keys of keyring 1" },
])("signed by $name it is not finished", ({ by, says }) => {
  const signed = by.reduce(signDraft, checkDraft(draftOf(TWO_OF_THREE)))
  expect(describeMissing(signed)).toContain(says)
  expect(() => finishDraft(signed)).toThrow(code("USAGE"))
})

test("a key signs once, and only a root key of either set", () => {
  const once = signDraft(checkDraft(draftOf()), a)
  expect(signDraft(once, a)).toBe(once)
  expect(() => signDraft(once, b)).toThrow(code("USAGE"))
  expect(() => signDraft(once, signer("other-name", "root-a"))).toThrow(code("USAGE"))
})

const line = (key: typeof a) => signDraft(checkDraft(draftOf(TWO_OF_THREE)), key).signatures[0] ?? ""
/** A policy with which the text alone still fits into a keyring, and no signature does. */
function longPolicy(): Policy {
  for (let length = 11_000; ; length += 3) {
    const policy = parsePolicy(`#${"x".repeat(length)}\nquorum none\n`)
    if (nextText({ policy }).length > MAX_KEYRING_BYTES - 60) return policy
  }
}
test.each<{ name: string; draft: () => Draft; expected: string }>([
  {
    name: "a signature of another text",
    draft: () => ({ ...draftOf(), signatures: [line(a)] }),
    expected: "SIGNATURE_INVALID",
  },
  {
    name: "a line by nobody",
    draft: () => ({ ...draftOf(TWO_OF_THREE), signatures: [line(a), "— x AAAAAAA="] }),
    expected: "SIGNATURE_INVALID",
  },
  {
    name: "one line twice",
    draft: () => ({ ...draftOf(TWO_OF_THREE), signatures: [line(b), line(b)] }),
    expected: "SIGNATURE_INVALID",
  },
  {
    name: "an altered text",
    draft: () => ({ ...draftOf(TWO_OF_THREE), text: nextText({}), signatures: [line(a)] }),
    expected: "SIGNATURE_INVALID",
  },
  {
    name: "an altered chain",
    draft: () => ({ ...draftOf(), keyrings: [ONE.replace("issued 1796000000", "issued 1796000001")] }),
    expected: "SIGNATURE_INVALID",
  },
  {
    name: "another chain",
    draft: () => ({ ...draftOf(), keyrings: [keyringNote(keyring({ expires: 1796000100n }))] }),
    expected: "KEYRING_INVALID",
  },
  { name: "a gap", draft: () => draftOf({ version: 3n }), expected: "KEYRING_INVALID" },
  { name: "no chain", draft: () => ({ ...draftOf(), keyrings: [] }), expected: "KEYRING_MALFORMED" },
  {
    name: "a root key as log key",
    draft: () => draftOf({ logs: [logKey(signer(ORIGIN)), logKey(signer(ORIGIN, "root-a"))] }),
    expected: "KEYRING_INVALID",
  },
  {
    name: "a text that would be too long once signed",
    draft: () => draftOf({ policy: longPolicy() }),
    expected: "KEYRING_INVALID",
  },
])("a draft with $name is refused", ({ draft, expected }) => {
  expect(() => checkDraft(draft())).toThrow(code(expected))
})

describe("the file", () => {
  const members = { format: "toolsum-draft/v1", keyrings: [ONE], text: nextText({}), signatures: [] }
  test.each([
    { name: "another format", document: { ...members, format: "toolsum-draft/v2" } },
    { name: "a member more", document: { ...members, note: "" } },
    { name: "a member less", document: { format: members.format, keyrings: [ONE], text: "" } },
    { name: "no list", document: { ...members, signatures: "" } },
    { name: "a list of numbers", document: { ...members, keyrings: [1] } },
    { name: "more than 1024 keyrings", document: { ...members, keyrings: Array.from({ length: 1025 }, () => "") } },
  ])("with $name is malformed", ({ document }) => {
    expect(() => parseDraft(JSON.stringify(document))).toThrow(code("KEYRING_MALFORMED"))
  })
})
