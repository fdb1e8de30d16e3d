// Strict codecs, the only ones in this package: canonical base64, lower-case hex, decimal without sign or leading zero,
// fatal UTF-8 that keeps a BOM. Each takes `bad`, which makes the error of the format that is being read. Brief 1.1 and A.1.
import type { Bad } from "./errors.js"

/** Largest number in our formats, 2^63-1: Go parses tree sizes as int64. */
export const MAX_DECIMAL = 9223372036854775807n

const DECIMAL = /^(?:0|[1-9][0-9]{0,18})$/
const HEX = /^[0-9a-f]*$/

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** UTF-8 bytes of well-formed text. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Text of UTF-8 bytes; invalid sequences are refused, a BOM stays in the text. */
export function decodeUtf8(bytes: Uint8Array, bad: Bad): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw bad("expected UTF-8")
  }
}

/** A decimal from 0 to 2^63-1 in its one spelling. */
export function parseDecimal(text: string, bad: Bad): bigint {
  if (!DECIMAL.test(text)) throw bad("expected a decimal number without sign or leading zero")
  const value = BigInt(text)
  if (value > MAX_DECIMAL) throw bad("expected a decimal number below 2^63")
  return value
}

const SEXTETS = new Uint8Array(128).fill(255)
for (let i = 0; i < 64; i++) {
  SEXTETS["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(i)] = i
}

/** Bytes of canonical RFC 4648 base64 with padding. */
export function parseBase64(text: string, bad: Bad): Uint8Array {
  if (text.length % 4 !== 0) throw bad("expected base64 with padding")
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  let held = 0
  let bits = 0
  let at = 0
  for (let i = 0; i < text.length - padding; i++) {
    const sextet = SEXTETS[text.charCodeAt(i)] ?? 255
    if (sextet === 255) throw bad("expected base64 with padding")
    held = ((held & 0x3ff) << 6) | sextet
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = held >> bits
  }
  // Unused bits of the last character must be zero, else two texts mean the same bytes.
  if (held & ((1 << bits) - 1)) throw bad("expected canonical base64")
  return bytes
}

/** Canonical base64 with padding. */
export function formatBase64(bytes: Uint8Array): string {
  let binary = ""
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return btoa(binary)
}

/** Bytes of lower-case hex. */
export function parseHex(text: string, bad: Bad): Uint8Array {
  if (text.length % 2 !== 0 || !HEX.test(text)) throw bad("expected lower-case hex")
  const bytes = new Uint8Array(text.length / 2)
  // Four bytes at a time by what is native: in a short process a loop over digits is interpreted to its end.
  const words = bytes.length >> 2
  for (let i = 0; i < words; i++) writeWord(bytes, 4 * i, Number.parseInt(text.slice(8 * i, 8 * i + 8), 16))
  for (let i = 4 * words; i < bytes.length; i++) bytes[i] = (hexDigit(text, 2 * i) << 4) | hexDigit(text, 2 * i + 1)
  return bytes
}

function writeWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word >>> 24
  bytes[at + 1] = word >>> 16
  bytes[at + 2] = word >>> 8
  bytes[at + 3] = word
}

function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 0x61 ? code - 0x30 : code - 0x57
}

const HEX_BYTES: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"))

/** Lower-case hex. */
export function formatHex(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) text += HEX_BYTES[byte]
  return text
}

/** One new array with all parts in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Lexicographic order of unsigned bytes: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** True when both have the same bytes. For public data only: not constant time. */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && compareBytes(a, b) === 0

/** Order of two texts by their UTF-8 bytes: that of code points, which UTF-16 order is not. */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    // A surrogate stands for a code point above every other UTF-16 unit.
    const xs = x >= 0xd800 && x <= 0xdfff
    const ys = y >= 0xd800 && y <= 0xdfff
    return xs === ys ? x - y : xs ? 1 : -1
  }
  return a.length - b.length
}
