// One table from what reading a server ends in to an answer, and what is told of the circumstances.
import { describe, expect, test } from "vitest"
import { ERROR_KINDS, type ErrorCode, ToolsumError } from "../../src/core/errors.js"
import { answerLive, listCircumstances } from "../../src/features/live-answer.js"
import { readingOf } from "../fakes/readings.js"

const fail = (error: Error) => answerLive(() => Promise.reject(error))

describe("errors of a reading", () => {
  const reasons = {
    TARGET_NOT_ACCEPTED: "target_not_accepted",
    TIMEOUT: "timeout",
    PROTOCOL_MALFORMED: "malformed",
    JSON_MALFORMED: "malformed",
    SURFACE_MALFORMED: "malformed",
    STATE_CORRUPT: "malformed",
    READING_INCOMPLETE: "incomplete",
    READING_UNSTABLE: "unstable",
    SERVER_REDIRECTED: "redirected",
    PROFILE_MISMATCH: "profile_mismatch",
  } as const

  test.each(Object.keys(ERROR_KINDS) as ErrorCode[])("%s is an answer", async (code) => {
    const answer = await fail(new ToolsumError(code, "why"))
    if (code === "SERVER_AUTH") expect(answer).toMatchObject({ kind: "auth", reason: "why" })
    else {
      const reason = (reasons as Partial<Record<ErrorCode, string>>)[code] ?? "server_unreachable"
      expect(answer).toEqual({ kind: "unknown", reason, detail: "why" })
    }
  })

  test.each([
    {
      wants: "a bearer token for https://auth.example",
      says: "the server wants credentials: a bearer token for https://auth.example",
    },
    { wants: "", says: "the server wants credentials" },
    { wants: undefined, says: "the server wants credentials" },
  ])("a server that wants $wants", async ({ wants, says }) => {
    const evidence = wants === undefined ? {} : { evidence: { wants } }
    const answer = await fail(new ToolsumError("SERVER_AUTH", "refused", evidence))
    expect(answer).toEqual({ kind: "auth", reason: "refused", detail: says })
  })

  test("a variable that is not set is nothing that the server wants", async () => {
    const answer = await fail(new ToolsumError("SERVER_AUTH", "missing: NOTES_FILE"))
    expect(answer).toMatchObject({ reason: "missing: NOTES_FILE", detail: expect.stringContaining("not set here") })
  })

  test("a fault of ours is thrown", async () => {
    await expect(fail(new TypeError("ours"))).rejects.toThrow(TypeError)
  })

  test("what the caller makes of a reading is handed on", async () => {
    expect(await answerLive(async () => 7)).toEqual({ kind: "read", value: 7 })
  })
})

describe("circumstances", () => {
  const hash = (letter: string) => `sha512-${letter.repeat(8)}`
  const now = readingOf(
    {},
    {
      read: {
        platform: "linux",
        node: "22.1.0",
        protocol: "2025-11-25",
        dependencies: "sha256:ab",
        integrity: hash("b"),
      },
      resolved: { version: "2.0.0", integrity: null },
    },
  )

  test.each<{ name: string; before: Parameters<typeof listCircumstances>[0]; says: readonly string[] }>([
    { name: "nothing is known", before: { read: {}, version: "-" }, says: [] },
    { name: "all is as it was", before: { read: now.read, version: "2.0.0" }, says: [] },
    {
      name: "everything moved",
      before: {
        read: {
          platform: "darwin",
          node: "20.20.2",
          protocol: "2025-06-18",
          dependencies: "sha256:cd",
          integrity: hash("a"),
        },
        version: "1.0.0",
      },
      says: [
        "version 2.0.0 instead of 1.0.0",
        "platform linux instead of darwin",
        "node 22.1.0 instead of 20.20.2",
        "protocol 2025-11-25 instead of 2025-06-18",
        "other dependencies",
        "other integrity",
      ],
    },
    { name: "a member is no text", before: { read: { node: { v: 20 } }, version: "-" }, says: ["other node"] },
  ])("$name", ({ before, says }) => {
    expect(listCircumstances(before, now)).toEqual(says)
  })

  test("a version that could not be resolved is no other one", () => {
    expect(listCircumstances({ read: {}, version: "1.0.0" }, readingOf({}))).toEqual([])
  })
})
