import { syncBuiltinESMExports } from "node:module"
import os from "node:os"
import { expect, onTestFinished, test, vi } from "vitest"
import { expectOneLine, makePinnedWorld } from "../fakes/cli-world.js"

/** Let the system answer this when it is asked for the account, for one test. */
function setAccount(userInfo: () => { username: string }): void {
  const spy = vi.spyOn(os, "userInfo").mockImplementation(userInfo as typeof os.userInfo)
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
}

test("who acts: --by, else git's address, else the account", async () => {
  setAccount(() => ({ username: "ada" }))
  const { world } = await makePinnedWorld()
  const by = async () => (await world.readLock()).servers.notes.approved.by
  expect(await by()).toBe("ada")
  Object.assign(world.env, {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.email",
    GIT_CONFIG_VALUE_0: "a@example.com",
  })
  await world.expect(0, "remove", "notes")
  expect((await world.readLock()).removed.notes.by).toBe("a@example.com")
})

test("an account without a name is asked for --by in one line", async () => {
  const { world } = await makePinnedWorld()
  setAccount(() => {
    throw Object.assign(new Error("uv_os_get_passwd returned ENOENT"), { code: "ERR_SYSTEM_ERROR" })
  })
  expectOneLine(await world.expect(2, "remove", "notes"), "USAGE", "--by")
  await world.expect(0, "remove", "notes", "--by", "build-7")
})
