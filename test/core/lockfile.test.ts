import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { isOrigin } from "../../src/core/checkpoint.js"
import { formatLockfile, parseLockfile } from "../../src/core/lockfile.js"
import { verifyInclusion } from "../../src/core/merkle.js"
import { describeShared, readShared } from "../shared.js"
import { arbLockfile } from "./arbitrary-lockfile.js"
import { LOCKFILE } from "./fixtures/lockfile.js"

const malformed = expect.objectContaining({ code: "LOCKFILE_MALFORMED" })

interface Vectors {
  bases: Record<string, string>
  cases: { desc: string; of: string; splice: [number, number, string]; expect: { error: string | null } }[]
}

/** Bases that are not in the written form: other white space and order. */
const UNWRITTEN = ["good-4", "good-5"]

describeShared("lockfile vectors", () => {
  const { bases, cases } = JSON.parse(readShared("vectors/toolsum/lockfiles.json")) as Vectors
  const text = (c: Vectors["cases"][number]): string => {
    const base = bases[c.of] ?? ""
    const [at, remove, insert] = c.splice
    return base.slice(0, at) + insert + base.slice(at + remove)
  }

  test.each(cases.filter((c) => c.expect.error === "LOCKFILE_MALFORMED"))("refuses: $desc", (c) => {
    expect(() => parseLockfile(encodeUtf8(text(c)))).toThrow(malformed)
    expect(() => parseLockfile(text(c))).toThrow(malformed)
  })

  test.each(cases.filter((c) => c.expect.error !== "LOCKFILE_MALFORMED"))("reads: $desc", (c) => {
    const lockfile = parseLockfile(encodeUtf8(text(c)))
    expect(parseLockfile(formatLockfile(lockfile))).toEqual(lockfile)
  })

  test.each(Object.keys(bases))("writes base %s", (name) => {
    const base = bases[name] ?? ""
    expect(formatLockfile(parseLockfile(base)) === base).toBe(!UNWRITTEN.includes(name))
  })

  test("two spellings of one lockfile are written alike", () => {
    const [first, ...others] = ["good-1", ...UNWRITTEN].map((name) => formatLockfile(parseLockfile(bases[name] ?? "")))
    expect(others.length).toBe(2)
    expect(first).toBe(bases["good-1"])
  })
})

/** The message of the refusal of the fixture after an edit. */
function refusal(edit: (lockfile: Fixture) => unknown): string {
  const copy = structuredClone(LOCKFILE) as Fixture
  const edited = edit(copy) ?? copy
  try {
    parseLockfile(JSON.stringify(edited))
  } catch (error) {
    expect(error).toEqual(malformed)
    return (error as Error).message
  }
  return "read"
}

// biome-ignore lint/suspicious/noExplicitAny: edits put anything anywhere
type Fixture = any

const pin = (l: Fixture) => l.servers.memory
const log = (l: Fixture) => l.logs["log.example.com/t"]

describe("parseLockfile", () => {
  test("reads the fixture and writes it back", () => {
    expect(refusal((l) => l)).toBe("read")
    const lockfile = parseLockfile(JSON.stringify(LOCKFILE))
    expect(formatLockfile(lockfile)).toBe(`${JSON.stringify(LOCKFILE, null, 2)}\n`)
  })

  test.each<[string, (l: Fixture) => unknown, string]>([
    ["a list", () => [], "expected an object, got a list"],
    ["null", () => "null", 'expected an object, got "null"'],
    [
      "no format",
      (l) => {
        delete l.format
      },
      'format: expected "toolsum-lock/v1", got nothing',
    ],
    [
      "a newer format",
      (l) => {
        l.format = "toolsum-lock/v2"
      },
      "newer format",
    ],
    [
      "no logs",
      (l) => {
        delete l.logs
      },
      'expected member "logs"',
    ],
    [
      "no servers",
      (l) => {
        delete l.servers
      },
      'expected member "servers"',
    ],
    [
      "no removed",
      (l) => {
        delete l.removed
      },
      'expected member "removed"',
    ],
    [
      "an unknown member",
      (l) => {
        l.x = 1
      },
      'expected no member "x"',
    ],
    [
      "logs as a list",
      (l) => {
        l.logs = []
      },
      "logs: expected an object, got a list",
    ],
    [
      "an origin of 256 bytes",
      (l) => {
        l.logs["é".repeat(128)] = log(l)
      },
      "expected an origin of 1 to 255 bytes",
    ],
    [
      "an origin with a line feed",
      (l) => {
        l.logs["a\nb"] = log(l)
      },
      "expected an origin",
    ],
    [
      "a log without url",
      (l) => {
        delete log(l).url
      },
      'logs["log.example.com/t"]: expected member "url"',
    ],
    [
      "an unknown member of a log",
      (l) => {
        log(l).x = 1
      },
      'expected no member "x"',
    ],
    [
      "an unknown dialect",
      (l) => {
        log(l).dialect = "x"
      },
      '.dialect: expected "tlog-tiles" or "legion", got "x"',
    ],
    [
      "a log over http",
      (l) => {
        log(l).url = "http://a/"
      },
      ".url: expected an https URL or null",
    ],
    [
      "a log URL with a space",
      (l) => {
        log(l).url = "https://a /"
      },
      ".url: expected an https URL or null",
    ],
    [
      "no keyring",
      (l) => {
        log(l).keyring = []
      },
      ".keyring: expected one keyring or more",
    ],
    [
      "a keyring that is null",
      (l) => {
        log(l).keyring = [null]
      },
      ".keyring[0]: expected the text of a keyring",
    ],
    [
      "a head key of another root",
      (l) => {
        log(l).heads["1-AA"] = ""
      },
      ".heads.1-AA: expected a size",
    ],
    [
      "a head size beyond 2^63",
      (l) => {
        log(l).heads[`9223372036854775808-${"0".repeat(16)}`] = ""
      },
      "expected a size",
    ],
    [
      "a head that is null",
      (l) => {
        log(l).heads[`1-${"0".repeat(16)}`] = null
      },
      "expected text, got null",
    ],
    [
      "a link of equal sizes",
      (l) => {
        log(l).links["7-7"] = ""
      },
      ".links.7-7: expected two sizes",
    ],
    [
      "a link beyond 2^63",
      (l) => {
        log(l).links["7-9223372036854775808"] = ""
      },
      "expected two sizes",
    ],
    [
      "a link that is no base64",
      (l) => {
        log(l).links["7-9"] = "A"
      },
      ".links.7-9: expected base64",
    ],
    [
      "a link with unused bits",
      (l) => {
        log(l).links["7-9"] = "AB=="
      },
      ".links.7-9: expected canonical base64",
    ],
    [
      "a pin name with a space",
      (l) => {
        l.servers["a b"] = pin(l)
      },
      'servers["a b"]: expected a pin name',
    ],
    [
      "a pin that is null",
      (l) => {
        l.servers.memory = null
      },
      "servers.memory: expected an object, got null",
    ],
    [
      "a pin of no log",
      (l) => {
        pin(l).log = "x"
      },
      'servers.memory.log: expected the origin of a log, got "x"',
    ],
    [
      "a pin without log",
      (l) => {
        delete pin(l).log
      },
      "servers.memory.log: expected text, got nothing",
    ],
    [
      "a pin of the log toString",
      (l) => {
        pin(l).log = "toString"
      },
      "servers.memory.log: expected the origin of a log",
    ],
    [
      "a pin without target",
      (l) => {
        delete pin(l).target
      },
      'servers.memory: expected member "target"',
    ],
    [
      "an unknown member of a pin",
      (l) => {
        pin(l).evidence = "{}"
      },
      'servers.memory: expected no member "evidence"',
    ],
    [
      "from as an object",
      (l) => {
        pin(l).from = {}
      },
      "servers.memory.from: expected a list, got an object",
    ],
    [
      "from without name",
      (l) => {
        delete pin(l).from[0].name
      },
      'servers.memory.from[0]: expected member "name"',
    ],
    [
      "from with more",
      (l) => {
        pin(l).from[0].x = 1
      },
      'servers.memory.from[0]: expected no member "x"',
    ],
    [
      "from with a number",
      (l) => {
        pin(l).from[0].file = 1
      },
      "servers.memory.from[0].file: expected text, got 1",
    ],
    [
      "an argument that is no template",
      (l) => {
        pin(l).target.args = ["s.js", "cost$5"]
      },
      "servers.memory.target: expected ${NAME} or $$",
    ],
    [
      "a header that is no template",
      (l) => {
        pin(l).target = { url: "https://e.example/", headers: { authorization: "$TOKEN" } }
      },
      "servers.memory.target: expected ${NAME} or $$",
    ],
    [
      "a URL that is no template",
      (l) => {
        pin(l).target = { url: "https://e.example/?k=${}", headers: {} }
      },
      "servers.memory.target: expected ${NAME} or $$",
    ],
    [
      "an ill-formed target",
      (l) => {
        pin(l).target.env = ["B", "A"]
      },
      "servers.memory.target: expected env sorted",
    ],
    [
      "a record that is a list",
      (l) => {
        pin(l).record = []
      },
      "servers.memory.record: expected text, got a list",
    ],
    [
      "a record without index",
      (l) => {
        pin(l).index = null
      },
      "servers.memory.index: expected text, got null",
    ],
    [
      "a record without head",
      (l) => {
        pin(l).head = null
      },
      "servers.memory.head: expected text, got null",
    ],
    [
      "a record without proof",
      (l) => {
        pin(l).proof = null
      },
      "servers.memory.proof: expected text, got null",
    ],
    [
      "index and no record",
      (l) => {
        pin(l).record = null
      },
      "servers.memory.record: expected text, got null",
    ],
    [
      "an index as a number",
      (l) => {
        pin(l).index = 1
      },
      "servers.memory.index: expected text, got 1",
    ],
    [
      "an index with a sign",
      (l) => {
        pin(l).index = "+1"
      },
      "servers.memory.index: expected a decimal",
    ],
    [
      "a head that is not there",
      (l) => {
        pin(l).head = "1-0"
      },
      "servers.memory.head: expected the key of a head",
    ],
    [
      "a head called toString",
      (l) => {
        pin(l).head = "toString"
      },
      "servers.memory.head: expected the key of a head",
    ],
    [
      "a proof with spaces",
      (l) => {
        pin(l).proof = "AA A"
      },
      "servers.memory.proof: expected base64",
    ],
    [
      "a record and an observation",
      (l) => {
        pin(l).observation = "x"
      },
      "servers.memory.observation: expected it exactly",
    ],
    [
      "a null observation",
      (l) => {
        pin(l).observation = null
      },
      "servers.memory.observation: expected it exactly",
    ],
    [
      "nothing at all",
      (l) => {
        Object.assign(pin(l), NULLS)
      },
      "servers.memory.observation: expected text, got nothing",
    ],
    [
      "an ill-formed observation",
      (l) => {
        Object.assign(pin(l), NULLS, { observation: pin(l).record })
      },
      "servers.memory.observation: expected line state, got",
    ],
    [
      "a digest in upper case",
      (l) => {
        pin(l).tools.x = `sha256:${"A".repeat(64)}`
      },
      "servers.memory.tools.x: expected",
    ],
    [
      "a digest that is null",
      (l) => {
        pin(l).prompts["a b"] = null
      },
      'servers.memory.prompts["a b"]: expected sha256',
    ],
    [
      "templates as a list",
      (l) => {
        pin(l).templates = []
      },
      "servers.memory.templates: expected an object",
    ],
    [
      "resources null",
      (l) => {
        pin(l).resources = null
      },
      "servers.memory.resources: expected an object, got null",
    ],
    [
      "an ill-formed mask",
      (l) => {
        pin(l).masks = [{}]
      },
      "servers.memory.masks: expected a mask",
    ],
    [
      "read as a list",
      (l) => {
        pin(l).read = []
      },
      "servers.memory.read: expected an object",
    ],
    [
      "a number in read",
      (l) => {
        pin(l).read.node = 20
      },
      "servers.memory.read.node: expected text, got 20",
    ],
    [
      "capabilities as text",
      (l) => {
        pin(l).read.capabilities = "x"
      },
      "servers.memory.read.capabilities: expected an object",
    ],
    [
      "an approval that is text",
      (l) => {
        pin(l).approved = "x"
      },
      "servers.memory.approved: expected an object",
    ],
    [
      "an approval without only",
      (l) => {
        delete pin(l).approved.only
      },
      'servers.memory.approved: expected member "only"',
    ],
    [
      "an approval with more",
      (l) => {
        pin(l).approved.x = 1
      },
      'servers.memory.approved: expected no member "x"',
    ],
    [
      "an approval of only",
      (l) => {
        pin(l).approved.only = []
      },
      "servers.memory.approved.only: expected null, got a list",
    ],
    [
      "an approval of no digest",
      (l) => {
        pin(l).approved.pin = "x"
      },
      "servers.memory.approved.pin: expected sha256:",
    ],
    [
      "an approval from text",
      (l) => {
        pin(l).approved.from = "x"
      },
      "servers.memory.approved.from: expected sha256:",
    ],
    [
      "an approval by null",
      (l) => {
        pin(l).approved.by = null
      },
      "servers.memory.approved.by: expected text",
    ],
    [
      "a reason that is a number",
      (l) => {
        pin(l).approved.reason = 1
      },
      "servers.memory.approved.reason: expected text",
    ],
    [
      "an approval with fractions",
      (l) => {
        pin(l).approved.at = "2026-11-30T14:00:00.0Z"
      },
      "approved.at: expected YYYY",
    ],
    [
      "an approval on no day",
      (l) => {
        pin(l).approved.at = "2026-02-29T14:00:00Z"
      },
      "approved.at: expected YYYY",
    ],
    [
      "an approval at no hour",
      (l) => {
        pin(l).approved.at = "2026-02-28T24:00:00Z"
      },
      "approved.at: expected YYYY",
    ],
    [
      "a removal without by",
      (l) => {
        delete l.removed.old.by
      },
      'removed.old: expected member "by"',
    ],
    [
      "a removal with more",
      (l) => {
        l.removed.old.x = 1
      },
      'removed.old: expected no member "x"',
    ],
    [
      "a removal at no time",
      (l) => {
        l.removed.old.at = ""
      },
      "removed.old.at: expected YYYY",
    ],
    [
      "a removed name in upper case",
      (l) => {
        l.removed.Old = l.removed.old
      },
      "removed.Old: expected a pin name",
    ],
    [
      "a name in both",
      (l) => {
        l.removed.memory = l.removed.old
      },
      "removed.memory: expected no pin of this name",
    ],
    [
      "a legion log with heads",
      (l) => {
        log(l).dialect = "legion"
      },
      ".heads: expected none in a log of dialect legion",
    ],
    [
      "a pin without a target",
      (l) => {
        pin(l).target = null
      },
      ".target: expected an object",
    ],
    [
      "a legion log with two keyrings",
      (l) => {
        Object.assign(log(l), { dialect: "legion", keyring: ["a", "b"], heads: {}, links: {} })
      },
      ".keyring: expected one keyring, got 2",
    ],
    [
      "a legion pin with a record",
      (l) => {
        Object.assign(log(l), { dialect: "legion", keyring: ["a"], heads: {}, links: {} })
      },
      'servers.memory: expected member "evidence"',
    ],
  ])("refuses %s", (_name, edit, message) => expect(refusal(edit)).toContain(message))

  test("reads a pin that is not logged", () => {
    const observation = String(LOCKFILE.servers.memory.record).replace(/seq .*\nprev .*\n/, "")
    const copy = { ...LOCKFILE.servers.memory, ...NULLS, observation }
    const read = parseLockfile(JSON.stringify({ ...LOCKFILE, servers: { memory: copy } }))
    expect(read.servers.memory).toMatchObject({ ...NULLS, observation })
    expect(formatLockfile(read)).toContain('"record": null')
  })

  test("reads a pin of dialect legion", () => {
    const copy = structuredClone(LOCKFILE) as Fixture
    Object.assign(log(copy), { dialect: "legion", keyring: ["a"], heads: {}, links: {} })
    for (const name of Object.keys(NULLS)) delete pin(copy)[name]
    pin(copy).evidence = '{"a":1}'
    const read = parseLockfile(JSON.stringify(copy))
    expect(read.servers.memory).toMatchObject({ ...NULLS, observation: null, evidence: '{"a":1}' })
    expect(JSON.parse(formatLockfile(read))).toEqual(copy)
    pin(copy).target = null
    expect(parseLockfile(JSON.stringify(copy)).servers.memory?.target).toBeNull()
  })

  test("a proof that is no whole number of hashes is kept, and refutes its pin", () => {
    const copy = structuredClone(LOCKFILE) as Fixture
    pin(copy).proof = "AAAA"
    const { proof } = parseLockfile(JSON.stringify(copy)).servers.memory ?? {}
    expect(proof).toEqual([new Uint8Array(3)])
    const head = { size: 2n, rootHash: new Uint8Array(32) }
    expect(() => verifyInclusion({ leafHash: new Uint8Array(32), index: 0n, proof: proof ?? [], head })).toThrow(
      expect.objectContaining({ code: "INCLUSION_INVALID" }),
    )
  })

  test.each([
    ["conflict markers", "{\n<<<<<<< HEAD\n}\n", "conflict markers of git"],
    ["the end of a conflict, CR LF", "{\r\n>>>>>>> branch\r\n}\r\n", "conflict markers of git"],
    ["markers inside a string", '{"a": "<<<<<<< HEAD', "a closing quote"],
    ["an empty file", "", "got the end"],
    ["a BOM", "\ufeff{}", "expected a value"],
    ["a comment", "// x\n{}", "expected a value"],
    ["one name twice", '{"format":"toolsum-lock/v1","logs":{},"logs":{}}', "unique member names"],
  ])("names %s", (_name, text, message) => {
    for (const input of [text, encodeUtf8(text)]) {
      const run = () => parseLockfile(input)
      expect(run).toThrow(malformed)
      expect(run).toThrow(message)
    }
  })

  test("refuses binary and what is too long", () => {
    expect(() => parseLockfile(Uint8Array.of(0xff, 0xfe, 0))).toThrow(malformed)
    expect(() => parseLockfile(new Uint8Array(16 * 1024 * 1024 + 1).fill(0x20))).toThrow(malformed)
  })
})

const NULLS = { record: null, index: null, head: null, proof: null }

test("format and parse are inverses", () =>
  fc.assert(
    fc.property(arbLockfile, (lockfile) => {
      const text = formatLockfile(lockfile)
      const read = parseLockfile(text)
      expect(read).toEqual(lockfile)
      expect(formatLockfile(read)).toBe(text)
      expect(parseLockfile(encodeUtf8(text))).toEqual(read)
    }),
  ))

test("a changed character is refused, another lockfile, or white space and spelling", () =>
  fc.assert(
    fc.property(arbLockfile, fc.nat(), fc.nat(7), (lockfile, at, bit) => {
      const bytes = encodeUtf8(formatLockfile(lockfile))
      const place = at % bytes.length
      bytes[place] = (bytes[place] ?? 0) ^ (1 << bit)
      let read: string | null = null
      try {
        read = formatLockfile(parseLockfile(bytes))
      } catch (error) {
        expect(error).toEqual(malformed)
      }
      if (read !== null) expect(parseLockfile(read)).toEqual(parseLockfile(bytes))
    }),
  ))

test("invisible characters are escaped in the written form", () => {
  const removed = { old: { at: "2026-10-01T00:00:00Z", by: "a\u202eb\u200b", reason: "\u2014" } }
  const text = formatLockfile(parseLockfile(JSON.stringify({ ...LOCKFILE, servers: {}, removed })))
  expect(text).toContain('"by": "a\\u202eb\\u200b"')
  expect(text).toContain('"reason": "\u2014"')
})

test("an origin that can name a log, and no other, can be one in a lockfile", () => {
  for (const origin of ["a", "a b", "é".repeat(127), "\x80", "", "é".repeat(128), "a\x7f", "a\x1f", "a\n"]) {
    const text = JSON.stringify({ ...LOCKFILE, logs: { [origin]: Object.values(LOCKFILE.logs)[0] }, servers: {} })
    if (isOrigin(origin)) expect(Object.keys(parseLockfile(text).logs)).toEqual([origin])
    else expect(() => parseLockfile(text)).toThrow(malformed)
  }
})
