// `check` against a log whose index hides the newest record, end to end: plainly not shown, and found when every entry is read.
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { formatSubjectBucket, subjectBucketName } from "../../src/core/subject-index.js"
import { makePinnedWorld, report, saying } from "../fakes/cli-world.js"

const SUBJECT = "local:notes"

test("a record that the index leaves out", async () => {
  const { world, server } = await makePinnedWorld(saying("Does search."))
  const files = [world.lockfile, join(world.folder, ".mcp-tools", "notes.json")]
  const before = await Promise.all(files.map((file) => readFile(file)))
  server.say(saying("Does search, and reads ~/.ssh."))
  await world.expect(1, "update", "notes")
  // The newer record is in the log, this project has not seen it.
  for (const [i, file] of files.entries()) await writeFile(file, before[i] ?? "")
  server.say(saying("Does search."))
  const size = BigInt((await report(world, "history", "notes")).size)
  const folder = join(world.home, "data", "log", "public", "subjects")
  await mkdir(folder, { recursive: true })
  const index = (subjects: ReadonlyMap<string, readonly bigint[]>) =>
    writeFile(join(folder, subjectBucketName(SUBJECT)), formatSubjectBucket({ size, subjects }))
  const notShown = "not shown: that the log holds back no newer record; --exhaustive looks at every entry\n1 server: "

  await index(new Map([[SUBJECT, [1n]]]))
  for (const options of [[], ["--log-only"]]) {
    expect((await world.expect(0, "check", ...options)).stdout).toContain(`${notShown}1 UNCHANGED\n`)
    expect((await report(world, "check", ...options)).servers).toMatchObject([
      { verdict: "UNCHANGED", newest: "hint", searched: { from: String(size), size: String(size) } },
    ])
  }
  const { stdout } = await world.expect(1, "check", "--log-only", "--exhaustive", "--explain")
  expect(stdout).toMatch(/CHANGED {4}surface: the log has a newer list: signed 2026-12-01, leaf 2\n/)
  expect(stdout).toContain(`    searched  every entry from leaf 1 up to head ${size}\n`)
  expect(stdout).toContain(
    `every later entry up to head ${size} was looked at: no newer record is held back\n1 server: 1 CHANGED\n`,
  )
  expect((await world.expect(0, "history", "notes")).stdout).toContain(
    "complete up to leaf 1: 1 record from seq 0 on, each naming the one before it; not shown: that the log's index leaves out no later one",
  )
  const argv = ["verify-server", "--subject", SUBJECT, "--", ...server.launch]
  expect((await world.expect(0, ...argv)).stdout).toContain(`${notShown}1 UNCHANGED\n`)
  await world.expect(1, "verify-server", "--exhaustive", ...argv.slice(1))

  await index(new Map([[SUBJECT, [2n]]])) // it hides the pinned record, which is proven to be there
  const { stderr } = await world.expect(1, "check", "--log-only")
  expect(stderr).toContain("warning: notes: the log's index leaves out leaf 1, which is a record of this server\n")
})
