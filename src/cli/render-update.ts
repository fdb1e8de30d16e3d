// What `update` says of one pin: which version became which, what differs from what was approved, and the line that approves it.
import type { JsonValue } from "../core/json.js"
import { observationOf } from "../features/pins.js"
import type { Updated } from "../features/update.js"
import { diffNotes, type Note } from "../surface/notes.js"
import { analysisMembers } from "./analysis-json.js"
import { loadPaint } from "./paint.js"
import { showPackage } from "./render.js"
import { renderDiff } from "./render-diff.js"
import { describeNotes, findingsMember, localTextsMember } from "./render-unstable.js"
import { changeMember } from "./report-json.js"

/** For people; ends with the line to paste, where something waits for approval. */
export async function describeUpdate(name: string, updated: Updated, colour: boolean): Promise<string> {
  const { pinned, approved } = updated
  const head = `${name}: ${describeVersions(updated)}`
  const notes = describeNotes(updated.observed)
  if (approved) return toText([head, ...indent([`approved${pinned?.written ? "" : ", nothing changed"}`, ...notes])])
  const was = updated.before.approved?.pin
  const lines = [
    ...describeStream(updated),
    ...(await describeDifference(updated, colour)),
    ...notes,
    ...(pinned !== null && pinned.index === null ? [NOT_LOGGED] : []),
    was === undefined ? "nothing was approved before" : `was approved: ${was}`,
    ...(pinned === null
      ? ["nothing written (--dry-run)"]
      : [
          "not approved yet. Approve exactly this with:",
          `  toolsum approve ${name} --to ${pinned.digest} --reason "…"`,
        ]),
  ]
  return toText([head, ...indent(lines)])
}

const toText = (lines: readonly string[]): string => `${lines.join("\n")}\n`
const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => (line === "" ? "" : `  ${line}`))

/** Where identity or masks are others than before: records of such readings are never compared with the earlier ones (DESIGN 2). */
function describeStream({ before, observed }: Updated): readonly string[] {
  const [old, now] = [observationOf(before), observed.observation]
  const parts = [
    ...(old.profile === now.profile ? [] : [`read as ${now.profile}, before as ${old.profile}`]),
    ...(old.mask === now.mask ? [] : [now.mask === "-" ? "no masks any more" : "other masks than before"]),
  ]
  return parts.length === 0 ? [] : [`${parts.join("; ")}: a new stream in the log`]
}

/** What a pin waits for that was written without the log's key. */
const NOT_LOGGED =
  "not logged: this log's key is not here; its owner runs toolsum lock complete, until then it is UNKNOWN"

const NOT_AT_HAND = "the approved texts are not at hand: what was approved may differ in more than is shown"

async function describeDifference(updated: Updated, colour: boolean): Promise<readonly string[]> {
  const { diff, comparedWith } = updated
  if (diff === null) return ["the texts of before are not at hand: neither the approved ones nor the last pin's"]
  const lines = renderDiff(
    diff,
    { paint: await loadPaint(colour) },
    diff.changes.length > 0 ? protocolNotes(updated) : [],
  )
  if (comparedWith === "approved")
    return lines.length > 0 ? lines : ["the same list, another launch line, version or way of reading it"]
  const against =
    lines.length > 0
      ? "from the last pin, which nobody approved:"
      : "nothing new since the last pin, which nobody approved"
  return [NOT_AT_HAND, against, ...lines]
}

/** The protocol version that was agreed on: no digest covers it (DESIGN 3.3). */
function protocolNotes({ before, observed }: Updated): readonly Note[] {
  const { protocol } = before.read
  return typeof protocol === "string"
    ? diffNotes({ before: { protocol }, after: { protocol: observed.reading.protocol } })
    : []
}

/** `@scope/server 1.2.3 → 1.2.4`; both in full where it is another package. */
function describeVersions({ before, observed }: Updated): string {
  const [old, now] = [observationOf(before), observed.observation]
  const earlier = showPackage(old.subject, old.version)
  if (old.subject !== now.subject) return `${earlier} → ${showPackage(now.subject, now.version)}`
  return old.version === now.version ? earlier : `${earlier} → ${now.version}`
}

/** The same as a member of a document. */
export function updatedMember(
  name: string,
  { observed, before, pinned, approved, diff, comparedWith }: Updated,
): JsonValue {
  return {
    name,
    ok: true,
    subject: observed.observation.subject,
    pin: pinned?.digest ?? null,
    approved,
    wasApproved: before.approved?.pin ?? null,
    comparedWith,
    changes: (diff?.changes ?? []).map(changeMember),
    ...analysisMembers(diff ?? {}),
    profile: observed.observation.profile,
    findings: findingsMember(observed.reading.findings),
    localTexts: localTextsMember(observed.localTexts),
  }
}
