import { expect, test, vi } from "vitest"
import { expectOneLine, makePinnedWorld } from "../fakes/cli-world.js"

const account = vi.hoisted(() => ({ userInfo: (): { username: string } => ({ username: "ada" }) }))
vi.mock("node:os", async (load) => ({ ...(await load<object>()), userInfo: () => account.userInfo() }))

test("who acts: --by, else git's address, else the account", async () => {
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
  account.userInfo = () => {
    throw Object.assign(new Error("uv_os_get_passwd returned ENOENT"), { code: "ERR_SYSTEM_ERROR" })
  }
  expectOneLine(await world.expect(2, "remove", "notes"), "USAGE", "--by")
  await world.expect(0, "remove", "notes", "--by", "build-7")
})
