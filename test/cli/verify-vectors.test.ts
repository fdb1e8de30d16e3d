// Every lockfile vector through the command itself: a lockfile, definitions and client configurations on disk, `verify --json` in
// front of them. Exit code, error, verdicts, warnings, and the reasons of CHANGED and UNKNOWN bind.
import { writeFile } from "node:fs/promises"
import { expect, test } from "vitest"
import {
  bindingReason,
  definitionTexts,
  type LockfileCase,
  lockfileText,
  readLockfileVectors,
} from "../core/lockfile-vectors.js"
import { type CliWorld, type Document, makeCliWorld } from "../fakes/cli-world.js"
import { commitAll } from "../fakes/git.js"
import { validateReport } from "../fakes/report-schema.js"
import { describeShared, hasShared } from "../shared.js"

const vectors = hasShared ? readLockfileVectors() : { bases: {}, definitions: {}, cases: [] }

async function writeCase(c: LockfileCase): Promise<CliWorld> {
  const world = await makeCliWorld()
  await writeFile(world.lockfile, lockfileText(vectors, c))
  for (const [name, text] of Object.entries(definitionTexts(vectors, c) ?? {}))
    if (text !== null) await world.write(`.mcp-tools/${name}.json`, text)
  for (const [file, text] of Object.entries(c.configs ?? {})) await world.write(file, text)
  return world
}

const optionsOf = (c: LockfileCase): readonly string[] => [
  ...c.roots.flatMap((root) => ["--root", root]),
  ...(c.definitions ? [] : ["--no-definitions"]),
  ...(c.configs ? [] : ["--no-config"]),
  ...(c.underBase ? ["--base", "HEAD"] : []),
]

const judged = (servers: Document) =>
  Object.fromEntries(
    servers.map((s: Document) => [s.name, { verdict: s.verdict, reason: bindingReason(s.verdict, s.reason) }]),
  )

describeShared("lockfile vectors through verify --json", () => {
  test.each(vectors.cases)("$desc", async (c) => {
    const world = await writeCase(c)
    if (c.underBase) await commitAll(world.folder)
    const { code, document } = await world.json("verify", ...optionsOf(c))
    validateReport(document)
    expect(code, JSON.stringify(document, null, 1)).toBe(c.expect.exitCode)
    expect(document).toMatchObject({ schemaVersion: 1, command: "verify", ok: code === 0, exitCode: code })
    if (c.expect.error !== null) {
      expect(document.error.code).toBe(c.expect.error)
      expect(document.servers).toBeUndefined()
      return
    }
    const wanted = Object.entries(c.expect.servers).map(([name, s]) => ({ name, ...s }))
    expect(judged(document.servers)).toEqual(judged(wanted))
    expect(document.warnings).toEqual(c.expect.warnings)
    const counted = Object.values(document.counts as Record<string, number>).reduce((sum, n) => sum + n, 0)
    expect(counted).toBe(document.servers.length)
  })
})

test("where the vectors lie, the command finds them", () => {
  if (hasShared) expect(vectors.cases.length).toBeGreaterThan(200)
})
