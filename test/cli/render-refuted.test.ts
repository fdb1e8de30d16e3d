import { expect, test } from "vitest"
import { refutedMember, renderRefuted } from "../../src/cli/render-refuted.js"
import { ToolsumError } from "../../src/core/errors.js"

test("nothing from a refuted log reaches the terminal unescaped", () => {
  const error = new ToolsumError("LOG_ROLLBACK", "rollback \u001b[2J\n; evidence: a\u202eb")
  expect(renderRefuted({ origin: "log\u200b.example", error })).toBe(
    'log "log\\u200b.example": rollback \\u001b[2J\\u000a; evidence: a\\u202eb\n',
  )
})

test("a document has all of the evidence, and none where there is none", () => {
  const evidence = { a: "note\n", b: "other\n", keyrings: "[]" }
  const fork = new ToolsumError("LOG_INCONSISTENT", "fork", { evidence })
  expect(refutedMember({ origin: "log.example", error: fork })).toMatchObject({ code: "LOG_INCONSISTENT", evidence })
  const unsigned = new ToolsumError("SIGNATURE_INVALID", "no good signature")
  expect(refutedMember({ origin: "log.example", error: unsigned })).toMatchObject({ evidence: {} })
})
