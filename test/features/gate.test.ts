// The gate lets pass what is known and less grave; whatever else a CHANGED may be, it stays a finding.
import { describe, expect, test } from "vitest"
import { SEVERITIES, type Severity } from "../../src/core/severity.js"
import { type Change, exitCodeOfServer, type ServerVerdict } from "../../src/core/verdict.js"
import { applyGate, type FailOn } from "../../src/features/gate.js"

const change = (severity?: Severity): Change => ({
  ...{ section: "tools", item: "a", kind: "changed", from: null, pointer: "/description", before: "a", after: "b" },
  ...(severity === undefined ? {} : { severity, rule: "description.changed" }),
})

const server = (changes: readonly Change[], over: Partial<ServerVerdict> = {}): ServerVerdict => ({
  ...{ name: "notes", subject: null, version: null, verdict: "CHANGED", reason: "surface", detail: null },
  ...{ compared: ["lock", "live"], covered: [], notCovered: [], head: null, record: null, newest: null, pin: null },
  ...{ items: {}, changes, warnings: [], ...over },
})

const gate = (failOn: Severity): FailOn => ({ failOn, source: "--fail-on" })

describe("applyGate", () => {
  test.each(SEVERITIES.flatMap((failOn) => SEVERITIES.map((gravest) => ({ failOn, gravest }))))(
    "a $gravest change under $failOn",
    ({ failOn, gravest }) => {
      const isLess = SEVERITIES.indexOf(gravest) > SEVERITIES.indexOf(failOn)
      const judged = applyGate(server([change("info"), change(gravest)]), gate(failOn))
      // Two changes: the info one never hides the other.
      const expected = isLess && !(failOn === "info")
      expect(exitCodeOfServer(judged)).toBe(expected ? 0 : 1)
      expect(judged.verdict).toBe("CHANGED")
      expect(judged.lowered).toEqual(expected ? { failOn, gravest, source: "--fail-on" } : undefined)
    },
  )

  test.each([
    { what: "a change that is not graded", one: server([change("info"), change()]) },
    { what: "a change of which nothing is known", one: server([]) },
    { what: "what waits for approval", one: server([change("info")], { reason: "unapproved" }) },
    { what: "another launch line", one: server([change("info")], { reason: "target" }) },
    { what: "evidence that fails", one: server([change("info")], { verdict: "REJECTED" }) },
    { what: "no answer", one: server([change("info")], { verdict: "UNKNOWN" }) },
  ])("never $what", ({ one }) => {
    expect(applyGate(one, gate("critical"))).toBe(one)
    expect(exitCodeOfServer(one)).toBeGreaterThan(0)
  })

  test("without a gate every change is a finding", () => {
    expect(exitCodeOfServer(applyGate(server([change("info")]), null))).toBe(1)
  })
})
