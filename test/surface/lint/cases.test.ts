// The invented cases, as far as lint goes: what it must find and, where nothing may be found, that it does
// not. The classes of tools are those that the cases want.
import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { ToolsumError } from "../../../src/core/errors.js"
import { isObject, type JsonValue, parseJson } from "../../../src/core/json.js"
import { formatPointer, parsePointer } from "../../../src/core/pointer.js"
import { parseSurface } from "../../../src/core/section.js"
import type { ToolClass } from "../../../src/surface/classify/classify.js"
import { lintSurface } from "../../../src/surface/lint/lint.js"
import { LINT_RULES } from "../../../src/surface/lint/rules.js"
import { describeShared, hasShared, readShared, sharedPath } from "../../shared.js"
import { toolClass } from "./support.js"

interface Expected {
  readonly pointer: string
  readonly rule: string
  readonly severity: string
  readonly like?: string
  readonly other?: string
  readonly target?: string
}

interface Case {
  readonly id: string
  readonly afterRaw?: string
  readonly others?: readonly { readonly server: string }[]
  readonly expect: {
    readonly verdict?: string
    readonly findings?: readonly Expected[]
    readonly class?: Readonly<Record<string, Pick<ToolClass, "tier" | "kinds">>>
  }
}

const cases = (hasShared ? readdirSync(sharedPath("cases/surface")) : [])
  .filter((file) => file.endsWith(".json"))
  .map((file) => readShared(`cases/surface/${file}`))
  .map((text) => ({ text, ...(JSON.parse(text) as Case) }))
  .filter(({ expect: { verdict, findings } }) => findings !== undefined && verdict !== "refused")

const MEMBERS: Readonly<Record<string, string>> = { templates: "resourceTemplates", server: "serverInfo" }

const memberOf = (value: JsonValue | undefined, name: string): JsonValue =>
  isObject(value) ? (value[name] ?? null) : null

describeShared("invented cases", () => {
  test.each(cases)("$id", ({ text, afterRaw, others = [], expect: { findings = [], class: classes = {} } }) => {
    const document = parseJson(text)
    const listed = memberOf(document, "others")
    const tools = Object.entries(classes).map(([item, wanted]) => toolClass(item, wanted))
    const found = lintSurface(
      parseSurface(afterRaw === undefined ? memberOf(document, "after") : parseJson(afterRaw)),
      { tools, chain: null },
      {
        others: others.map(({ server }, i) => ({
          name: server,
          surface: parseSurface(memberOf(Array.isArray(listed) ? listed[i] : undefined, "after")),
        })),
      },
    )
    expect(
      found.map(({ section, item, pointer, rule, severity, like, other, target }) => ({
        pointer: formatPointer([MEMBERS[section] ?? section, ...(item === null ? [] : [item]), ...tokens(pointer)]),
        rule,
        severity,
        ...(like === undefined ? {} : { like }),
        ...(other === undefined ? {} : { other }),
        ...(target === undefined ? {} : { target }),
      })),
    ).toEqual(findings.filter(({ rule }) => rule in LINT_RULES))
  })
})

const tokens = (pointer: string): readonly string[] => parsePointer(pointer, (why) => new ToolsumError("USAGE", why))
