// Bitcoin headers that a user supplies: both orders of a root, and what is refused.
import { expect, test } from "vitest"
import { formatHex } from "../../../src/core/bytes.js"
import { parseBitcoinHeaders } from "../../../src/core/legion/bitcoin-headers.js"

const ROOT = `${"00".repeat(31)}ff`

test("a root is printed in the reverse of the order that is hashed", () => {
  const headers = parseBitcoinHeaders(`{"800000":{"merkleroot":"${ROOT}","time":1690168629,"nonce":1}}`)
  const header = headers.get(800000n)
  expect(header && [formatHex(header.merkleRoot), header.timeSec]).toEqual([`ff${"00".repeat(31)}`, 1690168629n])
})

test.each([
  ["no JSON", "x", "JSON_MALFORMED"],
  ["a list", "[]", "PROOF_MALFORMED"],
  ["a height that is none", `{"0800":{"merkleroot":"${ROOT}","time":1}}`, "PROOF_MALFORMED"],
  ["a root too short", `{"1":{"merkleroot":"00ff","time":1}}`, "PROOF_MALFORMED"],
  ["upper case", `{"1":{"merkleroot":"${ROOT.toUpperCase()}","time":1}}`, "PROOF_MALFORMED"],
  ["no time", `{"1":{"merkleroot":"${ROOT}"}}`, "PROOF_MALFORMED"],
  ["a block that is text", `{"1":"${ROOT}"}`, "PROOF_MALFORMED"],
])("%s is refused", (_, text, code) => {
  expect(() => parseBitcoinHeaders(text)).toThrow(expect.objectContaining({ code }))
})
