// What a search makes right again after it has changed a document, so that a checksum or a signature does not hide the rest of the reader:
// key IDs, digests, signatures by test keys. A document that is too broken for that stays as it is.
import { concatBytes, encodeUtf8, formatHex } from "../../src/core/bytes.js"
import { signEd25519 } from "../../src/core/ed25519.js"
import { sha256 } from "../../src/core/hash.js"
import { formatSignatureLine } from "../../src/core/signature-line.js"
import type { SigningKey } from "../../src/core/vkey.js"

/** A repair; never throws. */
export type Repair = (bytes: Uint8Array) => Uint8Array

// Looked for behind a blank only, so that a long word is read once.
const VKEY = /(?<![^\s])([^\s+]{1,200})\+[0-9a-f]{8}\+([A-Za-z0-9+/]{40,}={0,2})/g

/** Every vkey in a text gets the ID of its name and key. */
export const repairKeys: Repair = (bytes) =>
  onText(bytes, (text) =>
    text.replace(VKEY, (_, name: string, key: string) => {
      const id = sha256(concatBytes(encodeBytes(`${name}\n`), new Uint8Array(Buffer.from(key, "base64"))))
      return `${name}+${formatHex(id.subarray(0, 4))}+${key}`
    }),
  )

/** A record gets the digest of its surface lines. */
export const repairRecord: Repair = (bytes) =>
  onText(bytes, (text) =>
    text.replace(/^(state [\s\S]*?\n)surface .*$/m, (_, lines: string) => `${lines}surface ${digestOf(lines)}`),
  )

/** A file of the client's memory gets its sum. */
export const repairSum: Repair = (bytes) =>
  onText(bytes, (text) =>
    text.replace(/^([\s\S]*),"sum":"[^"]*"/, (_, body: string) => `${body},"sum":"${digestOf(body)}"`),
  )

/** A note gets signatures by `keys` in place of those that it has, further lines made of its text behind them. What comes before the
 *  note's first line, `start`, is left alone. */
export const resign =
  (keys: readonly SigningKey[], more: (text: string) => readonly string[] = () => [], start = ""): Repair =>
  (bytes) => {
    const whole = latin1(bytes)
    const from = start === "" ? 0 : Math.max(0, whole.indexOf(start))
    const split = whole.lastIndexOf("\n\n")
    if (split < from) return bytes
    const text = bytes.slice(from, split + 1)
    const lines = [
      ...keys.map(({ name, id, seed }) =>
        formatSignatureLine({ name, id, blob: signEd25519({ seed, message: text }) }),
      ),
      ...more(new TextDecoder().decode(text)),
    ]
    return concatBytes(bytes.slice(0, split + 2), encodeUtf8(lines.map((line) => `${line}\n`).join("")))
  }

/** One repair after the other. */
export const inTurn =
  (...repairs: readonly Repair[]): Repair =>
  (bytes) =>
    repairs.reduce((changed, repair) => repair(changed), bytes)

/** `change` on the text with one character for each byte. */
const onText = (bytes: Uint8Array, change: (text: string) => string): Uint8Array => encodeBytes(change(latin1(bytes)))

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")
const encodeBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"))

const digestOf = (text: string): string => `sha256:${formatHex(sha256(encodeBytes(text)))}`
