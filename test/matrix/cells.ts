// The cells of the matrix, the combinations that make no sense and why, and what is expected of each cell: rules over the tables of the axes
// alone, written from DESIGN 9 and the field notes. Nothing here knows the reader.
import { CONTENTS, type Content, type ContentName, namesOn, PAGINGS, type PagingName, walkOf } from "./lists.js"
import { isModern, REVISIONS, type Revision, WAYS, type Way } from "./scripted-server.js"
import {
  AUTHS,
  type AuthName,
  DEFECTS,
  type DefectName,
  type Effect,
  PLACES,
  type Place,
  type Trouble,
} from "./troubles.js"

/** Which revision the reader asks for first: that of the pin, none, or one of the other era. */
export const ASKS = ["pin", "none", "other"] as const
export type Ask = (typeof ASKS)[number]

/** One server and how it is asked. */
export interface Cell {
  readonly revision: Revision
  readonly way: Way
  readonly ask: Ask
  readonly paging: PagingName
  readonly content: ContentName
  readonly auth: AuthName
  readonly defect: DefectName
  /** Where the server wants something or goes wrong. */
  readonly place: Place
}

/** What has to come out. `changes`: kind, section, item and pointer of each. */
export interface Outcome {
  readonly verdict: "UNCHANGED" | "CHANGED" | "UNKNOWN" | "AUTH"
  readonly reason: string | null
  readonly changes: readonly string[]
}

const names = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[] // its own keys

/** Every value of every axis. */
export const AXES = {
  revision: REVISIONS,
  way: WAYS,
  ask: ASKS,
  paging: names(PAGINGS),
  content: names(CONTENTS),
  auth: names(AUTHS),
  defect: names(DEFECTS),
  place: PLACES,
}

/** What goes wrong in a cell: what the server wants, else its defect. */
export const troubleOf = ({ auth, defect }: Cell): Trouble => (auth === "none" ? DEFECTS[defect] : AUTHS[auth])

const contentOf = ({ content }: Cell): Content => CONTENTS[content]
const isCalm = ({ auth, defect }: Cell): boolean => auth === "none" && defect === "none"
export const walkOfCell = ({ paging, revision }: Cell) => walkOf(paging, isModern(revision) ? "modern" : "handshake")

/** The list request that the trouble of a cell happens to, by its cursor; null: none. */
export function troubledCursor(cell: Cell): string | null {
  const { cursors } = walkOfCell(cell)
  if (isCalm(cell) || cell.place === "opening") return null
  return (cell.place === "first page" ? cursors[0] : cursors.at(-1)) ?? null
}

function effectOf(cell: Cell): Effect {
  const trouble = troubleOf(cell)
  const effect = cell.place === "opening" ? trouble.opening : trouble.list
  return (typeof effect === "function" ? effect(cell.way) : effect) ?? "harmless"
}

/** Combinations that no server can be, or that say nothing which another cell does not say. */
const SENSELESS: readonly { readonly why: string; readonly is: (cell: Cell) => boolean }[] = [
  {
    why: "the one event stream is 2024-11-05's own",
    is: ({ way, revision }) => way === "sse" && revision !== "2024-11-05",
  },
  {
    why: "a server that lets nobody in does not get to go wrong",
    is: ({ auth, defect }) => auth !== "none" && defect !== "none",
  },
  { why: "nothing happens anywhere", is: (cell) => isCalm(cell) && cell.place !== "opening" },
  { why: "it does not happen that way", is: (cell) => !(troubleOf(cell).ways ?? WAYS).includes(cell.way) },
  { why: "it does not happen in that revision", is: (cell) => !(troubleOf(cell).revisions?.(cell.revision) ?? true) },
  {
    why: "it does not happen there",
    is: (cell) =>
      !isCalm(cell) && (cell.place === "opening" ? troubleOf(cell).opening : troubleOf(cell).list) === undefined,
  },
  { why: "there is no such page", is: (cell) => cell.place !== "opening" && troubledCursor(cell) === null },
  {
    why: "the first page is the last",
    is: (cell) =>
      cell.place === "last page" && walkOfCell(cell).cursors.length === 1 && cell.defect !== "ends after the answer",
  },
  {
    why: "it ends with its last page only",
    is: ({ defect, place }) => defect === "ends after the answer" && place === "first page",
  },
  { why: "it ends before the list does", is: (cell) => cell.defect === "ends after the answer" && !endsWithPage(cell) },
  {
    why: "a list without its tools is not too long",
    is: ({ paging, content }) => paging === "too many items" && (content === "removed" || content === "empty"),
  },
  { why: "without a list nothing happens to it", is: (cell) => cell.place !== "opening" && hasNoList(cell) },
  {
    why: "one body has one message in it",
    is: (cell) => cell.way === "json" && contentOf(cell).swapped === true,
  },
  {
    why: "a list that is read again meets its trouble again",
    is: (cell) => contentOf(cell).swapped === true && cell.place !== "opening",
  },
]

const hasNoList = (cell: Cell): boolean => contentOf(cell).undeclared === true || contentOf(cell).unknown === true
/** True when nothing is asked after the last page that counts. */
const endsWithPage = (cell: Cell): boolean => {
  const { cursors, whole } = walkOfCell(cell)
  const page = (PAGINGS[cell.paging].pages as Readonly<Record<string, object>>)[cursors.at(-1) ?? ""]
  return whole && page !== undefined && !("next" in page)
}

/** Why a combination is left out; null for one that is tried. */
export const whyLeftOut = (cell: Cell): string | null => SENSELESS.find(({ is }) => is(cell))?.why ?? null

/** All cells of some values of each axis, without those that are left out. */
export function cellsOf(axes: Partial<{ readonly [Axis in keyof Cell]: readonly Cell[Axis][] }>): readonly Cell[] {
  const all = { ...AXES, ...axes }
  const cells: Cell[] = []
  for (const revision of all.revision)
    for (const way of all.way)
      for (const ask of all.ask)
        for (const paging of all.paging)
          for (const content of all.content)
            for (const auth of all.auth)
              for (const defect of all.defect)
                for (const place of all.place) {
                  const cell: Cell = { revision, way, ask, paging, content, auth, defect, place }
                  if (whyLeftOut(cell) === null) cells.push(cell)
                }
  return cells
}

/** Of cells that are the same but for these axes, one: another one in each group. */
export function inTurn(cells: readonly Cell[], axes: readonly (keyof Cell | "era")[]): readonly Cell[] {
  const groups = new Map<string, Cell[]>()
  for (const cell of cells) {
    const traits = { ...cell, era: isModern(cell.revision), opens: cell.place === "opening" }
    const key = JSON.stringify(Object.entries(traits).filter(([axis]) => !axes.some((name) => name === axis)))
    groups.set(key, [...(groups.get(key) ?? []), cell])
  }
  return [...groups.values()].flatMap((group, turn) => group[(turn * STRIDE) % group.length] ?? [])
}

/** A prime, so that no two axes turn together. */
const STRIDE = 7

/** A cell in words. */
export const nameOf = ({ revision, way, ask, paging, content, auth, defect, place }: Cell): string =>
  [
    `${revision} ${way}${ask === "pin" ? "" : `, asked for ${ask}`}`,
    paging,
    content,
    ...(auth === "none" ? [] : [`${auth} (${place})`]),
    ...(defect === "none" ? [] : [`${defect} (${place})`]),
  ].join(" | ")

/** What has to come out of a cell. A change that came survives whatever fails; UNCHANGED and what is gone need the whole list. */
export function expectedOf(cell: Cell): Outcome {
  const effect = effectOf(cell)
  const fatal = outcomeOf(effect)
  if (cell.place === "opening" && fatal) return fatal
  const content = contentOf(cell)
  const came = hasNoList(cell) ? { cursors: [], whole: true } : whatCame(cell, effect)
  const changes = changesOf(cell, content, came)
  if (changes.length > 0) return { verdict: "CHANGED", reason: "surface", changes: changes.toSorted() }
  if (fatal) return fatal
  return came.whole
    ? { verdict: "UNCHANGED", reason: null, changes: [] }
    : { verdict: "UNKNOWN", reason: "incomplete", changes: [] }
}

function outcomeOf(effect: Effect): Outcome | null {
  if (effect === "harmless" || effect === "breaks") return null
  if (typeof effect === "object") return { verdict: "AUTH", reason: effect.auth, changes: [] }
  return { verdict: "UNKNOWN", reason: effect, changes: [] }
}

/** The pages that came, and whether the list was read to its end by them. */
function whatCame(cell: Cell, effect: Effect): { readonly cursors: readonly string[]; readonly whole: boolean } {
  const walk = walkOfCell(cell)
  const cursor = troubledCursor(cell)
  if (cursor === null || effect === "harmless") return walk
  return { cursors: walk.cursors.slice(0, walk.cursors.indexOf(cursor)), whole: false }
}

function changesOf(
  { paging }: Cell,
  { besides = [], changes = {}, gone = [], meanwhile = {} }: Content,
  { cursors, whole }: { readonly cursors: readonly string[]; readonly whole: boolean },
): readonly string[] {
  const came = new Set(cursors.flatMap((cursor) => [...namesOn(paging, cursor)]))
  const told = [...came].flatMap((name) => (whole ? changes[name] : (meanwhile[name] ?? changes[name])) ?? [])
  return [...besides, ...told, ...(whole ? [...gone, ...missing(paging, cursors)] : [])]
}

/** Tools that are on no page of a list that was read to its end. */
const missing = (paging: PagingName, cursors: readonly string[]): readonly string[] => {
  const came = cursors.flatMap((cursor) => [...namesOn(paging, cursor)])
  return cursors.length === 0
    ? []
    : ["a", "b", "c"].filter((name) => !came.includes(name)).map((name) => `removed tools ${name}`)
}
