// Cosigned checkpoints under policies, with verdicts that Go's verifiers confirmed: which witnesses count, and whether they are enough. And
// every case that the specifications leave open is decided in FORMAT.md.
import { expect, test } from "vitest"
import { verifyCheckpoint } from "../../src/core/checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parsePolicy } from "../../src/core/policy.js"
import { describeShared, hasShared, readShared } from "../shared.js"
import { isWanted, openChoices } from "./open-choices.js"

interface Case {
  readonly name: string
  readonly note: string
  readonly policy: string
  readonly want: string
  readonly witnesses?: readonly string[]
}

const VECTORS = "interop/vectors"
const cases: readonly Case[] = hasShared ? JSON.parse(readShared(`${VECTORS}/checkpoints/cases.json`)) : []
/** 2026-01-01, when the vectors were cosigned; a day later nothing but the cosignature from the future is early. */
const DAY_LATER = 1_767_312_000n

const verify = ({ note, policy }: Case, nowSec?: bigint) => {
  const [origin = ""] = note.split("\n")
  const rules = parsePolicy(readShared(`${VECTORS}/policies/${policy}.policy`))
  return verifyCheckpoint({ note, origin, policy: rules, ...(nowSec === undefined ? {} : { nowSec }) })
}

describeShared("cosigned checkpoints under policies", () => {
  test.each(cases)("$name: $want", (c) => {
    if (isWanted(c)) expect(verify(c).counted.toSorted()).toEqual(c.witnesses ?? [])
    else expect(() => verify(c)).toThrow(ToolsumError)
  })

  test("a time changes nothing but for the cosignature from the future", () => {
    for (const c of cases) {
      if (c.name === "cosignature-far-future" || !isWanted(c)) {
        expect(() => verify(c, DAY_LATER), c.name).toThrow(
          expect.objectContaining({ code: expect.stringMatching(/^(?:QUORUM_NOT_MET|SIGNATURE_INVALID)$/) }),
        )
      } else expect(verify(c, DAY_LATER).counted.toSorted(), c.name).toEqual(c.witnesses ?? [])
    }
  })

  test("there are cases of every kind", () => {
    expect(cases.length).toBeGreaterThan(100)
    expect(new Set(cases.map(({ want }) => want))).toEqual(new Set(["accept", "reject", "open"]))
  })
})

describeShared("what the specifications leave open", () => {
  test("is decided, and nothing else is", () => {
    const files = ["notes/cases", "policies/cases", "proofs/cases", "checkpoints/cases"]
    const all = files.flatMap((file): Case[] => {
      const document: Case[] | { cases: Case[] } = JSON.parse(readShared(`${VECTORS}/${file}.json`))
      return Array.isArray(document) ? document : document.cases
    })
    const keys: readonly { want: string }[] = JSON.parse(readShared(`${VECTORS}/notes/vkeys.json`))
    const open = all.filter(({ want }) => want === "open").map(({ name }) => name)
    const decided = [...openChoices.keys()]
    expect(decided.filter((name) => !name.startsWith("vkey-")).toSorted()).toEqual(open.toSorted())
    expect(decided.filter((name) => name.startsWith("vkey-"))).toHaveLength(
      keys.filter(({ want }) => want === "open").length,
    )
  })
})
