// Writes the inputs of the whole-process figures with our own writer: a log of 1000 records of servers with 10 tools each, and projects
// that pin the first 1, 100 and 1000 of them. The same bytes each time. Usage: make-lockfiles FOLDER; it then has
// project-1, project-100, project-1000 (lockfile and definitions) and root.txt, the argument for --root.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { headKey } from "../src/core/checkpoint.js"
import { formatDefinitions } from "../src/core/definitions.js"
import { parseJson } from "../src/core/json.js"
import { formatLockfile, type Lockfile, type Pin } from "../src/core/lockfile.js"
import { computePinDigest } from "../src/core/pin.js"
import { computeRootFingerprint } from "../src/core/root.js"
import { parseSurface } from "../src/core/section.js"
import type { Target } from "../src/core/target.js"
import { computeSigningKey, computeVerifierKey, ED25519_NOTE } from "../src/core/vkey.js"
import { addHead, headOf } from "../src/features/link-heads.js"
import { describeReading, type Observed } from "../src/features/observe.js"
import { EMPTY_LOCKFILE } from "../src/features/pins.js"
import type { ServerReading } from "../src/ports.js"
import { createLog } from "../src/writer/create.js"
import type { LogWriter, Recorded } from "../src/writer/log.js"
import { createMemoryStore } from "../src/writer/memory-store.js"

const PINS = 1000
const PROJECTS = [1, 100, 1000]
const ORIGIN = "bench.example/lockfiles"
const OBSERVED_SEC = 1796083200
const SECTIONS = ["tools", "prompts", "templates"] as const

const key = (name: string, fill: number) => computeSigningKey({ name, seed: new Uint8Array(32).fill(fill) })
const LOG_KEY = key(ORIGIN, 1)
const ROOT_KEY = key("bench-root", 2)

const serverName = (i: number): string => `server-${String(i).padStart(4, "0")}`

const targetOf = (i: number): Target => ({
  command: "npx",
  args: ["-y", `@bench/${serverName(i)}@1.${i % 10}.0`],
  env: [],
})

/** One tool of a usual size: 300 characters of description, a schema of three properties. */
function toolOf(server: number, i: number) {
  const text = `Tool ${i} of ${serverName(server)} reads a list of matching items from the given repository and returns them. `
  return {
    name: `tool_${i}`,
    title: `Tool ${i}`,
    description: text.repeat(3).trim(),
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for" },
        limit: { type: "integer", description: "Most results", default: 10 + i },
        order: { type: "string", enum: ["asc", "desc"] },
      },
      required: ["query"],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
}

function readingOf(i: number): ServerReading {
  const surface = {
    tools: Array.from({ length: 10 }, (_, tool) => toolOf(i, tool)),
    serverInfo: { name: serverName(i), version: "1.0.0" },
  }
  return {
    surface: parseSurface(parseJson(JSON.stringify(surface))),
    protocol: "2025-11-25",
    capabilities: null,
    findings: [],
    failures: {},
    read: { platform: "linux", node: "20.19.0", protocol: "2025-11-25" },
    isPrivate: false,
    resolved: { version: null, integrity: null },
  }
}

interface Server {
  readonly name: string
  readonly target: Target
  readonly observed: Observed
}

function describeServer(i: number): Server {
  const name = serverName(i)
  const target = targetOf(i)
  const input = { name, target, placeholders: [], sections: SECTIONS, masks: [], observer: "local" }
  return { name, target, observed: describeReading({ ...input, nowSec: OBSERVED_SEC }, readingOf(i)) }
}

function pinOf({ target, observed }: Server, recorded: Recorded, evidence: Pick<Pin, "head" | "proof">): Pin {
  const items = observed.surface.sections.tools?.items ?? []
  const pin = computePinDigest({ ...observed.observation, log: ORIGIN, target })
  return {
    from: [],
    target,
    log: ORIGIN,
    record: recorded.record,
    index: recorded.index,
    ...evidence,
    observation: null,
    tools: Object.fromEntries(items.map((item) => [item.key ?? "", item.digest])),
    prompts: {},
    templates: {},
    masks: [],
    read: observed.reading.read,
    approved: { pin, from: null, at: "2026-12-01T00:00:00Z", by: "bench", reason: null, only: null },
  }
}

/** The first `count` servers pinned under the log's newest head. */
async function buildLockfile(log: LogWriter, recorded: readonly [Server, Recorded][], keyring: string) {
  const { checkpoint } = log.head()
  const servers: Record<string, Pin> = {}
  for (const [server, record] of recorded) {
    const { proof } = await log.prove(record.index)
    servers[server.name] = pinOf(server, record, { head: headKey(headOf(checkpoint)), proof })
  }
  const empty: Lockfile = { ...EMPTY_LOCKFILE, servers }
  return addHead(empty, { origin: ORIGIN, url: null, keyring: [keyring], checkpoint })
}

function writeProject(folder: string, lockfile: Lockfile, servers: readonly Server[]): void {
  mkdirSync(join(folder, ".mcp-tools"), { recursive: true })
  writeFileSync(join(folder, "toolsum.lock.json"), formatLockfile(lockfile))
  for (const { name, observed } of servers)
    writeFileSync(join(folder, ".mcp-tools", `${name}.json`), formatDefinitions(observed.reading.surface, SECTIONS))
}

async function main(folder: string): Promise<void> {
  const store = createMemoryStore()
  const log = await createLog({
    store,
    origin: ORIGIN,
    archive: false,
    signers: [LOG_KEY],
    rootSigners: [ROOT_KEY],
    clock: () => OBSERVED_SEC,
    waitMs: 0,
  })
  const servers = Array.from({ length: PINS }, (_, i) => describeServer(i))
  const answers = await log.append(
    servers.map(({ observed }) => ({ observation: observed.observation, objects: observed.surface.archive })),
  )
  const recorded = servers.flatMap((server, i) => {
    const answer = answers[i]
    return answer ? [[server, answer] as [Server, Recorded]] : []
  })
  const keyring = new TextDecoder().decode(store.files.get("public/keyring/1"))
  for (const count of PROJECTS) {
    const lockfile = await buildLockfile(log, recorded.slice(0, count), keyring)
    writeProject(join(folder, `project-${count}`), lockfile, servers.slice(0, count))
  }
  await log.close()
  const roots = [computeVerifierKey({ name: "bench-root", type: ED25519_NOTE, publicKey: ROOT_KEY.publicKey })]
  const fingerprint = computeRootFingerprint({ origin: ORIGIN, threshold: 1, roots })
  writeFileSync(join(folder, "root.txt"), `${ORIGIN}=${fingerprint}\n`)
}

await main(process.argv[2] ?? ".")
