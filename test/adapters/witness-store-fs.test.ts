import { readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createFileWitnessStore, witnessFileName } from "../../src/adapters/witness-store-fs.js"
import type { WitnessStore } from "../../src/ports.js"
import { createWitness } from "../../src/writer/witness.js"
import { ORIGIN, rootOf, signer, verifier } from "../core/log-fixtures.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { requestBody } from "../fakes/witness-fixtures.js"

const KEY = signer("w.example")
const witnessOn = (store: WitnessStore, key = KEY) =>
  createWitness({ key, logKeys: [verifier(signer(ORIGIN))], store, clock: () => 1_796_083_200 })

test("one file for each witness key and log, private to the user; its content is the cosigned checkpoint", async () => {
  const folder = join(await makeTempFolder(), "deep", "witness")
  const witness = witnessOn(createFileWitnessStore(folder))
  expect(await witness.latest(ORIGIN)).toBe(null)
  await witness.addCheckpoint(requestBody({ old: 0, size: 5 }))
  const other = witnessOn(createFileWitnessStore(folder), signer("w.example", "another key"))
  expect(await other.latest(ORIGIN)).toBe(null)
  await other.addCheckpoint(requestBody({ old: 0, size: 3 }))
  const names = (await readdir(folder)).sort()
  expect(names).toEqual([witness, other].map(({ key }) => witnessFileName(key.vkey, ORIGIN)).sort())
  expect((await stat(join(folder, names[0] ?? ""))).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(await witnessOn(createFileWitnessStore(folder)).latest(ORIGIN)).toMatchObject({
    size: 5n,
    rootHash: rootOf(5),
  })
})

test("of two witnesses on one folder that are asked at once, one cosigns", async () => {
  const folder = await makeTempFolder()
  const rivals = [1, 2, 3].map(() => witnessOn(createFileWitnessStore(folder)))
  const answers = await Promise.all(rivals.map((one, i) => one.addCheckpoint(requestBody({ old: 0, size: 5 + i }))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

test("one that dies between storing and answering has cosigned: the log learns the size and gets its line", async () => {
  const folder = await makeTempFolder()
  const store = createFileWitnessStore(folder)
  let stored = () => {}
  const isStored = new Promise<void>((resolve) => {
    stored = resolve
  })
  const dying = witnessOn({
    ...store,
    compareAndSwap: async (...args) => {
      await store.compareAndSwap(...args)
      stored()
      return new Promise<never>(() => {}) // the process is gone
    },
  })
  void dying.addCheckpoint(requestBody({ old: 0, size: 5 }))
  await isStored
  const next = witnessOn(store)
  expect(await next.addCheckpoint(requestBody({ old: 0, size: 5 }))).toEqual({ status: 409, size: 5n })
  expect((await next.addCheckpoint(requestBody({ old: 5, size: 5 }))).status).toBe(200)
  expect((await next.addCheckpoint(requestBody({ old: 0, size: 4 }))).status).toBe(409)
})

test("a file that was zeroed is damage, and stays as it is", async () => {
  const folder = await makeTempFolder()
  const witness = witnessOn(createFileWitnessStore(folder))
  await witness.addCheckpoint(requestBody({ old: 0, size: 5 }))
  const path = join(folder, witnessFileName(witness.key.vkey, ORIGIN))
  await writeFile(path, new Uint8Array(187))
  await expect(witness.addCheckpoint(requestBody({ old: 0, size: 9 }))).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  expect((await stat(path)).size).toBe(187)
})
