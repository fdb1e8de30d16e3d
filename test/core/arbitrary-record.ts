// Arbitrary well-formed records for properties: every cross rule of formats.md 12 holds.
import fc from "fast-check"
import { computeTextDigest, type Digest } from "../../src/core/hash.js"
import type { Observation, ToolRecord } from "../../src/core/record.js"
import { computeSurfaceDigest, type SurfaceLines } from "../../src/core/section.js"

const HEX = "0123456789abcdef"
const pick = (chars: string, constraints: { minLength?: number; maxLength: number }): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...chars), size: "max", ...constraints })

const printable = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join("")
const MAX = 9223372036854775807n

/** A digest of anything. */
export const arbDigest: fc.Arbitrary<Digest> = pick(HEX, { minLength: 64, maxLength: 64 }).map(
  (hex): Digest => `sha256:${hex}`,
)

/** A hash of 32 bytes. */
export const arbHash = fc.uint8Array({ minLength: 32, maxLength: 32 })

/** A pin name. */
export const arbPinName = fc
  .tuple(fc.constantFrom(..."abcxyz019"), pick("abz0-._", { maxLength: 63 }))
  .map(([first, rest]) => first + rest)

const NAME_START = "ABCxyz_"
const arbVariable = fc
  .tuple(fc.constantFrom(...NAME_START), pick(`${NAME_START}019`, { maxLength: 20 }))
  .map(([first, rest]) => first + rest)

const arbParts = fc.uniqueArray(
  fc.oneof(
    arbVariable.map((name) => `env:${name}`),
    arbVariable.map((name) => `placeholder:${name}`),
    pick("abz0_-", { minLength: 1, maxLength: 20 }).map((name) => `header:${name}`),
  ),
  { minLength: 1, maxLength: 4 },
)

/** A profile: anonymous, a chosen name, or sorted parts. */
export const arbProfile = fc.oneof(
  fc.constant("anonymous"),
  arbPinName,
  arbParts.map((parts) => parts.sort().join("+")),
)

const arbSection = fc.oneof(
  fc.constantFrom("-", "none", `0 ${computeTextDigest("")}`),
  fc.tuple(fc.bigInt({ min: 1n, max: MAX }), arbDigest).map(([count, digest]) => `${count} ${digest}`),
)
const arbSingle = fc.oneof(fc.constantFrom("-", "none"), arbDigest)

const NOTHING = { tools: "-", prompts: "-", templates: "-", resources: "-", instructions: "-", server: "-" }

const arbListed: fc.Arbitrary<SurfaceLines> = fc
  .record({
    tools: arbSection,
    prompts: arbSection,
    templates: arbSection,
    resources: arbSection,
    instructions: arbSingle,
    server: arbSingle,
  })
  .filter((lines) => Object.values(lines).some((value) => value !== "-"))

const arbSeen = fc.oneof(
  { arbitrary: arbListed.map((lines) => ({ state: "listed" as const, lines })), weight: 9 },
  { arbitrary: fc.constant({ state: "auth" as const, lines: NOTHING }), weight: 1 },
)

/** A well-formed observation. */
export const arbObservation: fc.Arbitrary<Observation> = fc
  .record({
    subject: pick(printable, { minLength: 1, maxLength: 200 }),
    version: pick(printable, { minLength: 1, maxLength: 40 }),
    profile: arbProfile,
    how: arbDigest,
    observer: arbPinName,
    mask: fc.oneof(fc.constant("-" as const), arbDigest),
    seen: arbSeen,
    observed: fc.bigInt({ min: 0n, max: MAX }),
  })
  .map(({ seen, ...rest }) => ({ ...rest, ...seen, surface: computeSurfaceDigest(seen.state, seen.lines) }))

const arbOrder = fc.oneof(
  fc.constant({ seq: 0n, prev: null }),
  fc.record({
    seq: fc.bigInt({ min: 1n, max: MAX }),
    prev: fc.record({ index: fc.bigInt({ min: 0n, max: MAX }), leafHash: arbHash }),
  }),
)

/** A well-formed record. */
export const arbRecord: fc.Arbitrary<ToolRecord> = fc
  .tuple(arbObservation, arbOrder)
  .map(([observation, order]) => ({ ...observation, ...order }))
