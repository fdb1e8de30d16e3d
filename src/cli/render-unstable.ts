// Texts that do not hold still, for people: where two readings differ, what says where it was read, and the masks for both, in a line
// that can be pasted.
import { escapeInvisible } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { formatMasks, type Mask } from "../core/mask.js"
import type { Observed } from "../features/observe.js"
import { describePlace, type Instability, instabilityOf } from "../features/unstable-error.js"
import type { ReadFinding } from "../ports.js"
import type { LocalText } from "../surface/local-texts.js"
import type { UnstablePlace } from "../surface/unstable.js"
import type { Io } from "./io.js"
import { formatMaskWord } from "./masks.js"
import type { CommandLine } from "./options.js"
import { loadPaint } from "./paint.js"
import { createPage, type Page } from "./render-page.js"
import { quoteForShell } from "./shell-words.js"
import { isUrl } from "./typed-target.js"

/** The command that was typed, for one of its servers. */
export interface TypedCommand {
  readonly command: "add" | "update" | "observe"
  readonly name: string
  readonly line: CommandLine
  readonly io: Io
}

/** Places and lines of a place that are shown. */
const MAX_SHOWN = 12
const MAX_LINES = 6

/** Await a reading, and show on stderr what differs where two readings do not agree; a document has it anyway. Throws what the reading
 *  throws. */
export async function showUnstable<T>(work: Promise<T>, typed: TypedCommand): Promise<T> {
  try {
    return await work
  } catch (error) {
    const found = instabilityOf(error)
    if (found !== null && !typed.line.options.flag("json")) typed.io.stderr(await describeUnstable(found, typed))
    throw error
  }
}

async function describeUnstable({ places, masks }: Instability, typed: TypedCommand): Promise<string> {
  const page = createPage({ paint: await loadPaint(typed.io.colour) })
  page.words(0, [{ text: `${typed.name}: two readings, one after the other, differ`, look: "plain" }])
  for (const place of places.slice(0, MAX_SHOWN)) showPlace(page, place)
  const more = places.length - MAX_SHOWN
  if (more > 0) page.words(1, [{ text: `… ${more} more, see --json`, look: "dim" }])
  return `${[...page.end(), ...describeRemedy(masks, typed)].join("\n")}\n`
}

function showPlace(page: Page, place: UnstablePlace): void {
  const { first, second, masks, problem } = place
  const label = describePlace(place)
  const isList = problem !== null && place.pointer === "" && (first === undefined || second === undefined)
  if (isList)
    page.words(1, [
      { text: `${label} is in ${first === undefined ? "the second" : "the first"} reading only`, look: "plain" },
    ])
  else {
    const values = {
      ...(first === undefined ? {} : { before: first }),
      ...(second === undefined ? {} : { after: second }),
    }
    page.change(1, { label, change: values, maxLines: MAX_LINES })
  }
  const said = problem === null ? masks.map(describeMask) : [problem]
  for (const text of said) page.words(2, [{ text: escapeInvisible(text), look: "dim" }])
}

const describeMask = (mask: Mask): string => `mask: ${mask.class}, at most ${mask.max} characters`

function describeRemedy(masks: readonly Mask[] | null, typed: TypedCommand): readonly string[] {
  if (masks === null) return ["  no masks cover all of it: this list cannot be pinned as it is"]
  return [
    "  masks would leave these texts out of the hash, and a change inside them is then not seen:",
    `  ${formatCommand(masks, typed)}`,
    ...(typed.io.platform === "win32"
      ? ["  (for sh; elsewhere put the list of --json into a file and give --masks FILE)"]
      : []),
  ]
}

/** The command again, with masks. Not wrapped: it is there to be pasted. */
function formatCommand(masks: readonly Mask[], { command, name, line }: TypedCommand): string {
  const typed = line.typed.filter((word) => word !== "--all")
  const words = [command, name, ...line.words.filter(isUrl), ...typed].map(quoteForShell)
  const launch = line.launch === null ? [] : ["--", ...line.launch.map(quoteForShell)]
  return escapeInvisible(["toolsum", ...words, ...maskWords(masks), ...launch].join(" "))
}

const maskWords = (masks: readonly Mask[]): readonly string[] =>
  masks.flatMap((mask) => ["--mask", formatMaskWord(mask)])

const LOCAL: Readonly<Record<LocalText["kind"], string>> = {
  folder: "the folder's path",
  home: "the home folder's path",
  user: "the user's name",
  host: "this machine's name",
}

/** A line for each note on a reading, then for each text that says where it was read. Not wrapped: masks are there to be pasted. */
export const describeNotes = ({ reading, localTexts }: Pick<Observed, "reading" | "localTexts">): readonly string[] => [
  ...reading.findings.map(({ message }) => escapeInvisible(`note: ${message}`)),
  ...describeLocalTexts(localTexts),
]

/** Notes on a reading as a member of a document. */
export const findingsMember = (findings: readonly ReadFinding[]): JsonValue =>
  findings.map((finding) => ({ ...finding }))

function describeLocalTexts(texts: readonly LocalText[]): readonly string[] {
  const lines = texts.slice(0, MAX_SHOWN).map((text) => {
    const offer = text.problem === null ? maskWords(text.masks).join(" ") : `no mask fits: ${text.problem}`
    return escapeInvisible(
      `note: ${describePlace(text)} has ${LOCAL[text.kind]} in it, a colleague's list will differ: ${offer}`,
    )
  })
  const more = texts.length - MAX_SHOWN
  return more > 0 ? [...lines, `note: ${more} more such texts, see --json`] : lines
}

/** The same as a member of a document. */
export const localTextsMember = (texts: readonly LocalText[]): JsonValue =>
  texts.map(({ section, item, pointer, kind, masks, problem }) => ({
    section,
    item,
    pointer,
    kind,
    masks: formatMasks(masks),
    problem,
  }))
