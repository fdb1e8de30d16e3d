import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { encodeUtf8, formatHex } from "../../src/core/bytes.js"
import { hashLeaf } from "../../src/core/hash.js"
import {
  entryType,
  formatObservation,
  formatRecord,
  isObserver,
  isProfile,
  isSubject,
  isVersion,
  parseObservation,
  parseRecord,
  streamKey,
} from "../../src/core/record.js"
import { describeShared, readShared } from "../shared.js"
import { arbRecord } from "./arbitrary-record.js"

const malformed = expect.objectContaining({ code: "RECORD_MALFORMED" })

interface RecordCase {
  desc: string
  text: string
  reject?: string
  fields?: Record<string, string>
  leafHash?: string
  observation?: string
}

describeShared("record vectors", () => {
  const { cases } = JSON.parse(readShared("vectors/toolsum/records.json")) as { cases: RecordCase[] }

  test.each(cases.filter((c) => c.reject !== undefined))("refuses: $desc", ({ text }) => {
    expect(() => parseRecord(text)).toThrow(malformed)
    expect(() => parseRecord(encodeUtf8(text))).toThrow(malformed)
  })

  test.each(cases.filter((c) => c.reject === undefined))("reads: $desc", (c) => {
    const record = parseRecord(encodeUtf8(c.text))
    expect(formatRecord(record)).toBe(c.text)
    expect(formatHex(hashLeaf(encodeUtf8(c.text)))).toBe(c.leafHash)
    const { lines, seq, prev, observed, ...rest } = record
    const flat = { ...rest, ...lines, seq: String(seq), observed: String(observed) }
    expect({
      ...flat,
      prev: prev === null ? "-" : `${prev.index} sha256:${formatHex(prev.leafHash)}`,
    }).toEqual(c.fields)
    expect(formatObservation(record)).toBe(c.observation)
    const { seq: _seq, prev: _prev, ...observation } = record
    expect(parseObservation(c.observation ?? "")).toEqual(observation)
  })
})

const GOOD = `toolsum-record/v1
subject pkg:npm/%40acme/mcp-server
version 1.4.0
profile anonymous
how sha256:b7a0b54bc0e463bc2650559ae227fd5fd02a96d6312565463a453e410da210d5
observer ci.example.com
mask -
seq 0
prev -
state listed
tools 3 sha256:4b855655b6f15a44b8ee353bd98a4af36214c7169074eeccdee18fd3ed5fcfd1
prompts none
templates none
resources -
instructions sha256:a2bf18f24e1b51f8d5df3282aba9a59f4b11abafa0f1e3058a74f972097422dd
server sha256:9de848a7c96ca41145352b35cb949cece47f51f0265c33d731e05265080966f8
surface sha256:ccf99c38034a9bad8eb302aed206a5b1842116df373a015ee6c52bbdf0352539
observed 1796406528
`

describe("parseRecord", () => {
  test("reads a record", () => expect(formatRecord(parseRecord(GOOD))).toBe(GOOD))

  test.each([
    { name: "another type", edit: (t: string) => t.replace("/v1", "/v2") },
    { name: "no final newline", edit: (t: string) => t.slice(0, -1) },
    { name: "an empty line at the end", edit: (t: string) => `${t}\n` },
    { name: "a line of another name", edit: (t: string) => t.replace("observer ", "observed ") },
    { name: "a name without space", edit: (t: string) => t.replace("version ", "version") },
    { name: "a name that only begins so", edit: (t: string) => t.replace("mask ", "masks ") },
    { name: "an empty subject", edit: (t: string) => t.replace(/subject .*/, "subject ") },
    { name: "a subject with a space", edit: (t: string) => t.replace("/mcp", " mcp") },
    { name: "an empty version", edit: (t: string) => t.replace("1.4.0", "") },
    { name: "a profile in upper case", edit: (t: string) => t.replace("anonymous", "Anonymous") },
    { name: "how in upper case", edit: (t: string) => t.replace("b7a0", "B7A0") },
    { name: "an observer with a slash", edit: (t: string) => t.replace("ci.example", "ci/example") },
    { name: "mask none", edit: (t: string) => t.replace("mask -", "mask none") },
    { name: "seq with a leading zero", edit: (t: string) => t.replace("seq 0", "seq 00") },
    { name: "seq 1 without prev", edit: (t: string) => t.replace("seq 0", "seq 1") },
    { name: "prev at seq 0", edit: (t: string) => t.replace("prev -", `prev 1 sha256:${"0".repeat(64)}`) },
    { name: "prev without index", edit: (t: string) => t.replace("prev -", `prev sha256:${"0".repeat(64)}`) },
    { name: "an unknown state", edit: (t: string) => t.replace("listed", "read") },
    { name: "state auth with sections", edit: (t: string) => t.replace("listed", "auth") },
    { name: "tools without count", edit: (t: string) => t.replace("tools 3 ", "tools ") },
    { name: "tools 0 with items", edit: (t: string) => t.replace("tools 3 ", "tools 0 ") },
    { name: "instructions with a word", edit: (t: string) => t.replace(/instructions .*/, "instructions some") },
    { name: "an edited section", edit: (t: string) => t.replace("tools 3", "tools 4") },
    { name: "an edited surface", edit: (t: string) => t.replace("ccf99c", "ccf99d") },
    { name: "observed with a point", edit: (t: string) => t.replace("1796406528", "1796406528.5") },
    { name: "CR", edit: (t: string) => t.replaceAll("\n", "\r\n") },
    { name: "a letter outside ASCII", edit: (t: string) => t.replace("acme", "äcme") },
    { name: "more than 4096 bytes", edit: (t: string) => t.replace("1.4.0", "1".repeat(4096)) },
  ])("refuses $name", ({ edit }) => {
    expect(() => parseRecord(edit(GOOD))).toThrow(malformed)
  })

  test("refuses bytes that are no UTF-8", () => {
    expect(() => parseRecord(Uint8Array.of(...encodeUtf8(GOOD), 0xff))).toThrow(malformed)
  })

  test("refuses an observation, and parseObservation a record", () => {
    const observation = formatObservation(parseRecord(GOOD))
    expect(() => parseRecord(observation)).toThrow(malformed)
    expect(() => parseObservation(GOOD)).toThrow(malformed)
  })

  test("format and parse are inverses", () =>
    fc.assert(
      fc.property(arbRecord, (record) => {
        expect(parseRecord(formatRecord(record))).toEqual(record)
        const { seq: _seq, prev: _prev, ...observation } = record
        expect(parseObservation(formatObservation(record))).toEqual(observation)
      }),
    ))

  test("a changed bit is refused or another record", () =>
    fc.assert(
      fc.property(arbRecord, fc.nat(), fc.nat(7), (record, at, bit) => {
        const bytes = encodeUtf8(formatRecord(record))
        const place = at % bytes.length
        bytes[place] = (bytes[place] ?? 0) ^ (1 << bit)
        let read: string | null = null
        try {
          read = formatRecord(parseRecord(bytes))
        } catch (error) {
          expect(error).toEqual(malformed)
        }
        if (read !== null) expect(encodeUtf8(read)).toEqual(bytes)
      }),
    ))
})

test.each([
  ["anonymous", true],
  ["my-token", true],
  ["env:A", true],
  ["env:A+env:B+header:authorization+placeholder:TOKEN", true],
  ["env:B+env:A", false],
  ["env:A+env:A", false],
  ["anonymous+env:A", false],
  ["env:", false],
  ["env:1A", false],
  ["header:Authorization", false],
  ["env:A=secret", false],
  ["", false],
])("isProfile(%s) is %s", (text, expected) => expect(isProfile(text)).toBe(expected))

test("names of subjects, versions and observers", () => {
  expect(["pkg:npm/a", "x".repeat(1024)].every(isSubject)).toBe(true)
  expect(["", "a b", "ä", "x".repeat(1025)].some(isSubject)).toBe(false)
  expect(["-", "1.0", "x".repeat(128)].every(isVersion)).toBe(true)
  expect(["", "1 0", "x".repeat(129)].some(isVersion)).toBe(false)
  expect(["local", "ci.example.com"].every(isObserver)).toBe(true)
  expect(["", "-", "CI", "x".repeat(129)].some(isObserver)).toBe(false)
})

test("streams differ in each of their six lines", () => {
  const record = parseRecord(GOOD)
  expect(streamKey(record)).toBe(streamKey({ ...record, state: "auth", observed: 1n }))
  const others = [{ subject: "s" }, { version: "v" }, { profile: "p" }, { observer: "o" }]
  const digests = [{ how: `sha256:${"0".repeat(64)}` as const }, { mask: `sha256:${"0".repeat(64)}` as const }]
  const keys = [...others, ...digests].map((change) => streamKey({ ...record, ...change }))
  expect(new Set([streamKey(record), ...keys]).size).toBe(7)
})

test.each([
  ["toolsum-record/v1\nsubject x\n", "toolsum-record/v1"],
  ["toolsum-record/v2\n\u2014", "toolsum-record/v2"],
  ["no newline", "no newline"],
  ["", null],
  ["\nx", null],
  ["tab\t\n", null],
  ["é\n", null],
  [`${"x".repeat(255)}\n`, "x".repeat(255)],
  [`${"x".repeat(256)}\n`, null],
])("entryType of %j", (text, expected) => expect(entryType(encodeUtf8(text))).toBe(expected))
