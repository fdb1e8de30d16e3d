// The log of FORMAT.md's examples: one server, three entries, written by the real writer into memory. Keys are made from the public
// labels that the document names; surface, target and reading are the document's own examples.
import { decodeUtf8, encodeUtf8 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { sha256 } from "../../src/core/hash.js"
import { isObject, parseJson } from "../../src/core/json.js"
import { type Observation, parseObservation } from "../../src/core/record.js"
import {
  computeSurface,
  computeSurfaceDigest,
  parseSurface,
  type SectionName,
  type Surface,
} from "../../src/core/section.js"
import { computeHow, deriveSubject, subjectFor } from "../../src/core/subject.js"
import { type CommandTarget, isCommandTarget, parseTarget, type Target } from "../../src/core/target.js"
import {
  computeSigningKey,
  computeVerifierKey,
  ED25519_COSIGNATURE,
  ED25519_NOTE,
  type SigningKey,
  type VerifierKey,
} from "../../src/core/vkey.js"
import { createLog } from "../../src/writer/create.js"
import type { Recorded } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import type { FormatDocument } from "./format-document.js"

export const ORIGIN = "log.example.com/tools"
export const PIN_NAME = "notes"
/** What the examples ask the server for. */
export const ASKED: readonly SectionName[] = ["tools", "prompts", "templates"]
/** Time of the log's creation and of the first reading; the second is an hour later. */
export const CREATED_SEC = 1_796_083_200
const OBSERVED_SEC = 1_796_086_800
const LATER_SEC = 1_796_090_400

/** The key of a public label: its seed is the SHA-256 of the label. */
export const exampleKey = (label: string, name: string): SigningKey =>
  computeSigningKey({ name, seed: sha256(encodeUtf8(label)) })

export const ROOT_KEY = exampleKey("example root a", `${ORIGIN}/root-a`)
export const LOG_KEY = exampleKey("example log", ORIGIN)
export const WITNESS_KEY = exampleKey("example witness", "witness.example.net")

/** Verifier key of a signing key. */
export const verifierOf = ({ name, publicKey }: SigningKey): VerifierKey =>
  computeVerifierKey({ name, type: ED25519_NOTE, publicKey })

/** Cosigner key of a signing key. */
export const witnessOf = ({ name, publicKey }: SigningKey): VerifierKey =>
  computeVerifierKey({ name, type: ED25519_COSIGNATURE, publicKey })

/** The surface that the document shows as received. */
export const surfaceOf = (doc: FormatDocument): Surface => parseSurface(parseJson(doc.text("surface")))

/** The target of the examples. */
export function targetOf(doc: FormatDocument): Target & CommandTarget {
  const target = parseTarget(parseJson(doc.text("target-command")))
  if (!isCommandTarget(target)) throw new Error("expected a command")
  return target
}

/** What was seen first, and an hour later, when the instructions were gone. */
export function observationsOf(doc: FormatDocument): { first: Observation; second: Observation } {
  const surface = surfaceOf(doc)
  return {
    first: observe(doc, surface, OBSERVED_SEC),
    second: observe(doc, { ...surface, instructions: null }, LATER_SEC),
  }
}

function observe(doc: FormatDocument, surface: Surface, observedSec: number): Observation {
  const target = targetOf(doc)
  const { lines } = computeSurface(surface, ASKED)
  return {
    subject: subjectFor(target, PIN_NAME),
    version: deriveSubject(target).version ?? "-",
    profile: "anonymous",
    how: computeHow(target, { sections: ASKED }).digest,
    observer: "ci.example.com",
    mask: "-",
    state: "listed",
    lines,
    surface: computeSurfaceDigest("listed", lines),
    observed: BigInt(observedSec),
  }
}

/** The log after its creation and after each record. */
export interface ExampleLog {
  readonly first: Recorded
  readonly second: Recorded
  /** Everything ever created, also what was removed again. */
  readonly created: ReadonlyMap<string, Uint8Array>
  /** Every file as it is in the end. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** A file as it is in the end. */
  text(key: string): string
  bytes(key: string): Uint8Array
}

const logs = new WeakMap<FormatDocument, Promise<ExampleLog>>()

/** The log of the document's examples, made once. */
export function exampleLogOf(doc: FormatDocument): Promise<ExampleLog> {
  const known = logs.get(doc) ?? writeLog(doc)
  logs.set(doc, known)
  return known
}

async function writeLog(doc: FormatDocument): Promise<ExampleLog> {
  const created = new Map<string, Uint8Array>()
  const store = recording(createMemoryStore(), created)
  const log = await createLog({
    store,
    origin: ORIGIN,
    rootSigners: [ROOT_KEY],
    signers: [LOG_KEY],
    clock: () => CREATED_SEC,
    archive: true,
    waitMs: 0,
  })
  const surface = surfaceOf(doc)
  const { first, second } = observationsOf(doc)
  const append = async (observation: Observation, seen: Surface): Promise<Recorded> => {
    const { archive } = computeSurface(seen, ASKED)
    const [recorded] = await log.append([{ observation, objects: archive }])
    if (recorded === undefined) throw new Error("nothing was recorded")
    return recorded
  }
  const recorded = [await append(first, surface), await append(second, { ...surface, instructions: null })] as const
  await log.close()
  const bytes = (key: string): Uint8Array => store.files.get(key) ?? fail(`no ${key} in the example log`)
  const text = (key: string) => decodeUtf8(bytes(key), (why) => new ToolsumError("IO_FAILED", why))
  return { first: recorded[0], second: recorded[1], created, files: store.files, text, bytes }
}

function recording(store: MemoryStore, created: Map<string, Uint8Array>): MemoryStore {
  return {
    ...store,
    create: (key, bytes) => {
      created.set(key, bytes)
      return store.create(key, bytes)
    },
  }
}

function fail(why: string): never {
  throw new Error(why)
}

/** Members of a JSON example that is an object. */
export function objectOf(text: string) {
  const value = parseJson(text)
  return isObject(value) ? value : fail("expected an object")
}

/** An observation that the document shows. */
export const shownObservation = (doc: FormatDocument): Observation => parseObservation(doc.text("observation"))

/** The answer of a parser, or `refused` and its code. */
export function outcome(work: () => string): string {
  try {
    return work()
  } catch (error) {
    if (error instanceof ToolsumError) return `refused: ${error.code}`
    throw error
  }
}
