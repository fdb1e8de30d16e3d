import { expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { type Pin, parseLockfile } from "../../src/core/lockfile.js"
import { parseRootArgument } from "../../src/core/root.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { describeShared, hasShared } from "../shared.js"
import {
  bindingReason,
  definitionTexts,
  type LockfileCase,
  lockfileText,
  readLockfileVectors,
} from "./lockfile-vectors.js"

const vectors = hasShared ? readLockfileVectors() : { bases: {}, definitions: {}, cases: [] }

function judge(c: LockfileCase) {
  const definitions = definitionTexts(vectors, c)
  return verifyLockfile({
    lockfile: parseLockfile(lockfileText(vectors, c)),
    roots: c.roots.map((root) => ({ ...parseRootArgument(root), source: "flag" })),
    nowSec: 1796100000n,
    underBase: c.underBase ?? false,
    ...(definitions
      ? {
          definitions: Object.fromEntries(
            Object.entries(definitions).map(([name, text]) => [name, text === null ? null : encodeUtf8(text)]),
          ),
        }
      : {}),
  })
}

describeShared("lockfile vectors", () => {
  // Configurations are no part of the core: the command's test runs those cases.
  test.each(vectors.cases.filter((c) => !c.configs))("$desc", (c) => {
    if (c.expect.error) {
      expect(() => judge(c)).toThrow(expect.objectContaining({ code: c.expect.error }))
      return
    }
    const report = judge(c)
    const got = Object.fromEntries(
      report.servers.map((s) => [s.name, { verdict: s.verdict, reason: bindingReason(s.verdict, s.reason) }]),
    )
    const wanted = Object.fromEntries(
      Object.entries(c.expect.servers).map(([name, s]) => [
        name,
        { verdict: s.verdict, reason: bindingReason(s.verdict, s.reason) },
      ]),
    )
    expect(got, report.servers.map((s) => `${s.name}: ${s.detail}`).join("\n")).toEqual(wanted)
    expect(report.exitCode).toBe(c.expect.exitCode)
    expect(report.warnings).toEqual(c.expect.warnings)
  })
})

test("an empty lockfile proves nothing", () => {
  const empty = parseLockfile('{"format":"toolsum-lock/v1","logs":{},"servers":{},"removed":{}}')
  expect(() => verifyLockfile({ lockfile: empty, roots: [], nowSec: 0n })).toThrow(ToolsumError)
})

describeShared("a pin called like a member of every object", () => {
  test("without definitions has none", () => {
    const c = vectors.cases.find(({ expect: { exitCode } }) => exitCode === 0) as LockfileCase
    const lockfile = parseLockfile(lockfileText(vectors, c))
    // A local subject is bound to the pin's name.
    const pin = Object.values(lockfile.servers).find(({ record }) => !record?.includes("\nsubject local:"))
    const roots = c.roots.map((root) => ({ ...parseRootArgument(root), source: "flag" as const }))
    const { servers } = verifyLockfile({
      lockfile: { ...lockfile, servers: { constructor: pin as Pin } },
      roots,
      definitions: {},
      nowSec: 1796100000n,
    })
    expect(servers).toMatchObject([{ verdict: "PROVEN", warnings: ["definitions_missing:constructor"] }])
  })
})
