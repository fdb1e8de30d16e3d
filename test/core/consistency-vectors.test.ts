// Consistency proofs between checkpoints of logs that Tessera made, good and bad, with verdicts that Go's verifiers confirmed.
import { expect, test } from "vitest"
import { parseHash } from "../../src/core/checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { verifyConsistency } from "../../src/core/merkle.js"
import { describeShared, hasShared, readShared } from "../shared.js"

interface Case {
  readonly name: string
  readonly old: number
  readonly new: number
  readonly old_root: string
  readonly new_root: string
  readonly proof: readonly string[]
  readonly want: "accept" | "reject"
  readonly why?: string
}

const bad = (why: string) => new ToolsumError("CONSISTENCY_INVALID", why)
const FILE = "interop/vectors/checkpoints/consistency.json"
const cases: readonly Case[] = hasShared ? JSON.parse(readShared(FILE)) : []

describeShared("consistency between checkpoints", () => {
  test.each(cases)("$name: $want $why", (c) => {
    const verify = () =>
      verifyConsistency({
        older: { size: BigInt(c.old), rootHash: parseHash(c.old_root, bad) },
        newer: { size: BigInt(c.new), rootHash: parseHash(c.new_root, bad) },
        proof: c.proof.map((hash) => parseHash(hash, bad)),
      })
    if (c.want === "accept") verify()
    else expect(verify).toThrow(expect.objectContaining({ code: "CONSISTENCY_INVALID" }))
  })

  test("there are cases of both kinds", () => {
    expect(new Set(cases.map(({ want }) => want))).toEqual(new Set(["accept", "reject"]))
  })
})
