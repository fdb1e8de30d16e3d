import fc from "fast-check"
import { expect, test } from "vitest"
import { type Commit, commitKey, formatCommit, hashCommit, parseCommit } from "../../src/writer/commit.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (b: Uint8Array) => new TextDecoder().decode(b)

const first: Commit = {
  seq: 0n,
  prev: null,
  staging: `sha256:${"0".repeat(64)}`,
  checkpoint: "log.example\n1\nroot\n\n— log.example AAAA\n",
}
const GOOD = text(formatCommit({ ...first, seq: 7n, prev: new Uint8Array(32).fill(1) }))

test("a record reads and writes", () => {
  expect(parseCommit(formatCommit(first))).toEqual(first)
  expect(parseCommit(bytes(GOOD)).prev).toEqual(new Uint8Array(32).fill(1))
  expect(commitKey(7n)).toBe("private/commits/00000000000000000007")
  expect(hashCommit(first)).toHaveLength(32)
})

test.each([
  { name: "nothing", text: "" },
  { name: "another type", text: GOOD.replace("v1", "v2") },
  { name: "a leading zero", text: GOOD.replace("seq 7", "seq 07") },
  { name: "lines in another order", text: GOOD.replace(/(seq.*\n)(prev.*\n)/, "$2$1") },
  { name: "upper-case hex", text: GOOD.replace("0101", "0A01") },
  { name: "a short hash", text: GOOD.replace("0101", "") },
  { name: "no hash before seq 7", text: GOOD.replace(/prev .*/, "prev -") },
  { name: "a hash before seq 0", text: GOOD.replace("seq 7", "seq 0") },
  { name: "a staging digest of another kind", text: GOOD.replace("staging sha256:", "staging sha512:") },
  { name: "no empty line", text: GOOD.replace("\n\nlog", "\nlog") },
  { name: "no checkpoint", text: GOOD.slice(0, GOOD.indexOf("\n\n") + 1) },
  { name: "a BOM", text: `\ufeff${GOOD}` },
  { name: "too much", text: GOOD + "x".repeat(65536) },
])("parseCommit refuses $name", ({ text }) => {
  expect(() => parseCommit(bytes(text))).toThrow(expect.objectContaining({ code: "COMMIT_MALFORMED" }))
})

test("bytes that are not UTF-8 are refused", () => {
  const broken = bytes(GOOD)
  broken[broken.length - 2] = 0xff
  expect(() => parseCommit(broken)).toThrow(expect.objectContaining({ code: "COMMIT_MALFORMED" }))
})

test("format and parse are inverses, and one flipped bit is another record or none", () => {
  const commits = fc.record({
    seq: fc.bigInt(1n, (1n << 63n) - 1n),
    prev: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    staging: fc.constant<Commit["staging"]>(`sha256:${"ab".repeat(32)}`),
    checkpoint: fc.constant(first.checkpoint),
  })
  fc.assert(
    fc.property(commits, fc.nat(), (commit, bit) => {
      const good = formatCommit(commit)
      expect(parseCommit(good)).toEqual(commit)
      const at = bit % (8 * good.length)
      const flipped = good.slice()
      flipped[at >> 3] = (flipped[at >> 3] ?? 0) ^ (1 << (at & 7))
      try {
        const other = parseCommit(flipped)
        expect(formatCommit(other)).toEqual(flipped)
        expect(hashCommit(other)).not.toEqual(hashCommit(commit))
      } catch (error) {
        expect(error).toEqual(expect.objectContaining({ code: "COMMIT_MALFORMED" }))
      }
    }),
  )
})
