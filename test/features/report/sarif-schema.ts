// The official SARIF 2.1.0 schema (draft-04), as GitHub takes it, and what it cannot say: relative addresses, results that point somewhere.
import { createRequire } from "node:module"
import { Ajv } from "ajv"
import { expect } from "vitest"

const {
  id: _,
  $schema: __,
  ...schema
} = createRequire(import.meta.url)("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json") as Readonly<
  Record<string, unknown>
>

const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, allErrors: true }).compile(
  schema,
)

/** The parts of a log that tests look at. */
export interface SarifLog {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly version: string; readonly rules: readonly SarifRule[] } }
      readonly invocations: readonly [
        {
          readonly executionSuccessful: boolean
          readonly exitCode: number
          readonly toolExecutionNotifications?: readonly unknown[]
        },
      ]
      readonly results: readonly SarifResult[]
    },
  ]
}

export interface SarifRule {
  readonly id: string
  readonly properties: Readonly<Record<string, unknown>>
}

export interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string; readonly uriBaseId: string }
        readonly region: { readonly startLine: number }
      }
      readonly logicalLocations: readonly [{ readonly fullyQualifiedName: string }]
    },
  ]
  readonly partialFingerprints: Readonly<Record<string, string>>
}

/** Check a text as a SARIF log of ours. */
export function checkSarif(text: string): SarifLog {
  const log = JSON.parse(text) as SarifLog
  expect(validate(log), JSON.stringify(validate.errors?.slice(0, 5), null, 1)).toBe(true)
  const { results, tool } = log.runs[0]
  for (const result of results) {
    expect(tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId)
    const { uri } = result.locations[0].physicalLocation.artifactLocation
    expect(uri).toMatch(/^(?!\/)(?:[A-Za-z0-9!'()*~._/-]|%[0-9A-F]{2})+$/)
    expect(uri.split("/")).not.toContain("..")
    expect(result.message.text).not.toMatch(/\]\(|\{\d/)
    expect(result.message.text).not.toMatch(/\p{C}/u)
  }
  return log
}
