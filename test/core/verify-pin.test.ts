// What a pin proves by itself, where the lockfile vectors have no case.
import { expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { hashLeaf } from "../../src/core/hash.js"
import { type Pin, parseLockfile } from "../../src/core/lockfile.js"
import type { VerifiedHead } from "../../src/core/tree-heads.js"
import { judgePin } from "../../src/core/verify-pin.js"
import { LOCKFILE } from "./fixtures/lockfile.js"

const [PIN] = Object.values(parseLockfile(JSON.stringify(LOCKFILE)).servers)

function judge(changes: Partial<Pin>, definitions?: Uint8Array | null) {
  const pin = { ...(PIN as Pin), index: 0n, proof: [], ...changes }
  const head = { size: 1n, rootHash: hashLeaf(encodeUtf8(pin.record ?? "")), state: "live" } as unknown as VerifiedHead
  const log = {
    origin: pin.log,
    fingerprint: null,
    root: null,
    legion: null,
    heads: new Map([[pin.head ?? "", head]]),
    fault: null,
    warnings: [],
  }
  return judgePin({ name: "memory", pin, log, definitions, underBase: false })
}

const newer = (PIN?.record ?? "").replace("toolsum-record/v1", "toolsum-record/v2")

test.each<{ name: string; changes: Partial<Pin>; reason: string }>([
  { name: "a record of a newer format", changes: { record: newer }, reason: "newer_format" },
  { name: "evidence of a log without keys of its dialect", changes: { evidence: "{}" }, reason: "malformed" },
])("$name is unknown, and unapproved where there is no approval", ({ changes, reason }) => {
  const approved = judge(changes)
  expect(approved).toMatchObject({ unapproved: false, rejected: null, unknown: { reason } })
  expect(judge({ ...changes, approved: null })).toEqual({ ...approved, unapproved: true })
})
