import { expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { formatEvidence } from "../../src/features/evidence.js"
import { failureOf, logOf, seen, verifyForkEvidence } from "../fakes/client-world.js"
import { makeLegionLog } from "../fakes/legion-log.js"

/** The error of a reader who saw a log at size 5 and is then served another tree of size 7. */
async function forkError(): Promise<{ error: ToolsumError; origin: string }> {
  const log = logOf(5)
  const world = await seen(log, 5n)
  const fork = log.fork(3n).append("other 3", "other 4", "other 5", "other 6")
  return { error: await failureOf(world.open({ source: fork })), origin: log.origin }
}

test("a fork becomes a file that stands by itself", async () => {
  const { error, origin } = await forkError()
  const file = formatEvidence(error, origin)
  expect(file?.name).toMatch(/^[0-9a-f]{16}-5-7\.tlog-fork$/)
  const { format, code, origin: named, why, ...evidence } = JSON.parse(file?.text ?? "")
  expect({ format, code, named, why }).toEqual({
    format: "toolsum-fork/v1",
    code: "LOG_INCONSISTENT",
    named: origin,
    why: error.message,
  })
  verifyForkEvidence(new ToolsumError(code, why, { evidence }))
})

test("a rollback too, by both heads", async () => {
  const log = logOf(5)
  log.local = true
  const world = await seen(log, 5n)
  log.servedSize = 3n
  const error = await failureOf(world.open())
  expect(error.code).toBe("LOG_ROLLBACK")
  expect(formatEvidence(error, log.origin)?.name).toMatch(/-3-5\.tlog-fork$/)
})

test("two keyrings of one version are named by it", async () => {
  const log = logOf(1)
  const [first = ""] = log.keyrings
  const error = new ToolsumError("LOG_INCONSISTENT", "fork", { evidence: { a: first, b: first } })
  expect(formatEvidence(error, log.origin)?.name).toMatch(/-k1-k1\.tlog-fork$/)
})

test("two heads of a LEGION log", async () => {
  const log = makeLegionLog([
    { serverId: "io.test/one", tools: [] },
    { serverId: "io.test/two", tools: [] },
  ])
  const [a, b] = [JSON.stringify(log.head(1)), JSON.stringify(log.head(2))]
  const error = new ToolsumError("CONSISTENCY_INVALID", "rewritten", { evidence: { a, b, keyrings: "[]" } })
  const file = formatEvidence(error, "log.test/legion")
  expect(file?.name).toMatch(/^[0-9a-f]{16}-1-2\.tlog-fork$/)
  expect(JSON.parse(file?.text ?? "")).toMatchObject({ code: "CONSISTENCY_INVALID", a, b, keyrings: "[]" })
})

test.each([
  { name: "without evidence", error: new ToolsumError("LOG_INCONSISTENT", "fork") },
  { name: "with other evidence", error: new ToolsumError("LOG_INCONSISTENT", "fork", { evidence: { stderr: "x" } }) },
  { name: "of another kind", error: new ToolsumError("LOG_BEHIND", "late", { evidence: { a: "x", b: "y" } }) },
])("an error $name leaves no file", ({ error }) => {
  expect(formatEvidence(error, "log.example")).toBeNull()
})
