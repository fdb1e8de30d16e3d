// `toolsum import --live`: what LEGION's records do not cover (prompts, instructions, annotations …) is read from the servers themselves and pinned
// in the personal log, beside each imported pin. The registry says where a server is; nobody is contacted without a yes.
import { ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import type { LegionFingerprint } from "../core/legion/record.js"
import type { Target } from "../core/target.js"
import type { Change } from "../core/verdict.js"
import { type Added, pinServer, readServer } from "../features/add.js"
import { type ImportedPin, liveNameOf } from "../features/import-legion.js"
import { runInLanes, SERVERS_AT_ONCE } from "../features/lanes.js"
import { compareLegionLive, liveListOf } from "../features/legion-live.js"
import { findUrlOf } from "../features/legion-subject.js"
import { findPin, legionRecordOf, requirePin } from "../features/pins.js"
import type { LockfileStore, McpRegistry } from "../ports.js"
import { type AddPlace, type AddRequest, buildAddInput, openAddPlace } from "./adding.js"
import { type ExitCode, exitCodeOfError } from "./exit-codes.js"
import { type FailedPin, failureLine, failureMember } from "./failures.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { loadPaint } from "./paint.js"
import { addedMember, describeMade, summariseAdded } from "./render-added.js"
import { changeMember } from "./report-json.js"
import { notAccepted, openGate } from "./servers.js"

/** How it went with one server. `changes`: its list is not the one that was signed, and so it was not pinned. */
export type LiveOutcome =
  | { readonly name: string; readonly ok: true; readonly added: Added }
  | { readonly name: string; readonly ok: false; readonly changes: readonly Change[] }
  | FailedPin

/** What pinning the rest needs. */
export interface ImportLive {
  readonly lockfile: LockfileStore
  readonly registry: McpRegistry
  readonly options: Options
  readonly io: Io
}

/** Read and pin the rest of the imported servers. Those that have such a pin are left alone. */
export async function pinLiveRest(pins: readonly ImportedPin[], live: ImportLive): Promise<readonly LiveOutcome[]> {
  const { lockfile: store, options, io } = live
  const current = await store.read()
  const missing = pins.filter(({ name }) => findPin(current, liveNameOf(name)) === null)
  const found = await Promise.all(missing.map((pin) => attempt(liveNameOf(pin.name), () => locate(pin, live))))
  const servers = found.filter((one): one is Located => "target" in one)
  const failed = found.filter((one): one is FailedPin => "error" in one)
  const { requests, refused } = await admit(servers, live)
  if (requests.length === 0) return [...failed, ...refused]
  const names = requests.map(({ name }) => name)
  const place = await openAddPlace(names, { lockfile: store, options, io })
  if (place.made?.created && !options.flag("json") && !options.flag("quiet")) io.stdout(describeMade(place.made))
  return [...failed, ...refused, ...(await readAll(requests, place))]
}

interface Located {
  readonly name: string
  readonly of: ImportedPin
  readonly target: Target
}

async function locate(of: ImportedPin, { registry }: ImportLive): Promise<Located> {
  return { name: liveNameOf(of.name), of, target: { url: await findUrlOf(registry, of.serverId), headers: {} } }
}

async function attempt<T>(name: string, work: () => Promise<T>): Promise<T | FailedPin> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolsumError) return { name, ok: false, error }
    throw error
  }
}

interface LiveRequest extends AddRequest {
  readonly signed: LegionFingerprint | null
}

/** One question for all of them. */
async function admit(
  servers: readonly Located[],
  { lockfile, options, io }: ImportLive,
): Promise<{ requests: readonly LiveRequest[]; refused: readonly FailedPin[] }> {
  const gate = await openGate({ lockfilePath: lockfile.path, options, io })
  const isAccepted = servers.length > 0 && (await gate.mayStartAll(servers))
  const current = await lockfile.read()
  const requests: LiveRequest[] = []
  const refused: FailedPin[] = []
  for (const { name, of, target } of servers) {
    if (!isAccepted && !(await gate.accepts(target))) {
      refused.push({ name, ok: false, error: notAccepted(target) })
      continue
    }
    const signed = legionRecordOf(requirePin(current, of.name).pin)?.fingerprint ?? null
    requests.push({ name, target, from: [], placeholders: [], reach: await gate.reachOf(target), signed })
  }
  return { requests, refused }
}

async function readAll(requests: readonly LiveRequest[], place: AddPlace): Promise<readonly LiveOutcome[]> {
  let writing: Promise<unknown> = Promise.resolve()
  const laneOf = ({ name }: LiveRequest) => name
  return runInLanes(requests, { atOnce: SERVERS_AT_ONCE, laneOf }, (request) =>
    attempt(request.name, async (): Promise<LiveOutcome> => {
      if (place.io.signal.aborted) throw new ToolsumError("READING_INCOMPLETE", "interrupted")
      const { signed, ...asked } = request
      const input = await buildAddInput(asked, place)
      const observed = await readServer(input)
      const compared = signed && compareLegionLive(liveListOf(observed.reading), { signed, definitions: null })
      if (compared?.is === "other") return { name: request.name, ok: false, changes: compared.changes }
      const written = writing.then(() => pinServer(input, observed))
      writing = written.catch(() => {}) // told of where it is awaited
      return { name: request.name, ok: true, added: await written }
    }),
  )
}

/** 1 for a server whose list is another than was signed. */
export const exitCodeOfLive = (one: LiveOutcome): ExitCode => {
  if (one.ok) return 0
  return "changes" in one ? 1 : exitCodeOfError(one.error)
}

/** An outcome as a member of a document. */
export function liveMember(one: LiveOutcome): JsonValue {
  if (one.ok) return { ok: true, ...addedMember(one.name, one.added) }
  return "changes" in one ? { name: one.name, ok: false, changes: one.changes.map(changeMember) } : failureMember(one)
}

/** An outcome for people. */
export async function showLive(one: LiveOutcome, { options, io }: ImportLive): Promise<void> {
  if (one.ok) {
    if (!options.flag("quiet")) io.stdout(`${summariseAdded(one.name, one.added)}\n`)
    return
  }
  if (!("changes" in one)) {
    io.stderr(failureLine(one))
    return
  }
  io.stdout(`${one.name}: not pinned, the server's tools are not those that were signed\n`)
  const { renderDiff } = await import("./render-diff.js")
  for (const line of renderDiff({ changes: one.changes, unchanged: {} }, { paint: await loadPaint(io.colour) }))
    io.stdout(`  ${line}\n`)
}
