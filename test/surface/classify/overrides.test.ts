// A person's word on a class: it lowers the tier and nothing else, and is told where it does nothing.
import { expect, test } from "vitest"
import { analyseSurface } from "../../../src/surface/analysis.js"
import type { Tier } from "../../../src/surface/classify/classify.js"
import { classify, surfaceOf } from "./support.js"

const FETCH = { name: "fetch_page", description: "Fetch a page.", takes: { url: { type: "string" } } }

const override = (tier: Tier, tool = "fetch_page") => ({ tool, tier, reason: "only our intranet", until: "2027-03-01" })

test("it lowers the tier; kinds, reasons and what was found stay", () => {
  const [plain] = classify([FETCH]).tools
  const [lowered] = classify([FETCH], [override("R1")]).tools
  expect(lowered).toEqual({ ...plain, tier: "R1", override: override("R1") })
  expect(lowered).toMatchObject({ found: "R4", kinds: ["egress"] })
})

test.each(["R4", "R5"] as const)("it never raises, not to %s either", (tier) => {
  expect(classify([FETCH], [override(tier)])).toEqual(classify([FETCH]))
})

test("it does not take a tool out of the chain", () => {
  expect(classify([FETCH, { name: "read_inbox" }], [override("R0")]).chain).not.toBeNull()
})

const rulesOf = (options: Parameters<typeof analyseSurface>[1]) =>
  analyseSurface(surfaceOf(FETCH), options)
    .findings.filter(({ rule }) => rule.startsWith("class."))
    .map(({ rule, item, severity }) => [rule, item, severity])

test.each([
  ["one that counts is no finding", { overrides: [override("R1")] }, []],
  ["no tool of the name", { overrides: [override("R1", "fetch")] }, [["class.override-unknown", "fetch", "low"]]],
  ["nothing to lower", { overrides: [override("R4")] }, [["class.override-idle", "fetch_page", "info"]]],
  ["run out", { expiredOverrides: [override("R1")] }, [["class.override-expired", "fetch_page", "low"]]],
])("%s", (_, options, expected) => {
  expect(rulesOf(options)).toEqual(expected)
})

test("one that ran out counts no more", () => {
  const { classes } = analyseSurface(surfaceOf(FETCH), { expiredOverrides: [override("R1")] })
  expect(classes).toEqual(classify([FETCH]))
})

test("the chain is a finding about the list", () => {
  const { findings } = analyseSurface(surfaceOf(FETCH, { name: "read_inbox", description: "Read the inbox." }))
  expect(findings).toContainEqual(
    expect.objectContaining({ rule: "class.chain", section: "tools", item: null, pointer: "", severity: "medium" }),
  )
})
