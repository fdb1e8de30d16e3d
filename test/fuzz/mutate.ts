// Changes of an input that lead a coverage-guided search: bytes, ranges, lines, words of the formats, numbers, lengths, and parts of
// other inputs. Pure: what comes out depends on the random numbers only.
import { concatBytes, encodeUtf8 } from "../../src/core/bytes.js"
import { pick, type Random } from "./random.js"

/** Longest input that is made. */
export const MAX_MUTANT_BYTES = 16 * 1024
/** Most changes of one input; few are the rule. */
const MAX_CHANGES = 8
const MAX_TOKEN_BYTES = 80
const MAX_TOKENS = 400

/** What a change may draw from. */
export interface Material {
  readonly random: Random
  /** Inputs that were worth keeping. */
  readonly corpus: readonly Uint8Array[]
  /** Words that mean something to the reader. */
  readonly tokens: readonly Uint8Array[]
}

type Change = (bytes: Uint8Array, material: Material) => Uint8Array

/** `bytes` after one or more changes. */
export function mutate(bytes: Uint8Array, material: Material): Uint8Array {
  let changed = bytes
  // One change half the time, two a quarter of it, and so on.
  for (let i = 0; i < MAX_CHANGES; i++) {
    changed = pick(material.random, CHANGES, flipBit)(changed, material)
    if (material.random(2) === 0) break
  }
  return changed.subarray(0, MAX_MUTANT_BYTES)
}

/** Words of documents and of source texts: what stands between quotes, and what separators leave. */
export function collectTokens(documents: readonly Uint8Array[], sources: readonly string[]): readonly Uint8Array[] {
  const words = new Set<string>(PUNCTUATION)
  for (const source of sources)
    for (const [, word = ""] of source.matchAll(LITERAL)) if (!ERROR_CODE.test(word)) words.add(word)
  for (const document of documents) for (const word of latin1(document).split(/(?<=\n)|[ \t",:+=]/)) words.add(word)
  const short = [...words].map((word) => bytesOf(word)).filter(({ length }) => length > 0 && length <= MAX_TOKEN_BYTES)
  return short.slice(0, MAX_TOKENS)
}

const LITERAL = /"([^"\\ \n]{1,40} ?)"/g
const ERROR_CODE = /^[A-Z]+_[A-Z_]+$/

const PUNCTUATION = [
  ..."\n \t\r\0\"\\{}[],:+-=/.%#@$'<>_~^|&*()!?;`",
  ...[
    "\n\n",
    "\u2014 ",
    "null",
    "true",
    "false",
    "{}",
    "[]",
    '""',
    "0",
    "-1",
    "1e999",
    "1.5",
    "é",
    "\ufeff",
    "\u202e",
    "😀",
  ],
  ...["\\u0000", "\\ud800", "../", "%2e", "%00", "https://", "sha256:", "SHA256:", "\xff", "\xed\xa0\x80", "__proto__"],
].map((text) => (/[^\0-\xff]|é/.test(text) ? latin1(encodeUtf8(text)) : text))

const NUMBERS = ["0", "1", "00", "01", "-1", "+1", "1.0", "1e3", "255", "256", "257", "65535", "65536", "4294967296"]
const LARGE = [2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 10n ** 30n].map(String)

const flipBit: Change = (bytes, { random }) => {
  const at = random(bytes.length)
  return splice(bytes, at, 1, [(bytes[at] ?? 0) ^ (1 << random(8))])
}

const setByte: Change = (bytes, { random }) =>
  splice(bytes, random(bytes.length), 1, [pick(random, [0, 0x20, 0x0a, 0x30, 0x7f, 0x80, 0xff, random(256)], 0)])

const insertNoise: Change = (bytes, { random }) =>
  splice(
    bytes,
    random(bytes.length + 1),
    0,
    Uint8Array.from({ length: 1 + random(8) }, () => random(256)),
  )

const deleteRange: Change = (bytes, { random }) => splice(bytes, random(bytes.length), lengthOf(random, bytes), [])

const copyRange: Change = (bytes, { random }) => {
  const from = random(bytes.length)
  const part = bytes.subarray(from, from + lengthOf(random, bytes))
  return splice(bytes, random(bytes.length + 1), random(2) * part.length, part)
}

const repeatRange: Change = (bytes, { random }) => {
  const from = random(bytes.length)
  const part = bytes.subarray(from, from + 1 + random(40))
  const times = pick(random, [2, 4, 32, 130, 300], 2)
  return splice(bytes, from, 0, concatBytes(...Array.from({ length: times }, () => part)))
}

/** The start of this one and the end of another, or a part of the other inside. */
const crossOver: Change = (bytes, { random, corpus }) => {
  const other = pick(random, corpus, bytes)
  const from = random(other.length + 1)
  if (random(2) === 0) return concatBytes(bytes.subarray(0, random(bytes.length + 1)), other.subarray(from))
  return splice(bytes, random(bytes.length + 1), random(40), other.subarray(from, from + lengthOf(random, other)))
}

const insertToken: Change = (bytes, { random, tokens }) =>
  splice(bytes, random(bytes.length + 1), 0, pick(random, tokens, new Uint8Array(0)))

/** A word becomes another one. */
const replaceToken: Change = (bytes, { random, tokens }) => {
  const [start, end] = pickRun(bytes, random, /[^\s",:+=[\]{}]+/g)
  return splice(bytes, start, end - start, pick(random, tokens, new Uint8Array(0)))
}

/** A number becomes its neighbour, or one at an edge. */
const changeNumber: Change = (bytes, { random }) => {
  const [start, end] = pickRun(bytes, random, /[0-9]+/g)
  const digits = latin1(bytes.subarray(start, end)).slice(0, 40)
  const near = digits === "" ? "0" : `${BigInt(digits) + BigInt(random(3) - 1)}`
  const text = pick(random, [near, near, `0${digits}`, pick(random, NUMBERS, "0"), pick(random, LARGE, "0")], near)
  return splice(bytes, start, end - start, bytesOf(text))
}

/** Base64 or hex of other bytes, of another length, or in another spelling of the same bytes. */
const changeEncoded: Change = (bytes, { random }) => {
  const [start, end] = pickRun(bytes, random, /[A-Za-z0-9+/]{8,}={0,2}/g)
  const old = bytes.subarray(start, end)
  const binary = Uint8Array.from({ length: pick(random, [1, 32, 33, 64, 72, 76, random(100)], 32) }, () => random(256))
  const next = pick(random, [encodeBase64(binary), encodeHex(binary), strayBits(old, random), old.subarray(1)], old)
  return splice(bytes, start, end - start, next)
}

/** The last letter before the padding has bits that no byte uses. */
function strayBits(encoded: Uint8Array, random: Random): Uint8Array {
  const at = Math.max(0, encoded.indexOf(0x3d) < 0 ? encoded.length - 1 : encoded.indexOf(0x3d) - 1)
  return splice(encoded, at, 1, [(encoded[at] ?? 0) + 1 + random(2)])
}

/** A line goes, comes twice, or changes its place. */
const changeLines: Change = (bytes, { random }) => {
  const lines = latin1(bytes).split(/(?<=\n)/)
  const [line = ""] = lines.splice(random(lines.length), 1)
  const copies = random(3)
  for (let i = 0; i < copies; i++) lines.splice(random(lines.length + 1), 0, line)
  return bytesOf(lines.join(""))
}

/** A big-endian length becomes its neighbour, nothing, all there is, or the largest. */
const changeLength: Change = (bytes, { random }) => {
  const width = pick(random, [1, 2, 4, 8], 2)
  const at = random(bytes.length)
  if (at + width > bytes.length) return bytes
  const old = bytes.subarray(at, at + width).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  const rest = BigInt(bytes.length - at - width)
  const value = BigInt.asUintN(8 * width, pick(random, [old + 1n, old - 1n, 0n, rest, rest + 1n, -1n], 0n))
  return splice(
    bytes,
    at,
    width,
    Uint8Array.from({ length: width }, (_, i) => Number((value >> BigInt(8 * (width - 1 - i))) & 255n)),
  )
}

const CHANGES: readonly Change[] = [
  ...[flipBit, setByte, insertNoise, deleteRange, copyRange, repeatRange, crossOver, changeLines, changeLength],
  ...[insertToken, replaceToken, changeNumber, changeEncoded],
  ...[replaceToken, changeNumber, crossOver], // what text formats need most
]

const encodeBase64 = (bytes: Uint8Array): Uint8Array => bytesOf(Buffer.from(bytes).toString("base64"))
const encodeHex = (bytes: Uint8Array): Uint8Array => bytesOf(Buffer.from(bytes).toString("hex"))

/** Mostly short. */
const lengthOf = (random: Random, bytes: Uint8Array): number => 1 + random(1 + random(1 + random(bytes.length)))

/** Start and end of one match, or of nothing at all. */
function pickRun(bytes: Uint8Array, random: Random, pattern: RegExp): readonly [number, number] {
  const runs = [...latin1(bytes).matchAll(pattern)]
  const run = runs[random(runs.length)]
  return run ? [run.index, run.index + run[0].length] : [0, 0]
}

const splice = (bytes: Uint8Array, at: number, count: number, middle: ArrayLike<number>): Uint8Array => {
  const end = Math.min(bytes.length, at + count)
  const changed = new Uint8Array(at + middle.length + bytes.length - end)
  changed.set(bytes.subarray(0, at))
  changed.set(middle, at)
  changed.set(bytes.subarray(end), at + middle.length)
  return changed
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"))

/** One character for each byte. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
}
