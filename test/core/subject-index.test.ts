import { readdirSync } from "node:fs"
import fc from "fast-check"
import { expect, test } from "vitest"
import {
  formatSubjectBucket,
  parseSubjectBucket,
  SUBJECT_BUCKET_NAMES,
  subjectBucketName,
  subjectBucketPath,
} from "../../src/core/subject-index.js"
import { describeShared, readShared, sharedPath } from "../shared.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const name = subjectBucketName("local:db")
const GOOD = "300\nlocal:db 1 5 299\n"

test("a bucket reads and writes", () => {
  const bucket = parseSubjectBucket(bytes(GOOD), name)
  expect(bucket).toEqual({ size: 300n, subjects: new Map([["local:db", [1n, 5n, 299n]]]) })
  expect(formatSubjectBucket(bucket)).toEqual(bytes(GOOD))
  expect(parseSubjectBucket(bytes("0\n"), name)).toEqual({ size: 0n, subjects: new Map() })
  expect(subjectBucketPath(name)).toBe(`subjects/${name}`)
})

test.each([
  { what: "nothing", text: "" },
  { what: "no final newline", text: GOOD.slice(0, -1) },
  { what: "an empty line", text: `${GOOD}\n` },
  { what: "a leading zero", text: GOOD.replace("300", "0300") },
  { what: "a subject without index", text: "300\nlocal:db\n" },
  { what: "two spaces", text: GOOD.replace(" 5", "  5") },
  { what: "indexes out of order", text: GOOD.replace("1 5", "5 1") },
  { what: "an index twice", text: GOOD.replace("1 5", "5 5") },
  { what: "an index at the size", text: GOOD.replace("299", "300") },
  { what: "a subject twice", text: `${GOOD}local:db 7\n` },
  { what: "a subject of another bucket", text: "300\nlocal:other 1\n" },
  { what: "a control character", text: GOOD.replace("db", "d\tb") },
])("parseSubjectBucket refuses $what", ({ text }) => {
  expect(() => parseSubjectBucket(bytes(text), name)).toThrow(expect.objectContaining({ code: "INDEX_MALFORMED" }))
})

test("format and parse are inverses", () => {
  const subjects = fc.uniqueArray(fc.stringMatching(/^[!-~]{1,12}$/), { maxLength: 2000 })
  fc.assert(
    fc.property(subjects, fc.uniqueArray(fc.bigInt(0n, 1n << 40n), { minLength: 1 }), (all, numbers) => {
      const indexes = [...numbers].sort((a, b) => (a < b ? -1 : 1))
      const chosen = subjectBucketName(all[0] ?? "x")
      const own = all.filter((subject) => subjectBucketName(subject) === chosen)
      const bucket = { size: (indexes.at(-1) ?? 0n) + 1n, subjects: new Map(own.map((s) => [s, indexes])) }
      const text = formatSubjectBucket(bucket)
      expect(formatSubjectBucket(parseSubjectBucket(text, chosen))).toEqual(text)
      expect(parseSubjectBucket(text, chosen)).toEqual({
        size: bucket.size,
        subjects: new Map([...bucket.subjects].sort(([a], [b]) => (a < b ? -1 : 1))),
      })
    }),
    { numRuns: 50 },
  )
})

test("there are 256 buckets", () => {
  expect([SUBJECT_BUCKET_NAMES[0], SUBJECT_BUCKET_NAMES[255], SUBJECT_BUCKET_NAMES.length]).toEqual(["00", "ff", 256])
})

describeShared("buckets of another implementation", () => {
  test("read and write as they are", () => {
    const folder = "vectors/toolsum/log/public/subjects"
    const about: { subjects: Record<string, number[]> } = JSON.parse(readShared("vectors/toolsum/log/about.json"))
    const seen = new Map<string, readonly bigint[]>()
    for (const bucketName of readdirSync(sharedPath(folder))) {
      const text = readShared(`${folder}/${bucketName}`)
      const bucket = parseSubjectBucket(bytes(text), bucketName)
      expect(formatSubjectBucket(bucket)).toEqual(bytes(text))
      for (const [subject, indexes] of bucket.subjects) seen.set(subject, indexes)
    }
    expect(Object.fromEntries([...seen].map(([s, indexes]) => [s, indexes.map(Number)]))).toEqual(about.subjects)
  })
})
