// Every bit of every file that a reader of a small log looks at, one at a time.
import { expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { everyBit } from "../core/flips.js"
import { makeCompleteLog } from "../fakes/complete-log.js"
import { isLooseByte } from "../fakes/loose-signature.js"
import { flipLog, type LogFiles } from "./flipped-log.js"

/** Flip every bit of every file that is read, and count what happens by kind of file. */
async function flipAll(files: LogFiles, log: Awaited<ReturnType<typeof makeCompleteLog>>) {
  const { read, outcome } = await flipLog(files, log.root, log.subjects)
  const met: Record<string, Set<string>> = {}
  for (const path of read) {
    const bytes = files.get(path) ?? new Uint8Array()
    const kind = path.split("/")[1] ?? ""
    met[kind] ??= new Set()
    for (const flip of everyBit(bytes)) {
      const found = await outcome(path, flip)
      met[kind].add(found)
      if (kind !== "checkpoint" || found === "refused") continue
      const before = new TextDecoder().decode(bytes.subarray(0, flip.at))
      expect(isLooseByte(new TextDecoder().decode(bytes), before), `bit ${flip.bit} of byte ${flip.at}`).toBe(true)
    }
  }
  return met
}

test("the newest head", async () => {
  const log = await makeCompleteLog()
  expect(await flipAll(log.store.files, log)).toEqual({
    checkpoint: new Set(["refused", "same"]),
    keyring: new Set(["refused"]),
    objects: new Set(["refused"]),
    subjects: new Set(["same", "fewer"]),
    tile: new Set(["refused"]),
  })
})

test("an older head, by the retired key: its own partial tiles", async () => {
  const log = await makeCompleteLog()
  const heads = Object.entries(log.lockfile.logs).flatMap(([, { heads }]) => Object.entries(heads))
  const older = heads.find(([key]) => key.startsWith("2-"))?.[1] ?? ""
  const files = new Map([...log.store.files, ["public/checkpoint", encodeUtf8(older)] as const])
  const met = await flipAll(files, log)
  expect(met.tile).toEqual(new Set(["refused"]))
  expect(met.checkpoint).toEqual(new Set(["refused", "same"]))
})
