import { expect, test } from "vitest"
import { ToolsumError } from "../../../src/core/errors.js"
import { createPatientSource, MAX_FAILURES_IN_A_ROW } from "../../../src/features/audit/patience.js"
import type { LogSource } from "../../../src/ports.js"

/** A source that answers as `answer` says, and counts how often it was asked. */
function countingSource(local: boolean, answer: (asked: number) => boolean): LogSource & { asked: () => number } {
  let asked = 0
  return {
    location: "https://log.example.com/",
    local,
    asked: () => asked,
    read: async () => {
      asked++
      if (answer(asked)) return new Uint8Array(1)
      throw new ToolsumError("LOG_UNAVAILABLE", "no answer")
    },
  }
}

const readAll = async (source: LogSource, times: number): Promise<readonly string[]> => {
  const codes: string[] = []
  for (let i = 0; i < times; i++) {
    const answer = await source.read("checkpoint", 10).catch((error: unknown) => error)
    codes.push(answer instanceof ToolsumError ? answer.code : "bytes")
  }
  return codes
}

test("a log that answers nothing is not asked any more", async () => {
  const source = countingSource(false, () => false)
  expect(new Set(await readAll(createPatientSource(source), 100))).toEqual(new Set(["LOG_UNAVAILABLE"]))
  expect(source.asked()).toBe(MAX_FAILURES_IN_A_ROW)
})

test("one that fails now and then is asked for everything", async () => {
  const source = countingSource(false, (asked) => asked % MAX_FAILURES_IN_A_ROW === 0)
  const codes = await readAll(createPatientSource(source), 100)
  expect(source.asked()).toBe(100)
  expect(codes.filter((code) => code === "bytes").length).toBe(Math.floor(100 / MAX_FAILURES_IN_A_ROW))
})

test("a folder is asked for everything", async () => {
  const source = countingSource(true, () => false)
  await readAll(createPatientSource(source), 100)
  expect(source.asked()).toBe(100)
})
