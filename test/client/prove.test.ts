import { expect, test } from "vitest"
import { proveConsistency } from "../../src/client/prove.js"
import { verifyConsistency } from "../../src/core/merkle.js"
import { logOf, makeWorld } from "../fakes/client-world.js"

test("any earlier head is proven from any still earlier one, with the tiles of the newest tree alone", async () => {
  const log = logOf(40)
  const { tree } = await makeWorld(log).open()
  for (let n = 2n; n <= 40n; n++) {
    const newer = { size: n, rootHash: log.rootAt(n) }
    for (let m = 1n; m < n; m++) {
      const { older, proof } = await proveConsistency(tree, m, newer)
      expect(older).toEqual({ size: m, rootHash: log.rootAt(m) })
      verifyConsistency({ older, newer, proof })
    }
  }
  expect(log.reads.filter((path) => /^tile\/0\/.*\.p\/(?!40$)/.test(path))).toEqual([])
})

test.each([
  { name: "another root", head: { size: 7n, rootHash: new Uint8Array(32) }, older: 3n },
  { name: "a size beyond the tree", head: { size: 41n, rootHash: new Uint8Array(32) }, older: 3n },
  { name: "sizes that descend", head: { size: 2n, rootHash: new Uint8Array(32) }, older: 3n },
])("an earlier head with $name is refused", async ({ head, older }) => {
  const { tree } = await makeWorld(logOf(40)).open()
  await expect(proveConsistency(tree, older, head)).rejects.toMatchObject({ code: "CONSISTENCY_INVALID" })
})
