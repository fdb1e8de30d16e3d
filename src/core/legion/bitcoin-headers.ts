// Headers of Bitcoin blocks that a user supplies for OpenTimestamps proofs: `{"HEIGHT": {"merkleroot", "time"}}`, as a node of the user's own
// or a block explorer gives them. They are believed. FORMAT.md, "LEGION dialect".
import { parseDecimal } from "../bytes.js"
import { type Bad, quote, ToolsumError } from "../errors.js"
import { isObject, type JsonValue } from "../json.js"
import type { BitcoinHeader } from "./anchor-ots.js"
import { parseLegionJson, readCount } from "./json.js"
import { parseHash } from "./tree-head.js"

/** Bytes of such a file. */
export const MAX_BITCOIN_HEADERS_BYTES = 1024 * 1024

const malformed: Bad = (why) => new ToolsumError("PROOF_MALFORMED", `Bitcoin headers: ${why}`)

/** Read headers by height; their other members are ignored. Throws PROOF_MALFORMED, JSON_MALFORMED. */
export function parseBitcoinHeaders(input: Uint8Array | string): ReadonlyMap<bigint, BitcoinHeader> {
  const document = parseLegionJson(input, MAX_BITCOIN_HEADERS_BYTES)
  if (!isObject(document)) throw malformed("expected an object")
  return new Map(
    Object.entries(document).map(([height, header]) => [
      parseDecimal(height, (why) => malformed(`height ${quote(height)}: ${why}`)),
      readHeader(header),
    ]),
  )
}

/** Explorers print a root in the reverse of the order that is hashed. */
function readHeader(header: JsonValue): BitcoinHeader {
  const { merkleroot: root, time } = isObject(header) ? header : {}
  const timeSec = readCount(time)
  if (typeof root !== "string" || timeSec === null) throw malformed("expected merkleroot and time of each block")
  return { merkleRoot: parseHash(root, malformed).slice().reverse(), timeSec }
}
