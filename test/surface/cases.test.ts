// The invented cases, each as the corpus's README wants it: the verdict, the set of (pointer, kind), the set of (pointer, rule), severities
// (exact for critical and high, within one step below) and classes.
import { expect, test } from "vitest"
import { isAtLeast, SEVERITIES, type Severity } from "../../src/core/severity.js"
import { describeShared } from "../shared.js"
import { CASES, type Case, type Expectation, judgeCase } from "./corpus.js"

const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort()

const isClose = (wanted: Severity, got: Severity): boolean =>
  isAtLeast(wanted, "high") || isAtLeast(got, "high")
    ? wanted === got
    : Math.abs(SEVERITIES.indexOf(wanted) - SEVERITIES.indexOf(got)) <= 1

interface Placed {
  readonly pointer: string
  readonly severity: Severity
}

function expectSeverities<T extends Placed>(wanted: readonly T[], got: readonly T[], key: (one: T) => string): void {
  const far = wanted.flatMap((one) => {
    const match = got.filter((other) => key(other) === key(one))
    return match.some(({ severity }) => isClose(one.severity, severity)) ? [] : [{ wanted: one, got: match }]
  })
  expect(far).toEqual([])
}

async function expectCase({ expect: wanted, ...one }: Case): Promise<void> {
  const got = await judgeCase({ ...one, expect: wanted })
  if (wanted.verdict !== undefined) expect(got.verdict).toBe(wanted.verdict)
  const kindOf = ({ pointer, kind }: NonNullable<Expectation["changes"]>[number]) => `${pointer} ${kind}`
  const ruleOf = ({ pointer, rule }: NonNullable<Expectation["findings"]>[number]) => `${pointer} ${rule}`
  const [changes, findings] = [got.changes ?? [], got.findings ?? []]
  if (wanted.changes !== undefined) {
    expect(sorted(changes.map(kindOf))).toEqual(sorted(wanted.changes.map(kindOf)))
    expectSeverities(wanted.changes, changes, kindOf)
    expect(changes.map(({ was }) => was).filter(Boolean)).toEqual(wanted.changes.map(({ was }) => was).filter(Boolean))
  }
  if (wanted.findings !== undefined) {
    expect(sorted(findings.map(ruleOf))).toEqual(sorted(wanted.findings.map(ruleOf)))
    expectSeverities(wanted.findings, findings, ruleOf)
    for (const { severity: _, ...details } of wanted.findings)
      expect(findings).toContainEqual(expect.objectContaining(details))
  }
  for (const [tool, { tier, kinds }] of Object.entries(wanted.class ?? {})) {
    expect(got.class?.[tool]?.tier).toBe(tier)
    expect(sorted(got.class?.[tool]?.kinds ?? [])).toEqual(sorted(kinds))
  }
}

describeShared("invented cases", () => {
  test("there are 97", () => {
    expect(CASES.length).toBe(97)
  })

  test.each(CASES)("$id", expectCase)
})
