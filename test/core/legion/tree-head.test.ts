// Heads of the LEGION dialect: every consistency case of the shared vectors, and what several heads say of one another.
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../../src/core/errors.js"
import { parseConsistencyAnswer, parseHeadAnswer } from "../../../src/core/legion/answers.js"
import { readHashes } from "../../../src/core/legion/bundle.js"
import { verifyLegionKeyring } from "../../../src/core/legion/keyring.js"
import {
  parseHash,
  requireOneRootPerSize,
  verifyAppendOnly,
  verifyTreeHead,
} from "../../../src/core/legion/tree-head.js"
import { verifyConsistency } from "../../../src/core/merkle.js"
import { type LegionTestLog, makeLegionLog, toolOf } from "../../fakes/legion-log.js"
import { describeShared } from "../../shared.js"
import { expectRefusal, type LegionCase, legionCases } from "./vectors.js"

type Input =
  | {
      readonly old_size: number
      readonly new_size: number
      readonly old_root: string
      readonly new_root: string
      readonly proof: string[]
    }
  | { readonly old_sth: string; readonly new_sth: string; readonly proof: string[]; readonly keyring: string }

const bad = (why: string) => new ToolsumError("CONSISTENCY_INVALID", why)

function verify({ input, root_pin: rootPin }: LegionCase<Input>): void {
  const proof = readHashes(input.proof)
  if ("old_sth" in input) {
    const keyring = verifyLegionKeyring({ text: input.keyring, rootPin })
    const open = (sth: string) => verifyTreeHead(keyring, parseHeadAnswer(sth))
    verifyAppendOnly({ older: open(input.old_sth), newer: open(input.new_sth), proof })
    return
  }
  const older = { size: BigInt(input.old_size), rootHash: parseHash(input.old_root, bad) }
  const newer = { size: BigInt(input.new_size), rootHash: parseHash(input.new_root, bad) }
  verifyConsistency({ older, newer, proof })
}

describeShared("LEGION consistency vectors", () => {
  test.each(legionCases<Input>("consistency"))("$id: $desc", (one) => {
    if (one.expect === "accept") verify(one)
    else expectRefusal(() => verify(one), one)
  })
})

const logOf = (word: string): LegionTestLog =>
  makeLegionLog([0, 1, 2, 3, 4, 5, 6].map((n) => ({ serverId: `io.test/${n}`, tools: [toolOf(word)] })))

const LOG = logOf("a")
const FORK = logOf("b")
const KEYRING = verifyLegionKeyring({ text: LOG.keyring })
const headOf = (log: LegionTestLog, size: number) =>
  verifyTreeHead(KEYRING, parseHeadAnswer(JSON.stringify({ sth: log.head(size) })))
const proofOf = (log: LegionTestLog, from: number, to: number) =>
  parseConsistencyAnswer(JSON.stringify({ proof: log.consistency(from, to) }))

describe("verifyAppendOnly", () => {
  test("takes every later head of one log", () => {
    for (let to = 1; to <= 7; to++)
      for (let from = 1; from <= to; from++)
        verifyAppendOnly({
          older: headOf(LOG, from),
          newer: headOf(LOG, to),
          proof: from < to ? proofOf(LOG, from, to) : [],
        })
  })

  test.each([
    { name: "a smaller head", from: 5, to: 3, log: LOG, code: "LOG_ROLLBACK" },
    { name: "another root of one size", from: 5, to: 5, log: FORK, code: "LOG_INCONSISTENT" },
    { name: "another history", from: 5, to: 7, log: FORK, code: "CONSISTENCY_INVALID" },
  ])("refuses $name, with both heads as evidence", ({ from, to, log, code }) => {
    const older = headOf(LOG, from)
    const newer = headOf(log, to)
    const run = () => verifyAppendOnly({ older, newer, proof: from < to ? proofOf(log, from, to) : [] })
    const evidence = {
      a: expect.stringContaining(`"tree_size":${from}`),
      b: expect.stringContaining(`"tree_size":${to}`),
    }
    expect(run).toThrow(expect.objectContaining({ code, evidence }))
  })

  test("refuses a missing proof", () => {
    const run = () => verifyAppendOnly({ older: headOf(LOG, 3), newer: headOf(LOG, 7), proof: [] })
    expect(run).toThrow(expect.objectContaining({ code: "CONSISTENCY_INVALID" }))
  })
})

test("heads of different sizes say nothing of one another; two roots of one size do", () => {
  requireOneRootPerSize([headOf(LOG, 3), headOf(FORK, 4), headOf(LOG, 3)])
  const run = () => requireOneRootPerSize([headOf(LOG, 3), headOf(LOG, 4), headOf(FORK, 3)])
  expect(run).toThrow(expect.objectContaining({ code: "LOG_INCONSISTENT" }))
})
