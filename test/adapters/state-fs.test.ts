import { mkdir, readdir, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createFileState, MAX_STATE_BYTES } from "../../src/adapters/state-fs.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const LOG = { origin: "log.example/../../etc", root: "SHA256:abc" }
const [one, two] = [encodeUtf8("one"), encodeUtf8("two")]

test("state is kept for each origin and root, below the folder, private to the user", async () => {
  const folder = join(await makeTempFolder(), "toolsum", "state")
  const state = createFileState(folder)
  expect(await state.newest(LOG)).toBeNull()
  expect(await state.compareAndSwap(LOG, null, one)).toBe(true)
  expect(await state.newest(LOG)).toEqual(one)
  expect(await state.newest({ ...LOG, root: "SHA256:abd" })).toBeNull()
  const names = await readdir(folder)
  expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.json$/)])
  expect((await stat(join(folder, names[0] ?? ""))).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test("a swap succeeds only on the bytes it expects", async () => {
  const state = createFileState(await makeTempFolder())
  expect(await state.compareAndSwap(LOG, one, two)).toBe(false)
  expect(await state.compareAndSwap(LOG, null, one)).toBe(true)
  expect(await state.compareAndSwap(LOG, null, two)).toBe(false)
  expect(await state.compareAndSwap(LOG, one, two)).toBe(true)
  expect(await state.newest(LOG)).toEqual(two)
})

test("of many who swap at once one wins", async () => {
  const state = createFileState(await makeTempFolder())
  const swaps = Array.from({ length: 6 }, (_, i) => state.compareAndSwap(LOG, null, encodeUtf8(`${i}`)))
  expect((await Promise.all(swaps)).filter(Boolean)).toHaveLength(1)
})

test("a state file that is a folder or far too large is corrupt; a folder that cannot be made is IO_FAILED", async () => {
  const folder = await makeTempFolder()
  const state = createFileState(folder)
  await state.compareAndSwap(LOG, null, one)
  const path = join(folder, (await readdir(folder))[0] ?? "")
  await truncate(path, MAX_STATE_BYTES + 1)
  await expect(state.newest(LOG)).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  const blocked = createFileState(join(path, "below-a-file"))
  await expect(blocked.compareAndSwap(LOG, null, one)).rejects.toMatchObject({ code: "IO_FAILED" })
  const other = await makeTempFolder()
  await mkdir(join(other, "file"))
  await writeFile(join(other, "file", "x"), "")
  expect(await createFileState(join(other, "file", "x")).newest(LOG)).toBeNull()
})
