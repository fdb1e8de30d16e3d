// Fingerprints of the LEGION dialect: every case of the shared vectors, Python's spelling of floats, and archives.
import { execFileSync } from "node:child_process"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../../src/core/errors.js"
import { isArray, type JsonValue, parseJson } from "../../../src/core/json.js"
import { parseArchive, verifyArchive } from "../../../src/core/legion/archive.js"
import { computeFingerprint } from "../../../src/core/legion/fingerprint.js"
import { parseLegionJson } from "../../../src/core/legion/json.js"
import { formatPythonFloat, formatPythonJson } from "../../../src/core/legion/python-json.js"
import { type FingerprintVersion, fingerprintVersion } from "../../../src/core/legion/record.js"
import { formatArchive, toolOf } from "../../fakes/legion-log.js"
import { describeShared } from "../../shared.js"
import { expectRefusal, legionCases } from "./vectors.js"

interface Input {
  readonly tools: string
  readonly algo: string
  readonly rule: "observe" | "archive"
  readonly signed_sha256?: string
}
interface Expected {
  readonly expect_sha256?: string
  readonly expect_per_tool?: readonly [string, string][]
}

function listOf(text: string): readonly JsonValue[] {
  const list = parseLegionJson(text)
  if (!isArray(list)) throw new Error("expected a list")
  return list
}

/** What a reader of a record does with a list: its algorithm first. */
function fingerprint({ tools, algo, rule, signed_sha256: sha256 }: Input) {
  const version = fingerprintVersion(algo)
  if (version === null) throw new ToolsumError("RECORD_MALFORMED", "unknown algorithm")
  if (sha256 !== undefined) verifyArchive({ tools: listOf(tools), signed: { version, sha256, tools: new Map() } })
  return computeFingerprint({ tools: listOf(tools), version, rule })
}

describeShared("LEGION fingerprint vectors", () => {
  test.each(legionCases<Input, Expected>("fingerprint"))("$id: $desc", (one) => {
    if (one.expect === "reject") return expectRefusal(() => fingerprint(one.input), one)
    const { sha256, tools } = fingerprint(one.input)
    expect(sha256).toBe(one.expect_sha256)
    expect([...tools]).toEqual(one.expect_per_tool)
  })
})

describe("computeFingerprint", () => {
  const hash = (tool: string, version: FingerprintVersion = "v2") =>
    computeFingerprint({ tools: listOf(`[${tool}]`), version, rule: "observe" }).sha256

  test("v1 tells 12 from 12.0, v2 does not", () => {
    const [whole, decimal] = ["12", "12.0"].map((n) => `{"name":"a","inputSchema":{"x":${n}}}`) as [string, string]
    expect(hash(whole, "v1")).not.toBe(hash(decimal, "v1"))
    expect(hash(whole)).toBe(hash(decimal))
  })

  test("what Python takes for false stands for nothing", () => {
    const bare = hash('{"name":"a"}')
    for (const value of ["null", "false", "0", "0.0", "-0.0", '""', "[]", "{}"])
      expect(hash(`{"name":"a","description":${value},"inputSchema":${value}}`), value).toBe(bare)
    expect(hash('{"name":"a","description":true}')).not.toBe(bare)
    expect(hash('{"name":"a","inputSchema":[0]}')).not.toBe(bare)
  })

  test("what it does not cover changes nothing", () => {
    const bare = hash('{"name":"a","description":"d"}')
    expect(hash('{"name":"a","description":"d","title":"x","annotations":{"readOnlyHint":true},"_meta":{}}')).toBe(bare)
  })

  test.each([
    ["no object", "[1]"],
    ["no name", "[{}]"],
    ["a name that is a number", '[{"name":1}]'],
    ["a name twice", '[{"name":"a"},{"name":"a"}]'],
  ])("refuses a tool with %s", (_, text) =>
    expect(() => computeFingerprint({ tools: listOf(text), version: "v2", rule: "observe" })).toThrow(
      expect.objectContaining({ code: "SURFACE_MALFORMED" }),
    ),
  )
})

describe("archives", () => {
  const tools = [toolOf("b"), toolOf("a")]
  const signed = computeFingerprint({ tools, version: "v3", rule: "observe" })

  test("count when they hash back", () => {
    const definitions = verifyArchive({ tools: parseArchive(formatArchive(tools)), signed })
    expect([...definitions.keys()]).toEqual(["a", "b"])
  })

  test("are refused when they do not, or are no list", () => {
    const run = () => verifyArchive({ tools: parseArchive(formatArchive([toolOf("a")])), signed })
    expect(run).toThrow(expect.objectContaining({ code: "HASH_MISMATCH" }))
    expect(() => parseArchive('{"tools":{}}')).toThrow(expect.objectContaining({ code: "SURFACE_MALFORMED" }))
  })
})

describe("Python's JSON", () => {
  test.each<[number, string]>([
    [0, "0.0"],
    [-0, "-0.0"],
    [1, "1.0"],
    [-1.5, "-1.5"],
    [100, "100.0"],
    [0.0001, "0.0001"],
    [0.00001234, "1.234e-05"],
    [1e15, "1000000000000000.0"],
    [9999999999999998, "9999999999999998.0"],
    [1e16, "1e+16"],
    [1.5e300, "1.5e+300"],
    [5e-324, "5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [123456789.25, "123456789.25"],
  ])("writes %d as %s", (value, text) => expect(formatPythonFloat(value)).toBe(text))

  test("a float's text reads back as the same float, and never as an integer", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseLegionJson(formatPythonFloat(value))).toBe(value)
      }),
    )
  })

  const PYTHON = findPython()
  test.skipIf(PYTHON === null)("is what Python itself writes", () => {
    const numbers = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { numRuns: 2000, seed: 7 })
    const value = {
      floats: numbers,
      texts: ['\u2028\u007f\u0000\ud83d\ude00"\\/', "é"],
      "\ufb33": [],
      "😀": {},
      n: [1n, -(10n ** 30n)],
    }
    const sorted = formatPythonJson(value, { sort: true, indent: true })
    const program =
      "import json,sys;d=json.load(sys.stdin);sys.stdout.write(json.dumps(d,indent=1,sort_keys=True,ensure_ascii=False))"
    const again = execFileSync(PYTHON ?? "", ["-X", "utf8", "-c", program], { input: sorted, encoding: "utf8" })
    expect(sorted).toBe(again)
  })
})

function findPython(): string | null {
  try {
    execFileSync("python3", ["-c", ""])
    return "python3"
  } catch {
    return null
  }
}

test("with integers as bigints, the spelling decides the type and the canonical form stays", () => {
  const text = "[12,12.0,1e2,-0,-0.0,9007199254740993]"
  expect(parseJson(text, { integers: "bigint" })).toEqual([12n, 12, 100, 0n, -0, 9007199254740993n])
  expect(parseJson(text)).toEqual([12, 12, 100, 0, 0, 9007199254740993n])
})
