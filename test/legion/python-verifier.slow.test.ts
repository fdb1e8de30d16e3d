// LEGION's own verifier on the inputs of the vectors, run here: it answers as the vectors have it recorded, and where that is not what is
// right, the case is one of its listed weaknesses. That ours gives what is right for every case is held in test/core/legion.
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readShared, sharedPath } from "../shared.js"
import { canRunLegion, INSTALL_TIMEOUT_MS, installLegion, type LegionInstallation } from "./simulated-log.js"

interface Case {
  readonly id: string
  readonly expect: "accept" | "reject"
  /** A crash refuses too. */
  readonly legion_python: "accept" | "reject" | "crash"
}

describe.skipIf(!canRunLegion)("the published Python verifier", () => {
  let installed: LegionInstallation
  beforeAll(() => {
    installed = installLegion()
  }, INSTALL_TIMEOUT_MS)
  afterAll(() => installed?.remove())

  test("answers today as the vectors have it", async () => {
    const line = ["-B", sharedPath("legion/gen/make_vectors.py"), "--check"]
    const { stdout } = await promisify(execFile)(installed.python, line)
    expect(stdout).toMatch(/^237 cases\n/)
  })

  test("differs from what is right in its listed weaknesses only", () => {
    const [, weaknesses = ""] = readShared("legion/WIRE.md").split("\n## 13. Weaknesses")
    const listed = new Set([...weaknesses.matchAll(/`([a-z]+\/[a-z0-9-]+)`/g)].map(([, id]) => id))
    const files = readdirSync(sharedPath("vectors/legion")).filter((file) => file.endsWith(".json"))
    const cases = files.flatMap((file): readonly Case[] => JSON.parse(readShared(`vectors/legion/${file}`)).cases)
    const differing = cases.filter((one) => (one.expect === "accept") !== (one.legion_python === "accept"))
    expect(cases.length).toBe(237)
    expect(differing.length).toBeGreaterThan(30)
    expect(differing.map(({ id }) => id).filter((id) => !listed.has(id))).toEqual([])
  })
})
