// Arbitrary well-formed targets for properties.
import fc from "fast-check"
import { compareUtf8 } from "../../src/core/bytes.js"
import type { CommandTarget, Target, UrlTarget } from "../../src/core/target.js"

/** Well-formed text of any characters but NUL. */
export const arbText = fc
  .string({
    unit: fc.oneof(fc.constantFrom(...'abc $-/"\\\n\u2028\u{1f600}é\u202e'), fc.string({ unit: "binary-ascii" })),
  })
  .map((text) => text.replaceAll("\0", ""))

/** A template: text with dollar signs written as `$$`. */
const arbTemplate = arbText.map((text) => text.replaceAll("$", "$$$$"))

const arbFilled = arbText.map((text) => text || "x")
const arbName = fc
  .string({ unit: fc.constantFrom(..."ABC_xyz01"), minLength: 1, maxLength: 8 })
  .map((name) => name.replace(/^[01]/, "_"))

const arbCommandTarget: fc.Arbitrary<CommandTarget> = fc
  .record({
    command: fc.oneof(fc.constantFrom("npx", "uvx", "docker", "node"), arbFilled),
    args: fc.array(arbTemplate, { maxLength: 4 }),
    env: fc.uniqueArray(arbName, { maxLength: 3 }).map((names) => names.sort(compareUtf8)),
    cwd: fc.option(arbFilled, { nil: undefined }),
  })
  .map(({ cwd, ...rest }) => (cwd === undefined ? rest : { ...rest, cwd }))

const arbHeaders = fc
  .uniqueArray(fc.tuple(fc.string({ unit: fc.constantFrom(..."AZaz-_09"), minLength: 1 }), arbTemplate), {
    selector: ([name]) => name.toLowerCase(),
    maxLength: 3,
  })
  .map((entries) => {
    const headers: Record<string, string> = Object.create(null)
    for (const [name, value] of entries) headers[name] = value.replace(/[\r\n]/g, "")
    return headers
  })

const arbUrlTarget: fc.Arbitrary<UrlTarget> = fc.record({
  url: fc.oneof(fc.webUrl({ withQueryParameters: true }), arbFilled).map((url) => url.replaceAll("$", "$$$$")),
  headers: arbHeaders,
})

/** A well-formed target of a pin: its templates can be used; header records have no prototype, as the parser makes them. */
export const arbTarget: fc.Arbitrary<Target> = fc.oneof(arbCommandTarget, arbUrlTarget)
