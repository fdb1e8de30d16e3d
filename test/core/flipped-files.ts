// What one flipped bit in a proof file or a definitions file does.
import { isDeepStrictEqual } from "node:util"
import { expect } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { parseDefinitions } from "../../src/core/definitions.js"
import { ToolsumError } from "../../src/core/errors.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { formatProofFile, verifyProofFile } from "../../src/core/proof-file.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import type { CompleteLog } from "../fakes/complete-log.js"
import { findPlaces } from "../fakes/json-places.js"
import { isLooseByte } from "../fakes/loose-signature.js"
import { flipped } from "./flips.js"

/** A file whose bits can be flipped. `check` fails when a flip is neither refused nor harmless where it may be, and says which. */
export interface FlippedFile {
  readonly bytes: Uint8Array
  check(at: number, bit: number): "refused" | "harmless"
}

/** The proof of a pinned record, which is in the file or beside it. */
export function flipProofFile({ lockfile }: CompleteLog, entry: "inside" | "beside"): FlippedFile {
  const pin = lockfile.servers.remote
  const log = pin && lockfile.logs[pin.log]
  if (!log || !pin.record || !pin.proof || !pin.head || pin.index === null) throw new Error("remote is proven")
  const keyring = verifyKeyring({ notes: log.keyring })
  const checkpoint = log.heads[pin.head] ?? ""
  const record = encodeUtf8(pin.record)
  const text = formatProofFile({ extra: record, index: pin.index, proof: pin.proof, checkpoint })
  const bytes = encodeUtf8(text)
  const verify = (file: Uint8Array) => {
    const {
      origin,
      index,
      head,
      entry: proven,
    } = verifyProofFile({
      file,
      keyring,
      ...(entry === "beside" ? { entry: record } : {}),
    })
    return { origin, index, head, proven }
  }
  const good = verify(bytes)
  const note = text.length - checkpoint.length
  const isHarmless = (at: number): boolean => {
    const before = new TextDecoder().decode(bytes.subarray(0, at))
    if (entry === "beside" && /\nextra [^\n]*$/.test(before)) return true
    return at >= note && isLooseByte(checkpoint, before.slice(note))
  }
  return {
    bytes,
    check: (at, bit) => {
      const found = errorOf(() => verify(flipped(bytes, { at, bit })))
      if (found instanceof ToolsumError) return refusedBy(found)
      expect(found).toEqual(good)
      expect(isHarmless(at), `bit ${bit} of byte ${at}`).toBe(true)
      return "harmless"
    },
  }
}

/** The definitions file of a pin, checked with its lockfile. */
export function flipDefinitions({ lockfile, root, definitions }: CompleteLog, name: string): FlippedFile {
  const text = definitions[name] ?? ""
  const bytes = encodeUtf8(text)
  const places = findPlaces(text)
  const others = Object.fromEntries(Object.entries(definitions).map(([pin, file]) => [pin, encodeUtf8(file)]))
  const verify = (file: Uint8Array) => {
    const { servers } = verifyLockfile({
      lockfile,
      roots: [root],
      definitions: { ...others, [name]: file },
      nowSec: 0n,
    })
    return servers.find((server) => server.name === name)?.verdict
  }
  expect(verify(bytes)).toBe("PROVEN")
  const isMasked = (at: number): boolean => {
    const { path = [], before = "" } = places[at] ?? {}
    return path[0] === "tools" && path[2] === "description" && before.startsWith("Built ") && !before.includes(".")
  }
  return {
    bytes,
    check: (at, bit) => {
      const file = flipped(bytes, { at, bit })
      if (verify(file) === "REJECTED") return "refused"
      expect(verify(file)).toBe("PROVEN")
      const isSame = isDeepStrictEqual(parseDefinitions(file), parseDefinitions(bytes))
      expect(isSame || isMasked(at), `bit ${bit} of byte ${at}`).toBe(true)
      return "harmless"
    },
  }
}

function refusedBy(error: ToolsumError): "refused" {
  expect(["malformed", "rejected"]).toContain(error.kind)
  return "refused"
}

function errorOf<T>(work: () => T): T | ToolsumError {
  try {
    return work()
  } catch (error) {
    if (error instanceof ToolsumError) return error
    throw error
  }
}
