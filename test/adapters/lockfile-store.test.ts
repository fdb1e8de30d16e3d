// The lockfile and its definitions as one thing on disk. That a kill leaves no mixture is lockfile-store.slow.test.ts's.
import { mkdir, readFile, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { createFileLockfile } from "../../src/adapters/lockfile-store.js"
import {
  changeTo,
  type DefinedProject,
  judge,
  makeDefinedProject,
  type ProjectState,
  writeState,
} from "../fakes/defined-project.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

let made: DefinedProject
/** `notes` lists another tool. */
let next: ProjectState
beforeAll(async () => {
  made = await makeDefinedProject()
  const { project, after } = made
  next = await after((store) => project.pinInto(store, { name: "notes", tools: ["b"], definitions: true }))
})

const makePath = async () => {
  const path = join(await makeTempFolder(), "project", "toolsum.lock.json")
  await writeState(path, made.before)
  return path
}

test("two who write one pin at once leave the definitions of the one who came last", async () => {
  const path = await makePath()
  const write = (state: ProjectState) => createFileLockfile(path).update(() => changeTo(state))
  await Promise.all(Array.from({ length: 10 }, (_, i) => write(i % 2 === 0 ? made.before : next)))
  const verdicts = ["PROVEN", "PROVEN"]
  expect(await judge(createFileLockfile(path))).toEqual({ names: ["notes", "other"], verdicts, warnings: [] })
})

test.each([
  { name: "the lockfile", obstacle: "toolsum.lock.json.tmp" },
  { name: "the definitions", obstacle: ".mcp-tools/notes.json.tmp" },
])("$name cannot be written: definitions are missing, nothing is rejected", async ({ obstacle }) => {
  const path = await makePath()
  await mkdir(join(dirname(path), obstacle))
  const store = createFileLockfile(path)
  await expect(store.update(() => changeTo(next))).rejects.toMatchObject({ code: "IO_FAILED" })
  const verdicts = ["PROVEN", "PROVEN"]
  expect(await judge(store)).toMatchObject({ verdicts, warnings: ["definitions_missing:notes"] })
  await rm(join(dirname(path), obstacle), { recursive: true })
  await store.update(() => changeTo(next))
  expect(await judge(store)).toMatchObject({ verdicts, warnings: [] })
})

test("equal bytes are not written; missing definitions are", async () => {
  const path = await makePath()
  const store = createFileLockfile(path)
  expect(await store.update(() => changeTo(made.before))).toBe(false)
  const file = join(dirname(path), ".mcp-tools", "notes.json")
  await rm(file)
  expect(await store.update(() => changeTo(made.before))).toBe(true)
  expect(new Uint8Array(await readFile(file))).toEqual(made.before.definitions.notes)
})
