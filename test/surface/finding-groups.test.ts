// Findings for people: what many items share is told once, the rest by item, gravest first; no finding is lost.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SEVERITIES } from "../../src/core/severity.js"
import type { Finding } from "../../src/surface/finding.js"
import { groupFindings } from "../../src/surface/groups.js"

const finding = (item: string | null, more: Partial<Finding> = {}): Finding => ({
  ...{ section: "tools", item, pointer: "/description", rule: "no-description", severity: "low" },
  ...{ message: "it says nothing", ...more },
})

describe("groupFindings", () => {
  test("tells once what three items share, and by item what two do", () => {
    const shared = groupFindings(["a", "b", "c"].map((item) => finding(item)))
    expect(shared).toMatchObject([{ section: "tools", items: ["a", "b", "c"], findings: [{ item: "a" }] }])
    expect(groupFindings(["a", "b"].map((item) => finding(item))).map(({ items }) => items)).toEqual([["a"], ["b"]])
  })

  test("joins several that the same items share", () => {
    const both = ["a", "b", "c"].flatMap((item) => [finding(item), finding(item, { pointer: "/title" })])
    expect(groupFindings(both)).toMatchObject([
      { items: ["a", "b", "c"], findings: [{ pointer: "/description" }, { pointer: "/title" }] },
    ])
  })

  test.each([
    { name: "severity", more: { severity: "high" } },
    { name: "message", more: { message: "another" } },
    { name: "pointer", more: { pointer: "/title" } },
    { name: "decoded text", more: { decoded: "x" } },
    { name: "section", more: { section: "prompts" } },
  ] as const)("keeps apart what differs in $name", ({ more }) => {
    expect(groupFindings([finding("a"), finding("b"), finding("c", more)])).toHaveLength(3)
  })

  test("puts the group with the gravest first, and never joins what is on no item", () => {
    const lists = [finding(null, { pointer: "" }), finding(null, { pointer: "" }), finding(null, { pointer: "" })]
    const groups = groupFindings([...lists, finding("a", { severity: "critical" })])
    expect(groups.map(({ items, findings }) => [items, findings.length])).toEqual([
      [["a"], 1],
      [[null], 3],
    ])
  })

  test("loses none: items times findings of all groups are as many as there were", () => {
    const arbFinding = fc
      .record({ item: fc.constantFrom("a", "b", "c", "d", "\ud800"), severity: fc.constantFrom(...SEVERITIES) })
      .map(({ item, severity }) => finding(item, { severity }))
    fc.assert(
      fc.property(fc.uniqueArray(arbFinding, { selector: ({ item, severity }) => `${item} ${severity}` }), (all) => {
        const told = groupFindings(all).flatMap(({ items, findings }) =>
          items.flatMap((item) => findings.map(({ severity }) => `${item} ${severity}`)),
        )
        expect(told.sort()).toEqual(all.map(({ item, severity }) => `${item} ${severity}`).sort())
      }),
    )
  })
})
