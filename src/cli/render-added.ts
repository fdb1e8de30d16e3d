// What `add` says of a server that it read: what it tells before any call, what was pinned and where, and the log that was made for it.
import { relative } from "node:path"
import { escapeInvisible } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { SECTION_NAMES } from "../core/section.js"
import type { Added } from "../features/add.js"
import type { Pinned } from "../features/record-pin.js"
import { showName } from "../surface/shown-text.js"
import type { MadeLog } from "./commands/init.js"
import type { Io } from "./io.js"
import { loadPaint } from "./paint.js"
import { countItems, showPackage } from "./render.js"
import { createPage } from "./render-page.js"
import { describeNotes, findingsMember, localTextsMember } from "./render-unstable.js"

/** A first `add` makes a log: its root is what others need, and its root key should not stay here. */
export function describeMade({ origin, fingerprint, rootKey }: MadeLog): string {
  const key = rootKey === null ? [] : [`  its root key is ${rootKey}: move it off this machine`]
  const lines = [`  made your log, root ${origin}=${fingerprint}`, ...key]
  return lines.map((line) => `${escapeInvisible(line)}\n`).join("")
}

/** One server as a member of a document, or the whole document of one. */
export function addedMember(name: string, { observed, pinned }: Added): { readonly [member: string]: JsonValue } {
  const { subject, version, profile, lines } = observed.observation
  return {
    name,
    subject,
    version,
    profile,
    sections: { ...lines },
    pin: pinned?.digest ?? null,
    log: pinned?.pin.log ?? null,
    index: pinned?.index === undefined || pinned.index === null ? null : String(pinned.index),
    findings: findingsMember(observed.reading.findings),
    localTexts: localTextsMember(observed.localTexts),
  }
}

/** One line: `memory pinned: @acme/server-memory 1.2.3, 9 tools`. */
export function summariseAdded(name: string, { observed, pinned }: Added): string {
  const { subject, version } = observed.observation
  const counts = SECTION_NAMES.flatMap((section) => {
    const count = observed.surface.sections[section]?.items.length ?? 0
    return count === 0 ? [] : [countItems(count, section)]
  })
  const notes = observed.reading.findings.length + observed.localTexts.length
  const noted = notes === 0 ? [] : [`${notes} ${notes === 1 ? "note" : "notes"}`]
  const waits = pinned !== null && pinned.index === null ? ["not logged yet"] : []
  const what = [showPackage(subject, version), ...counts, ...noted, ...waits].join(", ")
  return escapeInvisible(`${name} ${pinned ? "pinned" : "read, nothing written"}: ${what}`)
}

/** All that was read and pinned. `files`: what was written. */
export async function describeAdded(
  name: string,
  { observed, pinned }: Added,
  files: readonly string[],
  io: Io,
): Promise<string> {
  const { subject, version } = observed.observation
  const page = createPage({ paint: await loadPaint(io.colour) })
  const plain = (indent: number, text: string) => page.words(indent, [{ text, look: "plain" }])
  plain(0, `${name} ${pinned ? "pinned" : "read, nothing written"}: ${showPackage(subject, version)}`)
  for (const section of SECTION_NAMES) {
    const items = observed.surface.sections[section]?.items ?? []
    const names = items.map(({ key }) => showName(key ?? "", 60)).join(", ")
    if (items.length > 0) plain(1, `${countItems(items.length, section)}: ${names}`)
  }
  const notes = describeNotes(observed).map((note) => `  ${note}`)
  const lines = [...page.end(), ...notes, ...(pinned ? describePinned(pinned, files, io) : [])]
  return `${lines.join("\n")}\n`
}

/** Not wrapped: paths are there to be copied. */
function describePinned(pinned: Pinned, files: readonly string[], io: Io): readonly string[] {
  const { index, pin, appended } = pinned
  const where = index === null ? "not logged yet" : `leaf ${index} of ${pin.log}`
  return [
    `  record: ${where}${appended ? "" : " (was there already)"}`,
    `  approved as first baseline by ${pin.approved?.by ?? "nobody"}`,
    `  written: ${files.map((path) => showPath(path, io)).join(", ")}`,
  ].map(escapeInvisible)
}

/** From here or from the root, whichever is shorter. */
function showPath(path: string, io: Io): string {
  const fromHere = relative(io.cwd, path)
  return fromHere.length < path.length ? fromHere : path
}
