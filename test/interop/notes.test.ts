// Signing both ways: from one signing key, Go and we make the same keys, the same notes and the same cosignatures, byte for byte.
import { expect, test } from "vitest"
import { formatCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { EMPTY_ROOT } from "../../src/core/hash.js"
import { addSignatures, formatNote, openNote, parseNote, signNote } from "../../src/core/note.js"
import {
  computeVerifierKey,
  ED25519_COSIGNATURE,
  ED25519_NOTE,
  formatSigningKey,
  parseSigningKey,
  parseVkey,
} from "../../src/core/vkey.js"
import { describeShared } from "../shared.js"
import { runTool } from "./tools.js"

interface Answer {
  readonly ok: boolean
  readonly error?: string
  readonly note: string
  readonly vkey: string
  readonly others: Readonly<Record<string, string>>
}

function ask(request: Readonly<Record<string, unknown>>): Answer {
  const { stdout } = runTool("notecheck", [], `${JSON.stringify(request)}\n`)
  const answer: Answer = JSON.parse(new TextDecoder().decode(stdout))
  expect(answer.ok, answer.error).toBe(true)
  return answer
}

const names = ["log.example/a", "exämple.org/日本", "x"]
const texts = ["a\n", "two\nlines\n", "\n\nempty lines\n\n", "ünïcödé \u{1f600}\n"]

describeShared("notes and keys", () => {
  test.each(names)("keys of %s", (name) => {
    const { vkey, others } = ask({ op: "key", seed: "ours", name })
    const key = parseSigningKey(others.skey ?? "")
    expect(formatSigningKey(key)).toBe(others.skey)
    const { publicKey } = key
    expect(computeVerifierKey({ name, publicKey, type: ED25519_NOTE }).vkey).toBe(vkey)
    expect(computeVerifierKey({ name, publicKey, type: ED25519_COSIGNATURE }).vkey).toBe(others.witness_vkey)
  })

  test.each(texts)("signed text %j", (text) => {
    const { vkey, others } = ask({ op: "key", seed: "ours", name: "log.example/a" })
    const { note } = ask({ op: "sign", skey: others.skey, text })
    expect(signNote(text, [parseSigningKey(others.skey ?? "")])).toBe(note)
    expect(openNote(note, [parseVkey(vkey)]).text).toBe(text)
  })

  test("cosignatures, with a fixed time and by two libraries", () => {
    const { others } = ask({ op: "key", seed: "ours", name: "w.example" })
    const key = parseSigningKey(others.skey ?? "")
    const witness = parseVkey(others.witness_vkey ?? "")
    const text = formatCheckpoint({ origin: "log.example/a", size: 0n, rootHash: EMPTY_ROOT, extensions: [] })
    const signed = signNote(text, [
      parseSigningKey(ask({ op: "key", seed: "ours", name: "log.example/a" }).others.skey ?? ""),
    ])

    const timestamp = 1_796_083_200
    const fixed = ask({ op: "cosign", note: signed, seed: "ours", name: "w.example", time: timestamp }).note
    const line = formatCosignature({ text, key, timestamp: BigInt(timestamp) })
    expect(formatNote(addSignatures(parseNote(signed), [line]))).toBe(fixed)
    for (const impl of ["formats", "torchwood"]) {
      const { note } = ask({ op: "cosign", note: signed, seed: "ours", name: "w.example", impl })
      const [cosignature] = openNote(note, [witness]).cosignatures
      expect(Number(cosignature?.timestamp)).toBeGreaterThan(1_700_000_000)
    }
  })
})
