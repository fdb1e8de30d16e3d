// `--witness-policy FILE`: every known fail-open form of a policy is refused, and what its quorum tolerates is said once.
import { describe, expect, test } from "vitest"
import { signer, verifier, witness } from "../core/log-fixtures.js"
import { expectOneLine, sharePinnedWorld } from "../fakes/cli-world.js"

const W = Array.from({ length: 4 }, (_, i) => signer(`w${i}.example`))
const lines = W.map((key, i) => `witness w${i} ${witness(key).vkey}\n`)
const THREE = lines.slice(0, 3).join("")
const ONE = `${THREE}quorum w0\n`
const TWO_OF_THREE = `${THREE}group g 2 w0 w1 w2\nquorum g\n`

describe("a policy that would always be met is refused, and nothing is proven under it", () => {
  const shared = sharePinnedWorld()

  test.each([
    { name: "threshold-0", text: `${THREE}group g 0 w0 w1\nquorum g\n` },
    { name: "threshold-above", text: `${THREE}group g 3 w0 w1\nquorum g\n` },
    { name: "all-of-nobody", text: `${THREE}group g all\nquorum g\n` },
    { name: "any-of-nobody", text: `${THREE}group g any\nquorum g\n` },
    { name: "second-quorum", text: `${TWO_OF_THREE}quorum none\n` },
    { name: "comment-cut", text: `${THREE}quorum none # not w0\n` },
    { name: "members-cut", text: `${THREE}group g 1 w0 # w1 w2\nquorum g\n` },
    { name: "key-twice", text: `${lines[0]}${lines[0]?.replace("w0 ", "w1 ")}group g 2 w0 w1\nquorum g\n` },
    {
      name: "key-under-another-name",
      text: `${lines[0]}witness w1 ${witness(signer("x.example", "w0.example")).vkey}\ngroup g 2 w0 w1\nquorum g\n`,
    },
    { name: "member-twice", text: `${THREE}group g 2 w0 w0\nquorum g\n` },
    { name: "member-of-two-groups", text: `${THREE}group a any w0\ngroup b any w0\ngroup g all a b\nquorum g\n` },
    { name: "log-key-as-witness", text: `log ${verifier(signer("w0.example")).vkey}\n${lines[0]}quorum w0\n` },
    { name: "no-quorum", text: THREE },
    { name: "undefined-quorum", text: `${THREE}quorum w9\n` },
  ])("$name", async ({ name, text }) => {
    const world = shared()
    await world.write(`${name}.policy`, text)
    const outcome = await world.expect(2, "verify", "--witness-policy", `${name}.policy`)
    expect(outcome.stdout).toBe("")
    expectOneLine(outcome, "POLICY_MALFORMED", `${name}.policy`)
  })

  test.each(["verify", "check", "history notes", "update notes", "add other -- x", "verify-server -- x"])(
    "by %s, before anything is read or started",
    async (command) => {
      const world = shared()
      await world.write("bad.policy", `${THREE}group g 0 w0\nquorum g\n`)
      const [first = "", ...rest] = command.split(" ")
      expectOneLine(await world.expect(2, first, "--witness-policy", "bad.policy", ...rest), "POLICY_MALFORMED")
      expectOneLine(await world.expect(2, first, "--witness-policy", "none.policy", ...rest), "FILE_MISSING")
    },
  )

  test.each([
    {
      name: "2 of 3",
      text: TWO_OF_THREE,
      says: "tolerates 0 dishonest witnesses: one that signs two trees can hide a split view; 1 of 3 may be away",
    },
    {
      name: "1 of 1",
      text: ONE,
      says: "tolerates 0 dishonest witnesses: one that signs two trees can hide a split view; 0 of 1 may be away",
    },
    {
      name: "3 of 4",
      text: `${lines.join("")}group g 3 w0 w1 w2 w3\nquorum g\n`,
      says: "tolerates 1 dishonest witness; 1 of 4 may be away",
    },
    {
      name: "3 of 3",
      text: `${THREE}group g all w0 w1 w2\nquorum g\n`,
      says: "tolerates 2 dishonest witnesses; 0 of 3 may be away",
    },
    {
      name: "any of 3",
      text: `${THREE}group g any w0 w1 w2\nquorum g\n`,
      says: "warning: … two checkpoints need not share a witness",
    },
    { name: "nobody", text: `${THREE}quorum none\n`, says: "warning: … demands no cosignature" },
  ])("$name: what it tolerates is said once", async ({ text, says }) => {
    const world = shared()
    await world.write("said.policy", text)
    const { stderr } = await world.run("verify", "--witness-policy", "said.policy")
    const [head = "", tail = ""] = says.includes(" … ") ? says.split(" … ") : ["", says]
    expect(stderr.split("\n").filter((line) => line.includes("witness policy said.policy: "))).toHaveLength(1)
    expect(stderr.startsWith(head)).toBe(true)
    expect(stderr).toContain(tail)
    expect((await world.run("verify", "--witness-policy", "said.policy", "--quiet")).stderr).not.toContain(
      "said.policy",
    )
  })
})
