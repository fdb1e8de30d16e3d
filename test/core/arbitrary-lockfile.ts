// Arbitrary well-formed lockfiles for properties: what a parser takes, not what a log would prove. Objects have no prototype, as the
// parser makes them.
import fc from "fast-check"
import { formatBase64 } from "../../src/core/bytes.js"
import type { JsonObject } from "../../src/core/json.js"
import type { Approval, ItemDigests, LockedLog, Lockfile, Pin } from "../../src/core/lockfile.js"
import { formatMasks, type Mask, parseMasks } from "../../src/core/mask.js"
import { formatObservation, formatRecord } from "../../src/core/record.js"
import { arbDigest, arbHash, arbObservation, arbPinName, arbRecord } from "./arbitrary-record.js"
import { arbTarget, arbText } from "./arbitrary-target.js"

const MAX = 9223372036854775807n

/** Entries as an object without prototype; of one name the last counts. */
function toObject<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const object: Record<string, T> = Object.create(null)
  for (const [name, value] of entries) object[name] = value
  return object
}

const objectOf = <T>(
  name: fc.Arbitrary<string>,
  value: fc.Arbitrary<T>,
  maxLength = 4,
): fc.Arbitrary<Record<string, T>> => fc.array(fc.tuple(name, value), { maxLength }).map(toObject)

/** An instant as lockfiles spell it. */
export const arbInstant = fc
  .integer({ min: 0, max: 253402300799 })
  .map((sec) => `${new Date(sec * 1000).toISOString().slice(0, 19)}Z`)

/** Item digests under any keys, `__proto__` and integer-like ones among them. */
export const arbItemDigests: fc.Arbitrary<ItemDigests> = objectOf(
  fc.oneof(arbText, fc.constantFrom("__proto__", "constructor", "10", "2", "")),
  arbDigest,
)

const arbMask = fc.record({
  section: fc.constantFrom("tools" as const, "prompts" as const, "resources" as const),
  item: arbText,
  pointer: fc.constantFrom("/description", "/_meta/built"),
  prefix: fc.constantFrom("Built ", "\u2028"),
  suffix: arbText,
  class: fc.constantFrom("digits" as const, "date" as const),
  max: fc.integer({ min: 1, max: 256 }),
})

/** Masks in written order. */
export const arbMasks: fc.Arbitrary<readonly Mask[]> = fc
  .uniqueArray(arbMask, { selector: (mask) => JSON.stringify(mask), maxLength: 3 })
  .map((masks) => parseMasks(toPlain(formatMasks(masks))))

/** Objects without prototype all the way down, as the JSON reader makes them. */
function toPlain(value: unknown): never {
  const plain = Array.isArray(value)
    ? value.map(toPlain)
    : typeof value === "object" && value !== null
      ? toObject(Object.entries(value).map(([name, member]) => [name, toPlain(member)] as const))
      : value
  return plain as never // the same JSON value, whatever its type was called
}

const arbApproval: fc.Arbitrary<Approval> = fc.record({
  pin: arbDigest,
  from: fc.option(arbDigest),
  at: arbInstant,
  by: arbText,
  reason: fc.option(arbText),
  only: fc.constant(null),
})

// An integer beyond 2^53 would be read back as a bigint.
const arbDouble = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((x) => !Number.isInteger(x) || Number.isSafeInteger(x))
  .map((x) => x + 0)

const arbCapabilities: fc.Arbitrary<JsonObject> = objectOf(
  arbText,
  fc.oneof(
    fc.boolean(),
    fc.bigInt({ min: MAX, max: MAX * MAX }),
    arbDouble,
    fc.array(fc.constant(null), { maxLength: 2 }),
    arbText,
  ),
)

const arbRead = fc
  .tuple(
    objectOf(
      arbText.filter((name) => name !== "capabilities"),
      arbText,
    ),
    fc.option(arbCapabilities),
  )
  .map(([read, capabilities]): Pin["read"] =>
    capabilities === null
      ? read
      : toObject<string | JsonObject>([...Object.entries(read), ["capabilities", capabilities]]),
  )

const hex16 = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 16, maxLength: 16 })

const arbHeads = objectOf(
  fc.tuple(fc.bigInt({ min: 0n, max: MAX }), hex16).map(([size, hex]) => `${size}-${hex}`),
  arbText,
)

const arbLinks = objectOf(
  fc.tuple(fc.bigInt({ min: 1n, max: MAX - 1n }), fc.bigInt({ min: 1n, max: 1000n })).map(([m, more]) => {
    const n = m + more > MAX ? MAX : m + more
    return `${m}-${n}`
  }),
  fc.uint8Array({ maxLength: 70 }).map(formatBase64),
)

const arbUrl = fc.constantFrom(null, "https://log.example.com/")

const arbTiledLog: fc.Arbitrary<LockedLog> = fc.record({
  dialect: fc.constant("tlog-tiles"),
  url: arbUrl,
  keyring: fc.array(arbText, { minLength: 1, maxLength: 2 }),
  heads: arbHeads,
  links: arbLinks,
})

const arbLegionLog: fc.Arbitrary<LockedLog> = fc.record({
  dialect: fc.constant("legion"),
  url: arbUrl,
  keyring: fc.array(arbText, { minLength: 1, maxLength: 1 }),
  heads: fc.constant({}),
  links: fc.constant({}),
})

const arbLog = fc.oneof({ arbitrary: arbTiledLog, weight: 4 }, arbLegionLog)

const arbProof = fc
  .tuple(fc.array(arbHash, { maxLength: 3 }), fc.uint8Array({ maxLength: 31 }))
  .map(([hashes, rest]) => (rest.length === 0 ? hashes : [...hashes, rest]))

const NOT_LOGGED = { record: null, index: null, head: null, proof: null, observation: null }

/** What proves a pin in a log like `log`. */
function arbEvidence(log: LockedLog) {
  if (log.dialect === "legion") return arbText.map((evidence) => ({ ...NOT_LOGGED, evidence }))
  const waiting = arbObservation.map((observation) => ({ ...NOT_LOGGED, observation: formatObservation(observation) }))
  const heads = Object.keys(log.heads)
  if (heads.length === 0) return waiting
  const logged = fc.record({
    record: fc.oneof(arbRecord.map(formatRecord), arbText),
    index: fc.bigInt({ min: 0n, max: MAX }),
    head: fc.constantFrom(...heads),
    proof: arbProof,
    observation: fc.constant(null),
  })
  return fc.oneof(waiting, logged)
}

const arbPin = (origin: string, log: LockedLog): fc.Arbitrary<Pin> =>
  fc
    .tuple(
      fc.record({
        from: fc.array(fc.record({ file: arbText, name: arbText }), { maxLength: 2 }),
        target: log.dialect === "legion" ? fc.option(arbTarget) : arbTarget,
        log: fc.constant(origin),
        tools: arbItemDigests,
        prompts: arbItemDigests,
        templates: arbItemDigests,
        masks: arbMasks,
        read: arbRead,
        approved: fc.option(arbApproval),
      }),
      arbEvidence(log),
      fc.option(arbItemDigests),
    )
    .map(([pin, evidence, resources]) => ({ ...pin, ...evidence, ...(resources === null ? {} : { resources }) }))

const arbOrigin = fc.constantFrom("toolsum.local/00", "log.example.com/tools", "__proto__", "ä b", "x".repeat(255))

const arbRemoved = objectOf(arbPinName, fc.record({ at: arbInstant, by: arbText, reason: fc.option(arbText) }))

/** A well-formed lockfile with up to three pins. */
export const arbLockfile: fc.Arbitrary<Lockfile> = fc
  .tuple(objectOf(arbOrigin, arbLog, 3), arbRemoved)
  .chain(([logs, removed]) => {
    const pins = Object.entries(logs).map(([origin, log]) => arbPin(origin, log))
    const servers = pins.length === 0 ? fc.constant({}) : objectOf(arbPinName, fc.oneof(...pins), 3)
    return servers.map((servers) => ({
      format: "toolsum-lock/v1" as const,
      logs,
      servers: toObject(Object.entries(servers)),
      removed: toObject(Object.entries(removed).filter(([name]) => !(name in servers))),
    }))
  })
