import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatLockfile } from "../../src/core/lockfile.js"
import { describeShared, readShared } from "../shared.js"
import { arbLockfile } from "./arbitrary-lockfile.js"
import { LOCKFILE } from "./fixtures/lockfile.js"

const schema = JSON.parse(readFileSync(new URL("../../schemas/toolsum-lock.schema.json", import.meta.url), "utf8"))
const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true }).compile(
  schema,
)

/** What a reader refuses and a schema cannot see, besides text that is no JSON. */
const INVISIBLE = new Set([
  "index of 2^63",
  "head names none of the heads",
  "log names none of the logs",
  "link sizes reversed",
  "removed and pinned at once",
  "target env unsorted",
  "target: headers differ in case only",
  "mask over a whole description",
])

interface Vectors {
  bases: Record<string, string>
  cases: { desc: string; of: string; splice: [number, number, string]; expect: { error: string | null } }[]
}

describeShared("lockfile vectors against the schema", () => {
  const { bases, cases } = JSON.parse(readShared("vectors/toolsum/lockfiles.json")) as Vectors

  test.each(Object.keys(bases))("base %s fits", (name) => {
    expect(validate(JSON.parse(bases[name] ?? "")), JSON.stringify(validate.errors)).toBe(true)
  })

  test.each(cases)("$desc", (c) => {
    const [at, remove, insert] = c.splice
    const base = bases[c.of] ?? ""
    const text = base.slice(0, at) + insert + base.slice(at + remove)
    const value = readLoosely(text)
    const refused = c.expect.error === "LOCKFILE_MALFORMED" && !INVISIBLE.has(c.desc)
    if (value !== undefined && !c.desc.startsWith("duplicate JSON name")) expect(validate(value)).toBe(!refused)
  })
})

function readLoosely(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

describe("schema", () => {
  test("the fixture fits", () => expect(validate(LOCKFILE), JSON.stringify(validate.errors)).toBe(true))

  test("whatever is written fits", () =>
    fc.assert(
      fc.property(arbLockfile, (lockfile) => {
        expect(validate(JSON.parse(formatLockfile(lockfile))), JSON.stringify(validate.errors)).toBe(true)
      }),
    ))
})
