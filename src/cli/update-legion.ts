// `toolsum update NAME` of a pin whose record a LEGION log signed: takes in the newest record, shows what differs, asks for an approval.
import type { JsonValue } from "../core/json.js"
import { judgeLegionLog } from "../core/legion/judge-log.js"
import type { Lockfile } from "../core/lockfile.js"
import { approvePin } from "../features/approve.js"
import { requirePin } from "../features/pins.js"
import { type LegionUpdated, updateLegionPin } from "../features/update-legion.js"
import type { LockfileStore } from "../ports.js"
import { findActor } from "./actor.js"
import { lockfileToChange } from "./dry-run.js"
import type { Io } from "./io.js"
import { findLegionPlace, lockedUrl, openLegion, rootsOfLegion, unknownPlace } from "./legion-logs.js"
import type { CommandLine, Options } from "./options.js"
import { loadPaint } from "./paint.js"
import { changeMember } from "./report-json.js"
import { acceptTarget } from "./servers.js"
import { showWord } from "./shell-words.js"
import { readTypedTarget } from "./typed-target.js"

/** How it went: whether the pin stands as somebody approved it, and what the document says. */
export interface LegionOutcome {
  readonly approved: boolean
  readonly member: JsonValue
}

/** Update one pin and say so. Throws LOG_UNAVAILABLE where nothing says where its log is, and as `updateLegionPin`. */
export async function updateFromLegion(
  name: string,
  { store, line, io }: { store: LockfileStore; line: CommandLine; io: Io },
): Promise<LegionOutcome> {
  const { options } = line
  const target = readTypedTarget(line, io)
  const { lockfile, pin } = requirePin(await store.read(), name)
  const { url = null } = lockfile.logs[pin.log] ?? {}
  const root = await findRoot(lockfile, pin.log, options, io)
  const place = await findLegionPlace({ origin: pin.log, url, root }, options, io)
  if (place === null) throw unknownPlace(pin.log)
  const client = await openLegion(place, { ...(root === null ? {} : { expectedRoot: root }), options, io })
  if (target !== null && !options.flag("dry-run"))
    await acceptTarget(target, `toolsum update ${name}`, { lockfilePath: store.path, options, io })
  const updated = await updateLegionPin({
    ...{ name, client, target, url: lockedUrl(place) },
    lockfile: lockfileToChange(store, options),
    definitions: !options.flag("no-definitions"),
  })
  const approved = options.flag("json") ? updated.approved : await present(name, updated, { store, options, io })
  return { approved, member: memberOf(name, updated, { approved, isDry: options.flag("dry-run") }) }
}

/** The root that the log has in this lockfile, where it is pinned from outside. */
async function findRoot(lockfile: Lockfile, origin: string, options: Options, io: Io): Promise<string | null> {
  const [keyring = null] = lockfile.logs[origin]?.keyring ?? []
  const roots = await rootsOfLegion(origin, options, io)
  return judgeLegionLog({ origin, keyring, rootPin: null, roots }).root?.fingerprint ?? null
}

async function present(
  name: string,
  updated: LegionUpdated,
  { store, options, io }: { store: LockfileStore; options: Options; io: Io },
): Promise<boolean> {
  const { approved, written, changes, old, now, digest, before } = updated
  const say = (text: string) => !options.flag("quiet") && io.stdout(`${text}\n`)
  const move = old.leafIndex === now.leafIndex ? `leaf ${now.leafIndex}` : `leaf ${old.leafIndex} → ${now.leafIndex}`
  say(`${name}: ${showWord(now.serverId)}, ${move}`)
  if (approved) say(`  approved${written ? "" : ", nothing changed"}`)
  if (approved) return true
  const { renderDiff } = await import("./render-diff.js")
  for (const text of renderDiff({ changes, unchanged: {} }, { paint: await loadPaint(io.colour) })) say(`  ${text}`)
  if (changes.length === 0) say("  the same list, reached in another way, or under another fingerprint")
  say(`  ${before.approved === null ? "nothing was approved before" : `was approved: ${before.approved.pin}`}`)
  if (options.flag("dry-run")) say("  nothing written (--dry-run)")
  else say(`  not approved yet. Approve exactly this with:\n    toolsum approve ${name} --to ${digest} --reason "…"`)
  if (options.flag("dry-run") || io.ask === null) return false
  const answer = await io.ask(`Approve ${name} at ${digest} now? Answer yes to approve: `)
  if (answer.trim().toLowerCase() !== "yes") return false
  const actor = await findActor(options, io)
  await approvePin({
    ...{ lockfile: store, name, to: digest },
    actor: { ...actor, reason: actor.reason ?? "approved at update" },
  })
  say("  approved")
  return true
}

const memberOf = (
  name: string,
  { now, digest, before, changes }: LegionUpdated,
  { approved, isDry }: { approved: boolean; isDry: boolean },
): JsonValue => ({
  ...{ name, ok: true, subject: now.serverId, pin: isDry ? null : digest, approved },
  wasApproved: before.approved?.pin ?? null,
  comparedWith: changes.length === 0 ? null : "last",
  changes: changes.map(changeMember),
})
