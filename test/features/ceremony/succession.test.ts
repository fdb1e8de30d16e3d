import { expect, test } from "vitest"
import { encodeUtf8 } from "../../../src/core/bytes.js"
import { formatCheckpoint } from "../../../src/core/checkpoint.js"
import { fingerprintOf } from "../../../src/core/keyring.js"
import { signNote } from "../../../src/core/note.js"
import { formatSuccession, parseSuccession } from "../../../src/features/ceremony/succession.js"
import { keyring, keyringNote, ORIGIN, rootOf, signer } from "../../core/log-fixtures.js"

const ROOT = fingerprintOf(keyringNote(keyring()))
const head = { origin: ORIGIN, size: 7n, rootHash: rootOf(7), extensions: [] }
const checkpoint = signNote(formatCheckpoint(head), [signer(ORIGIN)])
const GOOD = new TextDecoder().decode(formatSuccession({ root: ROOT, checkpoint }))

test("format and parse are inverses", () => {
  expect(parseSuccession(encodeUtf8(GOOD))).toEqual({ root: ROOT, checkpoint, head })
})

test.each([
  { name: "another type", edit: (t: string) => t.replace("/v1", "/v2") },
  { name: "no root", edit: (t: string) => t.replace(/root .*\n/, "") },
  { name: "a root with a name", edit: (t: string) => t.replace("root ", "root a=") },
  { name: "a root with a floor", edit: (t: string) => t.replace(ROOT, `${ROOT}@1:${"0".repeat(64)}`) },
  { name: "a LEGION root", edit: (t: string) => t.replace(ROOT, "0".repeat(64)) },
  { name: "no empty line", edit: (t: string) => t.replace("\n\n", "\n") },
  { name: "no signature", edit: (t: string) => t.replace(/— .*\n$/, "") },
  { name: "no checkpoint", edit: (t: string) => t.replace(/\n7\n/, "\nseven\n") },
  { name: "too many bytes", edit: (t: string) => t + "— x AAAAAAA=\n".repeat(6000) },
])("$name is refused", ({ edit }) => {
  expect(edit(GOOD)).not.toBe(GOOD)
  expect(() => parseSuccession(encodeUtf8(edit(GOOD)))).toThrow(expect.objectContaining({ kind: "malformed" }))
})
