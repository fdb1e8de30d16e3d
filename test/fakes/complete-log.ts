// A log with everything in it, made by the writer in memory, and a lockfile with pins of it: two log keys one after the other, two
// witnesses of whom one is enough, a signature line by nobody we know, three pins of three kinds of target, masks, an archive, a
// subject index. Keys come from fixed seeds and times are fixed, so that the bytes are the same each time.

import { proveConsistency } from "../../src/client/prove.js"
import { createVerifiedTree } from "../../src/client/tiles.js"
import { encodeUtf8, formatBase64 } from "../../src/core/bytes.js"
import { headKey, parseCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { formatDefinitions } from "../../src/core/definitions.js"
import { ToolsumError } from "../../src/core/errors.js"
import { type Hash, sha256 } from "../../src/core/hash.js"
import { type JsonObject, parseJson } from "../../src/core/json.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText, type LogKey, parseKeyringText } from "../../src/core/keyring-text.js"
import type { Lockfile, Pin } from "../../src/core/lockfile.js"
import { computeMaskDigest, type Mask, parseMasks } from "../../src/core/mask.js"
import { joinHashes } from "../../src/core/merkle.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { computePinDigest } from "../../src/core/pin.js"
import { parsePolicy } from "../../src/core/policy.js"
import { formatObservation, type Observation } from "../../src/core/record.js"
import type { PinnedRoot } from "../../src/core/root.js"
import {
  type ComputedSurface,
  computeSurface,
  computeSurfaceDigest,
  parseSurface,
  type SectionName,
} from "../../src/core/section.js"
import { formatSignatureLine } from "../../src/core/signature-line.js"
import { computeHow, deriveSubject, subjectFor } from "../../src/core/subject.js"
import { formatSubjectBucket, subjectBucketName, subjectBucketPath } from "../../src/core/subject-index.js"
import type { Target } from "../../src/core/target.js"
import { computeSigningKey, computeVerifierKey, ED25519_COSIGNATURE, type SigningKey } from "../../src/core/vkey.js"
import type { LogSource } from "../../src/ports.js"
import { createLog } from "../../src/writer/create.js"
import { verifiersOf } from "../../src/writer/follow.js"
import { type LogWriter, openLog, type Recorded } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import type { Cosigned } from "../../src/writer/quorum.js"

const ORIGIN = "log.example/complete"
const START = 1_796_083_200
const key = (name: string, label: string): SigningKey => computeSigningKey({ name, seed: sha256(encodeUtf8(label)) })

const ROOT = key(`${ORIGIN}/root-a`, "complete root")
const OLD = key(ORIGIN, "complete log 1")
const NEW = key(ORIGIN, "complete log 2")
const WITNESSES = ["a", "b"].map((name) => key(`witness-${name}.example`, `complete witness ${name}`))

/** Key name of a signature line by nobody we know. */
export const UNKNOWN_SIGNER = "who.example"

/** Everything about one such log. */
export interface CompleteLog {
  readonly store: MemoryStore
  readonly root: PinnedRoot
  /** Three proven pins (`package`, `remote`, `here`), one removed. */
  readonly lockfile: Lockfile
  /** The same and a fourth pin, `waiting`, that the log has not taken. */
  readonly withWaiting: Lockfile
  /** Definitions files by pin name. */
  readonly definitions: Readonly<Record<string, string>>
  readonly subjects: readonly string[]
}

/** What is pinned under a name. */
interface Kind {
  readonly target: Target
  readonly profile: string
  readonly surface: string
  readonly asked: readonly SectionName[]
  readonly masks: readonly Mask[]
  readonly read: Readonly<Record<string, string | JsonObject>>
}

const MASK = {
  section: "tools",
  item: "built",
  pointer: "/description",
  prefix: "Built ",
  suffix: ".",
  class: "date",
  max: 10,
}

const KINDS = {
  package: {
    target: { command: "npx", args: ["-y", "@example/notes@1.2.0", "--all"], env: ["API_KEY"] },
    profile: "env:API_KEY",
    surface: `{"instructions":"Be brief.","serverInfo":{"name":"notes","version":"9"},"prompts":[],"tools":[
      {"name":"built","description":"Built 2026-11-30. \\u202eSay when.","inputSchema":{"type":"object","maximum":1e+21}},
      {"name":"a\\u200bb","inputSchema":{"type":"object","maxProperties":9223372036854775807}}],
      "resources":[{"uri":"note:1","name":"one"}]}`,
    asked: ["tools", "prompts", "templates", "resources"],
    masks: parseMasks([MASK]),
    read: { node: "20.20.2", capabilities: { roots: {} }, language: "de" },
  },
  remote: {
    target: { url: "https://mcp.example.com/x?tenant=7", headers: { Authorization: "Bearer ${TOKEN}" } },
    profile: "env:TOKEN+header:authorization",
    surface: `{"tools":[{"name":"add","inputSchema":{"type":"object"}}],"resourceTemplates":[{"uriTemplate":"n:{id}","name":"n"}]}`,
    asked: ["tools", "prompts", "templates"],
    masks: [],
    read: { protocol: "2025-11-25" },
  },
  here: {
    target: { command: "node", args: ["server.mjs"], env: [], cwd: "tools" },
    profile: "anonymous",
    surface: `{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}`,
    asked: ["tools"],
    masks: [],
    read: {},
  },
} as const satisfies Record<string, Kind>

const READ_SETTINGS = ["capabilities", "client", "language"]

interface Seen {
  readonly name: string
  readonly kind: Kind
  readonly observation: Observation
  readonly computed: ComputedSurface
}

function see(name: string, kind: Kind): Seen {
  const { target, profile, asked, masks, read } = kind
  const computed = computeSurface(parseSurface(parseJson(kind.surface)), asked, masks)
  const settings = Object.fromEntries(Object.entries(read).filter(([member]) => READ_SETTINGS.includes(member)))
  const observation: Observation = {
    subject: subjectFor(target, name),
    version: deriveSubject(target).version ?? "-",
    profile,
    how: computeHow(target, { sections: asked, ...settings }).digest,
    observer: "ci.example",
    mask: computeMaskDigest(masks),
    state: "listed",
    lines: computed.lines,
    surface: computeSurfaceDigest("listed", computed.lines),
    observed: BigInt(START),
  }
  return { name, kind, observation, computed }
}

/** Make the log and its lockfile. */
export async function makeCompleteLog(): Promise<CompleteLog> {
  const store = createMemoryStore()
  const seen = Object.entries(KINDS).map(([name, kind]) => see(name, kind))
  const recorded = new Map<string, Recorded>()
  const first = await createLog({
    store,
    origin: ORIGIN,
    rootSigners: [ROOT],
    signers: [OLD],
    cosign,
    archive: true,
    waitMs: 0,
    clock: () => START,
  })
  await record(first, seen.slice(0, 1), recorded)
  const second = await rotate(store, first)
  await record(second, seen.slice(1), recorded)
  await second.close()
  writeIndex(store, [...recorded])
  const lockfile = await lock(store, seen, recorded)
  const waiting = see("waiting", KINDS.here)
  return {
    store,
    root: {
      dialect: "tlog-tiles",
      name: null,
      fingerprint: verifyKeyring({ notes: keyringsOf(store) }).fingerprint,
      floor: null,
      source: "flag",
    },
    lockfile,
    withWaiting: { ...lockfile, servers: { ...lockfile.servers, waiting: pinOf(waiting, null) } },
    definitions: Object.fromEntries(
      seen.map(({ name, kind }) => [name, formatDefinitions(parseSurface(parseJson(kind.surface)), kind.asked)]),
    ),
    subjects: seen.map(({ observation }) => observation.subject),
  }
}

async function record(log: LogWriter, seen: readonly Seen[], recorded: Map<string, Recorded>): Promise<void> {
  const submissions = seen.map(({ observation, computed }) => ({ observation, objects: computed.archive }))
  for (const [i, one] of (await log.append(submissions)).entries()) recorded.set(seen[i]?.name ?? "", one)
}

/** Two cosignatures and a line of a key that nobody knows. */
async function cosign({ checkpoint }: { checkpoint: string }): Promise<Cosigned> {
  const { text } = parseNote(checkpoint)
  const lines = WITNESSES.map((key, i) => formatCosignature({ text, key, timestamp: BigInt(START + i) }))
  const unknown = formatSignatureLine({ name: UNKNOWN_SIGNER, id: 7, blob: new Uint8Array(65).fill(9) })
  return { lines: [...lines, unknown], absent: [] }
}

/** Publish the second keyring: the old key closes with the present tree, the new one goes on. Both sign from here. */
async function rotate(store: MemoryStore, first: LogWriter): Promise<LogWriter> {
  const { size, rootHash } = first.head()
  await first.close()
  const [before = ""] = keyringsOf(store)
  const { text } = parseNote(before)
  const [oldKey, newKey] = verifiersOf([OLD, NEW]).map(
    (key): LogKey => ({ key, from: 0n, closing: null, revoked: false }),
  )
  if (oldKey === undefined || newKey === undefined) throw new Error("two keys make two verifiers")
  const next = formatKeyringText({
    ...parseKeyringText(text),
    version: 2n,
    prev: sha256(encodeUtf8(text)),
    logs: [
      { ...oldKey, closing: { size, rootHash } },
      { ...newKey, from: size },
    ],
    policy: parsePolicy(policyText()),
  })
  const second = await openLog({ store, signers: [OLD, NEW], cosign, waitMs: 0 })
  await second.appendKeyring(signNote(next, [ROOT]))
  return second
}

const policyText = (): string => {
  const lines = WITNESSES.map(({ name, publicKey }, i) => {
    return `witness w${i} ${computeVerifierKey({ name, type: ED25519_COSIGNATURE, publicKey }).vkey}\n`
  })
  return `${lines.join("")}group any-one any w0 w1\nquorum any-one\n`
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

function keyringsOf(store: MemoryStore): readonly string[] {
  return [1, 2].flatMap((n) => {
    const bytes = store.files.get(`public/keyring/${n}`)
    return bytes === undefined ? [] : [textOf(bytes)]
  })
}

/** A small log gets its index when it crosses 1024 entries; this one has it now. */
function writeIndex(store: MemoryStore, recorded: readonly (readonly [string, Recorded])[]): void {
  const subjects = recorded.map(([, { record, index }]) => [/^subject (.*)$/m.exec(record)?.[1] ?? "", index] as const)
  for (const [subject, index] of subjects) {
    const bucket = formatSubjectBucket({ size: 5n, subjects: new Map([[subject, [index]]]) })
    store.files.set(`public/${subjectBucketPath(subjectBucketName(subject))}`, bucket)
  }
}

/** The log in `files` as its readers see it. */
export const memoryLog = (files: ReadonlyMap<string, Uint8Array>): LogSource => ({
  location: "memory",
  local: false,
  read: async (path, maxBytes) => {
    const bytes = files.get(`public/${path}`) ?? null
    if (bytes !== null && bytes.length > maxBytes) throw new ToolsumError("LOG_UNAVAILABLE", "too many bytes")
    return bytes
  },
})

async function lock(
  store: MemoryStore,
  seen: readonly Seen[],
  recorded: ReadonlyMap<string, Recorded>,
): Promise<Lockfile> {
  const heads = new Map([...recorded.values()].map(({ checkpoint }) => [keyOf(checkpoint), checkpoint]))
  const [older, newer] = [...heads.values()].map((note) => parseCheckpoint(parseNote(note).text))
  if (older === undefined || newer === undefined) throw new Error("the pins have two heads")
  const { proof } = await proveConsistency(createVerifiedTree(memoryLog(store.files), newer), older.size)
  return {
    format: "toolsum-lock/v1",
    logs: {
      [ORIGIN]: {
        dialect: "tlog-tiles",
        url: "https://log.example/complete/",
        keyring: keyringsOf(store),
        heads: Object.fromEntries(heads),
        links: { [`${older.size}-${newer.size}`]: formatBase64(joinHashes(proof)) },
      },
    },
    servers: Object.fromEntries(seen.map((one) => [one.name, pinOf(one, recorded.get(one.name) ?? null)])),
    removed: { gone: { at: "2026-10-01T00:00:00Z", by: "a@example.com", reason: null } },
  }
}

const keyOf = (checkpoint: string): string => headKey(parseCheckpoint(parseNote(checkpoint).text))

function pinOf({ name, kind, observation, computed }: Seen, recorded: Recorded | null): Pin {
  const digests = (section: SectionName) =>
    Object.fromEntries((computed.sections[section]?.items ?? []).map(({ key, digest }) => [key ?? "", digest]))
  return {
    from: [{ file: ".mcp.json", name }],
    target: kind.target,
    log: ORIGIN,
    ...evidenceOf(observation, recorded),
    tools: digests("tools"),
    prompts: digests("prompts"),
    templates: digests("templates"),
    ...(computed.sections.resources ? { resources: digests("resources") } : {}),
    masks: kind.masks,
    read: kind.read,
    approved: {
      pin: computePinDigest({ ...observation, log: ORIGIN, target: kind.target }),
      from: `sha256:${"0".repeat(64)}`,
      at: "2026-11-30T14:00:00Z",
      by: "a@example.com",
      reason: "read it",
      only: null,
    },
  }
}

function evidenceOf(observation: Observation, recorded: Recorded | null) {
  if (recorded === null) {
    const nothing = { record: null, index: null, head: null, proof: null }
    return { ...nothing, observation: formatObservation(observation) }
  }
  const { record, index, checkpoint } = recorded
  const proof: readonly Hash[] = recorded.proof
  return { record, index, head: keyOf(checkpoint), proof, observation: null }
}
