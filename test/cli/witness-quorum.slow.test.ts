// `--witness-policy FILE` and `--max-age` end to end: a quorum is demanded of whatever is proven.
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { formatCosignature } from "../../src/core/cosignature.js"
import { addSignatures, formatNote, parseNote } from "../../src/core/note.js"
import { signer, verifier, witness } from "../core/log-fixtures.js"
import { type CliWorld, expectOneLine, makeCliWorld, makePinnedWorld, NOW, report } from "../fakes/cli-world.js"
import { formatPinnedLeaves, makeServersLog } from "../fakes/legion-lockfile.js"
import { ROOT } from "../fakes/legion-log.js"

const W = Array.from({ length: 4 }, (_, i) => signer(`w${i}.example`))
const lines = W.map((key, i) => `witness w${i} ${witness(key).vkey}\n`)
const THREE = lines.slice(0, 3).join("")
const TWO_OF_THREE = `${THREE}group g 2 w0 w1 w2\nquorum g\n`

/** A copy of a head with cosignatures by these witnesses. */
function cosign(note: string, by: readonly (typeof W)[number][], timestamp = BigInt(NOW - 60)): string {
  const parsed = parseNote(note)
  return formatNote(
    addSignatures(
      parsed,
      by.map((key) => formatCosignature({ text: parsed.text, key, timestamp })),
    ),
  )
}

describe("a quorum that is demanded", () => {
  let world: CliWorld
  let server: Awaited<ReturnType<typeof makePinnedWorld>>["server"]
  const checkpoint = () => join(world.home, "data", "log", "public", "checkpoint")

  beforeEach(async () => {
    ;({ world, server } = await makePinnedWorld())
    await world.write("two.policy", TWO_OF_THREE)
  })

  const cosignLog = async (...by: readonly number[]) =>
    writeFile(checkpoint(), cosign(await readFile(checkpoint(), "utf8"), by.map((i) => W[i] ?? W[0]) as typeof W)) // indexes of W
  const refreshed = async (...by: readonly number[]) => {
    await cosignLog(...by)
    await world.expect(0, "update", "--proofs")
  }

  test("and not met is REJECTED, whatever command asks", async () => {
    for (const command of [["verify"], ["check"], ["check", "--log-only"]]) {
      const document = await report(world, ...command, "--witness-policy", "two.policy")
      expect(document).toMatchObject({ exitCode: 3, servers: [{ verdict: "REJECTED", reason: "QUORUM_NOT_MET" }] })
      expect(document.roots).toMatchObject([{ source: "trust-store" }]) // it is not the root that is missing
      expect(document.witnessPolicy).toEqual({
        file: "two.policy",
        quorum: true,
        tolerates: { witnesses: 3, dishonest: 0, away: 1 },
      })
    }
    expectOneLine(
      await world.expect(3, "history", "notes", "--witness-policy", "two.policy", "--quiet"),
      "QUORUM_NOT_MET",
    )
    const live = await report(
      world,
      "verify-server",
      "--witness-policy",
      "two.policy",
      "--subject",
      "local:notes",
      "--",
      ...server.launch,
    )
    expect(live).toMatchObject({ exitCode: 3, servers: [{ verdict: "REJECTED", reason: "QUORUM_NOT_MET" }] })
    expect((await report(world, "verify")).exitCode).toBe(0) // without it nothing is demanded
    const { stdout } = await world.expect(3, "verify", "--witness-policy", "two.policy")
    expect(stdout).toContain("witness policy: head 2: quorum not met: cosigned by 0 of 3 witnesses")
    expect(stdout).toContain("toolsum update --proofs")
  })

  test("one cosignature of two is not enough; two are, and --explain counts them", async () => {
    await refreshed(1)
    expect(await report(world, "verify", "--witness-policy", "two.policy")).toMatchObject({ exitCode: 3 })
    await refreshed(2)
    const { stdout } = await world.expect(0, "verify", "--explain", "--witness-policy", "two.policy")
    expect(stdout).toMatch(/head {6}2 of toolsum\.local\/[0-9a-f]{32}, 2 cosigners\n/)
    await world.expect(0, "check", "--witness-policy", "two.policy")
    await world.expect(0, "history", "notes", "--witness-policy", "two.policy")
    expect((await report(world, "verify")).servers[0].head.cosigners).toBe(0) // whom nobody names is nobody
  })

  test("a cosignature that is wrong is worse than none", async () => {
    await refreshed(0, 1)
    const lock = await readFile(world.lockfile, "utf8")
    await writeFile(
      world.lockfile,
      lock.replace(/(w1\.example \S{30})(.)/, (_, start, c) => `${start}${c === "A" ? "B" : "A"}`),
    )
    const document = await report(world, "verify", "--witness-policy", "two.policy")
    expect(document).toMatchObject({ exitCode: 3, servers: [{ reason: "SIGNATURE_INVALID" }] })
  })

  test("a policy for other logs says nothing of this one", async () => {
    await refreshed(0, 1)
    await world.write("other.policy", `log ${verifier(signer("other.example")).vkey}\n${TWO_OF_THREE}`)
    for (const command of [["verify"], ["check", "--log-only"]]) {
      const document = await report(world, ...command, "--witness-policy", "other.policy")
      expect(document).toMatchObject({ exitCode: 2, servers: [{ verdict: "UNKNOWN", reason: "incomplete" }] })
      expect(document.servers[0].detail).toContain("has no log line for")
    }
  })

  test("no pin is written under a head that does not meet it, and none whose others do not", async () => {
    const before = await readFile(world.lockfile, "utf8")
    expectOneLine(
      await world.expect(3, "add", "other", "--quiet", "--witness-policy", "two.policy", "--", ...server.launch),
      "QUORUM_NOT_MET",
    )
    expect(await readFile(world.lockfile, "utf8")).toBe(before)
    const { document } = await world.json("update", "--proofs", "--witness-policy", "two.policy")
    expect(document).toMatchObject({ exitCode: 3, logs: [{ ok: false, error: { code: "QUORUM_NOT_MET" } }] })
    await cosignLog(0, 2)
    await world.expect(0, "update", "--proofs", "--witness-policy", "two.policy")
    await world.expect(0, "verify", "--witness-policy", "two.policy")
  })

  test("of a proof file and of evidence, which are refused beside --policy, and as usual", async () => {
    await world.expect(0, "log", "proof", "1", "--out", "bare.tlog-proof")
    await world.expect(0, "verify-server", "--subject", "local:notes", "--save", "bare.json", "--", ...server.launch)
    await cosignLog(0, 1)
    await world.expect(0, "log", "proof", "1", "--out", "good.tlog-proof")
    await world.expect(0, "verify-server", "--subject", "local:notes", "--save", "good.json", "--", ...server.launch)
    for (const kind of ["tlog-proof", "json"]) {
      const verify = (code: number, file: string) =>
        world.expect(code, "verify", `${file}.${kind}`, "--quiet", "--witness-policy", "two.policy")
      await verify(0, "good")
      expectOneLine(await verify(3, "bare"), "QUORUM_NOT_MET")
    }
    const both = ["verify", "good.tlog-proof", "--policy", "two.policy", "--witness-policy", "two.policy", "--quiet"]
    expectOneLine(await world.expect(2, ...both), "USAGE")
  })

  test("a head may be no older than --max-age, by the quorum that was demanded", async () => {
    const unknown = { exitCode: 2, servers: [{ verdict: "UNKNOWN", reason: "log_behind" }] }
    const check = (age: string) =>
      report(world, "check", "--log-only", "--max-age", age, "--witness-policy", "two.policy")
    expect(await report(world, "check", "--log-only", "--max-age", "60")).toMatchObject(unknown)
    await refreshed(0, 1)
    expect(await check("60")).toMatchObject({ exitCode: 0 })
    expect(await check("59")).toMatchObject(unknown)
    world.nowSec += 86_400
    expect(await check("86459")).toMatchObject(unknown)
    expect(await check("86460")).toMatchObject({ exitCode: 0 })
    expectOneLine(await world.expect(2, "check", "--max-age", "1h", "--log-only"), "USAGE")
  })
})

test("nobody can cosign a LEGION log: a quorum is never met there", async () => {
  const world = await makeCliWorld()
  await world.write(".mcp-tools.lock.json", formatPinnedLeaves(makeServersLog(["io.example/files"]), [0]))
  await world.write("two.policy", TWO_OF_THREE)
  await world.write("none.policy", `${THREE}quorum none\n`)
  for (const command of [
    ["verify", ".mcp-tools.lock.json"],
    ["check", "--lock", ".mcp-tools.lock.json"],
  ]) {
    const run = (policy: string) => world.run(...command, "--root", ROOT.pin, "--witness-policy", policy)
    expect(await run("two.policy")).toMatchObject({ code: 3, stderr: expect.stringContaining("QUORUM_NOT_MET") })
  }
  await world.expect(0, "verify", ".mcp-tools.lock.json", "--root", ROOT.pin, "--witness-policy", "none.policy")
})
