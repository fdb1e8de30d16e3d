// Go accepts a log while its keys change: each checkpoint of the change by the old key as well as by the new one, and after it by the new one.
import { expect, test } from "vitest"
import {
  AT_ONCE,
  grow,
  makeCeremonyWorld,
  newestKeyring,
  publicFolder,
  signatureCount,
} from "../fakes/ceremony-world.js"
import { describeShared } from "../shared.js"
import { runTool } from "./tools.js"

describeShared("checklog", () => {
  test("accepts a log before, during and after a change of its keys", async () => {
    const world = await makeCeremonyWorld()
    const accepts = (vkey: string) => runTool("checklog", ["--log", publicFolder(world), "--vkey", vkey]).code === 0
    await world.expect(0, "log", "rotate", ...AT_ONCE)
    const [old = "", next = ""] = [...newestKeyring(world).logs]
      .sort((a, b) => Number(a.from - b.from))
      .map(({ key }) => key.vkey)
    expect([accepts(old), accepts(next)]).toEqual([true, false])
    await grow(world)
    expect(signatureCount(world)).toBe(2)
    expect([accepts(old), accepts(next)]).toEqual([true, true])
    await world.expect(0, "log", "rotate", "--finish", ...AT_ONCE)
    expect([accepts(old), accepts(next)]).toEqual([true, true])
    await grow(world)
    expect([accepts(old), accepts(next)]).toEqual([false, true])
  })
})
