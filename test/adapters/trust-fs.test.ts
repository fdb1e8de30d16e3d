import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createFileTrustStore, pinnedRoots } from "../../src/adapters/trust-fs.js"
import { parseRootArgument } from "../../src/core/root.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const clock = () => 1796083200
const FINGERPRINT = `SHA256:${"A".repeat(43)}`
const OTHER = `SHA256:${"B".repeat(42)}A`
const request = (text: string, log: string | null = null) => ({ root: parseRootArgument(text), log, from: "test" })

async function makeStore() {
  const path = join(await makeTempFolder(), "trust.json")
  return { path, store: createFileTrustStore(path, clock) }
}

test("roots are listed in the order in which they were added, floors and places included", async () => {
  const { store } = await makeStore()
  expect(await store.list()).toEqual([])
  expect(await store.add(request(`log.example=${FINGERPRINT}@3:${"0f".repeat(32)}`, "https://log.example/"))).toBe(true)
  expect(await store.add(request(OTHER))).toBe(true)
  const roots = await store.list()
  expect(roots).toMatchObject([
    { name: "log.example", fingerprint: FINGERPRINT, log: "https://log.example/", at: "2026-12-01T00:00:00.000Z" },
    { name: null, fingerprint: OTHER, floor: null, log: null, from: "test" },
  ])
  expect(pinnedRoots(roots)[0]).toEqual({
    ...parseRootArgument(`log.example=${FINGERPRINT}@3:${"0f".repeat(32)}`),
    source: "trust-store",
  })
})

test("adding the same again changes nothing; a new floor or place goes into the entry", async () => {
  const { path, store } = await makeStore()
  await store.add(request(`a=${FINGERPRINT}`))
  const before = await readFile(path, "utf8")
  expect(await store.add(request(`a=${FINGERPRINT}`))).toBe(false)
  expect(await readFile(path, "utf8")).toBe(before)
  expect(await store.add(request(`a=${FINGERPRINT}`, "/logs/a"))).toBe(true)
  expect(await store.list()).toMatchObject([{ name: "a", log: "/logs/a" }])
})

test("adding a root again erases neither its place nor its floor", async () => {
  const { store } = await makeStore()
  const at = (version: number) => `a=${FINGERPRINT}@${version}:${"0f".repeat(32)}`
  await store.add(request(at(3), "/logs/a"))
  expect(await store.add(request(`a=${FINGERPRINT}`))).toBe(false)
  expect(await store.add(request(at(2)))).toBe(false)
  expect(await store.list()).toMatchObject([{ log: "/logs/a", floor: { version: 3n } }])
  expect(await store.add(request(at(4)))).toBe(true)
  expect(await store.add(request(`a=${FINGERPRINT}`, "/logs/b"))).toBe(true)
  expect(await store.list()).toMatchObject([{ log: "/logs/b", floor: { version: 4n } }])
})

test("a name trusted under another fingerprint is refused until it is removed", async () => {
  const { store } = await makeStore()
  await store.add(request(`a=${FINGERPRINT}`))
  await expect(store.add(request(`a=${OTHER}`))).rejects.toMatchObject({ code: "CONFIG_INVALID" })
  expect(await store.add(request(`b=${OTHER}`))).toBe(true)
  expect(await store.remove((root) => root.name === "c")).toEqual([])
  expect(await store.remove((root) => root.name === "a")).toMatchObject([{ name: "a", fingerprint: FINGERPRINT }])
  expect(await store.add(request(`a=${OTHER}`))).toBe(true)
  expect((await store.list()).map(({ name }) => name)).toEqual(["b", "a"])
})

test("a dry run answers the same and writes nothing", async () => {
  const { path, store } = await makeStore()
  const dry = { dryRun: true }
  expect(await store.add(request(`a=${FINGERPRINT}`), dry)).toBe(true)
  expect(await store.list()).toEqual([])
  await store.add(request(`a=${FINGERPRINT}`))
  const before = await readFile(path, "utf8")
  expect(await store.add(request(`a=${FINGERPRINT}`), dry)).toBe(false)
  await expect(store.add(request(`a=${OTHER}`), dry)).rejects.toMatchObject({ code: "CONFIG_INVALID" })
  expect(await store.remove(() => true, dry)).toHaveLength(1)
  expect(await readFile(path, "utf8")).toBe(before)
})

const root = (members: string) => `{"format":"toolsum-trust/v1","roots":[{${members}}]}`
test.each([
  { name: "zeros", text: "\0".repeat(80) },
  { name: "another format", text: `{"format":"toolsum-trust/v9","roots":[]}` },
  { name: "no list", text: `{"format":"toolsum-trust/v1","roots":{}}` },
  { name: "a short fingerprint", text: root(`"root":"SHA256:AAAA","log":null,"at":"","from":""`) },
  { name: "a missing member", text: root(`"root":"${FINGERPRINT}","log":null,"at":""`) },
  { name: "an unknown member", text: root(`"root":"${FINGERPRINT}","log":null,"at":"","from":"","x":1`) },
  { name: "a place that is no text", text: root(`"root":"${FINGERPRINT}","log":1,"at":"","from":""`) },
])("a damaged store ($name) is refused and not written over", async ({ text }) => {
  const { path, store } = await makeStore()
  await writeFile(path, text)
  await expect(store.list()).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  await expect(store.add(request(FINGERPRINT))).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  expect(await readFile(path, "utf8")).toBe(text)
})
