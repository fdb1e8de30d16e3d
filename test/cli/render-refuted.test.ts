import { describe, expect, test } from "vitest"
import { refutedMember, renderRefuted } from "../../src/cli/render-refuted.js"
import { ToolsumError } from "../../src/core/errors.js"

const note = (size: number) => `log.example\n${size}\nroot=\n\n— log.example sig=\n`
const fork = new ToolsumError("LOG_INCONSISTENT", "fork: two trees", {
  evidence: { a: note(7), b: note(9), keyrings: '["…"]', proof: "" },
})

describe("a log that is caught lying", () => {
  test("its two notes are shown line by line behind a bar, the smaller tree first", () => {
    const lines = renderRefuted({ origin: "log.example", error: fork }).split("\n")
    expect(lines.slice(0, 4)).toEqual(["", "log log.example", "  fork: two trees", "  It signed this:"])
    expect(lines.filter((line) => line.startsWith("    │"))).toEqual(
      [7, 9].flatMap((n) => ["    │ log.example", `    │ ${n}`, "    │ root=", "    │", "    │ — log.example sig="]),
    )
  })

  test("nothing from it reaches the terminal unescaped", () => {
    const error = new ToolsumError("LOG_ROLLBACK", "rollback \u001b[2J", {
      evidence: { a: "a\u202eb\n", b: "\u0007\n" },
    })
    const text = renderRefuted({ origin: "log\u200b.example", error })
    expect(text).not.toMatch(/[^\n -~│—…]/)
    expect(text).toContain("a\\u202eb")
  })

  test("what refutes it without two notes is shown by its message", () => {
    const error = new ToolsumError("SIGNATURE_INVALID", "no good signature")
    expect(renderRefuted({ origin: "log.example", error })).toBe("\nlog log.example\n  no good signature\n")
    expect(refutedMember({ origin: "log.example", error })).toEqual({
      log: "log.example",
      code: "SIGNATURE_INVALID",
      message: "no good signature",
      evidence: {},
    })
  })

  test("a document has all of the evidence", () => {
    expect(refutedMember({ origin: "log.example", error: fork })).toMatchObject({ evidence: fork.evidence })
  })
})
